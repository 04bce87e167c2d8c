"""Rows of JSON lines, CSV and TSV as texts: which field is the text, and what else there is.

A row that is broken is skipped; the ones after it are read. CSV is quoted as in RFC 4180; TSV has
no quotation marks, as its fields hold neither tabs nor line breaks.
"""

from __future__ import annotations

import csv
import io as standard_io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO, Any

from coindex import io
from coindex.batch.encodings import AUTO, UTF8, guess_encoding
from coindex.errors import FormatError, InvalidValue
from coindex.formats.reading import sniff
from coindex.types.document import Document

TEXT = "text"
ID = "id"
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_TABLES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv"}
_LONGEST = 100_000_000  # characters of a field of CSV
_WIDE = ("utf-16", "utf-32")

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RowFields:
    """The names of the fields of a row; None for `text` and, where there is one, `id`."""

    text: str | None = None
    id: str | None = None
    speaker: str | None = None


def may_be_rows(head: bytes, name: str) -> bool:
    """Whether more of a file is worth reading to know if it has rows."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return begins == b"{" or _suffix(name) in (*_TABLES, *_JSON_SUFFIXES)


def row_kind(head: bytes, name: str, fields: RowFields) -> str | None:
    """`jsonl`, `csv` or `tsv` if a file has rows of texts; None if it is something else.

    Without the name of a field for the text, documents in one of coindex's formats come first.

    head   the first bytes of the file, decompressed
    """
    text = head.decode("utf-8-sig", errors="replace")
    lines = text.splitlines(keepends=True)
    first = next((line for line in lines if line.strip()), "")
    suffix = _suffix(name)
    if first.lstrip().startswith("{"):
        wanted = fields.text is not None or (_has_text(first) and not _known(lines))
        return "jsonl" if wanted else None
    delimited = _TABLES.get(suffix)
    if delimited is None and fields.text is not None and name in ("-", "<stdin>"):
        delimited = "tsv" if "\t" in first else "csv"
    if delimited is None:
        if fields.text is not None and suffix in _JSON_SUFFIXES:
            return "jsonl"  # broken from its first line on
        return None
    if fields.text is not None:
        return delimited
    return delimited if TEXT in _header(first, delimited) and not _known(lines) else None


def _suffix(name: str) -> str:
    path = PurePath(name)
    return (path.with_suffix("") if path.suffix in io.SUFFIXES else path).suffix.lower()


def _known(lines: list[str]) -> bool:
    """Whether the lines begin a document in one of coindex's formats."""
    try:
        return sniff(lines[:60]) != "text"
    except FormatError:
        return False


def _has_text(line: str) -> bool:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and isinstance(row.get(TEXT), str)


def _header(line: str, kind: str) -> list[str]:
    return next(_delimited([line], kind), [])


def read_rows(stream: IO[bytes], kind: str, encoding: str) -> Iterator[tuple[int, Row | str]]:
    """The number of each row's line with the row, or with the reason why it cannot be read."""
    if kind == "jsonl":
        yield from _json_rows(_decoded(stream, encoding, "strict"))
    else:
        yield from _table_rows(_decoded(stream, encoding, "surrogateescape"), kind)


def _decoded(stream: IO[bytes], encoding: str, errors: str) -> Iterator[str | UnicodeDecodeError]:
    """Each line as text; one that cannot be decoded does not concern the others."""
    if encoding.startswith(_WIDE):
        wrapper = standard_io.TextIOWrapper(stream, encoding, errors="replace", newline="\n")
        try:
            yield from wrapper
        finally:
            wrapper.detach()  # who opened the stream closes it
        return
    named = UTF8 if encoding == AUTO else encoding
    for number, line in enumerate(stream):
        if not number:
            line = line.removeprefix(b"\xef\xbb\xbf")
        try:
            yield line.decode(named)
        except UnicodeDecodeError as error:
            if encoding == AUTO:
                yield line.decode(guess_encoding(line), errors="replace")
            elif errors == "strict":
                yield error
            else:
                yield line.decode(named, errors=errors)


def _json_rows(lines: Iterable[str | UnicodeDecodeError]) -> Iterator[tuple[int, Row | str]]:
    for number, line in enumerate(lines, 1):
        if isinstance(line, UnicodeDecodeError):
            yield number, f"expected UTF-8 text, found the byte 0x{line.object[line.start]:02x}"
        elif line.strip():
            yield number, _json_row(line)


def _json_row(line: str) -> Row | str:
    try:
        row = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return f"expected a JSON object, found {_short(line)} ({error})"
    if not isinstance(row, dict):
        return f"expected a JSON object, found {_short(line)}"
    return row


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _short(line: str) -> str:
    bare = line.strip()
    return repr(bare if len(bare) <= 40 else f"{bare[:40]}…")


def _delimited(lines: Iterable[str], kind: str) -> Iterator[list[str]]:
    csv.field_size_limit(_LONGEST)
    if kind == "tsv":
        return csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return csv.reader(lines, strict=True)


def _table_rows(
    lines: Iterable[str | UnicodeDecodeError], kind: str
) -> Iterator[tuple[int, Row | str]]:
    count = 0

    def counted() -> Iterator[str]:
        nonlocal count
        for line in lines:
            count += 1
            yield str(line)

    rows = _delimited(counted(), kind)
    header: list[str] | None = None
    while True:
        first = count + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield first, f"expected a row of {kind.upper()}: {error}"
            continue
        if not row:
            continue  # a blank line
        if header is None:
            header = row
        elif len(row) != len(header):
            yield first, f"expected {len(header)} fields as in the first line, found {len(row)}"
        else:
            yield first, dict(zip(header, row, strict=True))


def row_document(
    row: Row, fields: RowFields, default_id: str
) -> tuple[Document, str, dict[str, Any]]:
    """The document of a row, who says it, and the other fields."""
    text = _field(row, fields.text or TEXT)
    if not isinstance(text, str):
        kind = "null" if text is None else type(text).__name__
        raise InvalidValue(f"expected text in the field {fields.text or TEXT!r}, found {kind}")
    used = {fields.text or TEXT}
    id = default_id
    if fields.id is not None or row.get(ID) not in (None, ""):
        id = _name(_field(row, fields.id or ID))
        used.add(fields.id or ID)
    speaker = ""
    if fields.speaker is not None:
        said_by = _field(row, fields.speaker)
        speaker = "" if said_by is None else _name(said_by)
        used.add(fields.speaker)
    others = {name: plain(value) for name, value in row.items() if name not in used}
    _check_characters(text, id, speaker, json.dumps(others, ensure_ascii=False))
    return Document(id or default_id, text), speaker, others


def _field(row: Row, name: str) -> Any:
    if name not in row:
        names = ", ".join(map(str, list(row)[:10])) or "no field"
        raise InvalidValue(f"expected the field {name!r}, found {names}")
    return row[name]


def _name(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)


def _check_characters(*texts: str) -> None:
    """An error for half characters, which cannot be written, and bytes that were not decoded."""
    for text in texts:
        if half := re.search(r"[\ud800-\udfff]", text):
            code = ord(half[0])
            if 0xDC80 <= code <= 0xDCFF:
                raise InvalidValue(f"expected UTF-8 text, found the byte 0x{code - 0xDC00:02x}")
            raise InvalidValue(
                f"expected text that UTF-8 can hold, found half a character (\\u{code:04x})"
            )


def plain(value: Any) -> Any:
    """A value as JSON can hold it: dates as text, bytes as text, numbers that are none as null."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return str(value)
