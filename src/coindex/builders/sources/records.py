"""The records of a shard: sequences of lines, each of which begins with a recognisable line.

A record belongs to the shard that contains its first byte, and is read to its end wherever that
is. What follows a record and begins none (blank lines, stray text, damage at the end of a
truncated file) belongs to the same shard, so that the same records and the same damage are found
in the same order however a file is split.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from coindex.builders.sources.decompress import (
    Block,
    DamagedBlock,
    compression,
    read_blocks,
    read_bz2_streams,
)
from coindex.builders.sources.protocol import Page, RejectedInput, Shard

LIMIT = 64 << 20
"""The maximum length of a line and of a record in bytes, which bounds the memory needed."""

LOST = "cannot be unpacked"
LONG = "too long"
ENCODING = "invalid UTF-8"
OUTSIDE = "text outside of records"
JSON = re.compile(r'\s*\{\s*"')


class Line(NamedTuple):
    """A line without its break; the other fields as in `Block`."""

    raw: int
    stream: int
    offset: int
    data: bytes


@dataclass(slots=True)
class Record:
    """A sequence of lines; `begun` is false for lines before the first record."""

    source: str
    position: str
    begun: bool
    lines: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, data: bytes) -> None:
        """Add a line; lines beyond the limit are only counted."""
        self.size += len(data) + 1
        if self.size <= LIMIT:
            self.lines.append(data)

    def text(self) -> str | RejectedInput:
        """The record as text, or why there is none."""
        if self.size > LIMIT:
            return self.reject(LONG, f"more than {LIMIT >> 20} MiB")
        data = b"\n".join(self.lines)
        try:
            return data.decode("utf-8-sig" if self.position == "byte 0" else "utf-8")
        except UnicodeDecodeError as error:
            return self.reject(ENCODING, f"the byte 0x{data[error.start]:02x} at {error.start}")

    def reject(self, reason: str, example: str = "", skipped: bool = False) -> RejectedInput:
        """This record as one that did not become a page."""
        return RejectedInput(self.source, self.position, reason, skipped, example)


Begins = Callable[[Line, int], bool]
"""Whether a line begins a record, given also the offset of the line before it (-1: none)."""

MakePage = Callable[[dict[str, Any], str, Record], Page | RejectedInput]
"""Makes a page from a JSON object, its line and its record."""


def every_line(line: Line, before: int) -> bool:
    """Each line is a record."""
    return True


def record_texts(
    shard: Shard, begins: Begins = every_line
) -> Iterator[tuple[str, Record] | RejectedInput]:
    """The text of each record with the record, and damaged input, in the file's order."""
    for record in read_records(shard, begins):
        if isinstance(record, RejectedInput):
            yield record
            continue
        text = record.text()
        yield text if isinstance(text, RejectedInput) else (text, record)


def read_records(shard: Shard, begins: Begins = every_line) -> Iterator[Record | RejectedInput]:
    """The records of a shard, and damaged input, in the file's order."""
    own = shard.start == 0 or _counted(shard)
    record: Record | None = None
    before = shard.start - 1
    for event in _lines_of(shard):
        if isinstance(event, DamagedBlock):
            if own:
                yield from _present(record)
                record = None
                yield RejectedInput(shard.path, byte_position(event), LOST, example=event.reason)
            continue
        begun = begins(event, before)
        past = shard.end is not None and event.raw >= shard.end
        if past and (begun or not own):
            break
        before = event.offset
        if begun:
            own = True
            yield from _present(record)
            record = None
        if own:
            record = record or Record(shard.path, byte_position(event), begun)
            record.add(event.data)
    yield from _present(record)


def _present(record: Record | None) -> Iterator[Record]:
    if record:
        yield record


def byte_position(event: Line | DamagedBlock) -> str:
    """The position of a line: decompressed bytes since the start of the file or bzip2 stream."""
    return f"byte {event.stream}+{event.offset}" if event.stream else f"byte {event.offset}"


def _counted(shard: Shard) -> bool:
    return ("cut", "streams") in shard.metadata


def _lines_of(shard: Shard) -> Iterator[Line | DamagedBlock]:
    if _counted(shard):
        return read_lines(
            read_bz2_streams(shard.path, shard.start, shard.end), shard.start, plain=False
        )
    plain = compression(shard.path) is None
    return read_lines(read_blocks(shard.path, shard.start), shard.start, plain=plain)


def read_lines(
    events: Iterable[Block | DamagedBlock], start: int = 0, plain: bool = True
) -> Iterator[Line | DamagedBlock]:
    """The lines that begin at `start` or after it."""
    joiner = _Joiner(plain)
    for event in events:
        if isinstance(event, DamagedBlock):
            yield from joiner.rest()
            yield event
        elif event.raw < start:
            joiner.skip(event.data)
        else:
            yield from joiner.take(event)
    yield from joiner.rest()


class _Joiner:
    """Joins the parts of lines that blocks split."""

    def __init__(self, plain: bool) -> None:
        self._plain = plain
        self._parts: list[bytes] = []
        self._size = 0
        self._head = Line(0, 0, 0, b"")
        self._dropping = False

    def skip(self, data: bytes) -> None:
        """Skip data before the shard: it only matters whether it ends a line."""
        self._dropping = not data.endswith(b"\n")

    def take(self, block: Block) -> Iterator[Line | DamagedBlock]:
        data, at = block.data, 0
        while (end := data.find(b"\n", at)) >= 0:
            if self._dropping:
                self._dropping = False
            elif self._parts:
                self._parts.append(data[at:end])
                yield self._head._replace(data=b"".join(self._parts))
                self._parts, self._size = [], 0
            else:
                raw = block.raw + at if self._plain else block.raw
                yield Line(raw, block.stream, block.offset + at, data[at:end])
            at = end + 1
        if at < len(data) and not self._dropping:
            yield from self._hold(block, at)

    def _hold(self, block: Block, at: int) -> Iterator[DamagedBlock]:
        if not self._parts:
            raw = block.raw + at if self._plain else block.raw
            self._head = Line(raw, block.stream, block.offset + at, b"")
        self._parts.append(block.data[at:])
        self._size += len(block.data) - at
        if self._size > LIMIT:
            self._parts, self._size, self._dropping = [], 0, True
            reason = f"a line of more than {LIMIT >> 20} MiB"
            yield DamagedBlock(self._head.raw, self._head.stream, self._head.offset, reason)

    def rest(self) -> Iterator[Line]:
        """The last line, if it does not end with a line break."""
        if self._parts:
            yield self._head._replace(data=b"".join(self._parts))
        self._parts, self._size, self._dropping = [], 0, False


def parse_json_line(line: str) -> Any:
    """The value of a line; None if it is not JSON, or has unpaired surrogates."""
    try:
        value = json.loads(line)
        if "\\u" in line:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None
    return value


def json_pages(shard: Shard, make_page: MakePage) -> Iterator[Page | RejectedInput]:
    """A page for each line of a shard that is not blank."""
    for entry in record_texts(shard):
        if isinstance(entry, RejectedInput):
            yield entry
            continue
        line, record = entry
        item = parse_json_line(line) if line.strip() else None
        if isinstance(item, dict):
            yield make_page(item, line, record)
        elif line.strip():
            yield record.reject("broken JSON", line[:80])
