"""The report of a run: what went in, what came out, and why the rest did not.

input = kept + dropped, at every stage; examples of every reason; figures of the items
beside those that the paper of the corpus gives, where its builder states them (`PUBLISHED`:
the name of a figure, its value, and where it stands); and how long the passages are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from coindex.build.part import Account
from coindex.build.run import Built
from coindex.core.problem import Problem
from coindex.corpora import Seen
from coindex.scoring.grid import Bar, Cell, Grid

Published = Sequence[tuple[str, float | str, str]]

WIDTH = 10
"""Words by which lengths are drawn apart."""

SHOWN = 120
"""Characters of an example in the table; the JSON has all that is kept."""

_ANSWERS = (("the first candidate", (0,)), ("the second candidate", (1,)), ("none of them", ()))
_FACTS = ("group", "pattern", "entity", "kind", "split", "gender")


@dataclass(slots=True)
class Measured:
    """What is counted in one pass over the items, none of which is held.

    words   how many items have how many words
    texts, alike, pages   different texts, items that another one is the same as, and pages
    """

    count: int = 0
    words: Counter[int] = field(default_factory=Counter)
    answers: Counter[tuple[int, ...]] = field(default_factory=Counter)
    facts: dict[str, Counter[str]] = field(default_factory=dict)
    texts: int = 0
    alike: int = 0
    pages: int = 0

    def add(self, problem: Problem) -> None:
        """Count an item."""
        self.count += 1
        self.words[len(problem.text.split())] += 1
        if problem.answer is not None:
            self.answers[problem.answer] += 1
        told = {"group": problem.group, **dict(problem.meta)}
        for what in _FACTS:
            if value := told.get(what):
                self.facts.setdefault(what, Counter())[value] += 1


def measured(problems: Iterable[Problem]) -> Measured:
    """What can be counted of any items."""
    found = Measured()
    with closing(Seen()) as texts, closing(Seen()) as whole, closing(Seen()) as pages:
        for problem in problems:
            found.add(problem)
            found.texts += texts.add(problem.text)
            found.alike += not whole.add(*_whole(problem))
            found.pages += pages.add(problem.fact("page") or problem.source or "")
    return found


def grids(built: Built, published: Published = ()) -> list[Grid]:
    """The tables of a report, each with its picture."""
    found = measured(built.problems)
    tables = [_input(built), _dropped(built.account), _items(found, published)]
    return [*tables, _lengths(found)] if found.count else tables


def as_json(built: Built, published: Published = ()) -> dict[str, Any]:
    """The same for machines."""
    return {
        "run": [list(fact) for fact in built.facts],
        "account": built.account.json(),
        "items": dict(figures(measured(built.problems))),
        "published": {what: {"figure": figure, "where": at} for what, figure, at in published},
    }


def figures(found: Measured) -> Iterator[tuple[str, Cell]]:
    """What can be said of any items: how many, of whom, where the answer stands, how long."""
    yield "items", found.count
    if not found.count:
        return
    yield "different texts", found.texts
    yield "duplicates", found.alike
    yield "pages", found.pages
    yield "words, mean", sum(size * number for size, number in found.words.items()) / found.count
    yield "words, median", _median(found.words)
    known = found.answers.total()
    for name, answer in _ANSWERS:
        if known:
            yield f"answer is {name}, %", 100 * found.answers[answer] / known
    for what in _FACTS:
        for value, number in sorted(found.facts.get(what, {}).items()):
            yield f"{what} {value}, %", 100 * number / found.count


def _median(sizes: Counter[int]) -> int:
    """Of an even number, the upper one of the two in the middle."""
    place = sizes.total() // 2
    for size in sorted(sizes):
        place -= sizes[size]
        if place < 0:
            return size
    return 0


def _whole(problem: Problem) -> tuple[str, ...]:
    """What makes two items the same: text, pronoun and candidates."""
    return problem.text, str(problem.target), *(each.text for each in problem.candidates)


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
    columns = ("stage", "reason", "number", "% of all looked at", "examples")
    return Grid("Dropped", columns, tuple(rows), tuple(_sums(found)), bars=tuple(bars))


def _sums(found: Account) -> Iterator[str]:
    """What went into each stage, what came out, and what was dropped there."""
    dropped = Counter({"scan": 0, "build": 0})
    for (stage, _), count in found.dropped.items():
        dropped[stage] += count
    passed, given, built = (f"{n:,}" for n in (found.passages, found.giving, found.items))
    if found.scanned:
        yield f"scan: {found.scanned:,} looked at = {passed} parsed + {dropped['scan']:,} dropped"
        yield f"build: {passed} parsed, {given} of them with items; {dropped['build']:,} times dropped"
    for stage in sorted(dropped.keys() - {"scan", "build"}):
        yield f"{stage}: {dropped[stage]:,} of {built} items dropped"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1].rstrip()}…"


def _items(found: Measured, published: Published) -> Grid:
    told = {what: (figure, where) for what, figure, where in published}
    rows: list[tuple[Cell, ...]] = []
    bars: list[Bar] = []
    for name, value in figures(found):
        figure, where = told.pop(name, ("", ""))
        rows.append((name, value, figure, where))
        if name.endswith("%") and isinstance(value, int | float):
            bars.append(Bar(name.removesuffix(", %"), float(value)))
            bars += [Bar("in the paper", figure)] if isinstance(figure, int | float) else []
    rows += [(what, "", figure, where) for what, (figure, where) in told.items()]
    columns = ("what", "here", "the paper", "where it says so")
    return Grid("Items", columns, tuple(rows), bars=tuple(bars))


def _lengths(found: Measured) -> Grid:
    """How many items have how many words."""
    counts: Counter[int] = Counter()
    for size, number in found.words.items():
        counts[size // WIDTH] += number
    rows: list[tuple[Cell, ...]] = []
    for at in range(min(counts), max(counts) + 1):
        label = f"{at * WIDTH} to {at * WIDTH + WIDTH - 1}"
        rows.append((label, counts[at], 100 * counts[at] / found.count))
    bars = tuple(Bar(str(row[0]), float(row[2] or 0)) for row in rows)
    return Grid("Length in words", ("words", "items", "% of items"), tuple(rows), bars=bars)
