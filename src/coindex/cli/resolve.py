"""Find who is who: the entities of texts, with the shipped model or your own."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any

import click

from coindex import formats, io
from coindex.cli._common import (
    from_option,
    json_option,
    json_text,
    losses_lines,
    print_json,
    read_all,
)
from coindex.core.document import Document
from coindex.core.source import Source
from coindex.errors import UnknownName, UsageError
from coindex.formats import Losses
from coindex.resolvers import Settings, neural

OWN = ("text", "jsonl", "html", "brackets", "replaced")
LONG = 5_000
"""Words from which on a bar is shown."""

Watch = Callable[[int], None]


@click.command(name="resolve")
@click.argument("files", nargs=-1, metavar="[FILE|-]...")
@click.option("--to", "to", default="text", show_default=True, metavar="FORM",
              help="text (a table of entities), jsonl, html, brackets, replaced (pronouns by"
                   " names), or a document format such as conll2012 or corefud.")  # fmt: skip
@click.option("-o", "--output", default="-", metavar="OUT", help="Write there instead.")
@click.option("--singletons", is_flag=True, help="Also entities that are mentioned once.")
@click.option("--model", metavar="MODEL", help="A trained model; the shipped one by default.")
@click.option("--scheme", metavar="NAME", help="The annotation scheme to follow.")
@click.option("--threads", type=click.IntRange(1), metavar="N", help="[default: all cores]")
@click.option("--batch", type=click.IntRange(1), metavar="N",
              help="Stretches of text worked on ahead.  [default: 2 a thread]")  # fmt: skip
@from_option
@json_option
def command(files: tuple[str, ...], to: str, output: str, as_json: bool, **options: Any) -> None:
    """Find the entities of each FILE: plain text, or documents in any format.

    Without a FILE, standard input is read. What is found does not depend on what
    else is in the files, nor on the number of threads. Offsets are those of the
    text as it was given.
    """
    known = (*OWN, *(name for name in formats.names("document") if name not in OWN))
    if to not in known:
        raise UnknownName("form", to, known)
    if as_json and to not in ("text", "jsonl"):
        raise UsageError(f"--json and --to {to} are two kinds of output: choose one")
    names = ("model", "scheme", "singletons", "threads", "batch")
    resolver = load(Settings(**{name: options[name] for name in names}))
    sources: list[Source] = []
    found = answers(resolver, files or ("-",), options["from_format"], sources)
    if as_json:
        from coindex.core.resolved import as_json as plain

        whole = [plain(document) for document in found]
        if output == "-":
            print_json(whole)
        else:
            io.write_text(output, [json_text(whole), "\n"])
            click.echo(f"written to {output}", err=True)
    elif to == "text" and output == "-":
        print_tables(found)
    else:
        write(found, to, output, sources)


def load(settings: Settings) -> Any:
    """The resolver of a model: `coindex train quizbowl` writes a file, all others a folder."""
    if settings.model is not None and Path(settings.model).is_file():
        from coindex.resolvers import quizbowl

        return quizbowl.load(settings)
    return neural.load(settings)


def answers(
    resolver: Any, files: Iterable[str], from_format: str | None, sources: list[Source]
) -> Iterator[Document]:
    """The documents of all files, resolved; progress for each file that is long."""
    for file in files:
        documents = _empty(file)
        for item in () if documents else read_all([file], from_format, sources):
            if not isinstance(item, Document):
                raise UsageError(f"{file}: expected texts or documents, found pronoun problems")
            documents.append(item)
        with bar(file, sum(map(len, documents))) as watch:
            yield from resolver.resolve(documents, watch)


def _empty(file: str) -> list[Document]:
    """A file of nothing but white space is a text too: one without entities."""
    path = Path(file)
    if not path.is_file() or path.stat().st_size > 1_000 or path.read_bytes().strip():
        return []
    return [Document(io.stem(file), path.read_text(encoding="ascii"))]


@contextmanager
def bar(label: str, words: int) -> Iterator[Watch | None]:
    """A bar on standard error if that is a terminal and there is much to do."""
    if words < LONG or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(PurePath(label).name, total=words)
        yield lambda done: progress.update(task, completed=done)


def print_tables(found: Iterable[Document]) -> None:
    """A table of entities for each document."""
    from rich.console import Console

    from coindex.view.entities import show

    console = Console(highlight=False)
    for number, document in enumerate(found):
        if number:
            console.print()
        show(document, console)


def write(found: Iterable[Document], to: str, output: str, sources: list[Source]) -> None:
    """Write the documents in one of the forms, and say what a format cannot hold."""
    losses = Losses(to)
    if output == "-":
        lines = _lines(found, to) if to in OWN else formats.lines(found, to, losses)
        for line in lines:
            click.echo(line, nl=False, color=True)  # a text's own escapes are not taken out
    elif to in OWN:
        io.write_text(output, _lines(found, to))
    else:
        formats.write(output, found, to, losses)
    if to not in OWN:
        for note in losses_lines(sources, losses):
            click.echo(note, err=True)
    if output != "-":
        click.echo(f"written to {output}", err=True)


def _lines(found: Iterable[Document], to: str) -> Iterator[str]:
    if to == "html":
        from coindex.view.html import page
        from coindex.view.layout import layout

        yield from page(layout(document, True) for document in found)
        return
    for number, document in enumerate(found):
        if number and to != "jsonl":
            yield "\n"
        yield _line(document, to)


def _line(document: Document, to: str) -> str:
    if to == "jsonl":
        from coindex.core.resolved import as_json

        return json.dumps(as_json(document), ensure_ascii=False) + "\n"
    if to == "replaced":
        from coindex.core.replaced import replaced

        text = replaced(document).text
    elif to == "brackets":
        from coindex.core.brackets import brackets

        text = brackets(document)
    else:
        from coindex.core.resolved import entities_of
        from coindex.view.entities import lines as rows

        text = "\n".join(str(row) for row in rows(entities_of(document)))
    return text if text.endswith("\n") else text + "\n"
