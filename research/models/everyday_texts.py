"""Everyday texts of our own with coreference marks, as training documents: `everyday_texts OUT`.

`data/everyday` has a file for each genre, in the form of the probes (see
`coindex.benchmarks.probe_format`) without halves: texts of chats, mails, news, stories, recipes and so on that were
written for training alone, by writers who had not seen the probes. Every mention of every entity that is
mentioned twice is marked, by the rules in `data/everyday/README.md`. OUT is a file of documents
(`document-jsonl`); every tenth text of the first batch is left to OUT
with `.dev` before its ending. A text is read as `coindex resolve`
reads it: tokens, sentences, speakers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from coindex import formats, io, load
from coindex.benchmarks.probe_format import ExpectedMention, read_marked_text
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

FOLDER = Path(__file__).parent / "data" / "everyday"
DEV_EVERY = 10
LATER = ("-2", "-3", "-4", "-long")


@dataclass(frozen=True, slots=True)
class EverydayText:
    """A text with its marked mentions."""

    id: str
    text: str
    mentions: tuple[ExpectedMention, ...]


def read_texts(file: Path) -> Iterator[EverydayText]:
    """The texts of one file; the header of each is `== ID`."""
    rows = file.read_text(encoding="utf-8").splitlines()
    starts = [number for number, row in enumerate(rows) if row.startswith("== ")]
    source = Source(file.name)
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        filled = [n for n in range(start + 1, end) if rows[n].strip()]
        if not filled:
            raise source.error(start + 1, "expected a text, found none")
        marked = "\n".join(rows[filled[0] : filled[-1] + 1])
        text, mentions = read_marked_text(marked, source, filled[0] + 1)
        yield EverydayText(f"{file.stem}/{rows[start][3:].strip()}", text, mentions)


def annotated(document: Document, text: EverydayText) -> Document:
    """A document with the marked entities of its text; those of one mention are left out.

    So is a phrase without tokens, as in the attribute of a tag of HTML.
    """
    entities: dict[str, list[Mention]] = {}
    for mention in text.mentions:
        span = _tokens(document, mention)
        if span is not None:
            entities.setdefault(mention.entity, []).append(Mention((span,)))
    kept = (tuple(dict.fromkeys(each)) for each in entities.values())
    return replace(document, id=text.id, entities=tuple(Entity(e) for e in kept if len(e) > 1))


def _tokens(document: Document, mention: ExpectedMention) -> Span | None:
    """The tokens that a marked phrase touches, if any."""
    chars = mention.chars
    touched = [
        number
        for number, (start, end) in enumerate(zip(document.starts, document.ends, strict=True))
        if start < chars.end and chars.start < end
    ]
    return Span(touched[0], touched[-1] + 1) if touched else None


def without_repeats(texts: Iterable[EverydayText]) -> Iterator[EverydayText]:
    """Each text once."""
    seen: set[str] = set()
    for text in texts:
        if text.text not in seen:
            seen.add(text.text)
            yield text


def documents(folder: Path = FOLDER) -> Iterator[Document]:
    """The documents of all texts, in the order of their files."""
    resolver = load()
    files = sorted(folder.glob("*.txt"))
    for text in without_repeats(text for file in files for text in read_texts(file)):
        yield annotated(resolver.resolve(text.text), text)


def is_later(document: Document) -> bool:
    """Whether a text is of the second batch, which is for training alone."""
    return document.id.partition("/")[0].endswith(LATER)


def main(out: Path) -> None:
    """Write the training documents to a file, and those of dev to another one."""
    train: list[Document] = []
    dev: list[Document] = []
    for number, each in enumerate(sorted(documents(), key=is_later)):
        for_dev = number % DEV_EVERY == DEV_EVERY - 1 and not is_later(each)
        (dev if for_dev else train).append(each)
    for file, items in ((out, train), (out.with_suffix(f".dev{out.suffix}"), dev)):
        words = sum(map(len, items))
        io.write_text(file, formats.write_lines(items, "document-jsonl"))
        sys.stdout.write(f"{file.name}: {len(items)} documents, {words:,} words\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
