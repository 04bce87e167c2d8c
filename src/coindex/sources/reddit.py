"""Reddit's comments and submissions: JSON lines, as in the monthly dumps.

A comment's text is its body, a submission's its own text; its title is the page's title.
Skipped and counted: what was deleted or removed, what bots wrote (`reddit_bots.txt`), and
what holds no text once quotes, code and tables are out (a submission that is only a link).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from coindex.core.mention import Pairs
from coindex.core.words import words
from coindex.sources._files import ranges
from coindex.sources._json import JSON, pages, parsed
from coindex.sources._markdown import plain, unescaped
from coindex.sources._page import Bad, Page, Shard
from coindex.sources._records import Record

ABOUT = "Reddit comments and submissions, JSON lines; plain, .zst, .gz, .bz2, .xz"
GONE = ("[deleted]", "[removed]", "[deleted by user]")
META = ("subreddit", "created_utc", "link_id", "parent_id")


def sniff(name: str, head: str) -> bool:
    """Whether the first line is a comment or a submission."""
    first = parsed(head.lstrip().partition("\n")[0])
    if isinstance(first, dict):
        return "subreddit" in first and ("body" in first or "selftext" in first)
    found = ('"body"', '"selftext"', '"subreddit"', '"author"')
    return bool(JSON.match(head)) and sum(field in head for field in found) >= 2


def shards(path: str, size: int) -> tuple[Shard, ...]:
    """Ranges of bytes of the file, or of the files of a folder."""
    return ranges(path, size)


def read(shard: Shard) -> Iterator[Page | Bad]:
    """A page for each comment and submission."""
    return pages(shard, _page)


def _page(item: dict[str, Any], line: str, record: Record) -> Page | Bad:
    body = item.get("body", item.get("selftext"))
    id = item.get("id")
    if not isinstance(body, str) or not isinstance(id, str):
        return record.bad("neither a comment nor a submission", line[:80])
    if body.strip() in GONE:
        return record.bad("deleted", id, skipped=True)
    if _is_bot(str(item.get("author", ""))):
        return record.bad("bot", str(item["author"]), skipped=True)
    text = plain(body)
    if not text:
        return record.bad("no text", id, skipped=True)
    return Page(
        id=id,
        title=unescaped(_string(item.get("title"))),
        text=text,
        url=_url(item),
        source=record.source,
        place=record.place,
        meta=_meta(item),
    )


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _meta(item: dict[str, Any]) -> Pairs:
    kind = ("kind", "comment" if "body" in item else "submission")
    return (kind, *((key, str(item[key])) for key in META if item.get(key) is not None))


def _url(item: dict[str, Any]) -> str:
    link = _string(item.get("permalink"))
    thread = _string(item.get("link_id")).removeprefix("t3_")
    if not link and thread:
        link = f"/comments/{thread}/_/{item['id']}/"
    return f"https://www.reddit.com{link}" if link.startswith("/") else link


def _is_bot(author: str) -> bool:
    exact, endings = _bots()
    return author.lower() in exact or author.lower().endswith(endings)


@cache
def _bots() -> tuple[frozenset[str], tuple[str, ...]]:
    listed = words("reddit_bots")
    endings = tuple(sorted(name[1:] for name in listed if name.startswith("*")))
    return frozenset(name for name in listed if not name.startswith("*")), endings
