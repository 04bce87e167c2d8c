"""Convert files from any format to any other, and say what could not be held."""

from __future__ import annotations

from collections import Counter

import click

from coindex import formats
from coindex.cli._common import from_option, json_option, print_json, read_all
from coindex.core.source import Source
from coindex.errors import UsageError
from coindex.formats import Losses


@click.command(name="convert")
@click.argument("files", nargs=-1, required=True, metavar="IN...")
@click.option("--to", "to_format", required=True, metavar="FORMAT", help="The format to write.")
@click.option("-o", "--output", default="-", metavar="OUT",
              help="The file to write; a folder for brat; - for standard output.")  # fmt: skip
@from_option
@json_option
def command(
    files: tuple[str, ...], to_format: str, output: str, from_format: str | None, as_json: bool
) -> None:
    """Convert IN to another format.

    Several INs become one output, one after the other. What the target cannot
    hold is reported with counts on standard error, or with --json as a report
    on standard output (which then needs -o).
    """
    formats.load(to_format)
    if as_json and output == "-":
        raise UsageError("--json prints a report on standard output: name a file with -o")
    sources: list[Source] = []
    losses = Losses(to_format)
    items = read_all(files, from_format, sources)
    if output == "-":
        line = "\n"
        for line in formats.lines(items, to_format, losses):
            click.echo(line, nl=False)
        click.echo("", nl=not line.endswith("\n"))
    else:
        formats.write(output, items, to_format, losses)
    report(sources, losses, output, as_json)
    if losses.refused and not losses.written:
        raise click.exceptions.Exit(1)


def report(sources: list[Source], losses: Losses, output: str, as_json: bool) -> None:
    """Say what was written and what was not."""
    notes = Counter(finding.rule for source in sources for finding in source.findings)
    if as_json:
        print_json(
            {
                "read": losses.written + sum(losses.refused.values()),
                "written": losses.written,
                "from": [source.format for source in sources],
                "to": losses.format,
                "output": output,
                "lost": dict(losses.lost),
                "refused": dict(losses.refused),
                "remarks": dict(losses.noted),
                "put-right": dict(notes),
            }
        )
        return
    for rule, number in notes.items():
        click.echo(f"put right while reading: {number} {rule} (see coindex check)", err=True)
    for line in losses.lines():
        click.echo(line, err=True)
    if output != "-":
        click.echo(f"{losses.written} item(s) written to {output} as {losses.format}", err=True)
