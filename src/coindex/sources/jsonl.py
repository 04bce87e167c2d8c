"""JSON lines: one object a line, with its text under "text".

    {"id": "7", "title": "Ada", "text": "Ada met Bea.", "url": "...", "revision": "3",
     "sections": [{"title": "", "start": 0}]}

Only "text" is required; the place stands in for an id. Strings and numbers under other
names are kept in `meta`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from coindex.sources._files import ranges
from coindex.sources._json import JSON, pages, parsed
from coindex.sources._page import Bad, Page, Section, Shard
from coindex.sources._records import Record

ABOUT = "JSON lines with a text each; plain, .gz, .bz2, .xz, .zst"
NO_TEXT = "no text"
FIELDS = ("id", "title", "text", "url", "revision", "sections")


def sniff(name: str, head: str) -> bool:
    """Whether the first line is an object with a text."""
    first = parsed(head.lstrip().partition("\n")[0])
    if isinstance(first, dict):
        return isinstance(first.get("text"), str)
    return bool(JSON.match(head)) and '"text"' in head and '"subreddit"' not in head


def shards(path: str, size: int) -> tuple[Shard, ...]:
    """Ranges of bytes of the file, or of the files of a folder."""
    return ranges(path, size)


def read(shard: Shard) -> Iterator[Page | Bad]:
    """A page for each line."""
    return pages(shard, _page)


def _page(item: dict[str, Any], line: str, record: Record) -> Page | Bad:
    text = item.get("text")
    if not isinstance(text, str):
        return record.bad(NO_TEXT, line[:80])
    sections = _sections(item.get("sections"), len(text))
    if sections is None:
        return record.bad("broken sections", str(item.get("sections"))[:80])
    return Page(
        id=_string(item.get("id")) or record.place,
        title=_string(item.get("title")),
        text=text,
        url=_string(item.get("url")),
        revision=_string(item.get("revision")),
        source=record.source,
        place=record.place,
        sections=sections,
        meta=tuple((key, _string(item[key])) for key in item if key not in FIELDS),
    )


def _string(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _sections(value: Any, length: int) -> tuple[Section, ...] | None:
    """The sections an object states; None if they are not such."""
    if value is None:
        return (Section("", 0),)
    try:
        found = tuple(Section(str(each["title"]), each["start"]) for each in value)
    except (TypeError, KeyError):
        return None
    starts = [each.start for each in found]
    whole = all(type(start) is int and 0 <= start <= length for start in starts)
    return found if found and whole and starts == sorted(starts) else None
