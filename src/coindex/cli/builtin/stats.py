"""Count documents, mentions, entities, pronouns and density; draw the density."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import click

from coindex import formats
from coindex.cli import common
from coindex.errors import UsageError
from coindex.report import corpus_statistics
from coindex.report.number_grid import print_grid
from coindex.report.plots import plot_density
from coindex.types.document import Document

Table = dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class StatsOptions:
    """The options of `coindex stats`."""

    files: tuple[str, ...]
    from_format: str | None
    plot: str | None
    as_json: bool


@click.command(name="stats")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@common.from_option
@click.option("--plot", metavar="FILE", help="Plot mentions over tokens: .svg, .png or .pdf.")
@common.json_option
@common.typed_options(StatsOptions)
def command(options: StatsOptions) -> None:
    """Count what is in FILEs: one column per file, and one for all of them.

    For documents: sentences, tokens, mentions, entities, singletons, nested and
    discontinuous mentions, lengths, pronouns by group, density. For pronoun
    problems: answers, groups, pronouns, candidates.
    """
    table, curves = count_files(options.files, options.from_format)
    if options.plot:
        if not curves:
            raise UsageError("--plot draws the density of documents; these are problems")
        by_name = dict(zip(common.short_names(list(curves)), curves.values(), strict=True))
        plot_density(by_name, options.plot)
        click.echo(f"density drawn to {options.plot}", err=True)
    if options.as_json:
        density = {name: [list(point) for point in points] for name, points in curves.items()}
        common.print_json({"files": table, "density": density})
    else:
        print_table(table)


def count_files(
    files: tuple[str, ...], from_format: str | None
) -> tuple[Table, dict[str, list[tuple[int, int, int]]]]:
    """The counts of each file and of all, and the density curves of documents."""
    table: Table = {}
    curves: dict[str, list[tuple[int, int, int]]] = {}
    all_documents, all_problems = (
        corpus_statistics.DocumentStatistics(),
        corpus_statistics.ProblemStatistics(),
    )
    single = frozenset(formats.expand_paths(files))  # a folder stays one column
    for path in (each for each in files if os.path.isdir(each) or each in single):
        rows: list[corpus_statistics.DocumentStatistics] = []
        problems = corpus_statistics.ProblemStatistics()
        for item in common.read_all([path], from_format):
            if isinstance(item, Document):
                rows.append(corpus_statistics.document_statistics(item))
            else:
                problems += corpus_statistics.problem_statistics(item)
        if rows:
            total = sum(rows, corpus_statistics.DocumentStatistics())
            all_documents += total
            table[path] = corpus_statistics.describe_documents(total)
            curves[path] = corpus_statistics.density(rows)
        else:
            all_problems += problems
            table[path] = corpus_statistics.describe_problems(problems)
    if len(files) > 1:
        if all_documents.documents:
            table["all documents"] = corpus_statistics.describe_documents(all_documents)
        if all_problems.problems:
            table["all problems"] = corpus_statistics.describe_problems(all_problems)
    return table, curves


def print_table(table: Table) -> None:
    """One row per count, one column per file."""
    flat = {name: dict(_flat(values)) for name, values in table.items()}
    rows = list(dict.fromkeys(row for values in flat.values() for row in values))
    print_grid(
        common.short_names(list(table)),
        [(row, *(flat[name].get(row, "") for name in table)) for row in rows],
    )


def _flat(values: Mapping[str, object]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            rows += [(f"{name}: {key}", f"{number:,}") for key, number in value.items()]
        elif isinstance(value, float):
            rows.append((name, f"{value:,.2f}"))
        elif value is not None:
            rows.append((name, f"{value:,}"))
    return rows
