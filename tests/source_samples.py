"""Small corpora for the tests of sources, written for the purpose."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from coindex.builders import sources
from coindex.builders.sources import Page, RejectedInput

WORDS = ("Ada", "Bea", "Carl", "met", "saw", "praised", "the", "old", "mill", "town", "river")
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": lambda data: bz2.compress(data, 1),  # blocks of 100 kB, so that small files have some
    ".xz": lzma.compress,
}

HEADER = """<mediawiki xml:lang="en">
  <siteinfo>
    <base>https://test.wikipedia.org/wiki/Main_Page</base>
  </siteinfo>
"""


def everything(path: Path | str, name: str, size: int = 1 << 30) -> list[Page | RejectedInput]:
    return list(sources.pages(path, name, size))


def pages(path: Path | str, name: str, size: int = 1 << 30) -> list[Page]:
    return [item for item in everything(path, name, size) if isinstance(item, Page)]


def bads(path: Path | str, name: str, size: int = 1 << 30) -> list[RejectedInput]:
    return [item for item in everything(path, name, size) if isinstance(item, RejectedInput)]


def prose(number: int, sentences: int = 6) -> str:
    """Sentences, always the same for a number; the made-up words keep packed files long."""
    chance = random.Random(number)
    return " ".join(
        f"{' '.join(chance.choices(WORDS, k=chance.randint(3, 12)))} x{chance.getrandbits(150):x}."
        for _ in range(sentences)
    )


def wiki_page(number: int, text: str | None = None, more: str = "") -> str:
    body = text if text is not None else f"'''P''' {prose(number)}\n\n== Life ==\n{prose(-number)}"
    escaped = body.replace("&", "&amp;").replace("<", "&lt;")
    return (
        f"  <page>\n    <title>Page {number}</title>\n    <ns>0</ns>\n    <id>{number}</id>\n{more}"
        f"    <revision>\n      <id>{number + 500}</id>\n"
        f"      <timestamp>2020-01-01T00:00:00Z</timestamp>\n"
        f'      <text xml:space="preserve">{escaped}</text>\n    </revision>\n  </page>\n'
    )


def wikipedia(count: int) -> str:
    return HEADER + "".join(map(wiki_page, range(1, count + 1))) + "</mediawiki>\n"


def wikiextractor(count: int) -> str:
    return "".join(
        f'<doc id="{number}" url="http://x/{number}" title="T {number}">\nT {number}\n\n'
        f"{prose(number)}\nHistory.\n{prose(-number)}\n</doc>\n"
        for number in range(1, count + 1)
    )


def reddit(count: int) -> str:
    rows: Iterator[dict[str, object]] = (
        {
            "id": f"c{number}",
            "author": "AutoModerator" if number % 7 == 0 else "someone",
            "body": "[deleted]" if number % 5 == 0 else prose(number, 12),
            "subreddit": "mills",
            "link_id": "t3_abc",
        }
        for number in range(1, count + 1)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def jsonl(count: int) -> str:
    rows = ({"id": str(number), "text": prose(number, 12)} for number in range(1, count + 1))
    return "".join(json.dumps(row) + "\n" for row in rows)


def opensubtitles(count: int) -> str:
    return "".join(prose(number, 1) + "\n" for number in range(1, count + 1))


def write(path: Path, text: str | bytes) -> Path:
    """Write a file packed as its name says."""
    data = text.encode() if isinstance(text, str) else text
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(PACKERS.get(path.suffix, bytes)(data))
    return path


def multistream(path: Path, pages: int, each: int) -> Path:
    """A multistream dump with its index beside it."""
    streams = [bz2.compress(HEADER.encode())]
    index = []
    for first in range(1, pages + 1, each):
        numbers = range(first, min(first + each, pages + 1))
        at = sum(map(len, streams))
        index += [f"{at}:{number}:Page {number}\n" for number in numbers]
        streams.append(bz2.compress("".join(map(wiki_page, numbers)).encode()))
    streams.append(bz2.compress(b"</mediawiki>\n"))
    path.write_bytes(b"".join(streams))
    name = path.name.replace("-multistream.xml", "-multistream-index.txt")
    write(path.with_name(name), "".join(index))
    return path
