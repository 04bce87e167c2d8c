"""Show texts with their entities marked, here or on a web page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import click

from coindex import io
from coindex.cli._common import from_option, json_option, print_json, read_all
from coindex.core.document import Document
from coindex.core.problem import Problem
from coindex.errors import UsageError
from coindex.view.layout import layout
from coindex.view.sheet import Sheet


@click.command(name="show")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--html", "out", metavar="OUT", help="Write a web page; - for standard output.")
@from_option
@click.option("--doc", "ids", metavar="ID", multiple=True, help="Only this one; may be repeated.")
@click.option("--first", type=click.IntRange(1), metavar="N", help="Only the first N.")
@click.option("--singletons/--no-singletons", default=True, help="Entities mentioned only once.")
@json_option
def command(
    files: tuple[str, ...],
    out: str | None,
    from_format: str | None,
    ids: tuple[str, ...],
    first: int | None,
    singletons: bool,
    as_json: bool,
) -> None:
    """Show each text with its entities marked.

    FILE is in any format; - is standard input. Each mention stands in brackets
    with the number of its entity. --html writes one page that needs nothing
    else and works offline.
    """
    if out is not None and as_json:
        raise UsageError("--html and --json are two kinds of output: choose one")
    items = chosen(read_all(files, from_format), ids)
    sheets = (layout(item, singletons) for item in islice(items, first))
    if as_json:
        print_json([sheet.as_json() for sheet in sheets])
    elif out is not None:
        write_page(out, sheets)
    else:
        print_sheets(sheets)


def chosen(
    items: Iterable[Document | Problem], ids: tuple[str, ...]
) -> Iterator[Document | Problem]:
    """The items called by one of the ids (all if there is none); each id must name one."""
    missing, seen = set(ids), []
    for item in items:
        names = {item.id, item.key} if isinstance(item, Document) else {item.id}
        if not ids or names.intersection(ids):
            yield item
        missing -= names
        seen.append(item.id)
    if missing:
        known = ", ".join(dict.fromkeys(seen[:5])) + (", …" if len(seen) > 5 else "")
        raise UsageError(f"nothing is called {min(missing)!r}; expected one of: {known}")


def write_page(out: str, sheets: Iterable[Sheet]) -> None:
    """Write the page, and say on standard error where it is."""
    from coindex.view.html import page

    counted: list[str] = []

    def counting() -> Iterator[Sheet]:
        for sheet in sheets:
            counted.append(sheet.kind)
            yield sheet

    io.write_text(out, page(counting()))
    if out != "-":
        kind = counted[0] if len(set(counted)) == 1 else "item"
        click.echo(f"{out}: {len(counted)} {kind}{'s' * (len(counted) != 1)}", err=True)


def print_sheets(sheets: Iterable[Sheet]) -> None:
    """Print the sheets, a blank line apart."""
    from rich.console import Console

    from coindex.view.terminal import show

    console = Console()
    for number, sheet in enumerate(sheets):
        if number:
            console.print()
        show(sheet, console)
