"""CoNLL files without `#begin document`: rows of tokens, and nothing that names a document.

A new document begins where the first two columns (document and part) change, if the rows have
five columns or more. Otherwise the whole file is one document, named after the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, takewhile

from coindex import io
from coindex.types.source import Source

Line = tuple[int, str]
"""A line with its number."""

HeadlessDocument = tuple[str, int | None, list[str], list[int], Line | None]
"""Name, part, rows, the first row of each sentence, and the header that ended the document."""

_BRACKETS = r"(?:(?:\([^\s()|]+\)?|[^\s()|]+\))(?: *\| *)?)+"
_CELL = re.compile(rf"[\t ](?:[-_*]|{_BRACKETS})[\t ]*$")
_MENTION = re.compile(rf"[\t ]{_BRACKETS}[\t ]*$")
_HEADER = re.compile(r"#\s*(begin|end) document\b", re.IGNORECASE)
_LEAST = 2
"""Rows from which a file is recognised."""


def is_row(line: str) -> bool:
    """Whether a line has two columns or more and ends with a coreference cell."""
    return _CELL.search(line.rstrip("\r\n")) is not None


def is_headless(head: Sequence[str]) -> bool:
    """Whether lines are rows of equal width with brackets, by tabs or with numbered tokens."""
    before = takewhile(lambda line: not _HEADER.match(line), head)
    rows = [line.rstrip("\r\n") for line in before if line.strip() and line[0] != "#"]
    if len(rows) < _LEAST or not all(map(is_row, rows)) or not any(map(_MENTION.search, rows)):
        return False
    if all("\t" in row for row in rows):
        widths = {row.rstrip("\t").count("\t") for row in rows}
        return len(widths) == 1 or min(widths) > 10
    return all(_document_of(row) for row in rows)


def _document_of(row: str) -> tuple[str, int] | None:
    """The name and the part in the first two columns, if the third has the token's number."""
    fields = row.split(maxsplit=4)
    numbers = fields[1:3] if len(fields) == 5 else [""]
    if all(re.fullmatch("[0-9]{1,9}", number) for number in numbers):
        return fields[0], int(fields[1])
    return None


def headless_documents(
    first: Line, numbered: Iterator[Line], source: Source
) -> Iterator[HeadlessDocument]:
    """The documents up to a header, to `#end document` or to the end of the file."""
    rows: list[str] = []
    firsts: list[int] = []
    current = _document_of(first[1])
    fresh, following = True, None
    _begin(first[0], current, source)
    for number, line in chain([first], numbered):
        header = _HEADER.match(line)
        if header:
            following = (number, line) if header[1].lower() == "begin" else None
            break
        if not line.strip() or (line[0] == "#" and not is_row(line)):
            fresh = True
            continue
        document = _document_of(line)
        if document and current and document != current:
            yield *_name(current, source), rows, firsts, None
            rows, firsts, current, fresh = [], [], document, True
            _begin(number, current, source)
        if fresh:
            firsts.append(len(rows))
            source.anchor(len(rows), number)
            fresh = False
        rows.append(line)
    yield *_name(current, source), rows, firsts, following


def _name(document: tuple[str, int] | None, source: Source) -> tuple[str, int | None]:
    return document or (io.stem(source.name), None)


def _begin(number: int, document: tuple[str, int] | None, source: Source) -> None:
    source.begin(number)
    name = _name(document, source)[0]
    message = f"expected '#begin document', found a row; the document is called {name!r}"
    source.note(number, "dialect", message)
