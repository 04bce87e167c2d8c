"""CoNLL-2012: one line per token, coreference in brackets in the last column.

    #begin document (nw/a); part 000
    nw/a  0  0  Ann   NNP  (TOP(S(NP*)  -  -  -  -  *  (1)
    nw/a  0  1  slept VBD  (VP*)))      -  -  -  -  *  -
    #end document

Columns: document, part, index, word, POS, parse, lemma, frameset, sense,
speaker, names, arguments (any number), coreference. Dialects read: `(1|(2` and
`(1(2`; tabs or spaces; headers without parentheses or part; an empty last
column; headers with a bare name that has spaces or with no name, stray lines before and
between documents, `|` with spaces, and rows without headers (see `conll_headless`), which are
noted; files of two columns (document or word, coreference), three (index,
word, coreference) and five (document, part, index, word, coreference). Written:
the official twelve columns or more, separated by tabs. A closing bracket closes the
last open mention of its entity, so mentions that cross within one entity are lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from coindex.formats.conll import (
    Columns,
    bracket_column,
    count_renamed,
    read_column,
    read_columns,
)
from coindex.formats.conll_cells import is_semeval
from coindex.formats.conll_headless import headless_documents, is_headless, is_row
from coindex.transform.edit import count_shared_spans
from coindex.types.document import Document, Layer, join
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({
    "entities", "entity-id", "part", "speakers", "pos", "lemma", "parse", "sentences", "tokens",
    "layers:frameset", "layers:sense", "layers:names", "layers:arguments",
})  # fmt: skip

_BEGIN = re.compile(r"#\s*begin document\b[ \t]*(.*)", re.IGNORECASE)
_END = re.compile(r"#\s*end document\b", re.IGNORECASE)
_NAME = re.compile(
    r"(?:\((.*)\)|(?!part[ \t]+\d)([^\s;(][^;]*?)|);?[ \t]*(?:\bpart[ \t]+(\d{1,9}))?"
)
_NOTHING = frozenset({"-", "_", "*", ""})
_BREAKS = re.compile(r"[\t\r\n]")
_LAYERS = ((7, "frameset"), (8, "sense"), (10, "names"))

_ROW = re.compile(r"\S[ ]+(?:-|_|\*|[^\s()|]*[()][\S]*)[ ]*\r?$")  # it ends with a coreference cell
_RARE = frozenset("# \t\r\n")
_MOST_STRAY = 50
"""How many lines may come before the first document."""


def sniff(head: Sequence[str]) -> bool:
    """The first line that is not a comment is `#begin document`, or a row without a header.

    There may be other lines before it if a row follows: a system's messages, for example.
    """
    lines = [line for line in head if line.strip()]
    for at, line in enumerate(lines):
        if _BEGIN.match(line):
            sure = all(before.startswith("#") for before in lines[:at])
            follows = len(lines) > at + 1 and is_row(lines[at + 1])
            return (sure or follows or is_headless(head)) and not is_semeval(lines[at:])
    return is_headless(head)


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, each with all its parts' tokens and entities."""
    numbered = enumerate(lines, 1)
    unnamed = count(1)
    following = next(numbered, None)
    headed = False
    stray: list[tuple[int, str]] = []
    while following:
        number, line = following
        begin = _BEGIN.match(line)
        if begin:
            source.begin(number)
            id, part = _header(begin.group(1), number, source, unnamed)
            rows, firsts, following = _rows(id, number, numbered, source)
            yield _document(id, part, rows, firsts, source)
        elif not headed and not stray and is_row(line):
            for id, part, rows, firsts, begins in headless_documents(following, numbered, source):
                yield _document(id, part, rows, firsts, source)
                following = begins
        else:
            following = None
            if line.strip() and line[0] != "#":
                stray.append((number, line))
        headed = headed or begin is not None
        _leave_out(stray, headed, _MOST_STRAY, source)
        following = following or next(numbered, None)
    _leave_out(stray, headed, 0, source)


def _leave_out(stray: list[tuple[int, str]], headed: bool, most: int, source: Source) -> None:
    """Note the lines outside of documents; more than `most` before the first one are an error."""
    for number, line in stray if headed or len(stray) > most else ():
        message = f"expected '#begin document', found {line.strip()[:40]!r}"
        if not headed:
            raise source.error(number, message)
        source.note(number, "dialect", f"{message}; the line is left out")
    if headed:
        stray.clear()


def _header(
    text: str, number: int, source: Source, unnamed: Iterator[int]
) -> tuple[str, int | None]:
    """The name and the part of a document; a document without a name is called `_`, `_2`, ..."""
    match = _NAME.fullmatch(text.strip())
    if not match:
        raise source.error(number, f"expected '(NAME); part N', found {text.strip()!r}")
    name = (match[1] or match[2] or "").strip()
    if not name or (match[2] and " " in name):
        found = f"found {text.strip()!r}" if text.strip() else "found no name"
        at = 0 if name else next(unnamed)
        name = name or ("_" if at == 1 else f"_{at}")
        message = f"expected '(NAME); part N', {found}; the document is called {name!r}"
        source.note(number, "dialect", message)
    return name, int(match[3]) if match[3] else None


