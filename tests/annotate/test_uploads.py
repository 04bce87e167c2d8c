"""Uploads: files that are made to harm their reader, and the names that documents get."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import stat
import struct
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from annotate_server import Server
from annotate_web import World
from coindex.annotate import projects
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange.upload_reader import UploadLimits
from coindex.annotate.exchange.uploads import file_name, read_upload
from coindex.annotate.people.accounts import Accounts
from coindex.annotate.store.database import Database
from coindex.annotate.store.migrate import migrate

LETTER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "letter.conll"
MEGABYTE = 1 << 20
MOST = 600 * MEGABYTE


@pytest.fixture
def world(light: Database) -> World:
    return World(light)


def zipped(**files: bytes | str) -> bytes:
    return packed({name.replace("__", "."): content for name, content in files.items()})


def packed(files: dict[str, bytes | str]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


def zeros(megabytes: int, pack: Callable[[bytes], bytes]) -> bytes:
    return pack(b"\0" * MEGABYTE) * megabytes  # streams one after the other are one file


def link() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        info = zipfile.ZipInfo("passwords.txt")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    return held.getvalue()


def overlapping(copies: int) -> bytes:
    """Many names of one file: the directory promises far more than the archive holds."""
    content = packed({"a.txt": b"x" * 5 * MEGABYTE})
    start = content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    entry = content[start:end]
    entries = b"".join(entry.replace(b"a.txt", b"%05d" % n) for n in range(copies))
    tail = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, copies, copies, len(entries), start, 0)
    return content[:start] + entries + tail


def lying() -> bytes:
    """An archive whose directory says that a file of 400 MB has ten bytes."""
    content = packed({"a.txt": b"x " * 200 * MEGABYTE})
    size = struct.pack("<I", 400 * MEGABYTE)
    return content.replace(size, struct.pack("<I", 10))


def damaged() -> bytes:
    content = bytearray(packed({"a.txt": b"Ann slept. " * 200}))
    content[40:50] = b"\xff" * 10
    return bytes(content)


def encrypted() -> bytes:
    content = bytearray(packed({"a.txt": b"Ann slept."}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def words(megabytes: int) -> bytes:
    return b"Ann told Bea that she left. " * (megabytes * MEGABYTE // 28)


def document(**changed: Any) -> bytes:
    value = {"coindex": "document", "version": 1, "id": "d", "text": "Ann slept.",
             "tokens": ["Ann", "slept", "."], "starts": [0, 4, 9], "ends": [3, 9, 10],
             "sentences": [0]}  # fmt: skip
    return json.dumps({**value, **changed}).encode()


LAUGHS = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a0 "ha">' + b"".join(
    b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10)
)
BROKEN: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    "empty": ("empty file", "a.txt", lambda: b""),
    "an xz bomb of words": ("unpacks to more", "a.txt.xz", lambda: lzma.compress(words(10)) * 30),
    "an xz bomb of zeros": ("unpacks to more", "a.txt.xz", lambda: zeros(400, lzma.compress)),
    "a gzip bomb": ("unpacks to more", "a.txt.gz", lambda: zeros(400, gzip.compress)),
    "a bzip2 bomb": ("unpacks to more", "a.txt.bz2", lambda: zeros(300, bz2.compress)),
    "gzip in gzip in gzip": ("unpacks to more", "a.gz", lambda: gzip.compress(gzip.compress(zeros(400, gzip.compress)))),
    "gzip five times": ("more than 2 times", "a.gz", lambda: gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"x"))))),
    "a gzip that ends early": ("cannot be unpacked", "a.gz", lambda: gzip.compress(os.urandom(5000))[:2000]),
    "a gzip that is none": ("cannot be unpacked", "a.gz", lambda: b"\x1f\x8bbroken"),
    "a bzip2 that is none": ("cannot be unpacked", "a.bz2", lambda: b"BZhx"),
    "an xz that is none": ("cannot be unpacked", "a.xz", lambda: b"\xfd7zXZ\x00broken"),
    "an xz with a large dictionary": ("of memory", "a.xz", lambda: lzma.compress(b"Ann " * 100, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}])),
    "a zip that is none": ("not a zip file", "a.zip", lambda: b"PK\x03\x04broken"),
    "a zip that ends early": ("not a zip file", "a.zip", lambda: zipped(a__txt="Ann slept.")[:-30]),
    "a zip with damage inside": ("cannot be unpacked", "a.zip", damaged),
    "a zip with a password": ("protected by a password", "a.zip", encrypted),
    "an empty zip": ("archive is empty", "a.zip", lambda: packed({"folder/": b""})),
    "a zip bomb": ("unpacks to more", "a.zip", lambda: zipped(a__txt=b"x " * 150 * MEGABYTE)),
    "a zip bomb of many files": ("unpacks to more", "a.zip", lambda: packed({f"{n}.txt": b"x" * 10 * MEGABYTE for n in range(30)})),
    "a zip of overlapping files": ("unpacks to more", "a.zip", lambda: overlapping(200)),
    "a zip that understates its size": ("cannot be unpacked", "a.zip", lying),
    "a zip in a zip": ("inside of another", "a.zip", lambda: zipped(b__zip=zipped(a__txt="Ann slept."))),
    "a zip bomb in a gzip in a zip": ("inside of another", "a.zip", lambda: zipped(b__gz=gzip.compress(zipped(a__txt=b"x" * 100 * MEGABYTE)))),
    "a gzip bomb in a zip": ("unpacks to more", "a.zip", lambda: zipped(b__gz=zeros(400, gzip.compress))),
    "a zip with 30,000 files": ("30,000 files", "a.zip", lambda: packed({f"{n}.txt": b"x" for n in range(30_000)})),
    "a zip that leads up": ("leads out", "a.zip", lambda: packed({"../../evil.txt": "Ann slept."})),
    "a zip that leads to the root": ("leads out", "a.zip", lambda: packed({"/etc/evil.txt": "Ann slept."})),
    "a zip that leads to a drive": ("leads out", "a.zip", lambda: packed({"C:\\evil.txt": "Ann slept."})),
    "a zip with a link": ("is a link", "a.zip", link),
    "a zip with the same name twice": ("there twice", "a.zip", lambda: packed({"a/x.txt": "Ann slept.", "b/x.txt": "Bea left.", "a-x.txt": "Cy ran."})),
    "a zip with documents and problems": ("found both", "a.zip", lambda: packed({"a.jsonl": document() + b"\n", "b.jsonl": b'{"coindex": "problem", "version": 1, "id": "p", "text": "Ann met Bea when she fell.", "target": [17, 20], "candidates": [{"text": "Ann", "chars": [0, 3]}]}\n'})),
    "a line of 60 MB": ("of memory", "a.txt", lambda: b"x" * 60 * MEGABYTE),
    "too many words": ("of memory", "a.txt", lambda: words(8)),
    "too many documents": ("100,000 documents", "a.jsonl.gz", lambda: gzip.compress(b"".join(document(id=f"d{n}") + b"\n" for n in range(101_000)), 1)),
    "JSON lists 100,000 deep": ("JSON of another", "a.json", lambda: b'[{"a":' * 100_000),
    "JSON objects 100,000 deep": ("JSON of another", "a.jsonl", lambda: b'{"coindex": "document", "a":' + b'{"a":' * 100_000),
    "metadata that is too deep": ("JSON of another", "a.jsonl", lambda: document()[:-1] + b', "meta": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"),
    "offsets of another text": ("offsets must rise", "a.jsonl", lambda: document(starts=[0, 400, 900])),
    "XML with entities that multiply": ("XML of another", "a.xml", lambda: LAUGHS + b"]><d>&a9;</d>"),
    "XML 100,000 deep": ("8 levels", "a.xml", lambda: b"<root><document><sentences>" + b"<a>" * 100_000),
    "an annotation file without its text": ("two files of a document", "letter.ann", lambda: b"T1\tperson 0 3\tAnn\n"),
    "CoNLL that does not close a bracket": ("never closed", "a.conll", lambda: b"#begin document (a); part 000\na\t0\t0\tAnn\tNNP\t*\t-\t-\t-\t-\t*\t(1\n\n#end document\n"),
    "UTF-16": ("found UTF-16", "a.txt", lambda: "Ann slept.".encode("utf-16")),
    "bytes": ("found binary data", "a.txt", lambda: random.Random(1).randbytes(100_000)),
    "a PDF": ("found a PDF", "a.pdf", lambda: b"%PDF-1.7 ..."),
    "an office document": ("a Word document", "a.docx", lambda: packed({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"})),
    "an image in a zip": ("an image (PNG)", "a.zip", lambda: zipped(a__png=b"\x89PNG\r\n\x1a\n")),
    "a database": ("SQLite database", "a.db", lambda: b"SQLite format 3\0" + b"\0" * 10_000),
}  # fmt: skip


class Memory(threading.Thread):
    """The most memory that a process, and that all of its children, have had at once."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.process, self.server, self.tree, self.stopped = process, 0, 0, threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(0.02):
            own = resident(self.process)
            self.server = max(self.server, own)
            self.tree = max(self.tree, own + sum(map(resident, children(self.process))))


