"""Exchange the two candidates of every problem, and say what could not be switched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

import click

from coindex import formats
from coindex.cli._common import (
    from_option,
    json_option,
    losses_json,
    losses_lines,
    print_json,
    read_all,
)
from coindex.core.problem import Problem
from coindex.core.source import Source
from coindex.core.switch import Refused, switch
from coindex.errors import UsageError
from coindex.formats import Item, Losses


@dataclass
class Switched:
    """How many problems were switched, and how many were not, by reason."""

    done: int = 0
    refused: Counter[str] = field(default_factory=Counter)


@click.command(name="switch")
@click.argument("files", nargs=-1, required=True, metavar="IN...")
@click.option("-o", "--output", default="-", metavar="OUT",
              help="The file to write; - for standard output.")  # fmt: skip
@click.option("--to", "to_format", metavar="FORMAT",
              help="The format to write; that of the first IN by default.")  # fmt: skip
@click.option("--keep-others", is_flag=True,
              help="Write problems that cannot be switched as they are.")  # fmt: skip
@from_option
@json_option
def command(
    files: tuple[str, ...],
    output: str,
    to_format: str | None,
    keep_others: bool,
    from_format: str | None,
    as_json: bool,
) -> None:
    """Exchange the two candidates of each problem wherever they occur.

    The right answer becomes the other candidate. What cannot be switched safely
    is left out (see --keep-others) and counted by reason on standard error, or
    with --json in a report on standard output (which then needs -o). The exit
    status is 1 if nothing could be switched.
    """
    if to_format is not None:
        formats.load(to_format)
    if as_json and output == "-":
        raise UsageError("--json prints a report on standard output: name a file with -o")
    sources: list[Source] = []
    counts = Switched()
    items = read_all(files, from_format, sources)
    first = list(next(([item] for item in items), []))
    losses = Losses(to_format or (sources[0].format or "problem-jsonl"))
    problems = switched(chain(first, items), counts, keep_others=keep_others)
    if output == "-":
        for line in formats.lines(problems, losses.format, losses):
            click.echo(line, nl=False)
    else:
        formats.write(output, problems, losses.format, losses)
    report(sources, counts, losses, output, as_json)
    if not counts.done or not losses.written:
        raise click.exceptions.Exit(1)


def switched(items: Iterable[Item], counts: Switched, *, keep_others: bool) -> Iterator[Problem]:
    """The switched copies, and the others if they are to be kept; all are counted."""
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


def report(
    sources: list[Source], counts: Switched, losses: Losses, output: str, as_json: bool
) -> None:
    """Say what was switched, what was not and why, and what the format could not hold."""
    total = sum(counts.refused.values())
    if as_json:
        found = {
            "read": counts.done + total,
            "switched": counts.done,
            "not-switched": dict(counts.refused.most_common()),
        }
        print_json({**found, **losses_json(sources, losses, output)})
        return
    for line in losses_lines(sources, losses):
        click.echo(line, err=True)
    click.echo(f"{counts.done} of {counts.done + total} problem(s) switched", err=True)
    for reason, number in counts.refused.most_common():
        click.echo(f"not switched: {number}: {reason}", err=True)
    if output != "-":
        click.echo(f"{losses.written} item(s) written to {output} as {losses.format}", err=True)
