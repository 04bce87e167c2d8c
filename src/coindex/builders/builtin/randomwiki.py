"""RandomWiki: random passages as long as WikiCREM's, with a random word masked.

Kocijan et al., EMNLP 2019, section 6.1 (the baseline BERT_WIKIRAND): random passages of
Wikipedia with the sentence lengths and the number of items of WikiCREM; the masked word is
random, and so is the wrong candidate, from the vocabulary. It shows what WikiCREM contributes
beyond more text of that kind.

Passages are sampled at the rate at which WikiCREM's of that length were built from Wikipedia
(`randomwiki_rates.txt`), times `surplus`; `collect` then selects as many of each length as a
corpus built by `wikicrem` has, which the option `like` names. No parser is needed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from coindex import formats
from coindex.builders.disk_index import Row, SortedRows, group_limits, within_limit
from coindex.builders.protocol import Dropped, ParsedPassage, Passage, PublishedFigures
from coindex.builders.sentences import Sentence, prose_sentences
from coindex.builders.sources import Page
from coindex.errors import InputError, InvalidValue
from coindex.text.seeded_hash import seeded_fraction
from coindex.text.word_lists import labels, words
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

ABOUT = "random masked words in passages as long as WikiCREM's (Kocijan et al., EMNLP 2019)"
NEEDS: frozenset[str] = frozenset()
OPTIONS = {"like": "CORPUS", "surplus": "N"}
MASK = "[MASK]"
PUBLISHED: PublishedFigures = (("items", 2438897, "as many as WikiCREM has, section 6.1"),)
BUCKET = 5
"""The width of a bin of lengths, in words."""

_WORD = re.compile(r"(?<![\w'’-])[^\W\d_]{2,}(?![\w'’-])")
_FOREIGN = re.compile(r"[\[\]_|{}<>]")

Length = tuple[str, int]
"""The kind of passage (a: one sentence, b: two), and the bin of its length."""


@dataclass(frozen=True, slots=True)
class RandomWikiRules:
    """The sampling rates of passages by their length, and the other settings."""

    seed: int
    surplus: float
    like: str
    rates: tuple[tuple[Length, float], ...]


def rules(seed: int = 0, surplus: float | str = 3.0, like: str = "") -> RandomWikiRules:
    """The rules.

    surplus   how many passages are sampled for each one needed
    like      the corpus whose number of items of each length is matched
    """
    try:
        surplus = float(surplus)
    except ValueError:
        raise InvalidValue(f"expected a number for surplus, found {surplus!r}") from None
    if surplus <= 0:
        raise InvalidValue(f"expected a surplus above 0, found {surplus}")
    if like and not Path(like).is_file():  # checked before everything is built
        raise InputError(f"{like}: expected a corpus to be like, found no such file")
    entries = labels("randomwiki_rates").items()
    rates = (((name[0], int(name[1:])), float(rate) / 1e6) for name, rate in entries)
    return RandomWikiRules(seed, surplus, like, tuple(rates))


def scan(page: Page, rules: RandomWikiRules) -> Iterator[Passage | Dropped]:
    """Random sentences and pairs of sentences."""
    sentences, outside = prose_sentences(page)
    yield from outside
    every, rates = list(enumerate(sentences)), dict(rules.rates)
    for number, each in every:
        yield _scanned(page, f"{number}", (each,), rules, rates)
    for (number, one), (_, two) in pairwise(every):
        if one.paragraph == two.paragraph:
            yield _scanned(page, f"{number}+1", (one, two), rules, rates)


def _scanned(
    page: Page,
    number: str,
    sentences: tuple[Sentence, ...],
    rules: RandomWikiRules,
    rates: dict[Length, float],
) -> Passage | Dropped:
    id, start = f"{page.id}:{number}", sentences[0].start
    text = page.text[start : sentences[-1].end]
    kind = "a" if len(sentences) == 1 else "b"
    rate = rates.get((kind, _size(text)), 0.0)
    if not rate:
        return Dropped(id, "scan", "no such length", text)
    if seeded_fraction(rules.seed, "passage", id) >= rate * rules.surplus:
        return Dropped(id, "scan", "not drawn", text)
    if _FOREIGN.search(text):
        return Dropped(id, "scan", "markup", text)
    return Passage.from_page(page, id, text, start, metadata=(("kind", kind),))


def _size(text: str) -> int:
    return len(text.split()) // BUCKET


def length(problem: Problem) -> Length:
    """The kind and the bin of the length of an item, also of WikiCREM."""
    return problem.meta_value("kind") or "a", _size(problem.text)


@cache
def _vocabulary() -> tuple[str, ...]:
    return tuple(sorted(words("vocabulary")))


def build(parsed: ParsedPassage, rules: RandomWikiRules) -> Iterator[Problem | Dropped]:
    """The item of a passage: a random masked word, and another word as the wrong candidate."""
    passage = parsed.passage
    matches = list(_WORD.finditer(passage.text))
    if not matches:
        yield Dropped(passage.id, "build", "no word", passage.text)
        return
    masked = matches[int(seeded_fraction(rules.seed, "word", passage.id) * len(matches))]
    right = masked[0]
    others = [word for word in _vocabulary() if word != right.lower()]
    wrong = others[int(seeded_fraction(rules.seed, "other", passage.id) * len(others))]
    text = passage.text[: masked.start()] + MASK + passage.text[masked.end() :]
    answer = int(seeded_fraction(rules.seed, "order", passage.id) * 2)
    pair = (right, wrong) if answer == 0 else (wrong, right)
    yield Problem(
        passage.id,
        text,
        Chars(masked.start(), masked.start() + len(MASK)),
        tuple(Candidate(word, _occurrence(text, word)) for word in pair),
        (answer,),
        source=passage.page,
        meta=(*passage.provenance, *passage.metadata),
    )


def _occurrence(text: str, word: str) -> Chars | None:
    """Another occurrence of a word, as written or else ignoring case."""
    for flags in (0, re.IGNORECASE):
        if match := re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags):
            return Chars(*match.span())
    return None


def collect(problems: Collection[Problem], rules: RandomWikiRules) -> Iterator[Problem | Dropped]:
    """As many items of each length as the corpus that the option `like` names has; else all.

    If there are too few of a length, all of them are taken; raise `surplus` then.
    """
    if not rules.like:
        yield from problems
        return
    like = (item for item in formats.read(rules.like) if isinstance(item, Problem))
    most: dict[Row, int] = dict(Counter(map(length, like)))
    with closing(SortedRows((*length(each), *_rank(each, rules)) for each in problems)) as ranked:
        limits = group_limits(ranked, 2, most)
    for problem in problems:
        if within_limit(length(problem), _rank(problem, rules), limits):
            yield problem
        else:
            yield Dropped(problem.id, "balance", "enough of that length", problem.text)


def _rank(problem: Problem, rules: RandomWikiRules) -> tuple[float, str]:
    """The random rank of an item."""
    return seeded_fraction(rules.seed, "rank", problem.id), problem.id
