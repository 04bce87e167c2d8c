"""`coindex parse`: its forms, its scores, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from coindex import formats
from coindex.types.document import Document

TEXT = "Ann lost it.\nThe old dog was here.\n"


def parse(*arguments: object, text: str = TEXT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coindex", "parse", *map(str, arguments)],
        input=text, capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
    )  # fmt: skip


def test_brackets_tags_and_json() -> None:
    first = "(TOP (S (NP (NNP Ann)) (VP (VBD lost) (NP (PRP it))) (. .)))"
    second = "(TOP (S (NP (DT The) (JJ old) (NN dog)) (VP (VBD was) (ADVP (RB here))) (. .)))"
    assert parse().stdout == f"{first}\n{second}\n"
    assert parse("--to", "tags").stdout.splitlines() == [
        "Ann/NNP lost/VBD it/PRP ./.", "The/DT old/JJ dog/NN was/VBD here/RB ./.",
    ]  # fmt: skip
    (whole,) = json.loads(parse("--json").stdout)
    assert [sentence["tree"] for sentence in whole["sentences"]] == [first, second]
    assert whole["sentences"][1]["words"] == ["The", "old", "dog", "was", "here", "."]
    assert (whole["sentences"][1]["start"], whole["sentences"][1]["end"]) == (13, 34)
    assert json.loads(parse("--to", "jsonl").stdout) == whole


def test_files_and_formats(tmp_path: Path) -> None:
    text_file, out = tmp_path / "a.txt", tmp_path / "out.conll"
    text_file.write_text(TEXT, encoding="utf-8")
    result = parse(text_file, "--to", "conll2012", "-o", out)
    assert result.returncode == 0, result.stderr
    (document,) = formats.read(str(out))
    assert isinstance(document, Document)
    assert document.parse is not None
    assert document.parse[:4] == ("(TOP(S(NP*)", "(VP*", "(NP*))", "*))")
    assert parse(out, "-o", tmp_path / "trees").stderr.endswith("trees\n")
    assert (tmp_path / "trees").read_text(encoding="utf-8").startswith("(TOP (S (NP (NNP Ann))")


def test_score(tmp_path: Path) -> None:
    key = tmp_path / "key.conll"
    parse("--to", "conll2012", "-o", key)
    result = parse("--score", "--json", key)
    found = json.loads(result.stdout)
    assert found["scores"]["f1"] == 100
    assert found["signature"].startswith("brackets:evalb|parser-")
    assert "tag accuracy" in parse("--score", key).stdout
    bare = parse("--score")
    assert (bare.returncode, "needs documents with trees" in bare.stderr) == (2, True)


def test_what_is_refused(tmp_path: Path) -> None:
    assert "unknown form 'penn'" in parse("--to", "penn").stderr
    assert parse("--json", "--to", "tags").returncode == 2
    missing = parse("--model", tmp_path)
    assert "expected a parser's folder with parser.json, found none" in missing.stderr
    problems = tmp_path / "gap.tsv"
    columns = (
        [
            "ID",
            "Text",
            "Pronoun",
            "Pronoun-offset",
            "A",
            "A-offset",
            "A-coref",
            "B",
            "B-offset",
            "B-coref",
            "URL",
        ],
        [
            "p",
            "Ann saw Bo. He left.",
            "He",
            "12",
            "Ann",
            "0",
            "FALSE",
            "Bo",
            "8",
            "TRUE",
            "http://a",
        ],
    )
    problems.write_text("".join("\t".join(row) + "\n" for row in columns), encoding="utf-8")
    refused = parse(problems)
    assert (refused.returncode, "found a pronoun problem" in refused.stderr) == (2, True)
