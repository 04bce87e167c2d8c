"""`coindex build`: from a file of raw text to a corpus and its report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from coindex import formats
from coindex.cli import cli
from coindex.core.problem import Problem

pytest.importorskip("spacy", reason="needs spaCy: pip install 'coindex[spacy]'")

PAGE = (
    "John met David at the station before John left for Paris in the evening."
    " Robert invited James to the party because Robert liked dancing."
)


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, ["build", *map(str, args)])


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    file = tmp_path / "pages.jsonl"
    rows = [{"id": str(n), "title": f"page {n}", "text": PAGE} for n in range(3)]
    file.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"id": "x"}]))
    return file


def test_a_corpus_with_its_account(pages: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "out.jsonl", tmp_path / "report.html"
    found = run("wikicrem", pages, "-o", out, "--source", "jsonl", "--report", page, "--json")
    assert found.exit_code == 0, found.output + str(found.exception)
    told = json.loads(found.stdout)
    account = told["account"]
    assert account["pages"] == 3
    assert sum(account["broken"].values()) == 1
    items = [item for item in formats.read(out) if isinstance(item, Problem)]
    assert len(items) == account["items"] == told["items"]["items"] > 0
    assert "<table" in page.read_text()
    assert not Path(f"{out}.parts").exists()


def test_the_same_bytes_again_and_with_two_workers(pages: Path, tmp_path: Path) -> None:
    for name, more in (("one", ()), ("two", ("--workers", "2")), ("small", ("--shard", "200"))):
        found = run("wikicrem", pages, "-o", tmp_path / name, "--source", "jsonl", *more)
        assert found.exit_code == 0, found.output
    one, two, small = ((tmp_path / name).read_bytes() for name in ("one", "two", "small"))
    assert one == two == small


def test_mistakes_are_named(pages: Path, tmp_path: Path) -> None:
    cases = [
        (("nobody", pages, "-o", tmp_path / "x"), "unknown"),
        (
            ("gap", tmp_path / "no.jsonl", "-o", tmp_path / "x", "--source", "jsonl"),
            "found nothing",
        ),
        (("gap", pages, "-o", "-"), "need a place on disk"),
        (("gap", pages, "-o", tmp_path / "x", "--source", "jsonl", "--strict"), "no text"),
    ]
    for args, message in cases:
        found = run(*args)
        assert found.exit_code != 0
        assert message in str(found.exception) + found.output, args
