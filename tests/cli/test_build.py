"""`coindex build`: from a file of raw text to a corpus and its report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from coindex import formats
from coindex.builders.builtin import wikicrem
from coindex.cli import cli
from coindex.text.seeded_hash import seeded_fraction
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

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
    assert len(items) == told["items"]["items"] == 2
    again = [row for row in account["dropped"] if row["reason"] == "the same item again"]
    assert account["items"] == 6 == len(items) + again[0]["count"], "three pages are alike"
    assert "<table" in page.read_text()
    assert not Path(f"{out}.parts").exists()


def test_the_same_bytes_again_and_with_two_workers(pages: Path, tmp_path: Path) -> None:
    for name, more in (("one", ()), ("two", ("--workers", "2")), ("small", ("--shard", "200"))):
        found = run("wikicrem", pages, "-o", tmp_path / name, "--source", "jsonl", *more)
        assert found.exit_code == 0, found.output
    one, two, small = ((tmp_path / name).read_bytes() for name in ("one", "two", "small"))
    assert one == two == small


def test_train_and_test_are_of_distinct_sources(tmp_path: Path) -> None:
    warren = "Warren tries to apologize to Rose, but she refuses to accept it."
    for name in ("train", "test"):
        row = {"id": name, "title": name, "text": f"{warren} It was in {name}."}
        (tmp_path / f"{name}.in").write_text(json.dumps(row) + "\n")
    common = ("--source", "jsonl")
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    found = run("knowref", tmp_path / "train.in", "-o", train, *common)
    assert found.exit_code == 0, found.output + str(found.exception)
    more = (*common, "--set", "mode=test", "--apart", train)
    found = run("knowref", tmp_path / "train.in", "-o", test, *more)
    assert "expected other input than" in str(found.exception)
    found = run("knowref", tmp_path / "test.in", "-o", test, *more)
    assert found.exit_code == 0, found.output + str(found.exception)
    (one,), (two,) = formats.read(train), formats.read(test)
    assert isinstance(one, Problem)
    assert isinstance(two, Problem)
    assert one.answer == (1,)
    assert two.answer is None
    assert one.meta_value("checksum") != two.meta_value("checksum")


def test_a_file_for_each_split(pages: Path, tmp_path: Path) -> None:
    share = wikicrem.rules(1).held_out
    apart = next(str(n) for n in range(10_000) if seeded_fraction(1, "split", str(n)) < share)
    row = {"id": apart, "title": "held out", "text": PAGE.replace("David", "Edward")}
    with pages.open("a") as file:
        file.write(json.dumps(row) + "\n")
    found = run("wikicrem", pages, "-o", tmp_path / "o.jsonl", "--source", "jsonl", "--split")
    assert found.exit_code == 0, found.output + str(found.exception)
    names = ["o.held-out.jsonl", "o.train.jsonl"]
    assert sorted(each.name for each in tmp_path.glob("o*")) == names
    held, train = (
        [
            item.meta_value("page")
            for item in formats.read(tmp_path / name)
            if isinstance(item, Problem)
        ]
        for name in names
    )
    assert set(held) == {apart}
    assert train == ["0", "0"]


def test_a_corpus_without_splits(tmp_path: Path) -> None:
    warren = "Warren tries to apologize to Rose, but she refuses to accept it."
    (tmp_path / "in").write_text(json.dumps({"id": "1", "text": warren}) + "\n")
    found = run("knowref", tmp_path / "in", "-o", tmp_path / "o", "--source", "jsonl", "--split")
    assert "expected the metadata 'split' in every item" in str(found.exception)
    assert not (tmp_path / "o").exists()
    assert run("knowref", tmp_path / "in", "-o", tmp_path / "o", "--source", "jsonl").exit_code == 0


def test_lengths_like_another_corpus(pages: Path, tmp_path: Path) -> None:
    crem, random = tmp_path / "crem.jsonl", tmp_path / "random.jsonl"
    assert run("wikicrem", pages, "-o", crem, "--source", "jsonl").exit_code == 0
    like = ("--set", f"like={crem}", "--set", "surplus=1e9")
    found = run("randomwiki", pages, "-o", random, "--source", "jsonl", *like)
    assert found.exit_code == 0, found.output + str(found.exception)
    lengths = [
        sorted(len(item.text.split()) // 5 for item in formats.read(path))
        for path in (crem, random)
    ]
    assert set(lengths[1]) <= set(lengths[0])
    assert 0 < len(lengths[1]) <= len(lengths[0])


def annotated(tmp_path: Path, judgements: tuple[str, ...]) -> Path:
    text = "Anna Bell thanked Mary Cole because she had come."
    names = (Candidate("Anna Bell", Chars(0, 9)), Candidate("Mary Cole", Chars(18, 27)))
    items = [
        Problem(
            f"{number}-{said}", text.replace("she", who), Chars(36, 36 + len(who)), names, None,
            "feminine" if who == "she" else "masculine", f"http://x.org/{number}{who}",
            (("pattern", "final"), ("page", f"{number}{who}"), ("judgements", said)),
        )
        for number, said in enumerate(judgements) for who in ("she", "he")
    ]  # fmt: skip
    for at, item in enumerate(items):
        items[at] = replace(item, id=f"{item.id}-{item.group}")
    formats.write(tmp_path / "judged.jsonl", items, "problem-jsonl")
    return tmp_path / "judged.jsonl"


def test_annotated_items_become_the_corpus(tmp_path: Path) -> None:
    file = annotated(tmp_path, ("A A B", "B B B", "both both A", "A B neither"))
    out = tmp_path / "gap.tsv"
    found = run("gap", "--finish", file, "-o", out, "--to", "gap", "--json")
    assert found.exit_code == 0, found.output + str(found.exception)
    told = json.loads(found.stdout)
    reasons = {row["reason"]: row["count"] for row in told["account"]["dropped"]}
    assert reasons == {"both": 2, "no consensus": 2}
    assert told["items"]["answer is the first candidate, %"] == 50
    items = [item for item in formats.read(out) if isinstance(item, Problem)]
    assert sorted(item.answer or () for item in items) == [(0,), (0,), (1,), (1,)]
    for wrong, message in (
        (("gap", file, "--finish", file), "either SOURCEs"),
        (("gap",), "either SOURCEs"),
        (("wikicrem", "--finish", file), "whose items are annotated"),
        (("gap", "--finish", annotated(tmp_path, ("",))), "the metadata 'judgements'"),
    ):
        found = run(*wrong, "-o", out)
        assert message in str(found.exception) + found.output, wrong


def test_what_a_format_cannot_hold_is_told(pages: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = run("wikicrem", pages, "-o", out, "--to", "winogrande")
    assert found.exit_code == 1
    assert "winogrande cannot hold 2 problem(s), left out" in found.stderr
    assert "0 items written" in found.stderr
    assert Path(f"{out}.parts").is_dir(), "for another format"
    found = run("wikicrem", pages, "-o", out, "--to", "blocks", "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["written"] == 2
    assert out.read_text().splitlines()[1:4] == ["[MASK]", "John,David", "John"]
    assert not Path(f"{out}.parts").exists()


def test_a_run_killed_while_it_joins_gives_the_same_bytes(pages: Path, tmp_path: Path) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert run("wikicrem", pages, "-o", whole).exit_code == 0
    assert run("wikicrem", pages, "-o", out, "--to", "winogrande").exit_code == 1
    kept = Path(f"{out}.parts", "kept.jsonl")
    assert kept.is_file()
    kept.write_text("half of ")
    Path(f"{out}.parts", ".kept.jsonl.x").write_text("half of ")
    out.unlink(missing_ok=True)
    found = run("wikicrem", pages, "-o", out, "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["account"]["items"] == 6
    assert out.read_bytes() == whole.read_bytes()
    assert not Path(f"{out}.parts").exists()


def test_a_report_that_cannot_be_written_costs_no_work(pages: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = run("wikicrem", pages, "-o", out, "--report", tmp_path / "no" / "page.html")
    assert found.exit_code == 1
    assert Path(f"{out}.parts").is_dir()


@pytest.mark.parametrize("name", ["wikicrem", "randomwiki", "knowref", "gap"])
def test_every_sentence_is_accounted_for(name: str, tmp_path: Path) -> None:
    text = (
        f"A heading\n{PAGE} It rained.\n* An item of a list. And more of it.\nWe saw it. She left."
    )
    (tmp_path / "in").write_text(json.dumps({"id": "1", "text": text}) + "\n")
    found = run(name, tmp_path / "in", "-o", tmp_path / "o", "--source", "jsonl", "--json")
    assert found.exit_code == 0, found.output + str(found.exception)
    account = json.loads(found.stdout)["account"]
    scan = {row["reason"]: row["count"] for row in account["dropped"] if row["stage"] == "scan"}
    assert account["scanned"] == account["passages"] + sum(scan.values())
    pairs = {"wikicrem": 2 + 1, "randomwiki": 2 + 1}.get(name, 0)
    assert account["scanned"] == 8 + pairs, "a heading, two of a list, five of paragraphs"
    if name == "gap":
        assert scan["no gendered pronoun"] == 7
    else:
        assert scan["an item of a list"] == 2
        assert scan["a line without a full stop"] == 1


def test_every_stage_is_kept_and_dropped(pages: Path, tmp_path: Path) -> None:
    found = run("wikicrem", pages, "-o", tmp_path / "out")
    rows = dict(
        (cells[1].strip(), int(cells[2].replace(",", "")))
        for cells in (line.split("│") for line in found.stdout.splitlines())
        if len(cells) == 4 and cells[2].strip().replace(",", "").isdigit()
    )
    assert rows["passages looked at"] == rows["- dropped unparsed"] + rows["passages parsed"]
    assert rows["passages parsed"] == rows["- without items"] + rows["- with items"] > 0
    assert rows["items built"] == rows["- dropped at the end"] + rows["items kept"] == 6


def test_mistakes_are_named(pages: Path, tmp_path: Path) -> None:
    cases = [
        (("nobody", pages, "-o", tmp_path / "x"), "unknown"),
        (
            ("gap", tmp_path / "no.jsonl", "-o", tmp_path / "x", "--source", "jsonl"),
            "found nothing",
        ),
        (("gap", pages, "-o", "-"), "need a place on disk"),
        (("gap", pages, "-o", tmp_path / "x", "--set", "a=b"), "an option of balance, found 'a'"),
        (("gap", pages, "-o", tmp_path / "x", "--set", "balance"), "--set KEY=VALUE"),
        (("gap", pages, "-o", tmp_path / "x", "--set", "balance=1"), "yes or no, found '1'"),
        (("knowref", pages, "-o", tmp_path / "x", "--set", "mode=x"), "a mode of train, test"),
        (("gap", pages, "-o", tmp_path / "x", "--source", "jsonl", "--strict"), "no text"),
        (
            ("wikicrem", pages, "-o", tmp_path / "x", "--set", "a=b"),
            "expected no option, found 'a'",
        ),
        (("randomwiki", pages, "-o", tmp_path / "x", "--set", "like=no"), "no: expected a corpus"),
        (("gap", pages, "-o", tmp_path), "expected a file to write, found a folder"),
        (("gap", pages, "-o", tmp_path / "x", "--address", "h:1"), "--engine ray, found local"),
    ]
    for args, message in cases:
        found = run(*args)
        assert found.exit_code != 0
        assert message in str(found.exception) + found.output, args
