"""The scorer of GAP: equal to a second implementation, and clear about broken files."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from coindex import formats, io
from coindex.benchmarks.gap_scorer import (
    GapScore,
    count,
    gap_score,
    read_predictions,
    score,
    write_predictions,
)
from coindex.errors import FormatError, InvalidValue
from coindex.types.decision import Decision, MatchedDecisions, match_decisions
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars


def problem(id: str, answer: tuple[int, ...] | None, group: str | None = "feminine") -> Problem:
    names = (Candidate("Ann", Chars(0, 3)), Candidate("Mary", Chars(8, 12)))
    return Problem(id, "Ann met Mary when she left .", Chars(18, 21), names, answer, group)


ITEMS = [problem("t-1", (0,), "masculine"), problem("t-2", (1,)), problem("t-3", ())]
IDS = [item.id for item in ITEMS]


def scored(text: str, items: list[Problem], *, collect: bool = False) -> GapScore:
    source = Source("p.tsv", collect=collect)
    ids = [item.id for item in items]
    return gap_score(
        match_decisions(items, read_predictions(text.splitlines(keepends=True), source, ids))
    )


def second(text: str, items: list[Problem]) -> dict[str, Fraction | None]:
    """The rules of GAP once more, by sets of yes and no, in exact fractions."""
    said: dict[str, list[str]] = {}
    for line in filter(str.strip, text.splitlines()):
        id, *values = line.split("\t")
        said.setdefault(id, [value.upper() for value in values])
    tally: Counter[tuple[str, str]] = Counter()
    for item in items:
        values = said.get(item.id, ["", ""])
        gold = ["TRUE" if at in (item.answer or ()) else "FALSE" for at in (0, 1)]
        for value, wanted in zip(values, gold, strict=True):
            for part in ("overall", str(item.group)):
                tally[part, "said"] += value == "TRUE"
                tally[part, "hit"] += value == "TRUE" == wanted
                lost = value not in ("TRUE", "FALSE") or (value, wanted) == ("FALSE", "TRUE")
                tally[part, "lost"] += lost
    found: dict[str, Fraction | None] = {}
    for part in ("overall", "masculine", "feminine"):
        said_yes, hit, missed = (tally[part, name] for name in ("said", "hit", "lost"))
        found[f"{part} precision"] = Fraction(100 * hit, said_yes or 1)
        found[f"{part} recall"] = Fraction(100 * hit, hit + missed or 1)
        found[f"{part} f1"] = Fraction(200 * hit, said_yes + hit + missed or 1)
    low, high = found["masculine f1"], found["feminine f1"]
    found["bias"] = high / low if low and high else None
    return found


def assert_equal(one: GapScore, two: dict[str, Fraction | None]) -> None:
    for name, expected in two.items():
        part, _, figure = name.partition(" ")
        value = getattr(getattr(one, part), figure) if figure else one.bias
        assert value == (None if expected is None else pytest.approx(float(expected))), name


def random_file(seed: int, *, broken: bool) -> tuple[str, list[Problem]]:
    rng = random.Random(seed)
    answers: list[tuple[int, ...]] = [(0,), (1,), (), (0, 1)]
    groups = ["masculine", "feminine"]
    items = [
        problem(f"test-{n}", rng.choices(answers, [9, 9, 2, 1])[0], rng.choice(groups))
        for n in range(rng.randint(1, 40))
    ]
    yes, keep = rng.random(), rng.choice([1.0, 0.9, 0.5])
    values = {True: ["TRUE", "True", "true", "tRuE"], False: ["FALSE", "False", "false"]}
    rows = [
        [item.id, *(rng.choice(values[rng.random() < yes]) for _ in "AB")]
        for item in items
        if rng.random() < keep
    ] or [[items[0].id, "TRUE", "FALSE"]]
    if broken:
        rows += [[rng.choice(rows)[0], "TRUE", "TRUE"], ["test-999", "TRUE", "FALSE"]]
        rng.choice(rows)[rng.choice([1, 2])] = rng.choice(["1", "", "TRUE ", "yes"])
    rng.shuffle(rows)
    rows[:0] = [["ID", "A-coref", "B-coref"]] * rng.randint(0, 1)
    end = rng.choice(["\n", "\r\n", "\n\n"])
    return "".join("\t".join(row) + end for row in rows), items


@pytest.mark.parametrize("seed", range(200))
def test_equal_to_a_second_implementation(seed: int) -> None:
    text, items = random_file(seed, broken=False)
    assert_equal(scored(text, items), second(text, items))


@pytest.mark.parametrize("seed", range(200))
def test_broken_files_that_are_collected_are_scored_by_the_rules(seed: int) -> None:
    text, items = random_file(seed, broken=True)
    with pytest.raises(FormatError, match=r"p\.tsv:\d+: expected"):
        scored(text, items)
    assert_equal(scored(text, items, collect=True), second(text, items))


def test_counts_add_up_and_many_totals_are_scored_at_once() -> None:
    text, items = random_file(5, broken=False)
    matched = match_decisions(items, read_predictions(text.splitlines(), Source()))
    rows = count(matched)
    assert rows.sum() == 2 * len(items)
    assert (rows.sum(axis=(1, 2)) == 2).all()
    both = score(np.stack([rows.sum(axis=0), rows[:1].sum(axis=0)]))
    assert both.shape == (2, 3, 3)
    assert (both[0] == score(rows.sum(axis=0))).all()


def test_a_missing_row_costs_recall_even_where_no_was_right() -> None:
    rows = "t-1\tTRUE\tFALSE\nt-2\tFALSE\tTRUE\n"
    full, short = scored(f"{rows}t-3\tFALSE\tFALSE\n", ITEMS), scored(rows, ITEMS)
    assert (full.overall.recall, full.missing, full.overall.counts) == (100, 0, (2, 0, 4, 0))
    assert (short.overall.recall, short.missing, short.overall.counts) == (50, 1, (2, 0, 2, 2))
    assert match_decisions(ITEMS, [Decision("t-2")]).missing == ("t-1", "t-3")


def test_a_group_that_has_no_gender_counts_overall_only() -> None:
    found = gap_score(match_decisions([problem("x", (0,), None)], [Decision("x", (0,))]))
    assert (found.overall.f1, found.masculine.f1, found.feminine.f1) == (100, 0, 0)
    assert found.bias is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "t-1\tTRUE\tFALSE\ntest-7\tTRUE\tFALSE\n",
            "p.tsv:2: expected the id of one of the 3 items, found 'test-7'",
        ),
        (
            "t-1\tTRUE\tmaybe\n",
            "p.tsv:1: expected TRUE or FALSE in the column B-coref, found 'maybe'",
        ),
        (
            "\nt-1\t\tTRUE\n",
            "p.tsv:2: expected TRUE or FALSE in the column A-coref, found ''",
        ),
        (
            "ID\tA-coref\tB-coref\nt-1\tTRUE\n",
            "p.tsv:2: expected 3 columns (ID, A-coref, B-coref), found 2",
        ),
        (
            "t-1 TRUE FALSE\n",
            "p.tsv:1: expected 3 columns (ID, A-coref, B-coref), found 1",
        ),
        (
            "t-1\tTRUE\tFALSE\t0.9\n",
            "p.tsv:1: expected 3 columns (ID, A-coref, B-coref), found 4",
        ),
        (
            "t-1\tTRUE\tFALSE\nt-2\tTRUE\tFALSE\nt-1\tTRUE\tFALSE\n",
            "p.tsv:3: expected one row for 't-1', found another after line 1",
        ),
        (
            "t-1 \tTRUE\tFALSE\n",
            "p.tsv:1: expected the id of one of the 3 items, found 't-1 '",
        ),
        (
            "t-1\tTRUE\tFALSE\nID\tA-coref\tB-coref\n",
            "p.tsv:2: expected the id of one of the 3 items, found 'ID'",
        ),
        ("t-1\t1\t0\n", "p.tsv:1: expected TRUE or FALSE in the column A-coref, found '1'"),
        (
            "t-1\tFALSE\tTRUE \n",
            "p.tsv:1: expected TRUE or FALSE in the column B-coref, found 'TRUE '",
        ),
        (
            "t-1,TRUE,FALSE\n",
            "p.tsv:1: expected 3 columns (ID, A-coref, B-coref), found 1",
        ),
        ("", "p.tsv: expected rows of ID, A-coref, B-coref, found none"),
        ("ID\tA-coref\tB-coref\n", "p.tsv: expected rows of ID, A-coref, B-coref, found none"),
    ],
)
def test_broken_files(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        scored(text, ITEMS)
    assert str(caught.value) == message


def test_what_a_collecting_source_records() -> None:
    text = "t-1\tTRUE\nx\tTRUE\tTRUE\nt-2\tTRUE\tno\textra\nt-2\tTRUE\tTRUE\n\tTRUE\tTRUE\n"
    source = Source("p.tsv", collect=True)
    found = read_predictions(text.splitlines(), source, IDS)
    assert found == [Decision("t-2", (0,), None, (1,))]
    assert [(f.line, f.rule) for f in source.findings] == [
        (1, "columns"), (2, "id"), (3, "columns"), (3, "answer"), (4, "same-id"), (5, "id"),
    ]  # fmt: skip
    with pytest.raises(FormatError, match="1: expected an id, found ''"):
        read_predictions(["\tTRUE\tTRUE\n"], Source("p.tsv"))
    with pytest.raises(FormatError, match="1: expected columns by tabs, found"):
        read_predictions(["t-1\rt-2\tTRUE\tTRUE\n"], Source("p.tsv"))


def test_decisions_that_do_not_fit_their_problems() -> None:
    cases: list[tuple[list[Problem], list[Decision], str]] = [
        (ITEMS, [Decision(f"x{n}") for n in range(7)], "found 7 on others: x0, .* and 2 more"),
        (ITEMS, [Decision("t-1"), Decision("t-1")], "each decision once.*t-1"),
        ([*ITEMS, ITEMS[0]], [], "each problem once.*t-1"),
        (ITEMS, [Decision("t-1", (2,))], "t-1: expected one of 2 candidates, found index 2"),
        (ITEMS, [Decision("t-1", (0,), (0.5,))], "t-1: expected 2 scores.*found 1"),
    ]
    for items, decisions, message in cases:
        with pytest.raises(InvalidValue, match=message):
            match_decisions(items, decisions)
    with pytest.raises(InvalidValue, match="q: expected an answer"):
        gap_score(match_decisions([problem("q", None)], []))


def test_decisions_that_contradict_themselves() -> None:
    with pytest.raises(InvalidValue, match="empty"):
        Decision("")
    for chosen in ((1, 0), (0, 0), (-1,)):
        with pytest.raises(InvalidValue, match="must rise"):
            Decision("x", chosen)
    with pytest.raises(InvalidValue, match="candidate 1 is chosen and left unsaid"):
        Decision("x", (0, 1), None, (1,))


def test_written_predictions_are_read_again() -> None:
    made = [Decision("a", (0,)), Decision("b", (1,)), Decision("c"), Decision("d", (0, 1))]
    rows = list(write_predictions([*made, Decision("e", undecided=(0, 1))]))
    assert rows[0] == "a\tTRUE\tFALSE\n"
    assert len(rows) == 4, "a decision that says nothing is a missing row"
    assert read_predictions(rows, Source()) == made
    for odd in (Decision("a\tb"), Decision("a", (2,)), Decision("a", undecided=(1,))):
        with pytest.raises(InvalidValue):
            list(write_predictions([odd]))


def items_of(data: Path, split: str) -> list[Problem]:
    path = str(data / "gap" / f"gap-{split}.tsv")
    with io.open_lines(path) as lines:
        found = list(formats.read_lines(lines, "gap", Source(lines.name), path))
    return [item for item in found if isinstance(item, Problem)]


@pytest.mark.data
def test_always_the_first_name_on_the_test_split(data: Path) -> None:
    items = items_of(data, "test")
    found = scored("".join(f"{item.id}\tTRUE\tFALSE\n" for item in items), items)
    figures = [found.overall.f1, found.masculine.f1, found.feminine.f1]
    assert [f"{figure:.1f}" for figure in figures] == ["48.7", "48.0", "49.4"]
    assert f"{found.bias:.2f}" == "1.03"
    assert sum(found.overall.counts) == 4000


@pytest.mark.data
@pytest.mark.parametrize("split", ["development", "validation", "test"])
def test_gold_gives_all(data: Path, split: str) -> None:
    items = items_of(data, split)
    gold = [Decision(item.id, item.answer or ()) for item in items]
    found = scored("".join(write_predictions(gold)), items)
    assert found == gap_score(MatchedDecisions(tuple(items), tuple(gold)))
    for part in (found.overall, found.masculine, found.feminine):
        assert (part.precision, part.recall, part.f1) == (100, 100, 100)
    assert (found.bias, found.missing) == (1, 0)
