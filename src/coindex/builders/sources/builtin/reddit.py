"""Reddit's comments and submissions: JSON lines, as in the monthly dumps.

A comment's text is its body, a submission's its own text; its title is the page's title.
Comments that were deleted or removed, those of bots (`reddit_bots.txt`), and those without text
besides quotes, code and tables (a submission that is only a link) are skipped and counted.

Markdown becomes plain text: quotes, code, tables and addresses are removed, as are the marks.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from coindex.builders.sources.protocol import Page, RejectedInput, Shard
from coindex.builders.sources.records import JSON, Record, json_pages, parse_json_line
from coindex.builders.sources.sharding import byte_range_shards
from coindex.text.word_lists import words
from coindex.types.mention import Pairs

ABOUT = "Reddit comments and submissions, JSON lines; plain, .zst, .gz, .bz2, .xz"
shards = byte_range_shards
DELETED = ("[deleted]", "[removed]", "[deleted by user]")
META = ("subreddit", "created_utc", "link_id", "parent_id")

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_CODE = re.compile(r"^(?: {4}|\t)")
_QUOTE = re.compile(r"^\s*>(?!!)")
_TABLE = re.compile(r"^\s*\|.*\||^\s*:?-+:?\s*\|")
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
_MARKER = re.compile(r"^\s{0,3}(?:#{1,6}\s*|[-*+]\s+|\d{1,3}[.)]\s+)")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)")
_ADDRESS = re.compile(r"<?\b(?:https?://|www\.)[^\s>)]*>?", re.IGNORECASE)
_INLINE = re.compile(r"`+([^`]*)`+")
_SPOILER = re.compile(r">!(.{0,500}?)!<")
_STRONG = re.compile(r"(\*{1,3}|~~)(?=\S)(.{1,500}?)(?<=\S)\1")
_UNDER = re.compile(r"(?<!\w)(_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1(?!\w)")
_SUPER = re.compile(r"\^+(?=\S)")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!>~^|-])")
_SPACE = re.compile(r"[ \t\u00a0]+")


def sniff(name: str, head: str) -> bool:
    """Whether the first line is a comment or a submission."""
    first = parse_json_line(head.lstrip().partition("\n")[0])
    if isinstance(first, dict):
        return "subreddit" in first and ("body" in first or "selftext" in first)
    fields = ('"body"', '"selftext"', '"subreddit"', '"author"')
    return bool(JSON.match(head)) and sum(field in head for field in fields) >= 2


def read(shard: Shard) -> Iterator[Page | RejectedInput]:
    """A page for each comment and submission."""
    return json_pages(shard, _page)


def _page(item: dict[str, Any], line: str, record: Record) -> Page | RejectedInput:
    body = item.get("body", item.get("selftext"))
    id = item.get("id")
    if not isinstance(body, str) or not isinstance(id, str):
        return record.reject("neither a comment nor a submission", line[:80])
    if body.strip() in DELETED:
        return record.reject("deleted", id, skipped=True)
    if _is_bot(str(item.get("author", ""))):
        return record.reject("bot", str(item["author"]), skipped=True)
    text = plain_text(body)
    if not text:
        return record.reject("no text", id, skipped=True)
    return Page(
        id=id,
        title=_unescaped(_string(item.get("title"))),
        text=text,
        url=_url(item),
        source=record.source,
        position=record.position,
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


def _unescaped(text: str) -> str:
    """Entities as characters (the dumps hold `&gt;`, at times `&amp;gt;`), none of zero width."""
    text = html.unescape(html.unescape(text)) if "&" in text else text
    return text.replace("\u200b", "").replace("\ufeff", "").replace("\r", "")


def plain_text(body: str) -> str:
    """The text of a comment, one line per paragraph."""
    paragraphs: list[list[str]] = [[]]
    for line in _prose(_unescaped(body)):
        if line:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([])
    return "\n".join(" ".join(lines) for lines in paragraphs if lines)


def _prose(text: str) -> Iterator[str]:
    """The cleaned lines of prose, with an empty line at the end of a paragraph."""
    fence, quoted = "", False
    blank = True
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            continue
        if fence:
            continue
        if not line.strip():
            quoted, blank = False, True
            yield ""
            continue
        quoted = bool(_QUOTE.match(line)) or quoted  # a quote continues to the next blank line
        code = blank and _CODE.match(line)
        if not (quoted or code or _TABLE.match(line) or _RULE.match(line)):
            if _MARKER.match(line):
                yield ""
            blank = False
            yield _inline(_MARKER.sub("", line))


def _inline(line: str) -> str:
    line = _LINK.sub(r"\1", _IMAGE.sub("", line))
    line = _ADDRESS.sub("", line)
    line = _SPOILER.sub(r"\1", _INLINE.sub(r"\1", line))
    for mark in (_STRONG, _STRONG, _UNDER):
        line = mark.sub(r"\2", line)
    line = _ESCAPE.sub(r"\1", _SUPER.sub("", line))
    line = _SPACE.sub(" ", line).strip()
    return line if any(char.isalnum() for char in line) else ""
