"""Measure maximum, minimum (MINA) and head spans; list mentions they cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

import click

from coindex.cli._common import from_option, json_option, print_json, read_all
from coindex.core.document import Document
from coindex.errors import UsageError
from coindex.formats import Item
from coindex.scoring import spans
from coindex.scoring._plot import plot_lengths
from coindex.scoring._sharing import Shared, Tokens
from coindex.scoring.trees import layer


@click.command(name="spans")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--trees",
    metavar="FILE",
    help="Where the trees are: Penn brackets, one a sentence, or documents with a parse column.",
)
@from_option
@click.option("--plot", metavar="OUT.png", help="Draw the lengths to a picture.")
@click.option(
    "--examples",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="How many pairs of mentions with the same minimum span to list, for each rule.",
)
@json_option
def command(
    files: tuple[str, ...],
    trees: str | None,
    from_format: str | None,
    plot: str | None,
    examples: int,
    as_json: bool,
) -> None:
    """Measure the spans of the mentions in FILEs, which need parse trees.

    Mean lengths and a histogram of maximum, MINA and head spans; distinct
    overlapping mentions that have the same minimum span; and, where the corpus
    annotates the minimum of its mentions, the share of spans that contain it.
    """
    counts = count_files(files, from_format, trees)
    total = sum(counts.values(), spans.Counts())
    if plot:
        lengths = {side: spans.histogram(getattr(total, side)) for side in ("maximum", "mina")}
        plot_lengths(lengths, plot)
        click.echo(f"lengths drawn to {plot}", err=True)
    listed = [pair for rule in ("mina", "head") for pair in _of_rule(total, rule)[:examples]]
    table = {path: spans.describe(each) for path, each in counts.items()}
    if len(files) > 1:
        table["all"] = spans.describe(total)
    if as_json:
        print_json({"files": table, "examples": [asdict(pair) for pair in listed]})
        return
    print_table(table)
    print_examples(listed, total)


def count_files(
    files: tuple[str, ...], from_format: str | None, trees: str | None
) -> dict[str, spans.Counts]:
    """The counts of each file, with trees of its own or from another file."""
    lay = layer(trees, len(files)) if trees else None
    counts = {}
    for path in files:
        documents = _documents(read_all([path], from_format))
        given = lay(documents) if lay else documents
        counts[path] = sum(map(spans.count, given), spans.Counts())
    return counts


def _documents(items: Iterable[Item]) -> Iterator[Document]:
    for item in items:
        if not isinstance(item, Document):
            raise UsageError(f"spans are measured in documents; this is a problem: {item.id}")
        yield item


def _of_rule(counts: spans.Counts, rule: str) -> list[Shared]:
    return [pair for pair in counts.shared if pair.rule == rule]


def print_table(table: dict[str, dict[str, object]]) -> None:
    """Names down; each file has a column for maximum, MINA and head spans."""
    from rich.console import Console
    from rich.table import Table

    console = Console(soft_wrap=False)
    for path, values in table.items():
        grid = Table(show_edge=False, pad_edge=False, title=PurePath(path).name)
        grid.title_justify = "left"
        grid.add_column("", no_wrap=True)
        for name in ("maximum", "MINA", "head"):
            grid.add_column(name, justify="right")
        for row in _rows(values):
            grid.add_row(*row)
        console.print(grid)
        for name, value in values.items():
            if isinstance(value, int) and (values["minimum annotated"] or "annot" not in name):
                click.echo(f"{name}: {value:,}")
        click.echo()


def _rows(values: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The rows that differ between kinds of span."""
    yield _row("mean length", values["mean length"], ".2f")
    lengths = values["lengths"]
    for length in spans.LENGTHS:
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


def print_examples(listed: list[Shared], total: spans.Counts) -> None:
    """Pairs of mentions that a rule cannot tell apart, and how many are not shown."""
    for rule, title in (("mina", "MINA"), ("head", "head")):
        shown = [pair for pair in listed if pair.rule == rule]
        if not shown:
            continue
        click.echo(f"the same {title} span ({len(shown)} of {len(_of_rule(total, rule))}):")
        for pair in shown:
            one, two, least = pair.words
            where = f"{pair.document}, tokens {_place(pair.first)} and {_place(pair.second)}"
            click.echo(f"  {where}: [{one}] and [{two}]: [{least}]")


def _place(tokens: Tokens) -> str:
    return f"{tokens[0]}-{tokens[-1]}" if len(tokens) > 1 else str(tokens[0])
