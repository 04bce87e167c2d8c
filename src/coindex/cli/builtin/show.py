"""Show texts with their entities marked, here or on a web page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import click

from coindex import io
from coindex.cli import common
from coindex.errors import UsageError
from coindex.report.viewer.annotated_text import AnnotatedText, layout
from coindex.types.document import Document
from coindex.types.problem import Problem


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """The options of `coindex show`."""

    files: tuple[str, ...]
    html: str | None
    from_format: str | None
    ids: tuple[str, ...]
    first: int | None
    singletons: bool
    as_json: bool


@click.command(name="show")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@common.html_option
@common.from_option
@click.option("--doc", "ids", metavar="ID", multiple=True, help="Only this one; may be repeated.")
@click.option("--first", type=click.IntRange(1), metavar="N", help="Only the first N.")
@click.option("--singletons/--no-singletons", default=True, help="Entities mentioned only once.")
@common.json_option
@common.typed_options(ShowOptions)
def command(options: ShowOptions) -> None:
    """Show each text with its entities marked.

    FILE is in any format; - is standard input. Each mention is in brackets with
    the number of its entity. --html writes one page that needs nothing else and
    works offline.
    """
    if options.html is not None and options.as_json:
        raise UsageError("--html and --json are two kinds of output: choose one")
    items = choose_items(common.read_all(options.files, options.from_format), options.ids)
    texts = (layout(item, options.singletons) for item in islice(items, options.first))
    if options.as_json:
        common.print_json([text.as_json() for text in texts])
    elif options.html is not None:
        write_page(options.html, texts)
    else:
        print_texts(texts)


def choose_items(
    items: Iterable[Document | Problem], ids: tuple[str, ...]
) -> Iterator[Document | Problem]:
    """The items with one of the ids (all items if there are no ids); an unknown id is an error."""
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


def write_page(out: str, texts: Iterable[AnnotatedText]) -> None:
    """Write the page, and report on standard error."""
    from coindex.report.viewer.html import page

    counted: list[str] = []

    def counting() -> Iterator[AnnotatedText]:
        for text in texts:
            counted.append(text.kind)
            yield text

    io.write_text(out, page(counting()))
    if out != "-":
        kind = counted[0] if len(set(counted)) == 1 else "item"
        click.echo(f"{out}: {len(counted)} {kind}{'s' * (len(counted) != 1)}", err=True)


def print_texts(texts: Iterable[AnnotatedText]) -> None:
    """Print texts, separated by blank lines."""
    from rich.console import Console

    from coindex.report.viewer.terminal import show

    console = Console()
    for number, text in enumerate(texts):
        if number:
            console.print()
        show(text, console)
