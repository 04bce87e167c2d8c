"""A Wikipedia dump: MediaWiki's XML export, plain or packed.

Redirects, disambiguation pages (`wiki_disambiguation.txt`) and pages outside of the
articles' namespace are skipped and counted. What becomes of the markup: `_wikitext.py`.

A multistream dump (`X-multistream.xml.bz2`) is many bzip2 streams of a hundred pages each.
With its index beside it (`X-multistream-index.txt.bz2`) its shards are runs of streams, and
each is unpacked alone. Any other packed dump is unpacked from its beginning for each shard.

Each page is parsed by itself, so that broken XML costs one page. `<page>` has to stand at
the beginning of a line, as MediaWiki writes it; within a text it can only stand escaped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from urllib.parse import quote
from xml.etree import ElementTree

from coindex.core.mention import Pairs
from coindex.core.words import words
from coindex.sources._files import checked, cut, files, numbered
from coindex.sources._page import Bad, Page, Shard
from coindex.sources._records import Line, Record, lines, texts
from coindex.sources._unpack import Broken, blocks, head
from coindex.sources._wikitext import clean

ABOUT = "a Wikipedia dump (MediaWiki XML), also multistream; plain, .bz2, .gz, .xz, .zst"
BASE = "https://en.wikipedia.org/wiki/"

_BASE = re.compile(r"<base>([^<]*/)[^</]*</base>")
_TEMPLATE = re.compile(r"\{\{\s*([^{}|\n]+?)\s*(?:[|}\n])")
_REDIRECT = re.compile(r"\s*#redirect\b", re.IGNORECASE)
_PAGE = re.compile(rb"\s*<page>")


def sniff(name: str, head: str) -> bool:
    """Whether the file opens as an export does."""
    return "<mediawiki" in head[:1000]


def shards(path: str, size: int) -> tuple[Shard, ...]:
    """Runs of streams where there is an index, ranges of bytes otherwise."""
    found = [file for file in files(path) if not _is_index(file)]
    return numbered(shard for file in found for shard in _cut(file, size))


def _cut(file: str, size: int) -> Iterator[Shard]:
    match = _BASE.search(head(file).decode("utf-8", "replace"))
    facts = (("base", match[1] if match else BASE),)
    index = _index_of(file)
    yield from cut(file, size, facts) if index is None else _by_streams(file, index, size, facts)


def _is_index(file: str) -> bool:
    return re.search(r"-multistream-index\d*\.txt", os.path.basename(file)) is not None


def _index_of(file: str) -> str | None:
    """The index beside a multistream dump, packed or not; None if there is none."""
    folder, name = os.path.split(file)
    match = re.fullmatch(r"(.*-multistream)(\d*)\.xml(-p\d+p\d+)?\.bz2", name)
    if not match:
        return None
    bare = f"{match[1]}-index{match[2]}.txt{match[3] or ''}"
    paths = (os.path.join(folder, bare + suffix) for suffix in (".bz2", "", ".gz"))
    return next((path for path in paths if os.path.isfile(path)), None)


def _by_streams(file: str, index: str, size: int, facts: Pairs) -> Iterator[Shard]:
    """Streams put together until they hold `size` bytes; the first begins with the header."""
    checked(size)
    facts = (*facts, ("cut", "streams"))
    total = os.stat(file).st_size
    start = 0
    for offset in _offsets(index):
        if start + size <= offset < total:
            yield Shard(file, 0, start, offset, facts)
            start = offset
    yield Shard(file, 0, start, None, facts)


def _offsets(index: str) -> Iterator[int]:
    """Where streams begin, ascending: `offset:page id:title`; lines that say else are passed."""
    last = 0
    for line in lines(blocks(index), plain=False):
        number = b"" if isinstance(line, Broken) else line.data.partition(b":")[0]
        if number.isdigit() and int(number) > last:
            last = int(number)
            yield last


def read(shard: Shard) -> Iterator[Page | Bad]:
    """The articles among the pages."""
    base = dict(shard.facts).get("base", BASE)
    for found in texts(shard, _begins):
        if isinstance(found, Bad):
            yield found
            continue
        text, record = found
        if record.begun:
            yield _page(text, record, base)
        elif "<page>" in text:
            yield record.bad("<page> not at the beginning of a line", text[:80])


def _begins(line: Line, before: int) -> bool:
    return _PAGE.match(line.data) is not None


def _page(text: str, record: Record, base: str) -> Page | Bad:
    body, closing, _ = text.partition("</page>")
    if not closing:
        return record.bad("a <page> that is not closed", text.strip()[:80])
    try:
        element = ElementTree.fromstring(body.strip() + closing)
    except (ElementTree.ParseError, ValueError) as error:
        return record.bad("broken XML", str(error))
    revision = (element.findall("revision") or [element])[-1]
    wikitext = revision.findtext("text") or ""
    title = element.findtext("title") or ""
    reason = _left_out(element, title, wikitext)
    if reason:
        return record.bad(reason, title, skipped=True)
    return _article(element, revision, record, base)


def _left_out(element: ElementTree.Element, title: str, wikitext: str) -> str | None:
    """The rule by which a page is no article."""
    if element.find("redirect") is not None or _REDIRECT.match(wikitext):
        return "redirect"
    if (element.findtext("ns") or "0").strip() != "0":
        return "other namespace"
    if title.endswith("(disambiguation)") or _is_disambiguation(wikitext):
        return "disambiguation"
    return None


def _is_disambiguation(wikitext: str) -> bool:
    found = {name.lower().replace("_", " ") for name in _TEMPLATE.findall(wikitext)}
    return not found.isdisjoint(words("wiki_disambiguation"))


def _article(
    element: ElementTree.Element, revision: ElementTree.Element, record: Record, base: str
) -> Page | Bad:
    cleaned = clean(revision.findtext("text") or "")
    if isinstance(cleaned, str):
        return record.bad("broken markup", cleaned)
    title = element.findtext("title") or ""
    text, sections = cleaned
    stamp = revision.findtext("timestamp")
    return Page(
        id=element.findtext("id") or record.place,
        title=title,
        text=text,
        url=base + quote(title.replace(" ", "_"), safe="/:(),!*;@$'"),
        revision=revision.findtext("id") or "",
        source=record.source,
        place=record.place,
        sections=sections,
        meta=(("timestamp", stamp),) if stamp else (),
    )
