"""The records of a shard: runs of lines, each begun by a line that says so.

A record belongs to the shard in which its first byte stands, and is read to its end
wherever that is. What follows a record and begins none (blank lines, stray text, the
damage at the end of a cut file) belongs to the same shard, so that every cut of a file
gives the same records and the same complaints in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from coindex.sources._page import Bad, Shard
from coindex.sources._unpack import Block, Broken, blocks, packed, streams

LIMIT = 64 << 20
"""The longest line and the longest record, in bytes: memory stays flat on any input."""

LOST = "cannot be unpacked"
LONG = "too long"
ENCODING = "invalid UTF-8"
OUTSIDE = "text outside of records"


class Line(NamedTuple):
    """A line without its break; the other fields as in `Block`."""

    raw: int
    stream: int
    offset: int
    data: bytes


@dataclass(slots=True)
class Record:
    """A run of lines; `begun` is false for what stands before any record."""

    source: str
    place: str
    begun: bool
    lines: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, data: bytes) -> None:
        """One more line, unless there are far too many."""
        self.size += len(data) + 1
        if self.size <= LIMIT:
            self.lines.append(data)

    def text(self) -> str | Bad:
        """The record as text, or why there is none."""
        if self.size > LIMIT:
            return self.bad(LONG, f"more than {LIMIT >> 20} MiB")
        data = b"\n".join(self.lines)
        try:
            return data.decode("utf-8-sig" if self.place == "byte 0" else "utf-8")
        except UnicodeDecodeError as error:
            return self.bad(ENCODING, f"the byte 0x{data[error.start]:02x} at {error.start}")

    def bad(self, reason: str, example: str = "", skipped: bool = False) -> Bad:
        """What to say of this record if it gives no page."""
        return Bad(self.source, self.place, reason, skipped, example)


Begins = Callable[[Line, int], bool]
"""Whether a line begins a record, given also where the line before it began (-1: none)."""


def every(line: Line, before: int) -> bool:
    """Each line is a record."""
    return True


def texts(shard: Shard, begins: Begins = every) -> Iterator[tuple[str, Record] | Bad]:
    """The text of each record with the record, and what is broken, in the file's order."""
    for record in records(shard, begins):
        if isinstance(record, Bad):
            yield record
            continue
        text = record.text()
        yield text if isinstance(text, Bad) else (text, record)


def records(shard: Shard, begins: Begins = every) -> Iterator[Record | Bad]:
    """The records of a shard, and what is broken among them, in the file's order."""
    mine = shard.start == 0 or _counted(shard)
    record: Record | None = None
    before = shard.start - 1
    for event in _lines_of(shard):
        if isinstance(event, Broken):
            if mine:
                yield from _present(record)
                record = None
                yield Bad(shard.path, place(event), LOST, example=event.reason)
            continue
        begun = begins(event, before)
        past = shard.end is not None and event.raw >= shard.end
        if past and (begun or not mine):
            break
        before = event.offset
        if begun:
            mine = True
            yield from _present(record)
            record = None
        if mine:
            record = record or Record(shard.path, place(event), begun)
            record.add(event.data)
    yield from _present(record)


def _present(record: Record | None) -> Iterator[Record]:
    if record:
        yield record


def place(event: Line | Broken) -> str:
    """Where something stands: unpacked bytes from the file's or the bzip2 stream's beginning."""
    return f"byte {event.stream}+{event.offset}" if event.stream else f"byte {event.offset}"


def _counted(shard: Shard) -> bool:
    return ("cut", "streams") in shard.facts


def _lines_of(shard: Shard) -> Iterator[Line | Broken]:
    if _counted(shard):
        return lines(streams(shard.path, shard.start, shard.end), shard.start, plain=False)
    plain = packed(shard.path) is None
    return lines(blocks(shard.path, shard.start), shard.start, plain=plain)


def lines(
    events: Iterable[Block | Broken], start: int = 0, plain: bool = True
) -> Iterator[Line | Broken]:
    """The lines that begin at `start` or after it."""
    joiner = _Joiner(plain)
    for event in events:
        if isinstance(event, Broken):
            yield from joiner.rest()
            yield event
        elif event.raw < start:
            joiner.skip(event.data)
        else:
            yield from joiner.take(event)
    yield from joiner.rest()


class _Joiner:
    """Puts together the lines that blocks cut."""

    def __init__(self, plain: bool) -> None:
        self._plain = plain
        self._parts: list[bytes] = []
        self._held = 0
        self._head = Line(0, 0, 0, b"")
        self._dropping = False

    def skip(self, data: bytes) -> None:
        """Pass over what is before the shard: only whether it ends a line matters."""
        self._dropping = not data.endswith(b"\n")

    def take(self, block: Block) -> Iterator[Line | Broken]:
        data, at = block.data, 0
        while (end := data.find(b"\n", at)) >= 0:
            if self._dropping:
                self._dropping = False
            elif self._parts:
                self._parts.append(data[at:end])
                yield self._head._replace(data=b"".join(self._parts))
                self._parts, self._held = [], 0
            else:
                raw = block.raw + at if self._plain else block.raw
                yield Line(raw, block.stream, block.offset + at, data[at:end])
            at = end + 1
        if at < len(data) and not self._dropping:
            yield from self._hold(block, at)

    def _hold(self, block: Block, at: int) -> Iterator[Broken]:
        if not self._parts:
            raw = block.raw + at if self._plain else block.raw
            self._head = Line(raw, block.stream, block.offset + at, b"")
        self._parts.append(block.data[at:])
        self._held += len(block.data) - at
        if self._held > LIMIT:
            self._parts, self._held, self._dropping = [], 0, True
            reason = f"a line of more than {LIMIT >> 20} MiB"
            yield Broken(self._head.raw, self._head.stream, self._head.offset, reason)

    def rest(self) -> Iterator[Line]:
        """The last line, where no break ends it."""
        if self._parts:
            yield self._head._replace(data=b"".join(self._parts))
        self._parts, self._held, self._dropping = [], 0, False
