"""`coindex data`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from coindex.cli import main
from coindex.datasets import catalogue
from coindex.datasets import download as fetch
from coindex.datasets.catalogue import File


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("COINDEX_DATA", raising=False)
    monkeypatch.setenv("COINDEX_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.conll"
    path.write_text("hello", encoding="utf-8")
    return path


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Downloads that write zeros instead; verification is another test's business."""
    downloaded: list[str] = []

    def download(file: File, target: Path, on_progress: object = None) -> None:
        downloaded.append(file.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(bytes(file.bytes))

    monkeypatch.setattr(fetch, "download_file", download)
    return downloaded


def run(capsys: pytest.CaptureFixture[str], *args: str | Path) -> tuple[int, str, str]:
    try:
        main(["data", *map(str, args)])
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines] == list(catalogue.names())
    gap = next(line for line in lines if line.startswith("gap "))
    assert "Apache-2.0" in gap
    assert "Webster et al. 2018" in gap
    assert gap.endswith("not here")


def test_list_says_where(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    folder = home / "data" / "gap"
    folder.mkdir(parents=True)
    (folder / "gap-test.tsv").touch()
    _, out, _ = run(capsys, "list")
    assert f"{folder} (1 of 3)" in out
    code, out, _ = run(capsys, "list", "--json")
    row = next(row for row in json.loads(out) if row["name"] == "gap")
    assert code == 0
    assert row["where"] == str(folder)
    assert (row["files"], row["found"]) == (3, 1)
    assert row["redistributable"] is True


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "show", "gap")
    assert code == 0
    assert "licence: Apache-2.0; you may pass it on" in out
    assert "Mind the GAP" in out
    assert "2,000 problems" in out
    code, out, _ = run(capsys, "show", "knowref-train", "--json")
    assert json.loads(out)["licence"]["redistributable"] is False
    code, out, _ = run(capsys, "show", "wsc")
    assert "could not be confirmed" in out


def test_unknown_names_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in ("show", "where", "get"):
        code, out, err = run(capsys, verb, "gpa")
        assert (code, out) == (2, "")
        assert "unknown corpus 'gpa'" in err
        assert "gap" in err


def test_where_not_here(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    code, out, err = run(capsys, "where", "gap")
    assert (code, out) == (1, "")
    assert "gap/gap-test.tsv" in err
    assert str(home / "data") in err
    assert "coindex data get gap" in err


def test_add_then_where(
    capsys: pytest.CaptureFixture[str], mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mine.parent)
    code, out, err = run(
        capsys, "add", "mine", "mine.conll", "--licence", "MIT", "--citation", "Me 2024"
    )
    assert (code, out, err) == (0, f"{mine}\n", "")
    assert run(capsys, "where", "mine") == (0, f"{mine}\n", "")
    assert run(capsys, "where", "mine", "--verify") == (0, f"{mine}\n", "")
    _, out, _ = run(capsys, "list")
    assert any(line.startswith("mine ") and "Me 2024" in line for line in out.splitlines())
    _, out, _ = run(capsys, "show", "mine")
    assert "cite: Me 2024" in out


def test_add_json(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    code, out, _ = run(capsys, "add", "mine", mine, "--format", "conll2012", "--json")
    assert code == 0
    entry = json.loads(out)
    assert entry["files"][0]["format"] == "conll2012"
    assert entry["own"] is True


def test_add_refuses(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    assert run(capsys, "add", "mine", mine)[0] == 0
    code, _, err = run(capsys, "add", "mine", mine)
    assert code == 2
    assert "--force" in err
    assert run(capsys, "add", "mine", mine, "--force")[0] == 0
    code, _, err = run(capsys, "add", "gap", mine, "--force")
    assert code == 2
    assert "catalogue" in err
    code, _, err = run(capsys, "add", "other", mine, "--format", "nope")
    assert code == 2
    assert "conll2012" in err
    assert run(capsys, "add", "other", mine.parent / "nothing")[0] == 1
    assert run(capsys, "add", "other")[0] == 2


def test_where_verify_tells_what_changed(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    run(capsys, "add", "mine", mine)
    mine.write_text("hello!", encoding="utf-8")
    code, out, err = run(capsys, "where", "mine", "--verify")
    assert (code, out) == (1, f"{mine}\n")
    assert err.startswith(f"coindex: {mine}: expected 5 bytes, found 6 bytes\n")
    assert "1 of 1 files" in err
    mine.write_text("hullo", encoding="utf-8")
    code, out, err = run(capsys, "where", "mine", "--verify", "--json")
    (entry,) = json.loads(out)
    assert code == 1
    assert entry["verified"] is False
    assert "expected sha256" in entry["fault"]
    assert "fault" not in json.loads(run(capsys, "where", "mine", "--json")[1])[0]


def test_where_json_of_what_is_not_here(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "where", "gap", "--verify", "--json")
    assert code == 1
    assert {entry["fault"] for entry in json.loads(out)} == {"not found"}
    assert err.startswith("coindex: gap: not found")


def test_a_hidden_corpus_is_named(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    (home / "corpora").mkdir(parents=True)
    (home / "corpora" / "gap.json").write_text("{}", encoding="utf-8")
    code, _, err = run(capsys, "list")
    assert code == 0
    assert "your own 'gap' is hidden" in err


def test_get_wants_the_licence_accepted(
    capsys: pytest.CaptureFixture[str], downloads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    code, out, err = run(capsys, "get", "gap")
    assert (code, out, downloads) == (2, "", [])
    assert "licence: Apache-2.0" in err
    assert "--yes" in err


def test_get(capsys: pytest.CaptureFixture[str], downloads: list[str], home: Path) -> None:
    code, out, err = run(capsys, "get", "gap", "--yes")
    assert code == 0
    assert out.splitlines() == [str(home / "data" / path) for path in downloads]
    assert len(downloads) == 3
    assert "licence: Apache-2.0" in err


def test_get_to_a_folder_as_json(
    capsys: pytest.CaptureFixture[str], downloads: list[str], tmp_path: Path
) -> None:
    code, out, err = run(capsys, "get", "gap", "--to", tmp_path / "to", "--yes", "--json")
    assert code == 0
    assert {entry["state"] for entry in json.loads(out)["gap"]} == {"downloaded"}
    assert f"set COINDEX_DATA={tmp_path / 'to'}" in err


def test_get_what_has_no_address(capsys: pytest.CaptureFixture[str], downloads: list[str]) -> None:
    code, out, err = run(capsys, "get", "wsc")
    assert (code, out, downloads) == (1, "", [])
    assert "wsc/WSCollection.xml: cannot be downloaded: " in err
    code, out, _ = run(capsys, "get", "wsc", "--json")
    assert {entry["state"] for entry in json.loads(out)["wsc"]} == {"no address"}


def test_get_refuses_your_own(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    run(capsys, "add", "mine", mine)
    code, _, err = run(capsys, "get", "mine")
    assert code == 2
    assert "nothing to download" in err


@pytest.mark.data
def test_get_skips_what_is_there(
    capsys: pytest.CaptureFixture[str], downloads: list[str], home: Path, data: Path
) -> None:
    shutil.copytree(data / "gap", home / "data" / "gap")
    code, out, err = run(capsys, "get", "gap")
    assert (code, err, downloads) == (0, "", [])
    assert len(out.splitlines()) == 3


def test_help_needs_no_names(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for verb in ("add", "get", "list", "show", "where"):
        assert verb in out
