"""Collections give what their texts give one by one, for any number of workers, and resume."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import coindex
from coindex.batch import chunks
from coindex.batch.items import InputText, Item, Record, Skipped
from coindex.batch.resolving import ResolveJob, ResolverChoice, resolve_items
from coindex.batch.summary import RunProgress
from coindex.cli import cli
from coindex.jobs.parts import claim_folder
from coindex.resolvers.resolver import Resolver
from coindex.transform.resolved_entities import as_json
from coindex.types.document import Document

PEOPLE = ("Ann", "Bob", "Mary", "John", "the teacher", "Ann Lee")


def run(*args: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["resolve", *map(str, args)], input=stdin)


def sentence(draw: random.Random) -> str:
    return f"{draw.choice(PEOPLE)} met {draw.choice(PEOPLE)} . She liked him ."


def story(draw: random.Random, longest: int = 12) -> str:
    return " ".join(sentence(draw) for _ in range(draw.randint(1, longest)))


def write_rows(path: Path, texts: Iterable[str]) -> Path:
    lines = (json.dumps({"id": f"t{n}", "text": text}) + "\n" for n, text in enumerate(texts))
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def stories() -> list[str]:
    draw = random.Random(5)
    return [story(draw) if n % 7 else "" for n in range(60)]


def one_by_one(model: Path, texts: list[str]) -> list[dict[str, Any]]:
    resolver = coindex.load(model, scheme="every", threads=1)
    return [as_json(resolver.resolve(Document(f"t{n}", text))) for n, text in enumerate(texts)]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_collection_gives_what_its_texts_give(
    stories: list[str], exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHARACTERS", 700)
    rows = write_rows(tmp_path / "rows.jsonl", stories)
    folder = tmp_path / "folder"
    folder.mkdir()
    for number, text in enumerate(stories):
        (folder / f"t{number:02}.txt").write_text(text, encoding="utf-8")
    expected = one_by_one(exported, stories)
    options = ("--model", exported, "--scheme", "every", "--to", "jsonl")
    for threads in ("1", "2"):
        found = run(rows, *options, "--threads", threads)
        assert [json.loads(line) for line in found.stdout.splitlines()] == expected
        out = tmp_path / "out.jsonl"
        assert run(rows, *options, "--threads", threads, "-o", out).exit_code == 0
        assert lines_of(out) == expected
        assert not (tmp_path / "out.jsonl.parts").exists()
        assert not (tmp_path / "out.jsonl.skipped.jsonl").exists()
    found = run(folder, *options)
    answers = [json.loads(line) for line in found.stdout.splitlines()]
    assert [each | {"id": ""} for each in answers] == [each | {"id": ""} for each in expected]
    assert [each["id"] for each in answers] == [f"t{n:02}" for n in range(60)]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "html"])
def test_workers_change_no_byte(
    form: str, stories: list[str], exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "ITEMS", 7)
    rows = write_rows(tmp_path / "rows.jsonl", stories)
    options = ("--model", exported, "--scheme", "every", "--to", form)
    one = run(rows, *options, "--threads", "1").stdout
    two = run(rows, *options, "--workers", "2")
    assert two.exit_code == 0, two.output
    assert two.stdout == one
    three = run(rows, *options, "--workers", "3", "-o", tmp_path / "out")
    assert three.exit_code == 0, three.output
    assert (tmp_path / "out").read_text(encoding="utf-8") == one


@pytest.mark.parametrize("form", ["brackets", "replaced", "html", "document-jsonl", "conll2012"])
def test_forms_are_the_same_through_parts(
    form: str, stories: list[str], exported: Path, tmp_path: Path
) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", stories)
    options = ("--model", exported, "--scheme", "every", "--to", form)
    out = tmp_path / "out"
    assert run(rows, *options, "-o", out).exit_code == 0
    assert out.read_text(encoding="utf-8") == run(rows, *options).stdout


def test_parquet_has_what_json_has(stories: list[str], exported: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="needs pyarrow: pip install 'coindex[parquet]'"
    )
    rows = tmp_path / "rows.jsonl"
    values = [{"id": str(n), "text": text, "n": n} for n, text in enumerate(stories)]
    rows.write_text("".join(json.dumps(row) + "\n" for row in values), encoding="utf-8")
    options = ("--model", exported, "--scheme", "every", "--explain", "--speakers", "none")
    out = tmp_path / "out.parquet"
    assert run(rows, *options, "--to", "parquet", "-o", out).exit_code == 0
    found = run(rows, *options, "--to", "jsonl").stdout.splitlines()
    table = parquet.read_table(out).to_pylist()
    assert [_known(row) for row in table] == [json.loads(line) for line in found]
    again = tmp_path / "again.parquet"
    assert run(rows, *options, "--to", "parquet", "-o", again).exit_code == 0
    assert again.read_bytes() == out.read_bytes()
    assert "name a file with -o" in str(run(rows, *options, "--to", "parquet").exception)


def _known(value: Any) -> Any:
    """A row of Parquet as JSON: without values that are not known."""
    if isinstance(value, dict):
        row = {name: _known(each) for name, each in value.items() if each is not None}
        return row | ({"fields": json.loads(row["fields"])} if "fields" in row else {})
    return [_known(each) for each in value] if isinstance(value, list) else value


def test_four_hundred_broken_items_of_two_thousand(exported: Path, tmp_path: Path) -> None:
    draw = random.Random(3)
    broken = set(draw.sample(range(2000), 400))
    kinds = ["{", "[]", '{"text": 1}', '{"id": 3}', '{"text": "\\udc00"}']
    lines = [
        draw.choice(kinds) if n in broken else json.dumps({"id": n, "text": sentence(draw)})
        for n in range(2000)
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = tmp_path / "out.jsonl"
    found = run(
        tmp_path / "rows.jsonl", "--model", exported, "--text-field", "text", "--to", "jsonl",
        "-o", out,
    )  # fmt: skip
    assert found.exit_code == 0, found.output
    assert [row["id"] for row in lines_of(out)] == [str(n) for n in range(2000) if n not in broken]
    skipped = lines_of(tmp_path / "out.jsonl.skipped.jsonl")
    assert [row["source"].rpartition(":")[2] for row in skipped] == [str(n + 1) for n in sorted(broken)]  # fmt: skip
    assert all("expected" in row["reason"] for row in skipped)
    assert "1,600 texts" in found.stderr
    assert f"400 skipped: see {out}.skipped.jsonl" in found.stderr


def test_errors_stop_a_single_text_and_what_is_told_to_stop(exported: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"%PDF-1.4")
    found = run(bad, "--model", exported)
    assert "a PDF, not text" in str(found.exception)
    good = tmp_path / "good.txt"
    good.write_text("Ann slept .", encoding="utf-8")
    found = run(good, bad, "--model", exported, "--to", "jsonl")
    assert found.exit_code == 0
    assert json.loads(found.stdout)["id"] == "good"
    assert f"skipped: {bad}: a PDF" in found.stderr
    assert "1 text, " in found.stderr
    found = run(good, bad, "--model", exported, "--to", "jsonl", "--on-error", "stop")
    assert (found.exit_code, found.stdout) == (1, "")
    found = run(bad, bad, "--model", exported, "--to", "jsonl")
    assert (found.exit_code, found.stdout) == (1, "")
    found = run(good, tmp_path / "no.txt", "--model", exported)
    assert "no.txt: no such file" in str(found.exception)


class Fragile:
    """A clusterer that fails on some texts, and takes documents ahead."""

    signature = "fragile"

    def resolve(self, documents: Iterable[Document], on_progress: Any = None) -> Iterable[Document]:
        ahead: list[Document] = []
        for document in documents:
            ahead.append(document)
            if "bad" in document.text:
                raise ZeroDivisionError("division by zero")
            if len(ahead) > 3:
                yield ahead.pop(0)
        yield from ahead


def test_a_text_that_cannot_be_resolved_is_skipped_alone() -> None:
    draw = random.Random(1)
    items: list[Item] = []
    for n in range(200):
        kind = draw.choice(["good", "good", "bad", "gone"])
        text = InputText(Document(str(n), f"{kind} {n}"), f"s{n}", "t")
        items.append(Skipped(f"s{n}", "gone") if kind == "gone" else text)
    resolver = Resolver(Fragile())  # type: ignore[arg-type]
    job = ResolveJob(ResolverChoice())
    found = list(resolve_items(job, resolver, items))
    assert len(found) == 200
    for item, outcome in zip(items, found, strict=True):
        if isinstance(item, Skipped):
            assert outcome == item
        elif "bad" in item.document.text:
            assert outcome == Skipped(item.source, "ZeroDivisionError: division by zero")
        else:
            assert isinstance(outcome, Record)
            assert json.loads(outcome.content)["text"] == item.document.text
    with pytest.raises(ZeroDivisionError):
        list(resolve_items(ResolveJob(ResolverChoice(), skip=False), resolver, items))


def test_an_error_of_reading_comes_after_what_was_read() -> None:
    def items() -> Iterable[Item]:
        yield InputText(Document("a", "one"), "a", "t")
        raise MemoryError("the disk is on fire")

    found = resolve_items(ResolveJob(ResolverChoice()), Resolver(Fragile()), items())  # type: ignore[arg-type]
    assert isinstance(next(found), Record)
    with pytest.raises(MemoryError):
        next(found)


def test_files_of_markdown_and_html_are_read_as_such(exported: Path, tmp_path: Path) -> None:
    """A single mark is enough in a file whose name says what it is."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.md", "a.txt", "b.markdown.gz", "c.htm", "c.txt"):
        content = b"Ann<br>met Bob ." if name.startswith("c") else b"# Letter\n\nAnn met Bob ."
        (folder / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    options = ("--model", exported, "--to", "document-jsonl")
    found = run(folder, *options)
    tokens = {row["id"]: row["tokens"] for row in map(json.loads, found.stdout.splitlines())}
    assert tokens["a.md"] == tokens["b"] == ["Letter", "Ann", "met", "Bob", "."]
    assert tokens["a.txt"][0] == "#"
    assert tokens["c.htm"] == ["Ann", "met", "Bob", "."]
    assert tokens["c.txt"] != tokens["c.htm"]
    alone = run(folder / "a.md", *options)
    assert json.loads(alone.stdout)["tokens"] == tokens["a.md"]
    plain = run(folder / "a.md", *options, "--markup", "none")
    assert json.loads(plain.stdout)["tokens"][0] == "#"
    two = run(folder, *options, "--workers", "2")
    assert two.stdout == found.stdout


def test_a_tree_of_outputs(exported: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    for name in ("a.txt", "a.md", "sub/b.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name} met Ann . She left .", encoding="utf-8")
    (folder / "c.pdf").write_bytes(b"%PDF-")
    options = ("--model", exported, "--output-dir", out)
    found = run(folder, *options, "--to", "jsonl")
    assert found.exit_code == 0, found.output
    files = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert files == ["a.md.jsonl", "a.txt.jsonl", "sub/b.txt.jsonl"]
    assert lines_of(out / "sub" / "b.txt.jsonl")[0]["id"] == "sub/b"
    assert lines_of(tmp_path / "out.skipped.jsonl")[0]["source"] == str(folder / "c.pdf")
    assert run(folder, *options, "--to", "html").exit_code == 0
    assert (out / "a.md.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert "choose one" in str(run(folder, *options, "--json").exception)


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes on POSIX alone")
def test_a_name_that_is_not_utf8_stops_nothing(exported: Path, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"in\xe9")
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.txt")).write_text("Ann met Bob .", encoding="utf-8")
    (folder / "b.txt").write_text("Ann met Bob .", encoding="utf-8")
    options = ("--model", exported, "--to", "jsonl")
    assert run(folder, *options, "-o", tmp_path / "out").exit_code == 0
    assert [row["id"] for row in lines_of(tmp_path / "out")] == ["b", r"caf\xe9"]
    assert run(folder, *options, "--output-dir", tmp_path / "tree").exit_code == 0
    assert (tmp_path / "tree" / r"caf\xe9.txt.jsonl").is_file()


def test_outputs_that_collide_are_found_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model does not exist, and would be the first thing to be loaded."""
    for name in ("x/a.txt", "x/in/a.txt", "x/in/a.txt.jsonl/b"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("Ann ran .", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "x" / "z.zip", "w") as archive:
        archive.writestr("a.txt", "one")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.txt", "two")
    monkeypatch.chdir(tmp_path / "x" / "in")
    options = ("--model", "none", "--output-dir", tmp_path / "out", "--to", "jsonl")
    found = str(run("a.txt", "../a.txt", *options).exception)
    assert found.endswith("a.txt.jsonl: two inputs have this output: a.txt and ../a.txt: write them apart")  # fmt: skip
    found = str(run("../z.zip", *options).exception)
    assert "two inputs have this output: ../z.zip/a.txt and ../z.zip/a.txt" in found
    found = str(run(".", *options).exception)
    assert "the output of a.txt.jsonl/b needs a folder where that of a.txt is a file" in found
    assert not (tmp_path / "out").exists()
    assert "none" in str(run("../a.txt", *options).exception)


def test_empty_input_is_the_same_from_a_file_and_from_a_pipe(
    exported: Path, tmp_path: Path
) -> None:
    for content in (b"", b"\xef\xbb\xbf", b" \n"):
        file = tmp_path / "stdin"
        file.write_bytes(content)
        one = run(file, "--model", exported, "--to", "jsonl")
        code = "from coindex.cli import main; main()"
        args = [sys.executable, "-c", code, "resolve", "--model", str(exported), "--to", "jsonl"]
        two = subprocess.run(args, input=content, capture_output=True, check=True)
        assert one.stdout.encode() == two.stdout


def test_json_is_indented_as_wanted(stories: list[str], exported: Path, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", stories[:3])
    values = [json.loads(each) for each in run(rows, "--model", exported, "--to", "jsonl").stdout.splitlines()]  # fmt: skip
    for indent in (None, 2, 1, 4):
        args = ("--indent", str(indent)) if indent is not None else ()
        found = run(rows, "--model", exported, "--json", *args).stdout
        assert found == json.dumps(values, ensure_ascii=False, indent=indent or 2) + "\n"
    found = run(rows, "--model", exported, "--json", "--indent", "0").stdout
    assert found == json.dumps(values, ensure_ascii=False) + "\n"
    nothing = tmp_path / "none.jsonl"
    nothing.write_text("\n", encoding="utf-8")
    assert run(nothing, "--model", exported, "--json", "--text-field", "text").stdout == "[]\n"


def command(*args: str | Path) -> list[str]:
    """The command in a process of its own, with small chunks."""
    code = (
        "from coindex.batch import chunks; chunks.ITEMS = 8; from coindex.cli import main; main()"
    )
    return [sys.executable, "-c", code, "resolve", *map(str, args)]


def kill(args: list[str], folder: Path, draw: random.Random) -> bool:
    """Start a run and kill it at a random moment; whether it was killed before it ended.

    The moment is after some more parts have been written, and up to half a second later, so that
    every stage of a run is met.
    """
    parts = len(list(folder.glob("part-*"))) + draw.choice([0, 0, 1, 2, 5])
    process = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        while len(list(folder.glob("part-*"))) < parts and process.poll() is None:
            time.sleep(0.01)
        _, said = process.communicate(timeout=draw.uniform(0.0, 0.5))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return True
    assert process.returncode == 0, said
    return False


def run_whole(args: list[str]) -> None:
    """Run a command to its end; a failure shows what it said."""
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def check_kills(
    exported: Path, tmp_path: Path, engine: tuple[str, ...], size: int, kills: int
) -> None:
    """Kill runs that often, resuming each; whatever was killed ends with the same bytes."""
    draw = random.Random(size)
    rows = write_rows(tmp_path / "rows.jsonl", [story(draw) for _ in range(size)])
    with rows.open("a", encoding="utf-8") as stream:
        stream.write("{\n")
    options = ("--model", exported, "--scheme", "every", "--to", "jsonl", "--threads", "1")
    whole = tmp_path / "whole.jsonl"
    run_whole(command(rows, *options, "-o", whole))
    killed = 0
    for attempt in range(100):
        out = tmp_path / f"out{attempt}.jsonl"
        args = command(rows, *options, *engine, "-o", out)
        while killed < kills and kill(args, tmp_path / f"out{attempt}.jsonl.parts", draw):
            killed += 1
        if killed == kills:
            run_whole(args)
        assert out.read_bytes() == whole.read_bytes()
        assert len(lines_of(tmp_path / f"out{attempt}.jsonl.skipped.jsonl")) == 1
        assert not (tmp_path / f"out{attempt}.jsonl.parts").exists()
        if killed == kills:
            return
    raise AssertionError(f"killed only {killed} times")


@pytest.mark.slow
@pytest.mark.parametrize("engine", [(), ("--workers", "2")], ids=["one worker", "two workers"])
def test_a_killed_run_goes_on_to_the_same_bytes(
    engine: tuple[str, ...], exported: Path, tmp_path: Path
) -> None:
    check_kills(exported, tmp_path, engine, 100, 3)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize(
    "engine",
    [(), ("--workers", "2"), ("--workers", "2", "--engine", "ray")],
    ids=["one worker", "two workers", "ray"],
)
def test_twenty_kills(engine: tuple[str, ...], exported: Path, tmp_path: Path) -> None:
    if "ray" in engine:
        pytest.importorskip("ray", reason="needs Ray: pip install 'coindex[ray]'")
    check_kills(exported, tmp_path, engine, 300, 20)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_run_that_is_told_to_end_says_how_to_resume(
    number: signal.Signals, exported: Path, tmp_path: Path
) -> None:
    draw = random.Random(9)
    rows = write_rows(tmp_path / "rows.jsonl", [story(draw, 40) for _ in range(600)])
    out, folder = tmp_path / "out.jsonl", tmp_path / "out.jsonl.parts"
    args = command(rows, "--model", exported, "--to", "jsonl", "--workers", "2", "-o", out)
    process = subprocess.Popen(args, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not list(folder.glob("part-*")) and process.poll() is None:
        time.sleep(0.01)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does
    else:
        process.send_signal(number)
    _, told = process.communicate(timeout=60)
    word = "terminated" if number == signal.SIGTERM else "interrupted"
    assert told == f"coindex: run the same command again to resume\ncoindex: {word}\n"
    assert process.returncode == 128 + number
    assert list(folder.glob("part-*"))
    again = subprocess.run(args, capture_output=True, check=True, text=True)
    assert "of them were done before" in again.stderr
    assert [row["id"] for row in lines_of(out)] == [f"t{n}" for n in range(600)]


def test_other_input_is_not_mixed_with_parts(
    stories: list[str], exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coindex.batch.chunks import PartStore

    monkeypatch.setattr(chunks, "ITEMS", 5)
    rows = write_rows(tmp_path / "rows.jsonl", stories)
    out = tmp_path / "out.jsonl"
    options = ("--model", exported, "--to", "jsonl", "-o", out)
    written: list[int] = []
    write = PartStore.write

    def stop_at_five(self: PartStore, chunk: chunks.Chunk, outcomes: Any) -> None:
        if len(written) == 5:
            raise KeyboardInterrupt
        written.append(chunk.number)
        write(self, chunk, outcomes)

    monkeypatch.setattr(PartStore, "write", stop_at_five)
    found = run(rows, *options)
    assert found.exit_code != 0
    assert "run the same command again to resume" in found.stderr
    monkeypatch.setattr(PartStore, "write", write)
    parts = sorted((tmp_path / "out.jsonl.parts").glob("part-*"))
    assert len(parts) == 5
    found = run(rows, *options, "--singletons")
    assert "found those of another one that was interrupted: --fresh discards" in str(
        found.exception
    )
    write_rows(rows, ["Bob slept .", *stories[1:]])
    found = run(rows, *options)
    changed = "the input has changed since this run was interrupted: --fresh discards it"
    assert changed in str(found.exception)
    write_rows(rows, stories)
    parts[2].write_bytes(parts[2].read_bytes()[:-10])  # as no atomic write leaves it
    found = run(rows, *options)
    assert found.exit_code == 0, found.output
    assert "20 of them were done before" in found.stderr
    again = tmp_path / "again.jsonl"
    assert run(rows, "--model", exported, "--to", "jsonl", "-o", again).exit_code == 0
    assert out.read_bytes() == again.read_bytes()


def test_fresh_discards_the_parts_of_other_options(exported: Path, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", ["Ann met Bob ."])
    out, folder = tmp_path / "out.jsonl", tmp_path / "out.jsonl.parts"
    claim_folder(folder, (("command", "resolve"),), resume=True)
    options = ("--model", exported, "--to", "jsonl", "-o", out)
    assert "--fresh discards them" in str(run(rows, *options).exception)
    assert run(rows, *options, "--fresh").exit_code == 0
    assert len(lines_of(out)) == 1
    assert not folder.exists()


def test_a_complete_output_is_not_replaced_without_a_word(exported: Path, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", ["Ann met Bob ."])
    for option in ("-o", "--output-dir"):
        out = tmp_path / option.strip("-")
        options = ("--model", exported, "--to", "jsonl", option, out)
        told = f"coindex: {out} exists, and there is no interrupted run to resume"
        assert told not in run(rows, *options).stderr
        assert told in run(rows, *options).stderr
        assert told not in run(rows, *options, "--fresh").stderr


def test_a_reason_of_many_rows_is_printed_twice(exported: Path, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", ["Ann met Bob ."] * 30)
    found = run(rows, "--model", exported, "--to", "jsonl", "--text-field", "body")
    assert found.exit_code == 1
    reason = "expected the field 'body', found id, text"
    assert found.stderr.splitlines()[:-1] == [
        f"coindex: skipped: {rows}:1: {reason}",
        f"coindex: skipped: {rows}: 29 more for the same reason: {reason}",
    ]
    assert found.stderr.endswith("30 skipped\n")


@pytest.mark.parametrize("how", ["skip", "stop"])
def test_other_encodings_have_a_hint(how: str, exported: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("The café was closed.".encode("cp1252"))
    reason = "expected UTF-8 text, found the byte 0xe9 (see --encoding)"
    found = run(file, "--model", exported, "--on-error", how)
    assert reason in (found.stderr if how == "skip" else str(found.exception))
    args = command("-", "--model", exported, "--on-error", how)
    piped = subprocess.run(args, input=file.read_bytes(), capture_output=True, check=False)
    skipped = "skipped: " if how == "skip" else ""
    assert piped.stderr.decode() == f"coindex: {skipped}<stdin>: {reason}\n"
    assert piped.returncode == 1


def test_progress_counts_one_text_as_one() -> None:
    told: list[str] = []
    progress = RunProgress(100, lambda step: told.append(step.note))
    for position in (10, 20):
        progress.add(Record("a", "", 3, position))
    assert [note.partition(",")[0] for note in told] == ["1 text", "2 texts"]


@pytest.mark.slow
def test_a_text_that_kills_its_worker_is_skipped(
    stories: list[str], exported: Path, tmp_path: Path
) -> None:
    """The children of this process get a resolver that dies on one text."""
    rows = write_rows(tmp_path / "rows.jsonl", [*stories[:20], "DEADLY", *stories[20:]])
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, coindex.transform.edit as edit\n"
        "own = edit.retokenize\n"
        "def retokenize(document, boundaries):\n"
        "    if document.text == 'DEADLY':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return own(document, boundaries)\n"
        "edit.retokenize = retokenize\n",
        encoding="utf-8",
    )
    out = tmp_path / "out.jsonl"
    args = command(rows, "--model", exported, "--to", "jsonl", "--workers", "2", "-o", out)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(args, env=os.environ | {"PYTHONPATH": path}, capture_output=True, check=True)  # fmt: skip
    assert b"1 skipped" in done.stderr
    assert len(lines_of(out)) == 60
    (row,) = lines_of(tmp_path / "out.jsonl.skipped.jsonl")
    assert row["source"].endswith("rows.jsonl:21")
    assert "the worker process ended while it resolved this text, 3 times" in row["reason"]


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("COINDEX_NO_RAY") == "1", reason="COINDEX_NO_RAY is set")
def test_ray_changes_no_byte(stories: list[str], exported: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs Ray: pip install 'coindex[ray]'")
    rows = write_rows(tmp_path / "rows.jsonl", stories * 4)
    options = ("--model", exported, "--to", "jsonl")
    one = run(rows, *options, "--threads", "1")
    two = run(rows, *options, "--workers", "2", "--engine", "ray", "-o", tmp_path / "out.jsonl")
    assert two.exit_code == 0, two.output
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == one.stdout


def test_standard_input_is_read_line_by_line(exported: Path) -> None:
    """The first answers come before the last text is given."""
    args = command("--model", exported, "--text-field", "text", "--to", "jsonl", "--threads", "1")
    process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(3):
        process.stdin.write(json.dumps({"id": number, "text": "Ann met Bob ."}).encode() + b"\n")
        process.stdin.flush()
        if number:
            assert json.loads(process.stdout.readline())["id"] == str(number - 1)
    process.stdin.close()
    assert json.loads(process.stdout.readline())["id"] == "2"
    process.stdout.close()
    assert process.wait() == 0


def test_pipes_with_names_are_read_once(exported: Path, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", ["Ann met Bob ."] * 500)
    letter = tmp_path / "letter.txt"
    letter.write_text("Ann met Bob . She liked him .\n" * 1000, encoding="utf-8")
    for file, options in ((rows, ("--text-field", "text")), (letter, ())):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = subprocess.Popen(["cp", str(file), str(pipe)])
        args = command(pipe, "--model", exported, "--to", "jsonl", "--speakers", "none", *options)
        found = subprocess.run(args, capture_output=True, check=True, text=True).stdout
        assert writer.wait() == 0
        same = run(file, "--model", exported, "--to", "jsonl", "--speakers", "none", *options)
        assert [json.loads(line) | {"id": ""} for line in found.splitlines()] == [
            json.loads(line) | {"id": ""} for line in same.stdout.splitlines()
        ]
        pipe.unlink()
