"""The output of WikiExtractor: `<doc id url title>`, text, `</doc>`.

The first line of a document repeats its title and is removed, as are remaining tags (`<br>`),
lines with remaining links or rows of tables (`[[File:`, `!|Year`), and empty brackets; entities
become their characters. The heading of a section is a separate line that ends with a full stop,
like a short sentence. Such a line becomes a section, and is removed from the text, only if it is
unlikely to be a sentence: it is short, begins with a capital or a digit, and has no verb form or
pronoun of `heading_stops.txt` and no lower-case word in "-ed". Otherwise it remains in the text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from coindex.builders.sources.protocol import Page, RejectedInput, Shard
from coindex.builders.sources.records import OUTSIDE, Line, Record, record_texts
from coindex.builders.sources.sharding import byte_range_shards
from coindex.builders.sources.wikitext import PageTextWriter, tidy_line
from coindex.text.word_lists import words

ABOUT = "WikiExtractor's <doc> files; plain, .gz, .bz2, .xz, .zst"
shards = byte_range_shards
LONGEST = 60
MOST_WORDS = 7

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<!--.*?-->")
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_MARKUP = re.compile(r"\[\[|\]\]|\{[{|]|[|}]\}")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def sniff(name: str, head: str) -> bool:
    """Whether the first line opens a document."""
    return head.lstrip("\ufeff \n").startswith("<doc ")


def read(shard: Shard) -> Iterator[Page | RejectedInput]:
    """A page for each document."""
    for entry in record_texts(shard, _begins):
        if isinstance(entry, RejectedInput):
            yield entry
            continue
        text, record = entry
        if record.begun:
            yield from _document(text, record)
        elif text.strip():
            yield record.reject(OUTSIDE, text.strip()[:80])


def _begins(line: Line, before: int) -> bool:
    return line.data.startswith((b"<doc ", b"\xef\xbb\xbf<doc "))


def _document(text: str, record: Record) -> Iterator[Page | RejectedInput]:
    opening, _, rest = text.partition("\n")
    body, closing, after = rest.partition("\n</doc>")
    if not closing and rest.startswith("</doc>"):
        body, closing, after = "", "</doc>", rest.removeprefix("</doc>")
    attributes = dict(_ATTRIBUTE.findall(opening))
    if not closing:
        yield record.reject("a <doc> that is not closed", opening[:80])
    elif "id" not in attributes:
        yield record.reject("a <doc> without id", opening[:80])
    else:
        yield _page(attributes, body, record)
    if after.strip():
        yield record.reject(OUTSIDE, after.strip()[:80])


def _page(attributes: dict[str, str], body: str, record: Record) -> Page:
    title = html.unescape(attributes.get("title", ""))
    lines = body.split("\n")
    if html.unescape(lines[0]).strip() in (title.strip(), attributes.get("title", "").strip()):
        lines = lines[1:]
    writer = PageTextWriter()
    for line in lines:
        plain = _clean(line)
        if _is_heading(plain):
            writer.heading(plain[:-1])
        else:
            writer.paragraph(plain)
    text, sections = writer.done()
    return Page(
        id=attributes["id"],
        title=title,
        text=text,
        url=html.unescape(attributes.get("url", "")),
        source=record.source,
        position=record.position,
        sections=sections,
    )


def _clean(line: str) -> str:
    if "<" in line:
        line = _TAG.sub(" ", line)
    if "&" in line:
        line = html.unescape(line)
    signs = "[" in line or "]" in line or "{" in line or "}" in line
    if line.startswith(("|", "!")) or (signs and _MARKUP.search(line)):
        return ""
    return tidy_line(line)


def _is_heading(line: str) -> bool:
    if not line.endswith(".") or line.endswith("..") or len(line) > LONGEST:
        return False
    if not (line[0].isupper() or line[0].isdigit() or line[0] in "\"'“‘("):
        return False
    heading_words = _WORD.findall(line)
    if not heading_words or len(line.split()) > MOST_WORDS:
        return bool(re.fullmatch(r"\d{4}(?:[-–]\d{2,4})?s?\.", line))
    stops = words("heading_stops")
    return not any(
        word.lower() in stops or (at and word.endswith("ed") and word.islower())
        for at, word in enumerate(heading_words)
    )