def _rows(
    id: str, begun: int, numbered: Iterator[tuple[int, str]], source: Source
) -> tuple[list[str], list[int], tuple[int, str] | None]:
    """The token lines up to `#end document`, and the index of each sentence's first.

    If `#end document` is missing and the source is lenient, the line that begins the next
    document is returned too.
    """
    rows: list[str] = []
    firsts: list[int] = []
    fresh = True
    for number, line in numbered:
        if line[0] in _RARE and ("\t" not in line or line.isspace()):
            if _END.match(line):
                return rows, firsts, None
            if _BEGIN.match(line):
                _no_end(number, f"document {id!r} (line {begun}) has no '#end document'", source)
                return rows, firsts, (number, line)
            if line.isspace() or (line[0] == "#" and not _ROW.search(line)):
                fresh = True
                continue
        if fresh:
            firsts.append(len(rows))
            source.anchor(len(rows), number)
            fresh = False
        rows.append(line)
    _no_end(begun, f"document {id!r} has no '#end document'", source)
    return rows, firsts, None


def _no_end(number: int, message: str, source: Source) -> None:
    if not source.lenient:
        raise source.error(number, message)
    source.mistake(number, "end", message)


def _document(
    id: str, part: int | None, lines: list[str], firsts: list[int], source: Source
) -> Document:
    columns = read_columns(id, lines, source)
    words = columns[3]
    if "" in words:
        at = words.index("")
        raise source.error(source.line_of(at), "expected a word, found an empty column")
    text, starts, ends = join(words, firsts)
    return Document(
        id,
        text,
        words,
        starts,
        ends,
        tuple(firsts),
        read_column(columns[-1], source),
        part,
        speakers=_speakers(columns),
        pos=_column(columns, 4),
        lemma=_column(columns, 6),
        parse=_column(columns, 5),
        layers=_layers(columns),
    )


def _column(columns: Columns, index: int) -> tuple[str, ...] | None:
    """A column, or None if it is missing or empty."""
    if index >= len(columns) - 1 or _NOTHING.issuperset(columns[index]):
        return None
    return columns[index]


def _speakers(columns: Columns) -> tuple[str, ...] | None:
    column = _column(columns, 9)
    return column and tuple("" if name in _NOTHING else name for name in column)


def _layers(columns: Columns) -> tuple[Layer, ...]:
    layers = [
        (name, column) for index, name in _LAYERS if (column := _column(columns, index)) is not None
    ]
    if any(not _NOTHING.issuperset(column) for column in columns[11:-1]):
        rows = zip(*columns[11:-1], strict=True)
        layers.append(("arguments", tuple(" ".join(filter(None, row)) for row in rows)))
    return tuple(layers)


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    return {
        "mention(s) of several entities, written in each: scorers call them repeated": (
            count_shared_spans(document)
        ),
        "entities renamed: their ids cannot stand in brackets": count_renamed(document),
        "documents renamed: white space in the id": int(_name(document) != document.id),
        "token(s) with a line break or a tab, written as a space": (
            sum(any(c in token for c in "\t\r\n") for token in document.tokens)
        ),
    }


def write(items: Iterable[Document]) -> Iterator[str]:
    """The official columns, separated by tabs."""
    for document in items:
        part = "" if document.part is None else f" part {document.part:03}"
        yield f"#begin document ({_name(document)});{part}\n"
        yield from _write_rows(document)
        yield "#end document\n"


def _name(document: Document) -> str:
    return " ".join(document.id.split()) or "_"


def _write_rows(document: Document) -> Iterator[str]:
    layers = dict(document.layers)
    blank, stars = ("-",) * len(document), ("*",) * len(document)
    arguments = layers.get("arguments", ("",) * len(document))
    name = "".join(document.id.split()) or "_"
    columns = zip(
        document.tokens,
        document.pos or blank,
        document.parse or blank,
        document.lemma or blank,
        layers.get("frameset", blank),
        layers.get("sense", blank),
        document.speakers or blank,
        layers.get("names", stars),
        ("\t".join(row.split()) for row in arguments),
        bracket_column(document),
        strict=True,
    )
    firsts = frozenset(document.sentences)
    index = 0
    for number, fields in enumerate(columns):
        index = 0 if number in firsts else index + 1
        if number in firsts and number:
            yield "\n"
        row = [" ".join(_BREAKS.split(field)) or "-" for field in fields[:8]]
        end = [fields[8], fields[9]] if fields[8] else [fields[9]]
        yield "\t".join([name, str(document.part or 0), str(index), *row, *end]) + "\n"
    if document.tokens:
        yield "\n"
