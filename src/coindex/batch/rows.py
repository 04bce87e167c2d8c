"""Rows of JSON lines, CSV and TSV as texts: which field is the text, and what else there is.

A row that is broken is skipped; the ones after it are read.
"""

from __future__ import annotations

import io as standard_io
import json
import math
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, Literal

from coindex.batch.encodings import AUTO, UTF8, guess_encoding
from coindex.batch.file_kinds import HEAD as HEAD_BYTES
from coindex.batch.file_kinds import suffix
from coindex.batch.tables import TSV, Row, TableKind, column_list, detect_csv, table_rows
from coindex.errors import InputError, InvalidValue
from coindex.formats.reading import HEAD, matching_formats
from coindex.types.document import Document

TEXT = "text"
ID = "id"
JSON_LINES: Literal["jsonl"] = "jsonl"
_JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
_JSON_SUFFIXES = (*_JSON_LINES_SUFFIXES, ".json")
_TABLES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv"}
_WIDE = ("utf-16", "utf-32")
EXAMINED = 100
"""The number of JSON lines of which one must have a text, if the first one has none."""

RowKind = Literal["jsonl"] | TableKind


@dataclass(frozen=True, slots=True)
class RowFields:
    """The names of the fields of a row; None for `text` and, where there is one, `id`."""

    text: str | None = None
    id: str | None = None
    speaker: str | None = None

    @property
    def wanted(self) -> tuple[str, ...]:
        """The fields that every row must have."""
        named = (self.text or TEXT, self.id, self.speaker)
        return tuple(name for name in named if name is not None)


def may_be_rows(head: bytes, name: str) -> bool:
    """Whether more of a file is worth reading to know if it has rows."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return begins == b"{" or suffix(name) in (*_TABLES, *_JSON_SUFFIXES)


def row_kind(head: bytes, name: str, fields: RowFields) -> RowKind | None:
    """What rows of texts a file has; None if it is something else.

    Without the name of a field for the text, documents in one of coindex's formats come first. A
    table of other columns than `text` is an error then, as it is no prose.

    head   the first bytes of the file, decompressed
    """
    text = head.decode("utf-8-sig", errors="replace")
    lines = text.splitlines(keepends=True)
    first = next((line for line in lines if line.strip()), "")
    ending = suffix(name)
    if not first:
        return _empty_kind(ending)
    if first.lstrip().startswith("{") or ending in _JSON_LINES_SUFFIXES:
        wanted = fields.text is not None or _rows_with_text(lines, first, ending)
        return JSON_LINES if wanted else None
    if ending in _TABLES or (fields.text is not None and name in ("-", "<stdin>")):
        return _table_kind(lines, first, name, fields)
    if fields.text is not None and ending in _JSON_SUFFIXES:
        return JSON_LINES  # broken from its first line on
    return None


def _empty_kind(ending: str) -> RowKind | None:
    """Rows, but none, if the name of an empty file says so; else it is an empty text."""
    if ending in _TABLES:
        return TSV if _TABLES[ending] == TSV.name else TableKind()
    return JSON_LINES if ending in _JSON_LINES_SUFFIXES else None


def _table_kind(lines: list[str], first: str, name: str, fields: RowFields) -> TableKind | None:
    tabs = "\t" in first if name in ("-", "<stdin>") else _TABLES[suffix(name)] == TSV.name
    kind = TSV if tabs else detect_csv(lines, fields.text or TEXT)
    if fields.text is not None:
        return kind
    if _known(lines):
        return None
    columns = kind.header(lines)
    if TEXT not in columns:
        raise InputError(
            f"{name}: expected the column {TEXT!r}, or --text-field for another one, found"
            f" {column_list(columns)}, separated by {kind.separators}, in the first line"
            f" (--from text reads the file as plain text)"
        )
    return kind


def _known(lines: list[str]) -> bool:
    """Whether the lines begin a document in one of coindex's formats."""
    return bool(matching_formats(lines[:HEAD]))


def _rows_with_text(lines: list[str], first: str, ending: str) -> bool:
    """Whether JSON objects are rows of texts and no documents; the first of them may be broken."""
    if ending in _JSON_LINES_SUFFIXES:
        examined = [line for line in lines if line.strip()][:EXAMINED]
        found = next((at for at, line in enumerate(examined) if _has_text(line)), None)
        return found is not None and not _known(examined) and not _known(examined[found:])
    return _has_text(first) and not _known(lines)


def _has_text(line: str) -> bool:
    """Whether a line is an object with a text; one that is longer than the head is cut off in it."""
    cut_off = len(line) >= HEAD_BYTES // 4 and not line.endswith("\n")
    for candidate in [line, *_completed(line)] if cut_off else [line]:
        with suppress(ValueError, RecursionError):
            row = json.loads(candidate)
            return isinstance(row, dict) and isinstance(row.get(TEXT), str)
    return False


def _completed(line: str) -> Iterator[str]:
    """An object that was cut off in a string, perhaps within an escape such as `\\u00e9`."""
    for cut in range(7):
        yield line[: len(line) - cut] + '"}'


def read_rows(
    stream: IO[bytes], kind: RowKind, encoding: str, fields: RowFields
) -> Iterator[tuple[int, Row | str]]:
    """The number of each row's line with the row, or with the reason why it cannot be read."""
    if isinstance(kind, str):
        yield from _json_rows(_decoded(stream, encoding, "strict"))
    else:
        lines = _decoded(stream, encoding, "surrogateescape")
        yield from table_rows(map(str, lines), kind, fields.wanted)


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


def row_document(
    row: Row, fields: RowFields, default_id: str
) -> tuple[Document, str, dict[str, Any]]:
    """The document of a row, who says it, and the other fields."""
    text = _decoded_text(_field(row, fields.text or TEXT), fields.text or TEXT)
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


def _decoded_text(value: Any, name: str) -> Any:
    """A value as it is, but binary data as the text that it holds."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise InvalidValue(
            f"expected text in the field {name!r}, found binary data that is not UTF-8"
            f" (the byte 0x{value[error.start]:02x}): convert the column to strings first"
        ) from error


def _name(value: Any) -> str:
    known = plain(value)
    return known if isinstance(known, str) else json.dumps(known, ensure_ascii=False)


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
    """A value as JSON can hold it: dates as text, NaN and infinity as null, binary data as text.

    Binary data that is not UTF-8 is `{"base64": ...}`, so that none of it is lost.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return _plain_bytes(value)
    return str(value)


def _plain_bytes(value: bytes) -> str | dict[str, str]:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(value).decode("ascii")}
