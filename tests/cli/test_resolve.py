"""`coindex resolve` in all its forms, with a tiny model."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import coindex
import training_samples as samples
from coindex import formats
from coindex.cli import cli
from coindex.errors import InputError, InvalidValue, UnknownName
from coindex.types.document import Document

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


@pytest.mark.parametrize("form", ["brackets", "replaced", "html", "table", "document-jsonl"])
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


def test_text_is_the_format_of_that_name_as_in_convert(
    text: Path, exported: Path, tmp_path: Path
) -> None:
    lossless = tmp_path / "a.jsonl"
    for form, out in (("document-jsonl", lossless), ("text", tmp_path / "a.txt")):
        found = run(text, "--model", exported, "--scheme", "every", "--to", form, "-o", out)
        assert found.exit_code == 0, found.output
    assert "the table of entities is --to table" in found.stderr
    formats.write(tmp_path / "b.txt", formats.read(lossless), "text")
    assert (tmp_path / "a.txt").read_text() == (tmp_path / "b.txt").read_text()


PAGE = "<!DOCTYPE html>\n<p><b>Ann</b> met Bob . She liked R&amp;D .</p>\n<p>&lt;x&gt;</p>\n"


@pytest.mark.parametrize(
    "form", ["table", "jsonl", "brackets", "replaced", "html", "conll2012", "text"]
)
@pytest.mark.parametrize("markup", ["auto", "none", "html", "markdown"])
def test_pages_in_every_form(form: str, markup: str, exported: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    options = ("--model", exported, "--scheme", "every", "--singletons", "--markup", markup)
    found = run(page, *options, "--to", form)
    assert found.exit_code == 0, found.output
    if form == "jsonl":
        document = json.loads(found.stdout)
        assert document["text"] == PAGE
        for mention in (m for e in document["entities"] for m in e["mentions"]):
            assert PAGE[mention["start"] : mention["end"]] == mention["text"]
    if form == "table":
        assert (": 11 tokens" in found.stdout) == (markup != "none")
        assert ("R&D" in found.stdout) == (markup != "none")
    if form in ("brackets", "text") and markup == "auto":
        assert re.sub(r"\[|\]_[0-9]+", "", found.stdout) == PAGE


@pytest.mark.parametrize(
    "page",
    [
        "<p><b>Ann:</b> I am here.</p>\n<p><b>John:</b> Are you?</p>\n",
        "**Ann:** I am here.\n\n**John:** Are you?\n",
    ],
)
def test_speakers_in_markup(page: str, exported: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.txt"
    file.write_text(page, encoding="utf-8")
    found = run(file, "--model", exported, "--json")
    (document,) = json.loads(found.stdout)
    assert [turn["speaker"] for turn in document["turns"]] == ["Ann", "John"]


def test_only_plain_text_is_read_for_markup(exported: Path, tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    formats.write(file, [Document.of("d", [["<p>", "Ann", "</p>"]])], "document-jsonl")
    found = run(file, "--model", exported, "--markup", "html", "--to", "document-jsonl")
    assert json.loads(found.stdout)["tokens"] == ["<p>", "Ann", "</p>"]


def test_markup_in_python(exported: Path) -> None:
    text = "<p>An<b>n</b>a ran</p>"
    assert coindex.load(exported).resolve(text).tokens == ("Anna", "ran")
    assert "<" in coindex.load(exported, markup="none").resolve(text).tokens
    with pytest.raises(UnknownName, match="unknown markup 'xml'"):
        coindex.load(exported, markup="xml")


def test_confidence_is_for_replaced_text(text: Path, exported: Path) -> None:
    options = ("--model", exported, "--scheme", "every", "--to", "replaced", "--min-confidence")
    assert run(text, *options, "1").stdout == TEXT + "\n"
    found = run(text, "--model", exported, "--min-confidence", "0.5")
    assert (
        str(found.exception) == "--min-confidence is an option of --to replaced, found --to table"
    )
    assert run(text, *options, "1.5").exit_code == 2


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


@pytest.mark.parametrize("form", ["table", "jsonl", "html", "brackets", "replaced", "conll2012"])
@pytest.mark.parametrize("content", ["", " \n\t\n"])
def test_empty_standard_input_has_an_answer(
    content: str,
    form: str,
    exported: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    raw = io.BufferedReader(io.BytesIO(content.encode()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(raw))
    args = ["resolve", "--model", str(exported), "--to", form]
    cli.main(args, standalone_mode=False)  # raises what the command raises
    found = capsys.readouterr().out
    if form == "table":
        assert found.startswith("stdin: 0 tokens, 0 mentions, 0 entities")
    if form == "jsonl":
        assert json.loads(found) == {"id": "stdin", "text": content, "entities": []}


@pytest.mark.parametrize("form", ["table", "html", "replaced"])
def test_nothing_is_printed_before_all_files_are_checked(
    form: str, text: Path, exported: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"Ann slept .\n\xe9t\xe9\n")
    for file, message in (
        (tmp_path / "no.txt", "no such file"),
        (bad, "bad.txt:2: expected UTF-8"),
    ):
        told = run(text, file, "--model", exported, "--to", form, "--on-error", "stop")
        assert told.exit_code == 1
        assert told.stdout == ""
        assert message in str(told.exception)


def test_a_page_does_not_begin_before_its_first_text(exported: Path, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("#begin document (a)\nx\n", encoding="utf-8")
    told = run(tmp_path / "a.conll", "--model", exported, "--to", "html")
    assert (told.exit_code, told.stdout) == (1, "")


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
        coindex.load(exported, threads=0) if name == "threads" else coindex.load(exported, batch=0)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "expected a text, a document or a list of them, found None"),
        (5, "expected a text, a document or a list of them, found the type int"),
        (b"Ann", "expected text, found the type bytes: decode it to a str first"),
        ({"a": "Ann"}, "expected a list of texts or documents, found the type dict"),
        ({"Ann"}, "expected a list of texts or documents, found the type set"),
        (["Ann", b"Bo"], "expected text 2 to be a str or a document, found the type bytes:"
                         " decode it to a str first"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused(value: Any, message: str, exported: Path) -> None:
    with pytest.raises(InvalidValue) as raised:
        coindex.load(exported).resolve(value)
    assert str(raised.value) == message


@pytest.mark.parametrize("value", ["Ann met Bob .", Document("d", "Ann"), None, b"Ann", {"a": 1}])
def test_a_stream_is_of_several_texts(value: Any, exported: Path) -> None:
    with pytest.raises(InvalidValue, match=r"^expected (several texts|text|a list)"):
        coindex.load(exported).stream(value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": None}, "expected rules to be a str, found None"),
        ({"rules": ["gender"]}, "expected rules to be a str, found the type list"),
        ({"rules": "all,none"}, "expected all alone or names of rules, found 'all,none'"),
        ({"speakers": None}, "expected speakers to be a str or a path, found None"),
        ({"threads": "a"}, "expected threads of at least 1, found 'a'"),
        ({"threads": True}, "expected threads of at least 1, found True"),
        ({"scheme": 5}, "expected scheme to be a str, found the type int"),
        ({"model": 5}, "expected model to be a str or a path, found the type int"),
    ],
)
def test_options_of_another_type_are_refused(
    options: dict[str, Any], message: str, exported: Path
) -> None:
    with pytest.raises(InvalidValue) as raised:
        coindex.load(**{"model": exported, **options})
    assert str(raised.value) == message


def test_a_model_of_another_kind_is_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text('{"kind": "substitution", "format": 1}', encoding="utf-8")
    done = CliRunner().invoke(cli, ["resolve", "--model", str(tmp_path), "-"], input="Ann saw her.")
    assert isinstance(done.exception, InputError)
    assert str(done.exception).startswith(
        f"{tmp_path}: expected a model of the kind coref or mention-pair, found substitution"
    )


def test_a_file_that_cannot_be_read_is_named(
    text: Path, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, encoding: str | None = None) -> None:
        raise InputError(f"{path}: cannot be read: Permission denied")

    monkeypatch.setattr("coindex.io.open_lines", refuse)
    found = run(text, "--model", exported)
    assert found.exit_code == 1
    assert "letter.txt: cannot be read: Permission denied" in str(found.exception or found.stderr)


def test_speakers_are_recognised_or_not(tmp_path: Path, exported: Path) -> None:
    file = tmp_path / "chat.txt"
    file.write_text("Ann: I met Bob .\nBob: You did ?\n", encoding="utf-8")
    found = run(file, "--model", exported, "--scheme", "every")
    assert found.stdout.splitlines()[-1] == "2 speakers: Ann · Bob"
    turns = json.loads(run(file, "--model", exported, "--to", "jsonl").stdout)["turns"]
    assert [(turn["speaker"], turn["addressee"]) for turn in turns] == [
        ("Ann", "Bob"), ("Bob", "Ann"),
    ]  # fmt: skip
    assert "speaker" not in run(file, "--model", exported, "--speakers", "none").stdout
    out = tmp_path / "table"
    run(file, "--model", exported, "--to", "table", "-o", out)
    assert "2 speakers: Ann · Bob\n" in out.read_text(encoding="utf-8")
    missing = run(file, "--model", exported, "--speakers", tmp_path / "none.tsv")
    assert missing.exit_code != 0
    assert "no such file" in str(missing.exception or missing.output)


def test_a_file_of_speakers_fits_the_inputs(text: Path, exported: Path, tmp_path: Path) -> None:
    turns, other = tmp_path / "turns.tsv", tmp_path / "other.txt"
    other.write_text(TEXT, encoding="utf-8")
    options = ("--model", exported, "--speakers", turns, "--json")

    turns.write_text("0\t10\tAnn\n5\t20\tBob\n", encoding="utf-8")
    told = run(text, *options)
    assert str(told.exception) == (
        f"{turns}:2: expected turns that do not overlap, found 5-20 and, in line 1, 0-10"
    )
    turns.write_text("0\t20\tAnn\n5\t10\tBob\n", encoding="utf-8")
    assert run(text, *options).exit_code == 0
    told = run(text, other, *options)
    assert str(told.exception) == (
        f"{turns}:1: expected the id of a document in the fifth column, as there are 2 files"
    )
    turns.write_text("0\t20\tAnn\t\tletter\n0\t20\tBob\t\tlettre\n", encoding="utf-8")
    told = run(text, other, *options)
    assert told.exit_code == 0
    assert told.stderr == f"coindex: {turns}: no document has the id lettre\n"
    assert [len(each.get("turns", ())) for each in json.loads(told.stdout)] == [1, 0]


def test_files_of_one_name_have_distinct_ids(text: Path, exported: Path, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    other = tmp_path / "b" / "letter.txt"
    other.write_text(TEXT, encoding="utf-8")
    told = run(text, other, "--model", exported, "--json")
    assert told.stderr == ""
    assert [each["id"] for each in json.loads(told.stdout)] == [
        f"{tmp_path.name}/letter", "b/letter",
    ]  # fmt: skip


def test_repeated_ids_are_told_once(exported: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    ids = ["a", "b", "a", "c", "b", "a", "d", "c", "d"]
    rows.write_text(
        "".join(json.dumps({"id": id, "text": "Ann ran ."}) + "\n" for id in ids), encoding="utf-8"
    )
    told = run(rows, "--model", exported, "--to", "jsonl")
    (line,) = [line for line in told.stderr.splitlines() if "the id of" in line]
    assert line == (
        f"coindex: 5 documents have the id of an earlier one: 'a' ({rows}:3), 'b' ({rows}:5),"
        f" 'c' ({rows}:8), ..."
    )
    rows.write_text('{"id": 1, "text": "a"}\n' * 2, encoding="utf-8")
    told = run(rows, "--model", exported, "--to", "jsonl", "-o", tmp_path / "out.jsonl")
    assert f"coindex: 1 document has the id of an earlier one: '1' ({rows}:2)\n" in told.stderr


def test_explanations_are_whole_lines_in_a_pipe(text: Path, exported: Path) -> None:
    text.write_text("Ann met Bob . " * 5 + "She liked him .", encoding="utf-8")
    options = ("--model", exported, "--scheme", "every", "--explain")
    whys = [
        mention["why"]
        for entity in json.loads(run(text, *options, "--json").stdout)[0]["entities"]
        for mention in entity["mentions"]
        if "why" in mention
    ]
    lines = run(text, *options).stdout.splitlines()
    assert whys
    assert all(any(line.endswith(f": {why}") for line in lines) for why in whys)


@pytest.mark.parametrize("form", ["brackets", "replaced", "html", "conll2012"])
def test_forms_that_cannot_explain(form: str, text: Path, exported: Path) -> None:
    told = run(text, "--model", exported, "--explain", "--to", form)
    assert str(told.exception) == (
        f"--explain is shown by --to table, jsonl, parquet, document-jsonl, found --to {form}"
    )
