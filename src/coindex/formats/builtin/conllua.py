"""CoNLL-UA (Universal Anaphora, 'exploded'): CoNLL-U with a column for each kind of anaphora.

    # global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING ...
    # newdoc id = d
    1  Ann  _  _  _  _  _  _  _  _  (EntityID=1|MarkableID=m1|Min=1)  _

Entities are those of the column IDENTITY. The columns SPLIT, BRIDGING, DISCOURSE_DEIXIS and all
others are layers, under their names in lower case; scoring reads them (`--relation`,
`--split-antecedents`, the metrics `bridging` and `non-referring`). Words are numbered through the
document or through the sentence; `5.1` is a zero. Columns are separated by tabs or by spaces.
Writing keeps tokens, sentences and entities.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from coindex import io
from coindex.formats.conll import count_renamed, entity_ids
from coindex.formats.conllua_markables import NON_REFERRING, links, read_column
from coindex.types.document import Document, join
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({"entities", "entity-id", "zeros", "discontinuous", "tokens", "sentences"})
FORBIDDEN = "()|=@,"
COLUMNS = (
    "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS"
    " REFERENCE NOM_SEM"
)
"""The columns of a file that does not name them."""

_NAMED = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
_NEWDOC = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?\s*$")
_ID = re.compile(r"\d+(?:[-.]\d+)?")

Row = tuple[int, list[str]]
"""The line number and the fields of a row."""


def sniff(head: Sequence[str]) -> bool:
    """A line names the columns, and one of them is IDENTITY."""
    return any((match := _NAMED.match(line)) and "IDENTITY" in match[1].split() for line in head)


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file; a document without `newdoc` is named after the file."""
    names = COLUMNS.lower().split()
    id = ""
    sentences: list[list[Row]] = [[]]
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if newdoc := _NEWDOC.match(bare):
            if any(sentences):
                yield _document(id, sentences, names, source)
            id, sentences = (newdoc[1] or "").strip(), [[]]
        elif columns := _NAMED.match(bare):
            names = columns[1].lower().split()
            if names[:2] != ["id", "form"] or "identity" not in names:
                message = f"expected columns ID FORM ... IDENTITY, found {columns[1]!r}"
                raise source.error(number, message)
        elif not bare:
            sentences.append([])
        elif not bare.startswith("#"):
            sentences[-1].append((number, _fields(line, number, source)))
    if not any(sentences):
        raise source.error(None, "expected tokens, found none")
    yield _document(id, sentences, names, source)


def _fields(line: str, number: int, source: Source) -> list[str]:
    bare = line.rstrip("\r\n")
    fields = [field.strip() for field in bare.split("\t")] if "\t" in bare else bare.split()
    if len(fields) < 2:
        raise source.error(number, f"expected a token number and a word, found {bare!r}")
    if not _ID.fullmatch(fields[0]):
        raise source.error(number, f"expected a token number, found {fields[0]!r}")
    if not fields[1]:
        raise source.error(number, "expected a word, found an empty column")
    return fields


def _document(id: str, sentences: list[list[Row]], names: list[str], source: Source) -> Document:
    rows: list[list[str]] = []
    firsts: list[int] = []
    source.begin(next(row[0] for sentence in sentences for row in sentence))
    for sentence in sentences:
        for at, (line, fields) in enumerate(_tokens(sentence, source)):
            if not at:
                firsts.append(len(rows))
            source.anchor(len(rows), line)
            rows.append([field or "_" for field in (*fields, *["_"] * len(names))[: len(names)]])
    if not rows:
        raise source.error(
            sentences[0][0][0] if sentences[0] else None, "expected tokens, found none"
        )
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    zeros = tuple(at for at, row in enumerate(rows) if "." in row[0])
    silent = frozenset(zeros)
    words = [at for at in range(len(rows)) if at not in silent]
    elements = _elements(columns.get("split", ()))
    if "discourse_deixis" in columns:
        read_column(columns["discourse_deixis"], words, {}, source)  # its mistakes are reported
    text, starts, ends = _offsets(columns["form"], firsts, silent)
    layers = {
        name: column
        for name, column in columns.items()
        if name not in ("id", "form", "lemma", "xpos", "identity") and set(column) != {"_"}
    }
    return Document(
        id or io.stem(source.name),
        text,
        columns["form"],
        starts,
        ends,
        tuple(firsts),
        read_column(columns["identity"], words, elements, source),
        pos=_given(columns.get("xpos")),
        lemma=_given(columns.get("lemma")),
        zeros=zeros,
        layers=tuple(layers.items()),
    )


