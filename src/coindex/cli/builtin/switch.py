"""Exchange the two candidates of every problem, and say what could not be switched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

import click

from coindex import formats
from coindex.cli import common
from coindex.errors import UsageError
from coindex.formats import ConversionLosses, Item
from coindex.transform.antecedent_switching import Refused, switch
from coindex.types.problem import Problem
from coindex.types.source import Source


@dataclass(frozen=True, slots=True)
class SwitchOptions:
    """The options of `coindex switch`."""

    files: tuple[str, ...]
    output: str
    to_format: str | None
    keep_others: bool
    from_format: str | None
    as_json: bool


@dataclass
class SwitchCounts:
    """How many problems were switched, and how many were not, by reason."""

    done: int = 0
    refused: Counter[str] = field(default_factory=Counter)


@click.command(name="switch")
@click.argument("files", nargs=-1, required=True, metavar="IN...")
@common.output_option("OUT")
@click.option("--to", "to_format", metavar="FORMAT",
              help="The format to write; that of the first IN by default.")  # fmt: skip
@click.option("--keep-others", is_flag=True,
              help="Write problems that cannot be switched as they are.")  # fmt: skip
@common.from_option
@common.json_option
@common.typed_options(SwitchOptions)
def command(options: SwitchOptions) -> None:
    """Exchange the two candidates of each problem wherever they occur.

    The right answer becomes the other candidate. What cannot be switched safely
    is left out (see --keep-others) and counted by reason on standard error, or
    with --json in a report on standard output (which then needs -o). The exit
    status is 1 if nothing could be switched.
    """
    if options.to_format is not None:
        formats.load(options.to_format)
    common.check_json_output(options.as_json, options.output)
    sources: list[Source] = []
    counts = SwitchCounts()
    items = common.read_all(options.files, options.from_format, sources)
    first = list(islice(items, 1))
    losses = ConversionLosses(options.to_format or sources[0].format or "problem-jsonl")
    problems = switched(chain(first, items), counts, keep_others=options.keep_others)
    if options.output == "-":
        for line in formats.write_lines(problems, losses.format, losses):
            click.echo(line, nl=False)
    else:
        formats.write(options.output, problems, losses.format, losses)
    _report(sources, counts, losses, options)
    if not counts.done or not losses.written:
        raise click.exceptions.Exit(1)


def switched(
    items: Iterable[Item], counts: SwitchCounts, *, keep_others: bool
) -> Iterator[Problem]:
    """The switched copies, and with `keep_others` the others as they are; all are counted."""
    for item in items:
        if not isinstance(item, Problem):
            raise UsageError(
                f"only problems have candidates to switch, this is a document: {item.id}"
            )
        result = switch(item)
        if not isinstance(result, Refused):
            counts.done += 1
            yield result
            continue
        counts.refused[result.reason] += 1
        if keep_others:
            yield item


def _report(
    sources: list[Source], counts: SwitchCounts, losses: ConversionLosses, options: SwitchOptions
) -> None:
    """Say what was switched, what was not and why, and what the format could not store."""
    output, total = options.output, counts.done + sum(counts.refused.values())
    if options.as_json:
        report = {
            "read": total,
            "switched": counts.done,
            "not-switched": dict(counts.refused.most_common()),
        }
        common.print_json({**report, **common.conversion_json(sources, losses, output)})
        return
    for line in common.conversion_lines(sources, losses):
        click.echo(line, err=True)
    click.echo(f"{counts.done} of {total} problem(s) switched", err=True)
    for reason, number in counts.refused.most_common():
        click.echo(f"not switched: {number}: {reason}", err=True)
    if output != "-":
        click.echo(f"{losses.written} item(s) written to {output} as {losses.format}", err=True)
