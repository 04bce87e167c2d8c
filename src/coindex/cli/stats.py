"""Count documents, mentions, entities, pronouns and density; draw the density."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click

from coindex import formats
from coindex.cli._common import from_option, json_option, print_json, read_all, short_names
from coindex.core.document import Document
from coindex.errors import UsageError
from coindex.stats import documents, problems
from coindex.stats.plot import plot_density

Table = dict[str, dict[str, object]]


@click.command(name="stats")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@from_option
@click.option("--plot", metavar="OUT.png", help="Draw mentions over tokens to a picture.")
@json_option
def command(
    files: tuple[str, ...], from_format: str | None, plot: str | None, as_json: bool
) -> None:
    """Count what is in FILEs: a column a file, and one for all of them.

    For documents: sentences, tokens, mentions, entities, singletons, nested and
    discontinuous mentions, lengths, pronouns by group, density. For pronoun
    problems: answers, groups, pronouns, candidates.
    """
    table, curves = count_files(files, from_format)
    if plot:
        if not curves:
            raise UsageError("--plot draws the density of documents; these are problems")
        plot_density(dict(zip(short_names(list(curves)), curves.values(), strict=True)), plot)
        click.echo(f"density drawn to {plot}", err=True)
    if as_json:
        density = {name: [list(point) for point in points] for name, points in curves.items()}
        print_json({"files": table, "density": density})
    else:
        print_table(table)


def count_files(
    files: tuple[str, ...], from_format: str | None
) -> tuple[Table, dict[str, list[tuple[int, int, int]]]]:
    """The counts of each file and of all, and the running counts of documents."""
    table: Table = {}
    curves: dict[str, list[tuple[int, int, int]]] = {}
    every_document, every_problem = documents.Counts(), problems.Counts()
    single = frozenset(formats.expand(files))  # a folder stays one column
    for path in (each for each in files if os.path.isdir(each) or each in single):
        rows: list[documents.Counts] = []
        asked = problems.Counts()
        for item in read_all([path], from_format):
            if isinstance(item, Document):
                rows.append(documents.count(item))
            else:
                asked += problems.count(item)
        if rows:
            total = sum(rows, documents.Counts())
            every_document += total
            table[path] = documents.describe(total)
            curves[path] = documents.density(rows)
        else:
            every_problem += asked
            table[path] = problems.describe(asked)
    if len(files) > 1:
        if every_document.documents:
            table["all documents"] = documents.describe(every_document)
        if every_problem.problems:
            table["all problems"] = problems.describe(every_problem)
    return table, curves


def print_table(table: Table) -> None:
    """Names down, files across; counts of many kinds as rows of their own."""
    from rich.console import Console
    from rich.table import Table as Grid

    flat = {name: dict(_flat(values)) for name, values in table.items()}
    rows = list(dict.fromkeys(row for values in flat.values() for row in values))
    grid = Grid(show_edge=False, pad_edge=False)
    grid.add_column("", no_wrap=True)
    for name in short_names(list(table)):
        grid.add_column(name, justify="right", overflow="fold")
    for row in rows:
        grid.add_row(row, *(flat[name].get(row, "") for name in table))
    Console(soft_wrap=False).print(grid)


def _flat(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            rows += [(f"{name}: {key}", f"{number:,}") for key, number in value.items()]
        elif isinstance(value, float):
            rows.append((name, f"{value:,.2f}"))
        elif value is not None:
            rows.append((name, f"{value:,}"))
    return rows
