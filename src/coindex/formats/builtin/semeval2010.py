"""SemEval-2010: numbered tokens with gold and predicted columns, coreference in the last.

    #begin document 12_news
    1  Ann    Ann   _  NNP  _  _  _  2  _  SBJ   _  _  _  _  _  (1)
    2  slept  sleep _  VBD  _  _  _  0  _  ROOT  _  _  _  _  _  _
    #end document 12_news

Columns, by tabs: number, word, and then pairs of gold and predicted values: lemma, tag,
features, head, relation, named entity, predicate; then the arguments of predicates, and
coreference. Of each pair the gold column is read, or the predicted one if that is empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from coindex.formats.conll import (
    bracket_column,
    count_renamed,
    read_column,
)
from coindex.formats.conll_cells import is_semeval
from coindex.formats.xml_tree import whole_number
from coindex.transform.edit import count_shared_spans
from coindex.types.document import Document, Layer, join
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({
    "entities", "entity-id", "tokens", "sentences", "lemma", "pos", "heads",
    "layers:features", "layers:deprel", "layers:names",
})  # fmt: skip

_BEGIN = re.compile(r"#begin document\b[ \t]*(.*)", re.IGNORECASE)
_END = re.compile(r"#end document\b", re.IGNORECASE)
_LEAST = 13
_LAYERS = ((6, "features"), (10, "deprel"), (12, "names"))
_NOTHING = frozenset({"_", "-", ""})

Rows = list[list[str]]


def sniff(head: Sequence[str]) -> bool:
    """The first line is `#begin document`, and the rows are wide and numbered from 1."""
    first = next((line for line in head if line.strip()), "")
    return bool(_BEGIN.match(first)) and is_semeval(head)


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one by one."""
    numbered = enumerate(lines, 1)
    for number, line in numbered:
        begin = _BEGIN.match(line)
        if begin:
            source.begin(number)
            name = begin[1].strip().strip("()") or "_"
            yield _document(name, *_rows(name, number, numbered, source), source)
        elif line.strip():
            raise source.error(number, f"expected '#begin document', found {line.strip()[:40]!r}")


def _rows(
    id: str, begun: int, numbered: Iterator[tuple[int, str]], source: Source
) -> tuple[Rows, list[int]]:
    """The columns of each token up to `#end document`, and the first token of each sentence."""
    rows: Rows = []
    firsts: list[int] = []
    fresh = True
    for number, line in numbered:
        if _END.match(line):
            return rows, firsts
        if not line.strip():
            fresh = True
            continue
        fields = [field.strip(" ") for field in line.rstrip("\r\n").split("\t")]
        if len(fields) < _LEAST or not fields[1]:
            expected = f"expected {_LEAST} columns or more by tabs, with a word in the second"
            raise source.error(number, f"{expected}, found {line.strip()[:40]!r}")
        if fresh:
            firsts.append(len(rows))
            source.anchor(len(rows), number)
            fresh = False
        rows.append(fields)
    raise source.error(begun, f"document {id!r} has no '#end document'")


def _document(id: str, rows: Rows, firsts: list[int], source: Source) -> Document:
    words = tuple(row[1] for row in rows)
    text, starts, ends = join(words, firsts)
    return Document(
        id,
        text,
        words,
        starts,
        ends,
        tuple(firsts),
        read_column([row[-1] for row in rows], source),
        lemma=_column(rows, 2),
        pos=_column(rows, 4),
        heads=_heads(rows, firsts, source),
        layers=tuple(_layers(rows)),
    )


def _column(rows: Rows, gold: int) -> tuple[str, ...] | None:
    """A gold column, or the predicted one beside it; None if both are empty."""
    for at in (gold, gold + 1):
        values = tuple(row[at] if at < len(row) - 1 else "_" for row in rows)
        if not _NOTHING.issuperset(values):
            return values
    return None


def _layers(rows: Rows) -> Iterator[Layer]:
    for at, name in _LAYERS:
        column = _column(rows, at)
        if column is not None:
            yield name, column


def _heads(rows: Rows, firsts: list[int], source: Source) -> tuple[int, ...] | None:
    """The governor of each token; -1 for a root and for a token without one."""
    column = _column(rows, 8)
    if column is None:
        return None
    heads = []
    bounds = [*firsts, len(rows)]
    for first, end in pairwise(bounds):
        for token in range(first, end):
            value = "0" if column[token] in _NOTHING else column[token]
            number = whole_number(value)
            if number is None or number > end - first:
                message = f"expected a head within the sentence, found {value!r}"
                raise source.error(source.line_of(token), message)
            heads.append(first + number - 1 if number else -1)
    return tuple(heads)


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    return {
        "mention(s) of several entities, written in each: scorers call them repeated": (
            count_shared_spans(document)
        ),
        "entities renamed: their ids cannot stand in brackets": count_renamed(document),
        "documents renamed: white space in the id": int(_name(document) != document.id),
        "token(s) with white space, written as _": (
            sum(any(map(str.isspace, token)) for token in document.tokens)
        ),
    }


def write(items: Iterable[Document]) -> Iterator[str]:
    """Seventeen columns by tabs; the predicted ones are empty."""
    for document in items:
        yield f"#begin document {_name(document)}\n"
        yield from _write_rows(document)
        yield f"#end document {_name(document)}\n"


def _name(document: Document) -> str:
    return "_".join(document.id.strip("()").split()) or "_"


def _write_rows(document: Document) -> Iterator[str]:
    blank = ("_",) * len(document)
    layers = dict(document.layers)
    names = (layers.get(name, blank) for _, name in _LAYERS)
    features, relations, entities = names
    coreference = bracket_column(document)
    for span in document.sentence_spans():
        for token in range(span.start, span.end):
            head = "_" if document.heads is None else _head(document.heads[token], span.start)
            gold = [
                (document.lemma or blank)[token], (document.pos or blank)[token],
                features[token], head, relations[token], entities[token], "_",
            ]  # fmt: skip
            pairs = [cell for value in gold for cell in ("_".join(value.split()) or "_", "_")]
            word = "_".join(document.tokens[token].split()) or "_"
            last = "_" if coreference[token] == "-" else coreference[token]
            row = [str(token - span.start + 1), word, *pairs, last]
            yield "\t".join(row) + "\n"
        yield "\n"


def _head(head: int, first: int) -> str:
    return str(head - first + 1) if head >= first else "0"
