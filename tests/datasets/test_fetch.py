"""Downloads, from a server of our own on 127.0.0.1."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from coindex.datasets import download
from coindex.datasets.catalogue import Corpus, File, Licence
from coindex.datasets.download import DownloadError, DownloadStep
from coindex.errors import InputError, UsageError
from coindex.types.progress import Progress

TEXT = b"pronoun " * 50_000


class Server(ThreadingHTTPServer):
    asked: list[str]


class Handler(BaseHTTPRequestHandler):
    """`/good` is whole, `/cut` stops half-way, `/short` lies about its length; others: 404."""

    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path not in ("/good", "/cut"):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(TEXT)))
        self.end_headers()
        self.wfile.write(TEXT if self.path == "/good" else TEXT[: len(TEXT) // 2])

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server(("127.0.0.1", 0), Handler) as running:
        running.asked = []
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("COINDEX_DATA", raising=False)
    monkeypatch.setenv("COINDEX_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def file(server: Server, page: str, content: bytes = TEXT) -> File:
    url = f"http://127.0.0.1:{server.server_port}/{page}"
    return File(f"mine/{page}.txt", hashlib.sha256(content).hexdigest(), len(content), url=url)


def corpus(*files: File) -> Corpus:
    return Corpus("mine", "Mine", "a test", Licence("MIT", "", True), (), None, files)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_good_download(server: Server, home: Path) -> None:
    seen: list[Progress] = []
    steps = download.plan_download(corpus(file(server, "good")))
    assert download.download_size(steps) == len(TEXT)
    assert [step.state for step in download.run_download(steps, seen.append)] == [
        DownloadStep.DOWNLOAD
    ]
    assert (home / "data" / "mine" / "good.txt").read_bytes() == TEXT
    assert left(home) == ["good.txt"]
    assert [each.done for each in seen] == sorted(each.done for each in seen)
    assert seen[-1] == Progress("download", len(TEXT), len(TEXT), "bytes")


def test_a_second_run_skips_what_is_right(server: Server) -> None:
    mine = corpus(file(server, "good"))
    list(download.run_download(download.plan_download(mine)))
    again = download.plan_download(mine)
    assert [step.state for step in download.run_download(again)] == [DownloadStep.HERE]
    assert download.download_size(again) == 0
    assert server.asked == ["/good"]


def test_what_is_wrong_is_downloaded_again(server: Server, home: Path) -> None:
    target = home / "data" / "mine" / "good.txt"
    target.parent.mkdir(parents=True)
    target.write_bytes(b"?" * len(TEXT))
    list(download.run_download(download.plan_download(corpus(file(server, "good")))))
    assert target.read_bytes() == TEXT


def test_a_copy_in_coindex_data_is_enough(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(tmp_path / "shared"))
    there = tmp_path / "shared" / "mine" / "good.txt"
    there.parent.mkdir(parents=True)
    there.write_bytes(TEXT)
    (step,) = download.plan_download(corpus(file(server, "good")))
    assert (step.state, step.target) == (DownloadStep.HERE, there)
    (step,) = download.plan_download(corpus(file(server, "good")), tmp_path / "to")
    assert (step.state, step.target) == (
        DownloadStep.DOWNLOAD,
        tmp_path / "to" / "mine" / "good.txt",
    )


def test_a_wrong_copy_that_comes_first_is_remarked(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(tmp_path / "shared"))
    there = tmp_path / "shared" / "mine" / "good.txt"
    there.parent.mkdir(parents=True)
    there.write_bytes(b"old")
    steps = list(download.run_download(download.plan_download(corpus(file(server, "good")))))
    (remark,) = download.remarks(steps, None)
    assert remark.endswith(f"another copy comes first and is not the same: {there}")
    assert there.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("page", "content", "reason"),
    [
        ("good", TEXT[:-1] + b"!", "expected sha256"),
        ("missing", TEXT, "the server answered 404"),
        ("cut", TEXT, "the connection was cut"),
    ],
)
def test_a_bad_download_leaves_nothing(
    server: Server, home: Path, page: str, content: bytes, reason: str
) -> None:
    wanted = file(server, page, content)
    with pytest.raises(DownloadError) as caught:
        list(download.run_download(download.plan_download(corpus(wanted))))
    message = str(caught.value)
    assert reason in message
    assert str(wanted.url) in message
    assert wanted.path in message
    assert "COINDEX_DATA" in message
    assert "\n" not in message
    assert left(home) == []


def test_a_bad_download_keeps_the_old_file_and_the_finished_ones(
    server: Server, home: Path
) -> None:
    old = home / "data" / "mine" / "cut.txt"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"old")
    mine = corpus(file(server, "good"), file(server, "cut"))
    with pytest.raises(DownloadError):
        list(download.run_download(download.plan_download(mine)))
    assert left(home) == ["cut.txt", "good.txt"]
    assert old.read_bytes() == b"old"
    assert [step.state for step in download.plan_download(mine)] == [
        DownloadStep.HERE,
        DownloadStep.DOWNLOAD,
    ]


def test_offline(server: Server, home: Path) -> None:
    wanted = file(server, "good")
    server.server_close()
    with pytest.raises(DownloadError, match="cannot be reached"):
        download.download_file(wanted, home / "good.txt")
    assert left(home) == []


def test_no_answer_in_time(monkeypatch: pytest.MonkeyPatch, home: Path, server: Server) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.05)
    monkeypatch.setattr(Handler, "do_GET", lambda self: threading.Event().wait(0.3))
    with pytest.raises(DownloadError, match="no answer within"):
        download.download_file(file(server, "good"), home / "good.txt")
    assert left(home) == []


def test_a_folder_that_cannot_be_made(server: Server, home: Path) -> None:
    home.write_text("in the way", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be made"):
        download.download_file(file(server, "good"), home / "data" / "good.txt")


def test_a_folder_in_the_place_of_the_file(server: Server, home: Path) -> None:
    (home / "good.txt").mkdir(parents=True)
    with pytest.raises(DownloadError, match="directory"):
        download.download_file(file(server, "good"), home / "good.txt")


def test_no_address(home: Path) -> None:
    wanted = File("mine/a.txt", "0" * 64, 1, note="ask the authors")
    steps = list(download.run_download(download.plan_download(corpus(wanted))))
    assert [step.state for step in steps] == [DownloadStep.NO_ADDRESS]
    assert list(download.remarks(steps, None)) == [
        "mine/a.txt: cannot be downloaded: ask the authors"
    ]
    with pytest.raises(UsageError, match="ask the authors"):
        download.download_file(wanted, home / "a.txt")


def test_own_corpora_are_not_downloaded() -> None:
    own = Corpus("own", "Own", "mine", Licence(None, "", False), (), None, (), own=True)
    with pytest.raises(UsageError, match="nothing to download"):
        download.plan_download(own)
