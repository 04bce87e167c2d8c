"""The output of WikiExtractor: `<doc id url title>`, text, `</doc>`.

The first line of a document repeats its title and is taken off, as are tags that were
left in (`<br>`) and lines with links or rows of tables that were (`[[File:`, `!|Year`);
entities become their characters, and empty brackets go. A section's heading stands as a line
of its own that ends with a full stop, like a short sentence. Such a line becomes a
section, and leaves the text, only if it cannot well be a sentence: it is short, begins
with a capital or a digit, and holds no verb form or pronoun of `heading_stops.txt` and
no lower-case word in "-ed". In doubt the line stays in the text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from coindex.core.words import words
from coindex.sources._files import ranges
from coindex.sources._page import Bad, Page, Shard
from coindex.sources._records import OUTSIDE, Line, Record, texts
from coindex.sources._sections import Writer, closed

ABOUT = "WikiExtractor's <doc> files; plain, .gz, .bz2, .xz, .zst"
LONGEST = 60
MOST_WORDS = 7

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<!--.*?-->")
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_MARKUP = re.compile(r"\[\[|\]\]|\{[{|]|[|}]\}")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def sniff(name: str, head: str) -> bool:
    """Whether the first line opens a document."""
    return head.lstrip("\ufeff \n").startswith("<doc ")


def shards(path: str, size: int) -> tuple[Shard, ...]:
    """Ranges of bytes of the file, or of the files of a folder."""
    return ranges(path, size)


def read(shard: Shard) -> Iterator[Page | Bad]:
    """A page for each document."""
    for found in texts(shard, _begins):
        if isinstance(found, Bad):
            yield found
            continue
        text, record = found
        if record.begun:
            yield from _document(text, record)
        elif text.strip():
            yield record.bad(OUTSIDE, text.strip()[:80])


def _begins(line: Line, before: int) -> bool:
    return line.data.startswith((b"<doc ", b"\xef\xbb\xbf<doc "))


def _document(text: str, record: Record) -> Iterator[Page | Bad]:
    opening, _, rest = text.partition("\n")
    body, closing, after = rest.partition("\n</doc>")
    if not closing and rest.startswith("</doc>"):
        body, closing, after = "", "</doc>", rest.removeprefix("</doc>")
    facts = dict(_ATTRIBUTE.findall(opening))
    if not closing:
        yield record.bad("a <doc> that is not closed", opening[:80])
    elif "id" not in facts:
        yield record.bad("a <doc> without id", opening[:80])
    else:
        yield _page(facts, body, record)
    if after.strip():
        yield record.bad(OUTSIDE, after.strip()[:80])


def _page(facts: dict[str, str], body: str, record: Record) -> Page:
    title = html.unescape(facts.get("title", ""))
    lines = body.split("\n")
    if html.unescape(lines[0]).strip() in (title.strip(), facts.get("title", "").strip()):
        lines = lines[1:]
    writer = Writer()
    for line in lines:
        plain = _clean(line)
        if _is_heading(plain):
            writer.heading(plain[:-1])
        else:
            writer.paragraph(plain)
    text, sections = writer.done()
    return Page(
        id=facts["id"],
        title=title,
        text=text,
        url=html.unescape(facts.get("url", "")),
        source=record.source,
        place=record.place,
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
    return closed(line)


def _is_heading(line: str) -> bool:
    if not line.endswith(".") or line.endswith("..") or len(line) > LONGEST:
        return False
    if not (line[0].isupper() or line[0].isdigit() or line[0] in "\"'“‘("):
        return False
    found = _WORD.findall(line)
    if not found or len(line.split()) > MOST_WORDS:
        return bool(re.fullmatch(r"\d{4}(?:[-–]\d{2,4})?s?\.", line))
    stops = words("heading_stops")
    return not any(
        word.lower() in stops or (at and word.endswith("ed") and word.islower())
        for at, word in enumerate(found)
    )
