"""`--lenient` and `--extra-documents`: what is repaired or left out is said, and counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from coindex import score
from coindex.cli import cli
from coindex.errors import UsageError
from coindex.scoring.alignment import Mismatch, align
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

GOOD = "#begin document (a)\nAnn (1)\nran -\nher (1)\n#end document\n"
BROKEN = "#begin document (a)\nAnn (1)\nran 2)\nher (1)\n#end document\n"


def coindex(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(GOOD)
    response.write_text(BROKEN)
    return key, response


def test_broken_responses_are_refused_or_repaired(files: tuple[Path, Path]) -> None:
    key, response = files
    refused = coindex("score", key, response)
    assert refused.exit_code == 1
    assert "')' closes entity 2, which is not open" in str(refused.exception)
    done = coindex("score", key, response, "--lenient", "--json")
    assert done.exit_code == 0
    assert f"{response}:3: ')' closes entity 2" in done.stderr
    assert "response.conll: put right while reading: 1 unbalanced" in done.stderr
    assert json.loads(done.stdout)["systems"][0]["scores"]["conll"]["f1"] == 100


def test_dialects_are_noted_by_every_command(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("#begin document\nAnn (1)\nran -\n#end document\nx\n")
    for command in (["stats"], ["show"]):
        done = coindex(*command, path)
        assert "a.conll: put right while reading: 2 dialect" in done.stderr, done.output
    checked = coindex("check", path)
    assert checked.exit_code == 1
    assert checked.stdout.count("[dialect]") == 2


def test_many_repairs_are_not_all_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("#begin document (a)\n" + "x 2)\n" * 50 + "#end document\n")
    done = coindex("convert", path, "--lenient", "--to", "text", "-o", tmp_path / "b")
    assert done.stderr.count("which is not open") == 20
    assert "30 more (see coindex check)" in done.stderr
    assert "put right while reading: 50 unbalanced" in done.stderr


def _document(id: str) -> Document:
    return Document.of(id, [["Ann", "her"]], [Entity((Mention.at(0, 1), Mention.at(1, 2)), "1")])


def test_extra_documents(files: tuple[Path, Path], tmp_path: Path) -> None:
    key, _ = files
    response = tmp_path / "more.conll"
    response.write_text(GOOD + GOOD.replace("(a)", "(b)") + GOOD.replace("(a)", "(c)"))
    assert "--extra-documents ignore leaves them out" in str(
        coindex("score", key, response).exception
    )
    done = coindex("score", key, response, "--extra-documents", "ignore")
    assert "more.conll: 2 document(s) that the key lacks, ignored" in done.stderr
    assert "extra-ignored:2|docs:1|" in done.stdout


def test_ignoring_extra_documents_does_not_excuse_missing_ones() -> None:
    key, response = [_document("a"), _document("b")], [_document("a"), _document("c")]
    with pytest.raises(Mismatch, match=r"response: .* 1 missing: b"):
        align(key, response, extra="ignore")
    aligned = align(key, response, extra="ignore", missing="empty")
    assert (len(aligned), aligned.absent, aligned.ignored) == (2, (1, 0), 1)
    result = score(key, response, missing="empty", extra_documents="ignore")
    assert "missing-empty:1+0|extra-ignored:1|docs:2" in result.signature
    with pytest.raises(UsageError, match="extra_documents: expected error or ignore"):
        score(key, response, extra_documents="drop")
