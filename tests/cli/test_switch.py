"""`coindex switch` as people run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

BLOCKS = (
    "The bee landed on the flower because it was tired.\nit\nThe bee,the flower\nThe bee\n\n"
    "Ann met Ann Lee when she was ill.\nshe\nAnn,Ann Lee\nAnn\n\n"
)
SWITCHED = (
    "The flower landed on the bee because it was tired.\nit\nThe bee,the flower\nthe flower\n\n"
)
OTHER = "Ann met Ann Lee when she was ill.\nshe\nAnn,Ann Lee\nAnn\n\n"
NAMES = (
    '[{"sentence_with_pronoun": "Ann called Mary and [she] answered .",'
    ' "candidate0": "Ann", "candidate1": "Mary", "correct_candidate": "Mary"}]\n'
)


def coindex(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coindex", "switch", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )


def test_help() -> None:
    done = coindex("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: coindex switch")


def test_the_format_is_that_of_the_input(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text(BLOCKS, "utf-8")
    done = coindex(path, "-o", tmp_path / "out.txt")
    assert done.returncode == 0
    assert done.stdout == ""
    assert (tmp_path / "out.txt").read_text("utf-8") == SWITCHED
    assert "1 of 2 problem(s) switched" in done.stderr
    assert "not switched: 1: one candidate's name is within the other's" in done.stderr
    assert "1 item(s) written to" in done.stderr


def test_others_are_kept_if_asked_for() -> None:
    done = coindex("-", "--keep-others", stdin=BLOCKS)
    assert done.returncode == 0
    assert done.stdout == SWITCHED + OTHER


def test_twice_gives_the_file_back(tmp_path: Path) -> None:
    once, twice = tmp_path / "1.json", tmp_path / "2.json"
    assert coindex("-", "-o", once, stdin=NAMES).returncode == 0
    (problem,) = json.loads(once.read_text("utf-8"))
    assert problem == {
        "sentence_with_pronoun": "Mary called Ann and [she] answered .",
        "candidate0": "Ann", "candidate1": "Mary", "correct_candidate": "Ann", "switched": True,
    }  # fmt: skip
    assert coindex(once, "-o", twice).returncode == 0
    assert json.loads(twice.read_text("utf-8")) == json.loads(NAMES)


def test_another_format_and_json(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = coindex("-", "--to", "problem-jsonl", "-o", out, "--json", stdin=BLOCKS)
    report = json.loads(done.stdout)
    assert (report["read"], report["switched"], report["written"]) == (2, 1, 1)
    assert report["not-switched"] == {"one candidate's name is within the other's": 1}
    assert report["to"] == "problem-jsonl"
    assert json.loads(out.read_text("utf-8").splitlines()[-1])


def test_nothing_to_switch_and_bad_usage(tmp_path: Path) -> None:
    done = coindex("-", stdin=OTHER)
    assert done.returncode == 1
    assert "0 of 1 problem(s) switched" in done.stderr
    assert coindex("-", "--json", stdin=BLOCKS).returncode == 2
    assert coindex("-", "--to", "xml", stdin=BLOCKS).returncode == 2
    done = coindex("-", "--from", "text", "--to", "knowref", stdin="Ann left.\n")
    assert done.returncode == 2
    assert "only problems have candidates" in done.stderr
