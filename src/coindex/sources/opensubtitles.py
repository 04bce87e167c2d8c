"""OpenSubtitles as OPUS gives it: plain text, a sentence a line, or XML; a page for each film.

XML (`<document><s id="1">...`, whole text or a `<w>` for each token) is one file a film.
A plain file of up to `FILM` bytes is a film too. A longer one is many films whose borders
the file does not say: each page is then a run of `FILM` bytes, to the end of its line.

Left out: sound descriptions in brackets, song lines (♪), speakers' names (JOHN:), tags,
dashes that open a line, and lines with a phrase of `subtitle_credits.txt`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from coindex import io
from coindex.core.mention import Pairs
from coindex.sources._files import bundles, cut, numbered
from coindex.sources._page import Bad, Page, Shard
from coindex.sources._records import LOST, Line, Record, records
from coindex.sources._subtitles import clean, joined
from coindex.sources._unpack import Broken, blocks, head, packed

ABOUT = "OpenSubtitles, plain lines or OPUS XML; plain, .gz, .bz2, .xz, .zst"
FILM = 1 << 18
NO_TEXT = "no text"


def sniff(name: str, head: str) -> bool:
    """Whether this is OPUS XML, or text whose path says what it is."""
    if "<document" in head and "<s id=" in head:
        return True
    return "opensubtitles" in name.lower() and not head.lstrip().startswith(("<", "{"))


def shards(path: str, size: int) -> tuple[Shard, ...]:
    """A long plain file by ranges of its bytes; films put together up to `size` bytes."""
    if not os.path.isfile(path):
        return bundles(path, size)
    if _is_xml(path) or packed(path):
        return (Shard(path, 0),)
    return numbered(cut(path, size, step=FILM))


def read(shard: Shard) -> Iterator[Page | Bad]:
    """A page for each film."""
    named = [value for key, value in shard.facts if key == "file"]
    for file in named or [shard.path]:
        part = Shard(file, 0) if named else shard
        name = os.path.relpath(file, shard.path) if named else os.path.basename(file)
        yield from _film(file, name) if _is_xml(file) else _plain(part, name)


def _is_xml(path: str) -> bool:
    return head(path, 200).lstrip(b"\xef\xbb\xbf \r\n").startswith((b"<?xml", b"<document"))


def _begins(line: Line, before: int) -> bool:
    return before < 0 or line.offset // FILM != before // FILM


def _plain(shard: Shard, name: str) -> Iterator[Page | Bad]:
    for record in records(shard, _begins):
        if isinstance(record, Bad):
            yield record
            continue
        found, bad = [], []
        for data in record.lines:
            try:
                found.append(clean(data.decode("utf-8-sig")))
            except UnicodeDecodeError as error:
                byte = f"the byte 0x{data[error.start]:02x}"
                bad.append(record.bad("invalid UTF-8", f"{byte} in a line of {len(data)}"))
        yield _page(name, found, record)
        yield from bad


def _film(file: str, name: str) -> Iterator[Page | Bad]:
    """The sentences of an XML file; what precedes a damage is kept."""
    parser: Any = ElementTree.XMLPullParser(("end",))
    found: list[str] = []
    facts: dict[str, str] = {}
    damage: Bad | None = None
    for event in blocks(file):
        if isinstance(event, Broken):
            damage = Bad(file, f"byte {event.offset}", LOST, example=event.reason)
            break
        try:
            parser.feed(event.data)
            _take(parser, found, facts)
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            damage = Bad(file, f"byte {event.offset}", "broken XML", example=str(error))
            break
    if damage is None:
        damage = _unfinished(parser, file)
    record = Record(file, "byte 0", begun=True)
    if found or damage is None:
        yield _page(name, found, record, tuple(facts.items()))
    if damage:
        yield damage


def _take(parser: Any, found: list[str], facts: dict[str, str]) -> None:
    for _, element in parser.read_events():
        if element.tag == "s":
            tokens = [word.text or "" for word in element.iter("w")]
            text = joined(tokens) if tokens else "".join(element.itertext())
            found.append(clean(text))
            element.clear()
        elif element.tag in ("year", "genre", "original", "language") and element.text:
            facts.setdefault(element.tag, element.text.strip())


def _unfinished(parser: Any, file: str) -> Bad | None:
    try:
        parser.close()
    except ElementTree.ParseError as error:
        return Bad(file, "end", "broken XML", example=str(error))
    return None


def _page(name: str, found: list[str], record: Record, meta: Pairs = ()) -> Page | Bad:
    text = "\n".join(line for line in found if line)
    if not text:
        return record.bad(NO_TEXT, skipped=True)
    start = record.place.removeprefix("byte ")
    id = name.replace(os.sep, "/") + ("" if start == "0" else f"#{start}")
    return Page(id, io.stem(name), text, source=record.source, place=record.place, meta=meta)
