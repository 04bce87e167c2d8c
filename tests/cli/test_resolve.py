"""`coindex resolve` in all its forms, with a tiny model."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import coindex
import training_samples as samples
from coindex import formats
from coindex.cli import cli
from coindex.core.document import Document
from coindex.errors import InvalidValue

TEXT = "Ann met Bob . She liked him ."


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, ["resolve", *map(str, args)])


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "letter.txt"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_a_table_for_people(text: Path, exported: Path) -> None:
    found = run(text, "--model", exported, "--scheme", "every")
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("letter: 8 tokens, ")
    assert "first mentions" in found.stdout


def test_standard_input(exported: Path) -> None:
    code = "from coindex.cli import main; main()"
    args = [sys.executable, "-c", code, "resolve", "--model", str(exported), "--to", "jsonl"]
    done = subprocess.run(args, input=TEXT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["text"] == TEXT


def test_json_is_a_list_and_jsonl_a_line_each(text: Path, exported: Path) -> None:
    one = run(text, text, "--model", exported, "--singletons", "--json")
    two = run(text, text, "--model", exported, "--singletons", "--to", "jsonl")
    assert json.loads(one.stdout) == [json.loads(line) for line in two.stdout.splitlines()]
    for document in json.loads(one.stdout):
        for entity in document["entities"]:
            for mention in entity["mentions"]:
                assert TEXT[mention["start"] : mention["end"]] == mention["text"]


@pytest.mark.parametrize("form", ["brackets", "replaced", "html", "text", "document-jsonl"])
def test_every_form_can_be_a_file(form: str, text: Path, exported: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = run(text, "--model", exported, "--scheme", "every", "--to", form, "-o", out)
    assert found.exit_code == 0, found.output
    assert f"written to {out}" in found.stderr
    content = out.read_text(encoding="utf-8")
    assert "Ann" in content
    assert content.endswith("\n")


def test_brackets_without_their_marks_are_the_text(text: Path, exported: Path) -> None:
    found = run(text, "--model", exported, "--scheme", "every", "--to", "brackets").stdout
    assert re.sub(r"\[|\]_[0-9]+", "", found) == TEXT + "\n"
    assert "]_1" in found


def test_documents_in_any_format_keep_their_tokens(exported: Path, tmp_path: Path) -> None:
    story = samples.story(4)
    file = samples.write(tmp_path / "story.conll", [story], "conll2012")
    out = tmp_path / "out.conll"
    found = run(file, "--model", exported, "--to", "conll2012", "-o", out)
    assert found.exit_code == 0, found.output
    (again,) = formats.read(out)
    assert isinstance(again, Document)
    assert again.tokens == story.tokens
    assert again.sentences == story.sentences


def test_mistakes_are_explained(text: Path, exported: Path, tmp_path: Path) -> None:
    cases = [
        ((text, "--to", "nonsense", "--model", exported), "unknown form 'nonsense'"),
        ((text, "--model", tmp_path), "expected a model's folder with model.json, found none"),
        ((text, "--model", exported, "--to", "html", "--json"), "two kinds of output"),
        ((tmp_path / "no.txt", "--model", exported), "no.txt"),
        ((text, "--model", exported, "--scheme", "x"), "one of its schemes (plain, every)"),
    ]
    for args, message in cases:
        found = run(*args)
        assert found.exit_code != 0
        assert message in str(found.exception) + found.output, args


def test_problems_are_not_documents(exported: Path, tmp_path: Path) -> None:
    file = samples.write(tmp_path / "p.jsonl", [samples.problem(1)], "problem-jsonl")
    found = run(file, "--model", exported)
    assert "found pronoun problems" in str(found.exception)


def test_bench_asks_a_model_too(
    exported: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(data))
    args = ["bench", "pdp", "--resolver", "neural", "--model", str(exported), "--json"]
    found = CliRunner().invoke(cli, args)
    assert found.exit_code == 0, found.output
    (system,) = json.loads(found.stdout)["benchmarks"][0]["systems"]
    assert "scheme:plain" in system["signature"]


def test_empty_files_have_an_answer_and_stop_nothing(exported: Path, tmp_path: Path) -> None:
    for name, content in (("empty.txt", ""), ("blank.txt", " \n\t"), ("c.txt", "Ann slept .")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    files = [tmp_path / name for name in ("empty.txt", "blank.txt", "c.txt")]
    out = tmp_path / "out.json"
    told = run(*files, "--model", exported, "--json", "-o", out)
    assert told.exit_code == 0, told.output
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [document["id"] for document in found] == ["empty", "blank", "c"]
    assert [document["text"] for document in found] == ["", " \n\t", "Ann slept ."]


def test_a_texts_own_escapes_stay(exported: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann\x1b[31m slept .", encoding="utf-8")
    told = run(tmp_path / "a.txt", "--model", exported, "--to", "replaced")
    assert "\x1b[31m" in told.output


def test_a_narrow_standard_output_is_named(exported: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann slept 😀 .", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "coindex",
        "resolve",
        str(tmp_path / "a.txt"),
        "--to",
        "replaced",
    ]
    told = subprocess.run(
        [*command, "--model", str(exported)], capture_output=True, text=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
    )  # fmt: skip
    assert told.returncode == 1
    assert "standard output is latin-1, which cannot hold U+1F600" in told.stderr


@pytest.mark.parametrize("name", ["threads", "batch"])
def test_numbers_below_one_are_refused(name: str, exported: Path) -> None:
    with pytest.raises(InvalidValue, match=f"expected {name} of at least 1, found 0"):
        coindex.load(exported, **{name: 0})
