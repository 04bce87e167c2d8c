"""`coindex generate` as people run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from coindex import Document, formats, plugins
from generator_samples import EVERY, STORY


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    path = tmp_path / "stories.jsonl"
    formats.write(path, EVERY, "document-jsonl")
    return path


def coindex(*arguments: object) -> Result:
    command = plugins.load("cli", "generate").command
    return CliRunner().invoke(command, [str(each) for each in arguments])


def test_documents_and_account(stories: Path, tmp_path: Path) -> None:
    out = tmp_path / "new.jsonl"
    done = coindex("names", stories, "-o", out, "--seed", 3)
    assert done.exit_code == 0, done.output
    assert "documents read" in done.stderr
    assert "read = used + dropped" in done.stderr
    new = list(formats.read(out))
    assert all(isinstance(each, Document) for each in new)
    meta = dict(new[0].meta)
    assert meta["corpus"] == meta["scheme"] == "stories"
    assert meta["generator"] == "names"
    assert meta["seed"] == "3.1"


def test_json_and_options(stories: Path, tmp_path: Path) -> None:
    out = tmp_path / "new.jsonl"
    done = coindex("surface", stories, "-o", out, "--json", "--copies", 2, "--scheme", "mine",
                   "--set", "form=upper", "--every", 3, "--except", 0)  # fmt: skip
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["read"] == 8
    assert report["written"] == 4
    assert report["read"] == report["used"] + sum(report["dropped"].values())
    assert {dict(each.meta)["scheme"] for each in formats.read(out)} == {"mine"}


def test_standard_output(stories: Path) -> None:
    done = coindex("surface", stories, "--set", "form=lower")
    assert json.loads(done.stdout.splitlines()[0])["text"] == STORY.text.lower()


def test_mistakes(
    stories: Path, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(data))
    cases = [
        (("nothing", stories), "unknown generator 'nothing'"),
        (("names", "nowhere"), "nowhere: expected a file, a folder or a corpus"),
        (("names", stories, "--set", "of=dogs"), "names: of must be one of: all, people"),
        (("names", stories, "--set", "of"), "expected --set KEY=VALUE, found 'of'"),
        (("names", stories, "--except", "1"), "--except: expected less than --every 1, found 1"),
        (("names", stories, "--except", "0"), "--except leaves out all 1 of --every 1: nothing"),
        (("names", stories, "--json"), "--json prints a report on standard output"),
        (("names", "character-identification:dev"), "found character-identification, which is for"),
        (("names", "gap:development"), "expected documents, found a pronoun problem"),
    ]
    for arguments, message in cases:
        done = coindex(*arguments)
        assert done.exit_code != 0
        assert message in str(done.exception), (arguments, done.exception)


def test_nothing_to_change_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "bare.jsonl"
    formats.write(path, [Document.of("bare", [["It", "rained", "."]])], "document-jsonl")
    done = coindex("names", path, "-o", tmp_path / "new.jsonl")
    assert done.exit_code == 1
    assert "no candidate" in done.stderr
