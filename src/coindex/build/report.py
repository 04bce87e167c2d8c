"""The report of a run: what went in, what came out, and why the rest did not.

input = kept + dropped, at every stage; examples of every reason; figures of the items
beside those that the paper of the corpus gives, where its builder states them (`PUBLISHED`:
the name of a figure, its value, and where it stands); and how long the passages are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from coindex.build.part import Account
from coindex.build.run import Built
from coindex.core.problem import Problem
from coindex.scoring.grid import Bar, Cell, Grid

Published = Sequence[tuple[str, float | str, str]]

WIDTH = 10
"""Words by which lengths are drawn apart."""

SHOWN = 120
"""Characters of an example in the table; the JSON has all that is kept."""

_ANSWERS = (("the first candidate", (0,)), ("the second candidate", (1,)), ("none of them", ()))
_FACTS = ("pattern", "entity", "kind", "split", "gender")


def grids(built: Built, published: Published = ()) -> list[Grid]:
    """The tables of a report, each with its picture."""
    found = [_input(built), _dropped(built.account), _items(built.problems, published)]
    return [*found, _lengths(built.problems)] if built.problems else found


def as_json(built: Built, published: Published = ()) -> dict[str, Any]:
    """The same for machines."""
    return {
        "run": [list(fact) for fact in built.facts],
        "account": built.account.json(),
        "items": dict(figures(built.problems)),
        "published": {what: {"figure": figure, "where": at} for what, figure, at in published},
    }


def figures(problems: Sequence[Problem]) -> Iterator[tuple[str, Cell]]:
    """What can be said of any items: how many, of whom, where the answer stands, how long."""
    count = len(problems)
    yield "items", count
    if not count:
        return
    texts = Counter(problem.text for problem in problems)
    yield "different texts", len(texts)
    yield "duplicates", count - len({_whole(problem) for problem in problems})
    yield "pages", len({problem.fact("page") or problem.source for problem in problems})
    words = sorted(len(problem.text.split()) for problem in problems)
    yield "words, mean", sum(words) / count
    yield "words, median", words[count // 2]
    known = [problem.answer for problem in problems if problem.answer is not None]
    for name, answer in _ANSWERS:
        if known:
            yield f"answer is {name}, %", 100 * known.count(answer) / len(known)
    yield from _shares("group", [problem.group for problem in problems])
    for what in _FACTS:
        yield from _shares(what, [problem.fact(what) for problem in problems])


def _whole(problem: Problem) -> tuple[str, ...]:
    """What makes two items the same: text, pronoun and candidates."""
    return problem.text, str(problem.target), *(each.text for each in problem.candidates)


def _shares(what: str, values: Sequence[str | None]) -> Iterator[tuple[str, Cell]]:
    for value, number in sorted(Counter(each for each in values if each).items()):
        yield f"{what} {value}, %", 100 * number / len(values)


def _input(built: Built) -> Grid:
    found = built.account
    rows: list[tuple[Cell, ...]] = [("pages read", found.pages), ("characters", found.characters)]
    rows += [(f"skipped: {reason}", count) for reason, count in sorted(found.skipped.items())]
    rows += [(f"broken: {reason}", count) for reason, count in sorted(found.broken.items())]
    rows += [
        ("passages looked at", found.scanned),
        ("- dropped unparsed", found.scanned - found.passages),
        ("passages parsed", found.passages),
        ("- without items", found.passages - found.giving),
        ("- with items", found.giving),
        ("items built", found.items),
        ("- dropped at the end", found.items - len(built.problems)),
        ("items kept", len(built.problems)),
    ]
    notes = tuple(found.places[:10])
    if len(found.places) > 10:
        notes += (f"and {len(found.places) - 10} more places of broken input",)
    facts = "|".join(f"{name}:{value}" for name, value in built.facts if name != "input")
    inputs = tuple(f"{name}: {value}" for name, value in built.facts if name == "input")
    return Grid("Input", ("what", "number"), tuple(rows), (facts, *inputs, *notes))


def _dropped(found: Account) -> Grid:
    rows: list[tuple[Cell, ...]] = []
    bars = []
    for (stage, reason), count in sorted(
        found.dropped.items(), key=lambda row: (row[0][0] != "scan", row[0][0], -row[1])
    ):
        examples = found.examples.get((stage, reason), [])
        share = 100 * count / max(found.scanned, found.items, 1)
        rows.append((stage, reason, count, share, " ¶ ".join(map(_short, examples[:2]))))
        bars.append(Bar(f"{stage}: {reason}", share))
    total = sum(found.dropped.values())
    note = (
        f"{found.scanned:,} looked at; {total:,} times something was dropped, {found.items:,} items"
    )
    columns = ("stage", "reason", "number", "% of all looked at", "examples")
    return Grid("Dropped", columns, tuple(rows), (note,), bars=tuple(bars))


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1].rstrip()}…"


def _items(problems: Sequence[Problem], published: Published) -> Grid:
    told = {what: (figure, where) for what, figure, where in published}
    rows: list[tuple[Cell, ...]] = []
    bars: list[Bar] = []
    for name, value in figures(problems):
        figure, where = told.pop(name, ("", ""))
        rows.append((name, value, figure, where))
        if name.endswith("%") and isinstance(value, int | float):
            bars.append(Bar(name.removesuffix(", %"), float(value)))
            bars += [Bar("in the paper", figure)] if isinstance(figure, int | float) else []
    rows += [(what, "", figure, where) for what, (figure, where) in told.items()]
    columns = ("what", "here", "the paper", "where it says so")
    return Grid("Items", columns, tuple(rows), bars=tuple(bars))


def _lengths(problems: Sequence[Problem]) -> Grid:
    """How many items have how many words."""
    counts = Counter(len(problem.text.split()) // WIDTH for problem in problems)
    rows: list[tuple[Cell, ...]] = []
    for at in range(min(counts), max(counts) + 1):
        label = f"{at * WIDTH} to {at * WIDTH + WIDTH - 1}"
        rows.append((label, counts[at], 100 * counts[at] / len(problems)))
    bars = tuple(Bar(str(row[0]), float(row[2] or 0)) for row in rows)
    return Grid("Length in words", ("words", "items", "% of items"), tuple(rows), bars=bars)
