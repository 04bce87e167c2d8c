"""The report of a run: what went in, what came out, and why the rest did not.

input = kept + dropped, at every stage; examples of every reason; figures of the items
beside those that the paper of the corpus gives, where its builder states them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from coindex.build.part import Account
from coindex.build.run import Built
from coindex.core.problem import Problem
from coindex.scoring.grid import Bar, Cell, Grid


def grids(built: Built, published: Sequence[tuple[str, str, str]] = ()) -> list[Grid]:
    """The tables of a report.

    published   rows of the paper: what, its figure, where it stands
    """
    return [
        _input(built.account),
        _dropped(built.account),
        _items(built.problems, published),
    ]


def as_json(built: Built) -> dict[str, Any]:
    """The same for machines."""
    return {
        "run": [list(fact) for fact in built.facts],
        "account": built.account.json(),
        "items": {name: value for name, value in figures(built.problems)},
    }


def figures(problems: Sequence[Problem]) -> Iterator[tuple[str, Cell]]:
    """What can be said of any items: how many, of whom, where the answer stands, how long."""
    count = len(problems)
    yield "items", count
    if not count:
        return
    yield "duplicates", count - len({problem.text for problem in problems})
    yield "pages", len({problem.fact("page") or problem.source for problem in problems})
    words = sorted(len(problem.text.split()) for problem in problems)
    yield "words, mean", sum(words) / count
    yield "words, median", words[count // 2]
    known = [problem.answer for problem in problems if problem.answer]
    for place, name in enumerate(("first", "second")):
        if known:
            share = sum(answer == (place,) for answer in known) / len(known)
            yield f"answer is the {name} candidate, %", 100 * share
    for what in ("group", "pattern"):
        values = (p.group if what == "group" else p.fact(what) for p in problems)
        for value, number in sorted(Counter(v for v in values if v).items()):
            yield f"{what} {value}, %", 100 * number / count


def _input(found: Account) -> Grid:
    rows: list[tuple[Cell, ...]] = [("pages read", found.pages), ("characters", found.characters)]
    rows += [(f"skipped: {reason}", count) for reason, count in sorted(found.skipped.items())]
    rows += [(f"broken: {reason}", count) for reason, count in sorted(found.broken.items())]
    rows += [
        ("passages looked at", found.scanned),
        ("passages parsed", found.passages),
        ("items", found.items),
    ]
    notes = tuple(found.places[:10])
    if len(found.places) > 10:
        notes += (f"and {len(found.places) - 10} more places of broken input",)
    return Grid("Input", ("what", "number"), tuple(rows), notes)


def _dropped(found: Account) -> Grid:
    rows: list[tuple[Cell, ...]] = []
    bars = []
    for (stage, reason), count in sorted(
        found.dropped.items(), key=lambda row: (row[0][0], -row[1])
    ):
        examples = found.examples.get((stage, reason), [])
        share = 100 * count / max(found.scanned, 1)
        rows.append((stage, reason, count, share, examples[0] if examples else ""))
        bars.append(Bar(f"{stage}: {reason}", share))
    total = sum(found.dropped.values())
    note = (
        f"{found.scanned:,} looked at; {total:,} times something was dropped, {found.items:,} items"
    )
    columns = ("stage", "reason", "number", "% of all looked at", "an example")
    return Grid("Dropped", columns, tuple(rows), (note,), bars=tuple(bars))


def _items(problems: Sequence[Problem], published: Sequence[tuple[str, str, str]]) -> Grid:
    rows: list[tuple[Cell, ...]] = [(name, value, "", "") for name, value in figures(problems)]
    rows += [(what, "", figure, where) for what, figure, where in published]
    return Grid("Items", ("what", "here", "the paper", "where it says so"), tuple(rows))