def resident(process: int) -> int:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096
    return 0


def children(process: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):  # the process may end meanwhile
        for path in Path(f"/proc/{process}/task").glob("*/children"):
            found += [int(each) for each in path.read_text().split()]
    return found + [each for child in found for each in children(child)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    folder = tmp_path_factory.mktemp("uploads")
    database = Database(str(folder / "u.db"))
    migrate(database, None)
    projects.create(database, "p", "document", {})
    accounts = Accounts(database)
    with database.write() as connection:
        id = accounts.add(connection, "boss", "a long enough password", True)
    token = accounts.new_token(id, "test", 1)[1]
    database.close()
    made = Server(str(folder / "u.db"), folder)
    made.start()
    yield made, token
    made.stop()


def send(server: Server, token: str, content: bytes, name: str) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=300)
    headers = {"Authorization": f"Bearer {token}"}
    connection.request("POST", f"/api/projects/1/import?name={name}", content, headers)
    answer = connection.getresponse()
    try:
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_broken_uploads_are_answered_with_a_reason(server: tuple[Server, str]) -> None:
    assert len(BROKEN) >= 40
    made, token = server
    assert made.process is not None
    memory = Memory(made.process.pid)
    memory.start()
    wrong = {}
    for name, (reason, file, content) in BROKEN.items():
        status, answer = send(made, token, content(), file)
        message = answer.get("error", {}).get("message", "")
        if status not in (413, 422) or reason not in message or "/tmp" in message:
            wrong[name] = (status, answer)
        print(f"{name}: {status} {message[:150]}")
    memory.stopped.set()
    print(f"server {memory.server >> 20} MiB, with the readers {memory.tree >> 20} MiB")
    assert wrong == {}
    assert memory.tree < MOST
    assert made.ask(token, "GET", "/api/projects/1/documents")[1]["documents"] == []
    status, answer = send(made, token, b"Ann slept.", "after.txt")
    assert (status, answer["imported"]["documents"]) == (200, 1)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="children are read from /proc")
