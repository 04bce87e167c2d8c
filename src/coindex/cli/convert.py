"""Convert files from any format to any other, and say what could not be held."""

from __future__ import annotations

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
    if as_json:
        read = losses.written + sum(losses.refused.values())
        formats_read = [source.format for source in sources]
        print_json({"read": read, "from": formats_read, **losses_json(sources, losses, output)})
        return
    for line in losses_lines(sources, losses):
        click.echo(line, err=True)
    if output != "-":
        click.echo(f"{losses.written} item(s) written to {output} as {losses.format}", err=True)
