"""Parse texts: tags of words and constituency trees, by the shipped parser or your own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import click

from coindex import formats, io
from coindex.cli import common
from coindex.errors import UnknownName, UsageError
from coindex.formats import ConversionLosses
from coindex.report.progress_bar import progress_bar
from coindex.transform.penn_brackets import document_brackets
from coindex.types.document import Document

FORMS = ("brackets", "tags", "jsonl")


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """The options of `coindex parse`."""

    files: tuple[str, ...]
    to_format: str
    output: str
    score: bool
    model: str | None
    threads: int | None
    from_format: str | None
    as_json: bool


@click.command(name="parse")
@click.argument("files", nargs=-1, metavar="[FILE|-]...")
@click.option("--to", "to_format", default="brackets", show_default=True, metavar="FORM",
              help="brackets (Penn, one tree a line), tags (word/TAG, one sentence a line), jsonl,"
                   " or a document format that holds trees: conll2012.")  # fmt: skip
@common.output_option("OUT")
@click.option("--score", is_flag=True,
              help="Compare with the trees that the FILEs have: labelled brackets by evalb's"
                   " rules.")  # fmt: skip
@click.option(
    "--model", metavar="MODEL", help="Another parser than the shipped one: a name or a folder."
)
@common.threads_option
@common.from_option
@common.json_option
@common.typed_options(ParseOptions)
def command(options: ParseOptions) -> None:
    """Parse each FILE: plain text, or documents in any format.

    Without a FILE, standard input is read. Tokens and sentences are those of the documents;
    trees and tags that they have are replaced. Sentences of more than 150 words are parsed in
    parts, split at punctuation, under one root.
    """
    known = (*FORMS, *formats.names("document"))
    if options.to_format not in known:
        raise UnknownName("form", options.to_format, known)
    if options.as_json and options.to_format not in ("brackets", "jsonl"):
        raise UsageError(f"--json and --to {options.to_format} are two forms: choose one")
    documents = _documents(options)
    engine = _engine(options)
    if options.score:
        _write([score_text(engine, documents, options.as_json)], options.output)
        return
    with progress_bar() as on_progress:
        parsed = engine.parse(documents, on_progress)
        if options.as_json:
            _write([common.json_text(list(map(trees_json, parsed))), "\n"], options.output)
        elif options.to_format in FORMS:
            _write(lines(parsed, options.to_format), options.output)
        else:
            _convert(parsed, options)


def _engine(options: ParseOptions) -> Any:
    from coindex.models.common.installed_models import find_model
    from coindex.models.parser.infer import ParserEngine

    return ParserEngine(find_model(options.model), options.threads or os.cpu_count() or 1)


def _documents(options: ParseOptions) -> list[Document]:
    documents = []
    for item in common.read_all(options.files or ("-",), options.from_format):
        if not isinstance(item, Document):
            raise UsageError(f"expected texts or documents, found a pronoun problem: {item.id}")
        documents.append(item)
    return documents


def lines(parsed: Iterable[Document], form: str) -> Iterator[str]:
    """The documents in one of the forms, line by line."""
    for document in parsed:
        if form == "jsonl":
            yield json.dumps(trees_json(document), ensure_ascii=False) + "\n"
        elif form == "tags":
            yield from (f"{line}\n" for line in _tag_lines(document))
        else:
            yield from (f"{tree}\n" for tree in document_brackets(document))


def _tag_lines(document: Document) -> Iterator[str]:
    pairs = list(zip(document.tokens, document.pos or (), strict=True))
    for span in document.sentence_spans():
        words = (f"{word}/{tag}" for word, tag in pairs[span.start : span.end] if tag)
        yield " ".join(words)


def trees_json(document: Document) -> dict[str, Any]:
    """A parsed document as plain values: the words, tags and tree of each sentence."""
    trees = document_brackets(document)
    zeros = frozenset(document.zeros)
    pos = document.pos or ("",) * len(document)
    sentences = []
    for span in document.sentence_spans():
        read = [at for at in range(span.start, span.end) if at not in zeros]
        if read:
            sentences.append({
                "start": document.starts[read[0]], "end": document.ends[read[-1]],
                "words": [document.tokens[at] for at in read],
                "tags": [pos[at] for at in read],
                "tree": next(trees),
            })  # fmt: skip
    return {"id": document.key, "sentences": sentences}


def score_text(engine: Any, documents: list[Document], as_json: bool) -> str:
    """The scores of the parser on documents that have trees and tags."""
    from coindex import __version__
    from coindex.report.table import Note, Table
    from coindex.scoring.bracket_scores import bracket_scores, count_brackets

    keys = [document for document in documents if document.parse and document.pos]
    if not keys:
        raise UsageError("--score needs documents with trees and tags, found none")
    counts = [count_brackets(*pair) for pair in zip(keys, engine.parse(keys), strict=True)]
    scores = bracket_scores(counts)
    words = sum(each.words for each in counts)
    signature = f"brackets:evalb|{engine.signature}|docs:{len(keys)}|words:{words}|v:{__version__}"
    if as_json:
        return common.json_text({"scores": scores, "signature": signature}) + "\n"
    rows = tuple((name.replace("_", " "), value) for name, value in scores.items())
    table = Table("labelled brackets", ("", "%"), rows, notes=(Note("signature", signature),))
    return common.render_tables([table]) + "\n"


def _write(texts: Iterable[str], output: str) -> None:
    if output == "-":
        for text in texts:
            click.echo(text, nl=False)
        return
    io.write_text(output, texts)
    click.echo(f"written to {output}", err=True)


def _convert(parsed: Iterable[Document], options: ParseOptions) -> None:
    losses = ConversionLosses(options.to_format)
    if options.output == "-":
        for line in formats.write_lines(parsed, options.to_format, losses):
            click.echo(line, nl=False)
    else:
        formats.write(options.output, parsed, options.to_format, losses)
        click.echo(f"written to {options.output}", err=True)
    for note in losses.lines():
        click.echo(note, err=True)