def test_a_killed_server_takes_its_reader_with_it(tmp_path: Path, server: Any) -> None:
    made, token = server
    content = b"".join(document(id=f"d{n}") + b"\n" for n in range(90_000))
    thread = threading.Thread(target=lambda: swallow(made, token, content), daemon=True)
    thread.start()
    process = made.process.pid
    readers: list[int] = []
    for _ in range(300):
        readers = readers or children(process)
        if readers:
            break
        time.sleep(0.02)
    assert readers
    made.kill()
    for _ in range(50):
        if not any(resident(each) for each in readers):
            break
        time.sleep(0.1)
    assert not any(resident(each) for each in readers), "a reader lives five seconds later"
    made.start()


def swallow(server: Server, token: str, content: bytes) -> None:
    with suppress(OSError, ValueError, Exception):
        send(server, token, content, "many.jsonl")


def names(world: World) -> list[str]:
    rows = world["manager"].get(f"/api/projects/{world.project}/documents")["documents"]
    return [each["name"] for each in rows]


def test_a_document_is_called_as_its_file(world: World) -> None:
    manager = world["manager"]
    for name in ("Letter to Ann.txt", "..%5C..%5CÜber%20uns.txt", "%2Fetc%2Fpasswd", ".txt"):
        answer = manager.upload(world.project, b"Ann slept.", format="text", name=name)
        assert answer.status_code == 200, answer.text
    manager.upload(world.project, gzip.compress(b"Bea left."), format="text", name="packed.txt.gz")
    assert names(world) == ["Letter to Ann", "Über uns", "passwd", "txt", "packed"]


@pytest.mark.parametrize(
    ("given", "name"),
    [("a/b\\c.txt", "c.txt"), ("", "upload"), ("..", "upload"), ("a\0b.txt", "ab.txt"),
     ("x" * 500 + ".txt", "x" * 180 + ".txt"), ("C:\\x", "x"), ("notes", "notes")],
)  # fmt: skip
def test_file_names(given: str, name: str) -> None:
    assert file_name(given) == name


def test_an_annotation_file_alone_names_no_path_of_the_server(world: World) -> None:
    answer = world["manager"].upload(world.project, b"T1\tperson 0 3\tAnn\n", name="letter.ann")
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == (
        "letter.ann: letter.txt: no such file; upload the two files of a document in one zip archive"
    )


def test_a_zip_of_two_files_is_read(world: World) -> None:
    content = packed({"letter.ann": "T1\tperson 0 3\tAnn\n", "letter.txt": "Ann slept."})
    answer = world["manager"].upload(world.project, content, name="both.zip")
    assert answer.json()["imported"]["documents"] == 1
    assert names(world) == ["letter"]


