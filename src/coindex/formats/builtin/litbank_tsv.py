"""LitBank's TSV: mentions by sentence and token in `.ann`, beside a tokenised `.txt`.

    MENTION  T3  0  8  0  9  Mary Lennox  PER  PROP      from sentence 0, token 8 to token 9
    COREF    T3  MARY_LENNOX-0

`.txt` has one sentence per line, with a space between tokens. A mention goes from a sentence and
token to a sentence and token, both inclusive, counted from 0. Its kind is `PROP_PER`, as in
LitBank's brat files. Other rows (`COP`, `APPOS`) are stored in the metadata `relation`. The
suffixes are those of brat; the first row tells the two formats apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import PurePath

from coindex import io
from coindex.formats.brat_marks import mention_ids
from coindex.formats.sentence_spans import SentenceMap
from coindex.formats.table_rows import cell
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

KIND = "document"
PARTS = (".ann", ".txt")
SUPPORTS = frozenset({
    "entities", "entity-id", "crossing", "tokens", "sentences", "mention-id", "meta:relation",
})  # fmt: skip
WRITES_ONLY = frozenset({"mention-kind"})

_ROW = re.compile(r"(?:MENTION|COREF|COP|APPOS)\tT\d+\t")
_KIND = re.compile(r"([A-Z]+)_([A-Z]+)")


def sniff(head: Sequence[str]) -> bool:
    """The first line is a row of LitBank's."""
    return bool(_ROW.match(next((line for line in head if line.strip()), "")))


def read_parts(lines: Iterable[str], text: str, source: Source) -> Iterator[Document]:
    """One document, named after its file."""
    source.begin(1)
    rows = [line.rstrip("\r").split(" ") for line in text.split("\n")]
    sentences = [[token for token in row if token] for row in rows]
    if not sentences[-1]:
        del sentences[-1]
    reader = _LitBankReader(sentences, source)
    for number, line in enumerate(lines, 1):
        bare = line.rstrip("\r\n")
        if bare.strip():
            reader.row(bare, number)
    id = PurePath(source.name).name.removesuffix(PARTS[0])
    with source.errors_at(1):
        document = Document.of(id, sentences, reader.entities(), meta=tuple(reader.relations))
    yield document


class _LitBankReader:
    """Collects the rows of a file."""

    def __init__(self, sentences: list[list[str]], source: Source) -> None:
        self.tokens = [token for sentence in sentences for token in sentence]
        self.places = SentenceMap(tuple(accumulate(map(len, sentences), initial=0)))
        self.source = source
        self.mentions: dict[str, Mention] = {}
        self.clusters: list[tuple[str, str, int]] = []
        self.relations: list[tuple[str, str]] = []

    def row(self, bare: str, line: int) -> None:
        """Add one row."""
        name, *cells = bare.split("\t")
        if name == "MENTION" and len(cells) >= 6:
            self._mention(cells, line)
        elif name == "COREF" and len(cells) == 2:
            self.clusters.append((cells[1], cells[0], line))
        elif name in ("COP", "APPOS") and len(cells) >= 2:
            self.relations.append(("relation", bare))
        else:
            message = (
                f"expected 'MENTION<TAB>T1...' or 'COREF<TAB>T1<TAB>entity', found {bare[:40]!r}"
            )
            raise self.source.error(line, message)

    def _mention(self, cells: list[str], line: int) -> None:
        id, *numbers = cells[:5]
        if not all(text.isascii() and text.isdigit() and len(text) < 10 for text in numbers):
            message = f"expected four numbers after {id!r}, found {' '.join(numbers)[:40]!r}"
            raise self.source.error(line, message)
        first, start, second, last = map(int, numbers)
        head = self.places.span(first, start, start + 1)
        tail = self.places.span(second, last, last + 1)
        if head is None or tail is None or tail[1] <= head[0]:
            message = f"expected places within the sentences, found {' '.join(numbers)}"
            raise self.source.error(line, message)
        if id in self.mentions:
            raise self.source.error(line, f"{id} is marked twice")
        actual = " ".join(self.tokens[head[0] : tail[1]])
        if actual.split() != cells[5].split():
            message = f"expected {cells[5][:40]!r}, found {actual[:40]!r}"
            self.source.mistake(line, "offset", message)
        kind = f"{cells[7]}_{cells[6]}" if len(cells) == 8 and "_" not in cells[6:] else None
        self.mentions[id] = Mention((Span(head[0], tail[1]),), None, kind, id)

    def entities(self) -> list[Entity]:
        """The entities: those that have names, and a singleton for each other mention."""
        named: dict[str, dict[tuple[Span, ...], Mention]] = {}
        single = dict(self.mentions)
        for name, id, line in self.clusters:
            if id not in self.mentions:
                message = f"expected a mention that is marked, found {id!r}"
                raise self.source.error(line, message)
            mention = self.mentions[id]
            found = named.setdefault(name, {})
            if mention.spans in found:
                message = f"entity {name} holds the words of {id} twice; kept once"
                self.source.note(line, "repeated", message)
            found.setdefault(mention.spans, mention)
            single.pop(id, None)
        entities = [Entity(tuple(found.values()), name) for name, found in named.items()]
        return entities + [Entity((mention,)) for mention in single.values()]


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    return {
        "documents renamed: the id is no file name": int(io.file_name(document.id) != document.id),
        "kinds that are not of the form PROP_PER, left out": sum(
            not _KIND.fullmatch(mention.kind) for mention in document.mentions if mention.kind
        ),
        "token(s) with white space, written as _": sum(" " in _token(t) for t in document.tokens),
    }


def write_parts(document: Document) -> tuple[list[str], list[str]]:
    """The rows of the annotation, and the sentences."""
    ids = mention_ids(document)
    rows = [_mention_row(document, mention, id) for mention, id in ids.items()]
    for entity in document.entities:
        if entity.id is not None:
            rows += [f"COREF\t{ids[m]}\t{cell(entity.id)}\n" for m in entity.mentions]
        elif len(entity) > 1:
            name = f"entity-{ids[entity.mentions[0]]}"
            rows += [f"COREF\t{ids[m]}\t{name}\n" for m in entity.mentions]
    rows += [f"{line}\n" for name, line in document.meta if name == "relation"]
    sentences = [document.tokens[span.start : span.end] for span in document.sentence_spans()]
    return rows, [" ".join(map(_token, sentence)) + "\n" for sentence in sentences]


def _token(token: str) -> str:
    return "_".join(token.split()) or "_"


def _mention_row(document: Document, mention: Mention, id: str) -> str:
    places = []
    for at in (mention.start, mention.end - 1):
        number = max(n for n, first in enumerate(document.sentences) if first <= at)
        places += [str(number), str(at - document.sentences[number])]
    words = " ".join(map(_token, document.tokens[mention.start : mention.end]))
    match = _KIND.fullmatch(mention.kind or "")
    kinds = (match[2], match[1]) if match else ("_", "_")
    return "\t".join(["MENTION", id, *places, words, *kinds]) + "\n"
