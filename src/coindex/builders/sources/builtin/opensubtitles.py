"""OpenSubtitles as OPUS distributes it: plain text, one sentence per line, or XML; one page per film.

XML (`<document><s id="1">...`, whole text or a `<w>` for each token) has one file per film.
A plain file of up to `FILM` bytes is one film. A longer one holds many films whose boundaries
are not marked: each page is then a range of `FILM` bytes, up to the end of its line.

Left out: sound descriptions in brackets, song lines (♪), speakers' names (JOHN:), tags,
dashes that open a line, and lines with a phrase of `subtitle_credits.txt`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from xml.etree import ElementTree

from coindex import io
from coindex.builders.sources import sharding
from coindex.builders.sources.decompress import DamagedBlock, compression, read_blocks, read_head
from coindex.builders.sources.protocol import Page, RejectedInput, Shard
from coindex.builders.sources.records import LOST, Line, Record, read_records
from coindex.text.word_lists import words
from coindex.types.mention import Pairs

ABOUT = "OpenSubtitles, plain lines or OPUS XML; plain, .gz, .bz2, .xz, .zst"
FILM = 1 << 18
NO_TEXT = "no text"

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|\{\\[^{}]*\}")
_SOUND = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
_SONG = re.compile(r"[♪♫]")
_SPEAKER = re.compile(r"^[A-Z][A-Z.'’ ]{1,30}(?:\s?#?\d+)?\s?:\s+")
_DASH = re.compile(r"^(?:[-–—]\s*)+(?=\S)")
_SPACE = re.compile(r"\s+")
_BEFORE = re.compile(r"\s+(?=[.,!?;:%)\]…])|\s+(?=(?:['’](?:s|re|ve|ll|d|m)|n['’]t)\b)")
_AFTER = re.compile(r"(?<=[(\[$£])\s+")


def sniff(name: str, head: str) -> bool:
    """Whether this is OPUS XML, or text with `opensubtitles` in its path."""
    if "<document" in head and "<s id=" in head:
        return True
    return "opensubtitles" in name.lower() and not head.lstrip().startswith(("<", "{"))


def shards(path: str, size: int) -> tuple[Shard, ...]:
    """Ranges of bytes of a long plain file; files of one film in bundles of `size` bytes."""
    if not os.path.isfile(path):
        return sharding.file_bundles(path, size)
    if _is_xml(path) or compression(path):
        return (Shard(path, 0),)
    return sharding.renumber(sharding.split_by_bytes(path, size, step=FILM))


def read(shard: Shard) -> Iterator[Page | RejectedInput]:
    """A page for each film."""
    named = sharding.bundled_files(shard)
    for file in named or [shard.path]:
        part = Shard(file, 0) if named else shard
        name = os.path.relpath(file, shard.path) if named else os.path.basename(file)
        yield from _film(file, name) if _is_xml(file) else _plain(part, name)


def _is_xml(path: str) -> bool:
    return read_head(path, 200).lstrip(b"\xef\xbb\xbf \r\n").startswith((b"<?xml", b"<document"))


def _begins(line: Line, before: int) -> bool:
    return before < 0 or line.offset // FILM != before // FILM


def _plain(shard: Shard, name: str) -> Iterator[Page | RejectedInput]:
    for record in read_records(shard, _begins):
        if isinstance(record, RejectedInput):
            yield record
            continue
        lines, bad = [], []
        for data in record.lines:
            try:
                lines.append(spoken_text(data.decode("utf-8-sig")))
            except UnicodeDecodeError as error:
                byte = f"the byte 0x{data[error.start]:02x}"
                bad.append(record.reject("invalid UTF-8", f"{byte} in a line of {len(data)}"))
        yield _page(name, lines, record)
        yield from bad


def _film(file: str, name: str) -> Iterator[Page | RejectedInput]:
    """The film of an XML file; the text before damage is retained."""
    parser: Any = ElementTree.XMLPullParser(("end",))
    lines: list[str] = []
    metadata: dict[str, str] = {}
    damage: RejectedInput | None = None
    for event in read_blocks(file):
        if isinstance(event, DamagedBlock):
            damage = RejectedInput(file, f"byte {event.offset}", LOST, example=event.reason)
            break
        try:
            parser.feed(event.data)
            _collect(parser, lines, metadata)
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            damage = RejectedInput(file, f"byte {event.offset}", "broken XML", example=str(error))
            break
    if damage is None:
        damage = _unfinished(parser, file)
    record = Record(file, "byte 0", begun=True)
    if lines or damage is None:
        yield _page(name, lines, record, tuple(metadata.items()))
    if damage:
        yield damage


def _collect(parser: Any, lines: list[str], metadata: dict[str, str]) -> None:
    for _, element in parser.read_events():
        if element.tag == "s":
            tokens = [word.text or "" for word in element.iter("w")]
            text = join_tokens(tokens) if tokens else "".join(element.itertext())
            lines.append(spoken_text(text))
            element.clear()
        elif element.tag in ("year", "genre", "original", "language") and element.text:
            metadata.setdefault(element.tag, element.text.strip())


def _unfinished(parser: Any, file: str) -> RejectedInput | None:
    try:
        parser.close()
    except ElementTree.ParseError as error:
        return RejectedInput(file, "end", "broken XML", example=str(error))
    return None


def _page(name: str, lines: list[str], record: Record, meta: Pairs = ()) -> Page | RejectedInput:
    text = "\n".join(line for line in lines if line)
    if not text:
        return record.reject(NO_TEXT, skipped=True)
    start = record.position.removeprefix("byte ")
    id = name.replace(os.sep, "/") + ("" if start == "0" else f"#{start}")
    return Page(id, io.stem(name), text, source=record.source, position=record.position, meta=meta)


@cache
def _credits() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(words("subtitle_credits")))), re.IGNORECASE)


def spoken_text(line: str) -> str:
    """A line of subtitles without what is not spoken; empty if nothing is."""
    if _SONG.search(line) or _credits().search(line):
        return ""
    line = _SOUND.sub(" ", _TAG.sub(" ", line)).strip()
    line = _SPEAKER.sub("", _DASH.sub("", line))
    line = _SPACE.sub(" ", line).strip()
    return line if any(char.isalnum() for char in line) else ""


def join_tokens(tokens: list[str]) -> str:
    """Tokens as a sentence, without spaces before closing or after opening punctuation."""
    return _AFTER.sub("", _BEFORE.sub("", " ".join(tokens)))
