"""The report of a run: its input, its items, and why the rest was dropped.

At every stage, input = output + dropped. The report has examples of every reason, figures of the
items beside those of the corpus's paper where the builder states them (`PUBLISHED`), and the
distribution of lengths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from coindex.builders.disk_index import DiskSet, problem_key
from coindex.builders.pipeline.run import BuildResult
from coindex.builders.pipeline.shard_output import BuildAccount
from coindex.builders.protocol import PublishedFigures
from coindex.report.table import Bar, Cell, Table, text_notes
from coindex.types.problem import Problem

WIDTH = 10
"""The width of a bin of lengths, in words."""

SHOWN = 120
"""The length of an example in the table, in characters; the JSON has longer ones."""

_ANSWERS = (("the first candidate", (0,)), ("the second candidate", (1,)), ("none of them", ()))
_GROUPINGS = ("group", "pattern", "entity", "kind", "split", "gender")


@dataclass(slots=True)
class ItemStatistics:
    """Counts from one pass over the items, none of which is held in memory.

    words    the number of items by their number of words
    values   the number of items by metadata key and value
    texts    different texts
    alike    items that equal an earlier one
    """

    count: int = 0
    words: Counter[int] = field(default_factory=Counter)
    answers: Counter[tuple[int, ...]] = field(default_factory=Counter)
    values: dict[str, Counter[str]] = field(default_factory=dict)
    texts: int = 0
    alike: int = 0
    pages: int = 0

    def add(self, problem: Problem) -> None:
        """Count an item."""
        self.count += 1
        self.words[len(problem.text.split())] += 1
        if problem.answer is not None:
            self.answers[problem.answer] += 1
        metadata = {"group": problem.group, **dict(problem.meta)}
        for name in _GROUPINGS:
            if value := metadata.get(name):
                self.values.setdefault(name, Counter())[value] += 1


def item_statistics(problems: Iterable[Problem]) -> ItemStatistics:
    """The statistics of some items."""
    stats = ItemStatistics()
    with closing(DiskSet()) as texts, closing(DiskSet()) as whole, closing(DiskSet()) as pages:
        for problem in problems:
            stats.add(problem)
            stats.texts += texts.add(problem.text)
            stats.alike += not whole.add(*problem_key(problem))
            stats.pages += pages.add(problem.meta_value("page") or problem.source or "")
    return stats


def report_tables(built: BuildResult, published: PublishedFigures = ()) -> list[Table]:
    """The tables of a report, each with its bar chart."""
    stats = item_statistics(built.problems)
    tables = [_input(built), _dropped(built.account), _items(stats, published)]
    return [*tables, _lengths(stats)] if stats.count else tables


def report_as_json(built: BuildResult, published: PublishedFigures = ()) -> dict[str, Any]:
    """The report as JSON values."""
    return {
        "run": [list(pair) for pair in built.settings],
        "account": built.account.json(),
        "items": dict(figures(item_statistics(built.problems))),
        "published": {what: {"figure": figure, "where": at} for what, figure, at in published},
    }


def figures(stats: ItemStatistics) -> Iterator[tuple[str, Cell]]:
    """The figures of some items: number, lengths, position of the answer, groups."""
    yield "items", stats.count
    if not stats.count:
        return
    yield "different texts", stats.texts
    yield "duplicates", stats.alike
    yield "pages", stats.pages
    yield "words, mean", sum(size * number for size, number in stats.words.items()) / stats.count
    yield "words, median", _median(stats.words)
    known = stats.answers.total()
    for name, answer in _ANSWERS:
        if known:
            yield f"answer is {name}, %", 100 * stats.answers[answer] / known
    for name in _GROUPINGS:
        for value, number in sorted(stats.values.get(name, {}).items()):
            yield f"{name} {value}, %", 100 * number / stats.count


def _median(sizes: Counter[int]) -> int:
    """The median; the upper one of the two in the middle of an even number."""
    remaining = sizes.total() // 2
    for size in sorted(sizes):
        remaining -= sizes[size]
        if remaining < 0:
            return size
    return 0


def _input(built: BuildResult) -> Table:
    counts = built.account
    rows: list[tuple[Cell, ...]] = [("pages read", counts.pages), ("characters", counts.characters)]
    rows += [(f"skipped: {reason}", count) for reason, count in sorted(counts.skipped.items())]
    rows += [(f"broken: {reason}", count) for reason, count in sorted(counts.broken.items())]
    rows += [
        ("passages looked at", counts.scanned),
        ("- dropped unparsed", counts.scanned - counts.passages),
        ("passages parsed", counts.passages),
        ("- without items", counts.passages - counts.giving),
        ("- with items", counts.giving),
        ("items built", counts.items),
        ("- dropped at the end", counts.items - len(built.problems)),
        ("items kept", len(built.problems)),
    ]
    notes = tuple(counts.positions[:10])
    if len(counts.positions) > 10:
        notes += (f"and {len(counts.positions) - 10} more places of broken input",)
    settings = "|".join(f"{name}:{value}" for name, value in built.settings if name != "input")
    inputs = tuple(f"{name}: {value}" for name, value in built.settings if name == "input")
    return Table("Input", ("what", "number"), tuple(rows), text_notes(settings, *inputs, *notes))


def _dropped(account: BuildAccount) -> Table:
    rows: list[tuple[Cell, ...]] = []
    bars = []
    for (stage, reason), count in sorted(
        account.dropped.items(), key=lambda row: (row[0][0] != "scan", row[0][0], -row[1])
    ):
        examples = account.examples.get((stage, reason), [])
        share = 100 * count / max(account.scanned, account.items, 1)
        rows.append((stage, reason, count, share, " ¶ ".join(map(_short, examples[:2]))))
        bars.append(Bar(f"{stage}: {reason}", share))
    columns = ("stage", "reason", "number", "% of all looked at", "examples")
    return Table("Dropped", columns, tuple(rows), text_notes(*_sums(account)), bars=tuple(bars))


def _sums(account: BuildAccount) -> Iterator[str]:
    """The input, the output and the number of dropped items of each stage."""
    dropped = Counter({"scan": 0, "build": 0})
    for (stage, _), count in account.dropped.items():
        dropped[stage] += count
    passed, given, built = (f"{n:,}" for n in (account.passages, account.giving, account.items))
    if account.scanned:
        yield f"scan: {account.scanned:,} looked at = {passed} parsed + {dropped['scan']:,} dropped"
        yield f"build: {passed} parsed, {given} of them with items; {dropped['build']:,} times dropped"
    for stage in sorted(dropped.keys() - {"scan", "build"}):
        yield f"{stage}: {dropped[stage]:,} of {built} items dropped"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1].rstrip()}…"


def _items(stats: ItemStatistics, published: PublishedFigures) -> Table:
    paper = {what: (figure, where) for what, figure, where in published}
    rows: list[tuple[Cell, ...]] = []
    bars: list[Bar] = []
    for name, value in figures(stats):
        figure, where = paper.pop(name, ("", ""))
        rows.append((name, value, figure, where))
        if name.endswith("%") and isinstance(value, int | float):
            bars.append(Bar(name.removesuffix(", %"), float(value)))
            bars += [Bar("in the paper", figure)] if isinstance(figure, int | float) else []
    rows += [(what, "", figure, where) for what, (figure, where) in paper.items()]
    columns = ("what", "here", "the paper", "where it says so")
    return Table("Items", columns, tuple(rows), bars=tuple(bars))


def _lengths(stats: ItemStatistics) -> Table:
    """How many items have how many words."""
    counts: Counter[int] = Counter()
    for size, number in stats.words.items():
        counts[size // WIDTH] += number
    rows: list[tuple[Cell, ...]] = []
    for at in range(min(counts), max(counts) + 1):
        label = f"{at * WIDTH} to {at * WIDTH + WIDTH - 1}"
        rows.append((label, counts[at], 100 * counts[at] / stats.count))
    bars = tuple(Bar(str(row[0]), float(row[2] or 0)) for row in rows)
    return Table("Length in words", ("words", "items", "% of items"), tuple(rows), bars=bars)
