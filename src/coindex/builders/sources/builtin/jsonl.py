"""JSON lines: one object per line, with its text under "text".

    {"id": "7", "title": "Ada", "text": "Ada met Bea.", "url": "...", "revision": "3",
     "sections": [{"title": "", "start": 0}]}

Only "text" is required; the position in the file is the default id. Strings and numbers under
other names are stored in `meta`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from coindex.builders.sources.protocol import Page, RejectedInput, Section, Shard
from coindex.builders.sources.records import JSON, Record, json_pages, parse_json_line
from coindex.builders.sources.sharding import byte_range_shards

ABOUT = "JSON lines with a text each; plain, .gz, .bz2, .xz, .zst"
shards = byte_range_shards
GENERIC = True
NO_TEXT = "no text"
FIELDS = ("id", "title", "text", "url", "revision", "sections")


def sniff(name: str, head: str) -> bool:
    """Whether the first line is an object with a text."""
    first = parse_json_line(head.lstrip().partition("\n")[0])
    if isinstance(first, dict):
        return isinstance(first.get("text"), str)
    return bool(JSON.match(head)) and '"text"' in head and '"subreddit"' not in head


def read(shard: Shard) -> Iterator[Page | RejectedInput]:
    """A page for each line."""
    return json_pages(shard, _page)


def _page(item: dict[str, Any], line: str, record: Record) -> Page | RejectedInput:
    text = item.get("text")
    if not isinstance(text, str):
        return record.reject(NO_TEXT, line[:80])
    sections = _sections(item.get("sections"), len(text))
    if sections is None:
        return record.reject("broken sections", str(item.get("sections"))[:80])
    return Page(
        id=_string(item.get("id")) or record.position,
        title=_string(item.get("title")),
        text=text,
        url=_string(item.get("url")),
        revision=_string(item.get("revision")),
        source=record.source,
        position=record.position,
        sections=sections,
        meta=tuple((key, _string(item[key])) for key in item if key not in FIELDS),
    )


def _string(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _sections(value: Any, length: int) -> tuple[Section, ...] | None:
    """The sections that an object states; None if they are invalid."""
    if value is None:
        return (Section("", 0),)
    try:
        sections = tuple(Section(str(each["title"]), each["start"]) for each in value)
    except (TypeError, KeyError):
        return None
    starts = [each.start for each in sections]
    whole = all(type(start) is int and 0 <= start <= length for start in starts)
    return sections if sections and whole and starts == sorted(starts) else None
