"""Find who is who: the entities of texts, with the shipped model or your own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import PurePath

import click

from coindex import formats, io
from coindex.cli.common import (
    conversion_lines,
    device_option,
    from_option,
    json_option,
    json_text,
    model_option,
    output_option,
    print_json,
    threads_option,
    typed_options,
)
from coindex.cli.resolve_inputs import InputIds, check_files, read_file
from coindex.errors import UnknownName, UsageError
from coindex.formats import ConversionLosses
from coindex.report.progress_bar import progress_bar
from coindex.resolvers.resolver import Resolver, load
from coindex.text.markup import MARKUPS
from coindex.transform.replace_pronouns import MIN_CONFIDENCE, replace_pronouns
from coindex.transform.resolved_entities import as_json
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress
from coindex.types.source import Source

FORMS = ("table", "jsonl", "html", "brackets", "replaced")
_EXPLAINED = ("table", "jsonl", "document-jsonl")
LONG = 5_000
"""From this number of words on, progress is shown."""


@dataclass(frozen=True, slots=True)
class ResolveOptions:
    """The options of `coindex resolve`."""

    files: tuple[str, ...]
    to_format: str
    output: str
    singletons: bool
    model: str | None
    scheme: str | None
    threads: int | None
    device: str
    batch: int | None
    speakers: str
    markup: str
    rules: str
    events: bool
    explain: bool
    min_confidence: float | None
    from_format: str | None
    as_json: bool

    def resolver(self) -> Resolver:
        """The resolver of the model."""
        return load(
            self.model, singletons=self.singletons, scheme=self.scheme, threads=self.threads,
            batch=self.batch, speakers=self.speakers, markup=self.markup, rules=self.rules,
            events=self.events, explain=self.explain, device=self.device,
        )  # fmt: skip


@click.command(name="resolve")
@click.argument("files", nargs=-1, metavar="[FILE|-]...")
@click.option("--to", "to_format", default="table", show_default=True, metavar="FORM",
              help="table (of entities), jsonl, html, brackets, replaced (pronouns by names), or a"
                   " document format such as text, conll2012 or corefud.")  # fmt: skip
@output_option("OUT")
@click.option("--singletons", is_flag=True, help="Also entities that are mentioned once.")
@model_option
@click.option("--scheme", metavar="NAME", help="The annotation scheme that the model follows.")
@threads_option
@device_option
@click.option("--batch", type=click.IntRange(1), metavar="N",
              help="How many windows of text are prepared ahead.  [default: 2 per thread]")  # fmt: skip
@click.option("--speakers", default="auto", show_default=True, metavar="auto|none|FILE",
              help="Who speaks: recognised in the text, nobody, or a file of turns"
                   " (start, end, speaker, addressee).")  # fmt: skip
@click.option("--markup", type=click.Choice(MARKUPS), default="auto", show_default=True,
              help="How plain text is read: with the tags and marks of HTML or Markdown left out,"
                   " or as it is.")  # fmt: skip
@click.option("--min-confidence", type=click.FloatRange(0, 1), metavar="X",
              help=f"With --to replaced, only pronouns and names of that confidence."
                   f"  [default: {MIN_CONFIDENCE}]")  # fmt: skip
@click.option("--rules", default="all", show_default=True, metavar="all|none|NAME,...",
              help="Rules of agreement; -NAME leaves one out.")  # fmt: skip
@click.option("--events", is_flag=True, help="Verbs can be mentions too.")
@click.option("--explain", is_flag=True, help="Say why mentions were joined or kept apart.")
@from_option
@json_option
@typed_options(ResolveOptions)
def command(options: ResolveOptions) -> None:
    """Find the entities of each FILE: plain text, or documents in any format.

    Without a FILE, standard input is read. The result does not depend on what else
    is in the files, nor on the number of threads. Offsets are those of the text as
    it was given.
    """
    to, output = options.to_format, options.output
    known = (*FORMS, *(name for name in formats.names("document") if name not in FORMS))
    if to not in known:
        raise UnknownName("form", to, known)
    if options.as_json and to not in ("table", "jsonl"):
        raise UsageError(f"--json and --to {to} are two kinds of output: choose one")
    if options.min_confidence is not None and to != "replaced":
        raise UsageError(f"--min-confidence is an option of --to replaced, found --to {to}")
    if options.explain and to not in _EXPLAINED:
        raise UsageError(f"--explain is shown by --to {', '.join(_EXPLAINED)}, found --to {to}")
    if options.explain and to == "table" and output != "-":
        raise UsageError("--explain with a table needs standard output: choose --to jsonl for -o")
    if to == "text":
        click.echo("coindex: --to text is the format text, as in convert; the table of entities"
                   " is --to table", err=True)  # fmt: skip
    check_files(options.files)
    ids = InputIds(options.speakers, len(options.files))
    sources: list[Source] = []
    resolved = resolve_files(options, sources, ids)
    if options.as_json:
        whole = [as_json(document) for document in resolved]
        if output == "-":
            print_json(whole)
        else:
            io.write_text(output, [json_text(whole), "\n"])
            click.echo(f"written to {output}", err=True)
    elif to == "table" and output == "-":
        print_entities(resolved)
    else:
        write(resolved, to, output, sources, options.min_confidence)


def resolve_files(
    options: ResolveOptions, sources: list[Source], ids: InputIds
) -> Iterator[Document]:
    """The documents of all files, resolved; with progress for each long file."""
    resolver = options.resolver()
    for file in options.files or ("-",):
        documents, words = read_file(file, options.from_format, sources)
        ids.add(file, documents)
        with progress_bar() as on_progress:
            show = on_progress if words >= LONG else ignore_progress
            yield from resolver.stream(documents, _named(show, PurePath(file).name, words))
    ids.report()


def _named(on_progress: OnProgress, name: str, words: int) -> OnProgress:
    return lambda progress: on_progress(Progress(name, progress.done, words))


def print_entities(resolved: Iterable[Document]) -> None:
    """A table of entities for each document."""
    from rich.console import Console

    from coindex.report.viewer.terminal import show_entities, visible

    console = Console(highlight=False)
    for number, document in enumerate(resolved):
        if number:
            console.print()
        show_entities(document, console)
        for mention in document.mentions:
            why = dict(mention.attrs).get("why")
            if why:
                place = document.chars(mention.spans[0]).start
                line = visible(f"{place} {' '.join(document.text_of(mention).split())}: {why}")
                console.print(line, markup=False, emoji=False, soft_wrap=not console.is_terminal)


def write(
    resolved: Iterable[Document],
    to: str,
    output: str,
    sources: list[Source],
    min_confidence: float | None = None,
) -> None:
    """Write the documents in one of the forms, and report what a format cannot store."""
    losses = ConversionLosses(to)
    own = _lines(resolved, to, min_confidence) if to in FORMS else ()
    if output == "-":
        lines = own if to in FORMS else formats.write_lines(resolved, to, losses)
        for line in lines:
            click.echo(line, nl=False, color=True)  # a text's own escapes are not taken out
    elif to in FORMS:
        io.write_text(output, own)
    else:
        formats.write(output, resolved, to, losses)
    if to not in FORMS:
        for note in conversion_lines(sources, losses):
            click.echo(note, err=True)
    if output != "-":
        click.echo(f"written to {output}", err=True)


def _lines(resolved: Iterable[Document], to: str, min_confidence: float | None) -> Iterator[str]:
    if to == "html":
        from coindex.report.viewer.annotated_text import layout
        from coindex.report.viewer.html import page

        documents = iter(resolved)
        first = list(islice(documents, 1))  # before the head of the page, as it may be an error
        yield from page(layout(document, True) for document in chain(first, documents))
        return
    for number, document in enumerate(resolved):
        if number and to != "jsonl":
            yield "\n"
        yield _line(document, to, min_confidence)


def _line(document: Document, to: str, min_confidence: float | None) -> str:
    if to == "jsonl":
        return json.dumps(as_json(document), ensure_ascii=False) + "\n"
    if to == "replaced":
        least = MIN_CONFIDENCE if min_confidence is None else min_confidence
        text = replace_pronouns(document, min_confidence=least).text
    elif to == "brackets":
        from coindex.transform.brackets import bracketed_text

        text = bracketed_text(document)
    else:
        from coindex.report.viewer.terminal import entity_lines as rows
        from coindex.report.viewer.terminal import speaker_lines
        from coindex.transform.resolved_entities import resolved_entities

        lines = (*rows(resolved_entities(document)), *speaker_lines(document))
        text = "\n".join(map(str, lines))
    return text if text.endswith("\n") else text + "\n"
