"""A Wikipedia dump: MediaWiki's XML export, plain or compressed.

Redirects, disambiguation pages (`wiki_disambiguation.txt`) and pages outside of the
articles' namespace are skipped and counted. `sources/wikitext.py` removes the markup.

A multistream dump (`X-multistream.xml.bz2`) is many bzip2 streams of a hundred pages each.
With its index beside it (`X-multistream-index.txt.bz2`), its shards are sequences of streams, and
each is decompressed separately. Any other compressed dump is decompressed from its beginning for
each shard.

Each page is parsed separately, so that broken XML costs one page. `<page>` has to be at the
beginning of a line, as MediaWiki writes it; within a text it is always escaped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from urllib.parse import quote
from xml.etree import ElementTree

from coindex.builders.sources.decompress import DamagedBlock, read_blocks, read_head
from coindex.builders.sources.protocol import Page, RejectedInput, Shard
from coindex.builders.sources.records import Line, Record, read_lines, record_texts
from coindex.builders.sources.sharding import check_shard_size, list_files, renumber, split_by_bytes
from coindex.builders.sources.wikitext import wikitext_to_plain
from coindex.text.word_lists import words
from coindex.types.mention import Pairs

ABOUT = "a Wikipedia dump (MediaWiki XML), also multistream; plain, .bz2, .gz, .xz, .zst"
BASE = "https://en.wikipedia.org/wiki/"

_BASE = re.compile(r"<base>([^<]*/)[^</]*</base>")
_TEMPLATE = re.compile(r"\{\{\s*([^{}|\n]+?)\s*(?:[|}\n])")
_REDIRECT = re.compile(r"\s*#redirect\b", re.IGNORECASE)
_PAGE = re.compile(rb"\s*<page>")
_INDEX = re.compile(r"-multistream-index\d*\.txt")


def sniff(name: str, head: str) -> bool:
    """Whether the file begins like a MediaWiki export."""
    return "<mediawiki" in head[:1000]


def shards(path: str, size: int) -> tuple[Shard, ...]:
    """Sequences of streams if there is an index, ranges of bytes otherwise."""
    files = [each for each in list_files(path) if not _INDEX.search(os.path.basename(each))]
    return renumber(shard for file in files for shard in _file_shards(file, size))


def _file_shards(file: str, size: int) -> Iterator[Shard]:
    match = _BASE.search(read_head(file).decode("utf-8", "replace"))
    metadata = (("base", match[1] if match else BASE),)
    index = _index_of(file)
    yield from (
        split_by_bytes(file, size, metadata)
        if index is None
        else _by_streams(file, index, size, metadata)
    )


def _index_of(file: str) -> str | None:
    """The index beside a multistream dump, packed or not; None if there is none."""
    folder, name = os.path.split(file)
    match = re.fullmatch(r"(.*-multistream)(\d*)\.xml(-p\d+p\d+)?\.bz2", name)
    if not match:
        return None
    bare = f"{match[1]}-index{match[2]}.txt{match[3] or ''}"
    paths = (os.path.join(folder, bare + suffix) for suffix in (".bz2", "", ".gz"))
    return next((path for path in paths if os.path.isfile(path)), None)


def _by_streams(file: str, index: str, size: int, metadata: Pairs) -> Iterator[Shard]:
    """Sequences of streams of about `size` bytes; the first begins with the header."""
    check_shard_size(size)
    metadata = (*metadata, ("cut", "streams"))
    total = os.stat(file).st_size
    start = 0
    for offset in _offsets(index):
        if start + size <= offset < total:
            yield Shard(file, 0, start, offset, metadata)
            start = offset
    yield Shard(file, 0, start, None, metadata)


def _offsets(index: str) -> Iterator[int]:
    """The offsets of streams, ascending, from lines `offset:page id:title`; others are skipped."""
    last = 0
    for line in read_lines(read_blocks(index), plain=False):
        number = b"" if isinstance(line, DamagedBlock) else line.data.partition(b":")[0]
        if number.isdigit() and int(number) > last:
            last = int(number)
            yield last


def read(shard: Shard) -> Iterator[Page | RejectedInput]:
    """The articles among the pages."""
    base = dict(shard.metadata).get("base", BASE)
    for entry in record_texts(shard, _begins):
        if isinstance(entry, RejectedInput):
            yield entry
            continue
        text, record = entry
        if record.begun:
            yield _page(text, record, base)
        elif "<page>" in text:
            yield record.reject("<page> not at the beginning of a line", text[:80])


def _begins(line: Line, before: int) -> bool:
    return _PAGE.match(line.data) is not None


def _page(text: str, record: Record, base: str) -> Page | RejectedInput:
    body, closing, _ = text.partition("</page>")
    if not closing:
        return record.reject("a <page> that is not closed", text.strip()[:80])
    try:
        element = ElementTree.fromstring(body.strip() + closing)
    except (ElementTree.ParseError, ValueError) as error:
        return record.reject("broken XML", str(error))
    revision = (element.findall("revision") or [element])[-1]
    wikitext = revision.findtext("text") or ""
    title = element.findtext("title") or ""
    reason = _left_out(element, title, wikitext)
    if reason:
        return record.reject(reason, title, skipped=True)
    cleaned = wikitext_to_plain(wikitext)
    if isinstance(cleaned, str):
        return record.reject("broken markup", cleaned)
    text, sections = cleaned
    stamp = revision.findtext("timestamp")
    return Page(
        id=element.findtext("id") or record.position,
        title=title,
        text=text,
        url=base + quote(title.replace(" ", "_"), safe="/:(),!*;@$'"),
        revision=revision.findtext("id") or "",
        source=record.source,
        position=record.position,
        sections=sections,
        meta=(("timestamp", stamp),) if stamp else (),
    )


def _left_out(element: ElementTree.Element, title: str, wikitext: str) -> str | None:
    """The reason why a page is not an article; None if it is one."""
    if element.find("redirect") is not None or _REDIRECT.match(wikitext):
        return "redirect"
    if (element.findtext("ns") or "0").strip() != "0":
        return "other namespace"
    templates = {name.lower().replace("_", " ") for name in _TEMPLATE.findall(wikitext)}
    listed = not templates.isdisjoint(words("wiki_disambiguation"))
    return "disambiguation" if listed or title.endswith("(disambiguation)") else None
