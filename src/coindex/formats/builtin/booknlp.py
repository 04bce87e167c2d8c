"""BookNLP: `.entities`, with coreference, beside `.tokens`.

    COREF  start_token  end_token  prop  cat  text
    0      0            1          PROP  PER  Ann Lee

`start_token` and `end_token` are both inclusive and are numbers of tokens in the document, the
column `token_ID_within_document` of `.tokens`. `prop` and `cat` are the kind of a mention
(`PROP_PER`). Lemmas, tags (`fine_POS_tag`) and heads are read; a token that is its own head is a
root. The text is the tokens, a space apart: `byte_onset` refers to a text that is not stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from coindex import io
from coindex.formats.table_rows import Row, cell, read_rows
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

KIND = "document"
PARTS = (".entities", ".tokens")
SUPPORTS = frozenset({
    "entities", "entity-id", "crossing", "tokens", "sentences", "lemma", "pos", "heads",
})  # fmt: skip
WRITES_ONLY = frozenset({"mention-kind"})

_ENTITIES = ("COREF", "start_token", "end_token", "prop", "cat", "text")
_TOKENS = (
    "paragraph_ID", "sentence_ID", "token_ID_within_sentence", "token_ID_within_document", "word",
    "lemma", "byte_onset", "byte_offset", "POS_tag", "fine_POS_tag", "dependency_relation",
    "syntactic_head_ID", "event",
)  # fmt: skip
_REQUIRED = ("sentence_ID", "token_ID_within_document", "word")
_KIND = re.compile(r"([A-Z]+)_([A-Z]+)")
_NONE = "_"


def sniff(head: Sequence[str]) -> bool:
    """The first line is the header of `.entities`."""
    first = next((line for line in head if line.strip()), "")
    return first.rstrip("\r\n").split("\t")[:3] == list(_ENTITIES[:3])


def read_parts(lines: Iterable[str], text: str, source: Source) -> Iterator[Document]:
    """One document, named after its file."""
    source.begin(1)
    base = PurePath(source.name).name.removesuffix(PARTS[0])
    tokens = Source(f"{source.name.removesuffix(PARTS[0])}{PARTS[1]}")
    rows = list(read_rows(text.split("\n"), _REQUIRED, tokens))
    sentences = _sentences(rows)
    words = [row.text("word") for row in rows]
    clusters: dict[str, dict[Span, Mention]] = {}
    for row in read_rows(lines, _ENTITIES, source):
        mention = _mention(row, words)
        found = clusters.setdefault(row.text("COREF"), {})
        if mention.spans[0] in found:
            message = f"entity {row.text('COREF')} holds {row.text('text')[:40]!r} twice; kept once"
            source.note(row.line, "repeated", message)
        found.setdefault(mention.spans[0], mention)
    entities = [Entity(tuple(found.values()), id) for id, found in clusters.items()]
    with source.errors_at(1):
        document = Document.of(
            base,
            sentences,
            entities,
            lemma=_column(rows, "lemma"),
            pos=_column(rows, "fine_POS_tag") or _column(rows, "POS_tag"),
            heads=_heads(rows),
        )
    yield document


def _sentences(rows: list[Row]) -> list[list[str]]:
    sentences: list[list[str]] = []
    before: str | None = None
    for number, row in enumerate(rows):
        if row.number("token_ID_within_document") != number:
            message = f"expected token {number}, found {row.text('token_ID_within_document')}"
            raise row.source.error(row.line, message)
        if not row.text("word"):
            raise row.source.error(row.line, "expected a word, found an empty column")
        if row.text("sentence_ID") != before:
            sentences.append([])
        sentences[-1].append(row.text("word"))
        before = row.text("sentence_ID")
    return sentences


def _column(rows: list[Row], name: str) -> tuple[str, ...] | None:
    values = tuple(row.values.get(name, _NONE) for row in rows)
    return None if all(value == _NONE for value in values) else values


def _heads(rows: list[Row]) -> tuple[int, ...] | None:
    name = "syntactic_head_ID"
    if all(row.values.get(name, _NONE) == _NONE for row in rows):
        return None
    heads = []
    for at, row in enumerate(rows):
        head = row.number(name)
        if not -1 <= head < len(rows):
            raise row.source.error(
                row.line, f"expected a head among {len(rows)} tokens, found {head}"
            )
        heads.append(-1 if head == at else head)
    return tuple(heads)


def _mention(row: Row, words: list[str]) -> Mention:
    start, last = row.number("start_token"), row.number("end_token")
    if not 0 <= start <= last < len(words):
        message = f"expected first and last of {len(words)} tokens, found {start} and {last}"
        raise row.source.error(row.line, message)
    actual = " ".join(words[start : last + 1])
    expected = row.text("text")
    if expected.split() != actual.split():
        message = f"expected {expected[:40]!r} at {start} {last}, found {actual[:40]!r}"
        row.source.mistake(row.line, "offset", message)
    kinds = [row.text("prop"), row.text("cat")]
    kind = None if _NONE in kinds else "_".join(kinds)
    return Mention((Span(start, last + 1),), None, kind)


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    renamed = int(io.file_name(document.id) != document.id)
    odd = sum(not _KIND.fullmatch(m.kind) for m in document.mentions if m.kind)
    return {
        "documents renamed: the id is no file name": renamed,
        "kinds that are not of the form PROP_PER, left out": odd,
    }


def write_parts(document: Document) -> tuple[list[str], list[str]]:
    """The lines of `.entities`, and those of `.tokens`."""
    entities = ["\t".join(_ENTITIES) + "\n"]
    for number, entity in enumerate(document.entities):
        id = f"entity {number}" if entity.id is None else cell(entity.id)
        for mention in entity.mentions:
            match = _KIND.fullmatch(mention.kind or "")
            kinds = match.groups() if match else (_NONE, _NONE)
            words = cell(" ".join(document.tokens[mention.start : mention.end]))
            row = (id, str(mention.start), str(mention.end - 1), *kinds, words)
            entities.append("\t".join(row) + "\n")
    return entities, ["\t".join(_TOKENS) + "\n", *_token_lines(document)]


def _token_lines(document: Document) -> Iterator[str]:
    for number, span in enumerate(document.sentence_spans()):
        for at in range(span.start, span.end):
            tag = document.pos[at] if document.pos else _NONE
            head = _NONE
            if document.heads is not None:
                head = str(at if document.heads[at] < 0 else document.heads[at])
            row = (
                "0", str(number), str(at - span.start), str(at), cell(document.tokens[at]),
                cell(document.lemma[at]) if document.lemma else _NONE,
                str(document.starts[at]), str(document.ends[at]), _NONE, cell(tag), _NONE, head, "O",
            )  # fmt: skip
            yield "\t".join(row) + "\n"