def _tokens(sentence: list[Row], source: Source) -> Iterator[Row]:
    """The rows of a sentence without ranges of words, which are noted."""
    for line, fields in sentence:
        if "-" in fields[0]:
            source.note(line, "range", f"range of words {fields[0]}; left out")
        else:
            yield line, fields


def _given(column: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if column is None or set(column) == {"_"} else column


def _elements(column: Sequence[str]) -> dict[str, list[str]]:
    """The plural entities that each entity is an element of, from the column SPLIT."""
    elements: defaultdict[str, list[str]] = defaultdict(list)
    for cell in column:
        for link in links(cell):
            if "entityid" in link:
                elements[link["entityid"]] += filter(None, link.get("elementof", "").split(","))
    return elements


def _offsets(
    forms: Sequence[str], firsts: Sequence[int], zeros: frozenset[int]
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """The words joined by spaces, and where each token is; zeros have no characters."""
    words = [form for at, form in enumerate(forms) if at not in zeros]
    number = list(accumulate((at not in zeros for at in range(len(forms))), initial=0))
    borders = sorted({number[first] for first in firsts} - {len(words)})
    text, word_starts, word_ends = join(words, borders or [0]) if words else ("", (), ())
    starts, ends, reach = [], [], 0
    for at in range(len(forms)):
        start = reach if at in zeros else word_starts[number[at]]
        reach = reach if at in zeros else word_ends[number[at]]
        starts.append(start)
        ends.append(reach)
    return text, tuple(starts), tuple(ends)


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    return {
        "entities renamed: their ids cannot stand in CoNLL-UA": count_renamed(document, FORBIDDEN),
        "documents renamed: white space in the id": int(
            " ".join(document.id.split()) != document.id
        ),
    }


def write(items: Iterable[Document]) -> Iterator[str]:
    """Ten columns and IDENTITY, with a blank line after each sentence."""
    yield f"# global.columns = {COLUMNS.partition(' BRIDGING')[0]}\n"
    for document in items:
        yield f"# newdoc id = {' '.join(document.id.split())}\n"
        cells = _identity(document)
        zeros = frozenset(document.zeros)
        word = empty = 0
        for number, span in enumerate(document.sentence_spans(), 1):
            yield f"# sent_id = {' '.join(document.id.split())}-{number}\n"
            for at in range(span.start, span.end):
                word, empty = (word, empty + 1) if at in zeros else (word + 1, 0)
                form = " ".join(document.tokens[at].split()) or "_"
                id = f"{word}.{empty}" if empty else str(word)
                yield "\t".join([id, form, *["_"] * 8, cells[at]]) + "\n"
            yield "\n"


def _identity(document: Document) -> list[str]:
    """The brackets of each token: outer markables open first, and are closed by name if crossed."""
    opening: defaultdict[int, list[tuple[int, int, str, str]]] = defaultdict(list)
    ids = entity_ids(document.entities, FORBIDDEN)
    number = 0
    for id, entity in zip(ids, document.entities, strict=True):
        pseudo = "-Pseudo" if NON_REFERRING in entity.attrs and not id.endswith("Pseudo") else ""
        for mention in entity.mentions:
            number += 1
            name = f"_{number}"
            text = f"(EntityID={id}{pseudo}|MarkableID={name}"
            for span in mention.spans:
                opening[span.start].append((-span.end, number, name, text))
    cells: list[str] = []
    stack: list[tuple[int, str]] = []
    for token in range(len(document)):
        cell = ""
        for end, _, name, text in sorted(opening[token]):
            cell += text
            stack.append((-end, name))
        while done := [at for at, (end, _) in enumerate(stack) if end == token + 1]:
            top = done[-1]
            cell += ")" if top == len(stack) - 1 else f"@{stack[top][1]})"
            del stack[top]
        cells.append(cell or "_")
    return cells