def test_files_of_one_name_in_a_zip_are_called_by_their_folders(world: World) -> None:
    files = {"north/1.txt": "Ann slept.", "south/1.txt": "Bea left.", "south/2.txt": "Cy ran.",
             "south/x.ann": "T1\tperson 0 3\tAnn\n", "south/x.txt": "Ann slept.",
             "north/X.txt": "Bea left.", "__MACOSX/south/._1.txt": "\0\0", "south/.DS_Store": "\0"}  # fmt: skip
    answer = world["manager"].upload(world.project, packed(dict(files)), name="both.zip")
    assert answer.json()["imported"]["documents"] == 5, answer.text
    assert sorted(names(world)) == ["2", "north-1", "north-X", "south-1", "south-x"]


def test_a_file_of_an_archive_that_cannot_be_read_does_not_stop_the_others(world: World) -> None:
    files: dict[str, bytes | str]
    files = {"a.txt": "Ann slept.", "b.pdf": b"%PDF-1.7 ...", "c.json": '{"a": [1,2', "d.txt": ""}
    answer = world["manager"].upload(world.project, packed(files), name="all.zip").json()
    assert (answer["imported"]["documents"], names(world)) == (1, ["a"])
    assert [each["name"] for each in answer["skipped"]] == ["b.pdf", "c.json", "d.txt"]
    assert "found a PDF" in answer["skipped"][0]["reason"]
    nothing = world["manager"].upload(
        world.project, packed({"b.pdf": b"%PDF-1.7 ..."}), name="b.zip"
    )
    assert nothing.status_code == 422


def test_no_reason_speaks_of_options_of_a_command(world: World) -> None:
    answer = world["manager"].upload(world.project, b'{"a": [1,2', name="a.json")
    message = answer.json()["error"]["message"]
    assert "--" not in message
    assert message.endswith("choose its format (text reads it as it stands)")


@pytest.mark.parametrize("char", ["\ud800", "\0"])
def test_what_databases_cannot_store_is_skipped_with_a_reason(world: World, char: str) -> None:
    content = document(id=f"a{char}") + b"\n" + document(id="b", text=f"Ann sl{char}pt.")
    answer = world["manager"].upload(world.project, content, name="a.jsonl")
    assert answer.status_code == 200, answer.text
    assert answer.json()["skipped"][0]["reason"] == "its name has characters that cannot be stored"


def test_an_error_names_the_file_once(world: World) -> None:
    answer = world["manager"].upload(world.project, "Zoë ran.".encode("latin-1"), name="zoe.txt")
    message = answer.json()["error"]["message"]
    assert message.startswith("zoe.txt:1: expected UTF-8 text")
    assert message.count("zoe.txt") == 1


def test_a_training_document_needs_gold(world: World) -> None:
    manager = world["manager"]
    answer = manager.upload(world.project, b"Ann slept.", name="a.txt", purpose="training").json()
    assert answer["imported"]["documents"] == 0
    assert answer["skipped"] == [
        {"name": "a", "reason": "it has no mentions: a training document needs its gold"}
    ]
    letter = manager.upload(world.project, LETTER.read_bytes(), name="l", purpose="training").json()
    assert letter["imported"]["documents"] == 1


@pytest.mark.parametrize(
    ("limits", "message"),
    [(UploadLimits(tokens=100), "100 tokens"), (UploadLimits(document_tokens=50), "50 tokens in one"),
     (UploadLimits(memory=1 << 27), ""), (UploadLimits(unpacked=100), "unpacks to more"),
     (UploadLimits(items=0), "0 documents")],
)  # fmt: skip
def test_every_limit_is_said(limits: UploadLimits, message: str) -> None:
    content = gzip.compress(LETTER.read_bytes())
    if not message:
        with read_upload(content, "letter.conll.gz", None, limits) as upload:
            assert [item.id for item in upload.items] == ["letter"]
        return
    with pytest.raises(ApiError, match=message), read_upload(content, "a.gz", None, limits):
        pass


def test_a_reader_that_takes_too_long_is_ended() -> None:
    limits = UploadLimits(seconds=1, document_tokens=10**9, tokens=10**9)
    with pytest.raises(ApiError, match="takes longer than 1 s"), read_upload(words(8), "a.txt", None, limits):  # fmt: skip
        pass


def test_an_upload_is_no_code(world: World) -> None:
    content = packed({"coindex.py": "raise SystemExit", "json.py": "raise SystemExit"})
    assert world["manager"].upload(world.project, content, format="text").status_code == 200
