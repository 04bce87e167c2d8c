"""Measure maximum, minimum (MINA) and head spans; list mentions they cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

import click

from coindex.cli import common
from coindex.errors import UsageError
from coindex.formats import Item
from coindex.report.number_grid import print_grid
from coindex.report.plots import plot_span_lengths
from coindex.scoring import span_statistics
from coindex.scoring.span_statistics import SharedSpan, Tokens
from coindex.types.document import Document


@dataclass(frozen=True, slots=True)
class SpansOptions:
    """The options of `coindex spans`."""

    files: tuple[str, ...]
    trees: str | None
    from_format: str | None
    plot: str | None
    examples: int
    as_json: bool


@click.command(name="spans")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@common.trees_option
@common.from_option
@click.option("--plot", metavar="FILE", help="Plot the lengths: .svg, .png or .pdf.")
@click.option("--examples", type=click.IntRange(0), default=5, show_default=True, metavar="N",
              help="List N pairs of mentions with the same minimum span, for each rule.")  # fmt: skip
@common.json_option
@common.typed_options(SpansOptions)
def command(options: SpansOptions) -> None:
    """Measure the spans of the mentions in FILEs, which need parse trees.

    Mean lengths and a histogram of maximum, MINA and head spans; distinct
    overlapping mentions that have the same minimum span; and, where the corpus
    annotates the minimum of its mentions, the share of spans that contain it.
    """
    counts = count_files(options.files, options.from_format, options.trees)
    total = sum(counts.values(), span_statistics.SpanStatistics())
    if options.plot:
        histogram = span_statistics.histogram
        lengths = {"maximum": histogram(total.maximum), "mina": histogram(total.mina)}
        plot_span_lengths(lengths, options.plot)
        click.echo(f"lengths drawn to {options.plot}", err=True)
    listed = [p for rule in ("mina", "head") for p in _of_rule(total, rule)[: options.examples]]
    table = {path: span_statistics.describe(each) for path, each in counts.items()}
    if len(options.files) > 1:
        table["all"] = span_statistics.describe(total)
    if options.as_json:
        common.print_json({"files": table, "examples": [asdict(pair) for pair in listed]})
        return
    print_table(table)
    print_examples(listed, total)


def count_files(
    files: tuple[str, ...], from_format: str | None, trees: str | None
) -> dict[str, span_statistics.SpanStatistics]:
    """The counts of each file, with the trees in it or in another file."""
    counts = {}
    for path in files:
        given: Iterable[Document] = _documents(common.read_all([path], from_format))
        if trees:
            given, _ = common.with_trees(given, trees, len(files))
        counts[path] = sum(
            map(span_statistics.measure_spans, given), span_statistics.SpanStatistics()
        )
    return counts


def _documents(items: Iterable[Item]) -> Iterator[Document]:
    for item in items:
        if not isinstance(item, Document):
            raise UsageError(f"spans are measured in documents; this is a problem: {item.id}")
        yield item


def _of_rule(counts: span_statistics.SpanStatistics, rule: str) -> list[SharedSpan]:
    return [pair for pair in counts.shared if pair.rule == rule]


def print_table(table: dict[str, dict[str, object]]) -> None:
    """One table per file, with a column for maximum, MINA and head spans."""
    for path, values in table.items():
        print_grid(("maximum", "MINA", "head"), list(_rows(values)), PurePath(path).name)
        for name, value in values.items():
            if isinstance(value, int) and (values["minimum annotated"] or "annot" not in name):
                click.echo(f"{name}: {value:,}")
        click.echo()


def _rows(values: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The rows that differ between kinds of span."""
    yield _row("mean length", values["mean length"], ".2f")
    lengths = values["lengths"]
    for length in span_statistics.LENGTHS:
        sides: dict[str, Any] = {side: lengths[side][length] for side in lengths}
        sides["head"] = values["mentions"] if length == "1" else 0
        yield _row(f"mentions of length {length}", sides, ",")
    for name in ("pairs sharing a minimum", "of these in one entity"):
        yield _row(name, {"maximum": 0, **values[name]}, ",")
    if values["minimum annotated"]:
        yield _row("minimum contained, %", values["minimum contained, %"], ".1f")


def _row(name: str, values: dict[str, Any], form: str) -> tuple[str, ...]:
    cells = (values.get(side) for side in ("maximum", "mina", "head"))
    return name, *("" if cell is None else format(cell, form) for cell in cells)


def print_examples(listed: list[SharedSpan], total: span_statistics.SpanStatistics) -> None:
    """Pairs of mentions that a rule cannot distinguish, and how many there are."""
    for rule, title in (("mina", "MINA"), ("head", "head")):
        shown = [pair for pair in listed if pair.rule == rule]
        if not shown:
            continue
        click.echo(f"the same {title} span ({len(shown)} of {len(_of_rule(total, rule))}):")
        for pair in shown:
            one, two, least = pair.words
            where = f"{pair.document}, tokens {_range(pair.first)} and {_range(pair.second)}"
            click.echo(f"  {where}: [{one}] and [{two}]: [{least}]")


def _range(tokens: Tokens) -> str:
    return f"{tokens[0]}-{tokens[-1]}" if len(tokens) > 1 else str(tokens[0])
