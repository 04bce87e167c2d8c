"""Convert files from any format to any other, and say what could not be held."""

from __future__ import annotations

from dataclasses import dataclass

import click

from coindex import formats
from coindex.cli import common
from coindex.formats import ConversionLosses
from coindex.types.source import Source


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """The options of `coindex convert`."""

    files: tuple[str, ...]
    to_format: str
    output: str
    from_format: str | None
    lenient: bool
    as_json: bool


@click.command(name="convert")
@click.argument("files", nargs=-1, required=True, metavar="IN...")
@click.option("--to", "to_format", required=True, metavar="FORMAT", help="The format to write.")
@common.output_option("OUT")
@common.from_option
@common.lenient_option
@common.json_option
@common.typed_options(ConvertOptions)
def command(options: ConvertOptions) -> None:
    """Convert IN to another format.

    Several INs become one output, one after the other; OUT is a folder for brat. What the
    target format cannot hold is reported with counts on standard error, or with --json as
    a report on standard output (which then needs -o).
    """
    formats.load(options.to_format)
    common.check_json_output(options.as_json, options.output)
    sources: list[Source] = []
    losses = ConversionLosses(options.to_format)
    items = common.read_all(options.files, options.from_format, sources, lenient=options.lenient)
    if options.output == "-":
        line = "\n"
        for line in formats.write_lines(items, options.to_format, losses):
            click.echo(line, nl=False)
        click.echo("", nl=not line.endswith("\n"))
    else:
        formats.write(options.output, items, options.to_format, losses)
    _report(sources, losses, options)
    if losses.refused and not losses.written:
        raise click.exceptions.Exit(1)


def _report(sources: list[Source], losses: ConversionLosses, options: ConvertOptions) -> None:
    """Say what was written and what was not."""
    output = options.output
    if options.as_json:
        read = losses.written + sum(losses.refused.values())
        formats_read = [source.format for source in sources]
        common.print_json(
            {"read": read, "from": formats_read, **common.conversion_json(sources, losses, output)}
        )
        return
    for line in common.conversion_lines(sources, losses):
        click.echo(line, err=True)
    if output != "-":
        click.echo(f"{losses.written} item(s) written to {output} as {losses.format}", err=True)
