"""RandomWiki: random passages as long as WikiCREM's, with a random word masked.

Kocijan et al., EMNLP 2019, section 6.1 (the baseline BERT_WIKIRAND): random passages of
Wikipedia with the sentence lengths and the number of items of WikiCREM; the masked word is
random, and so is the wrong candidate, from the vocabulary. It shows what WikiCREM gives
beyond more text of that kind.

Passages are kept by chance, at the rate at which WikiCREM's of that length came out of
Wikipedia (`randomwiki_rates.txt`), times `surplus`; `collect` then chooses as many of each
length as a corpus built by `wikicrem` has, which is named by the option `like`. No parser is
needed.
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
from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars
from coindex.core.words import labels, words
from coindex.corpora._chance import fraction
from coindex.corpora._disk import Row, Rows, borders, within
from coindex.corpora._items import Dropped, Parsed, Passage, passage
from coindex.corpora._provenance import provenance
from coindex.corpora._sentences import Sentence, parted
from coindex.errors import InputError, InvalidValue
from coindex.sources import Page

ABOUT = "random masked words in passages as long as WikiCREM's (Kocijan et al., EMNLP 2019)"
NEEDS: frozenset[str] = frozenset()
MASK = "[MASK]"
PUBLISHED: tuple[tuple[str, float | str, str], ...] = (
    ("items", 2438897, "as many as WikiCREM has, section 6.1"),
)
BUCKET = 5
"""Words by which lengths are told apart."""

_WORD = re.compile(r"(?<![\w'’-])[^\W\d_]{2,}(?![\w'’-])")
_FOREIGN = re.compile(r"[\[\]_|{}<>]")

Length = tuple[str, int]
"""The kind of passage (a: one sentence, b: two), and its words by fives."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How many in a million passages of each length are kept."""

    seed: int
    surplus: float
    like: str
    rates: tuple[tuple[Length, float], ...]


def rules(seed: int = 0, surplus: float | str = 3.0, like: str = "") -> Rules:
    """The rates, with the seed; `surplus` passages for each one needed, and whom to be like."""
    try:
        surplus = float(surplus)
    except ValueError:
        raise InvalidValue(f"expected a number for surplus, found {surplus!r}") from None
    if surplus <= 0:
        raise InvalidValue(f"expected a surplus above 0, found {surplus}")
    if like and not Path(like).is_file():  # now, and not when all is built
        raise InputError(f"{like}: expected a corpus to be like, found no such file")
    told = labels("randomwiki_rates").items()
    rates = (((name[0], int(name[1:])), float(rate) / 1e6) for name, rate in told)
    return Rules(seed, surplus, like, tuple(rates))


def scan(page: Page, rules: Rules) -> Iterator[Passage | Dropped]:
    """Random sentences and pairs of sentences."""
    found, outside = parted(page)
    yield from outside
    every, rates = list(enumerate(found)), dict(rules.rates)
    for number, each in every:
        yield _scanned(page, f"{number}", (each,), rules, rates)
    for (number, one), (_, two) in pairwise(every):
        if one.paragraph == two.paragraph:
            yield _scanned(page, f"{number}+1", (one, two), rules, rates)


def _scanned(
    page: Page, number: str, found: tuple[Sentence, ...], rules: Rules, rates: dict[Length, float]
) -> Passage | Dropped:
    id, start = f"{page.id}:{number}", found[0].start
    text = page.text[start : found[-1].end]
    kind = "a" if len(found) == 1 else "b"
    rate = rates.get((kind, _size(text)), 0.0)
    if not rate:
        return Dropped(id, "scan", "no such length", text)
    if fraction(rules.seed, "passage", id) >= rate * rules.surplus:
        return Dropped(id, "scan", "not drawn", text)
    if _FOREIGN.search(text):
        return Dropped(id, "scan", "markup", text)
    return passage(page, id, text, start, facts=(("kind", kind),))


def _size(text: str) -> int:
    return len(text.split()) // BUCKET


def length(problem: Problem) -> Length:
    """The kind of an item and its words by fives; of a WikiCREM item too."""
    return problem.fact("kind") or "a", _size(problem.text)


@cache
def _vocabulary() -> tuple[str, ...]:
    return tuple(sorted(words("vocabulary")))


def build(parsed: Parsed, rules: Rules) -> Iterator[Problem | Dropped]:
    """The item of a passage, with a random word masked and another one beside it."""
    passage = parsed.passage
    found = list(_WORD.finditer(passage.text))
    if not found:
        yield Dropped(passage.id, "build", "no word", passage.text)
        return
    masked = found[int(fraction(rules.seed, "word", passage.id) * len(found))]
    right = masked[0]
    others = [word for word in _vocabulary() if word != right.lower()]
    wrong = others[int(fraction(rules.seed, "other", passage.id) * len(others))]
    text = passage.text[: masked.start()] + MASK + passage.text[masked.end() :]
    answer = int(fraction(rules.seed, "order", passage.id) * 2)
    pair = (right, wrong) if answer == 0 else (wrong, right)
    yield Problem(
        passage.id,
        text,
        Chars(masked.start(), masked.start() + len(MASK)),
        tuple(Candidate(word, _place(text, word)) for word in pair),
        (answer,),
        source=passage.page,
        meta=(*provenance(passage), *passage.facts),
    )


def _place(text: str, word: str) -> Chars | None:
    """Where else a word stands, as written or in any case."""
    for flags in (0, re.IGNORECASE):
        if found := re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags):
            return Chars(*found.span())
    return None


def collect(problems: Collection[Problem], rules: Rules) -> Iterator[Problem | Dropped]:
    """As many of each length as the corpus has that the option `like` names; else all.

    Where there are too few of a length, all of them are taken; raise `surplus` then.
    """
    if not rules.like:
        yield from problems
        return
    like = (item for item in formats.read(rules.like) if isinstance(item, Problem))
    wanted: dict[Row, int] = dict(Counter(map(length, like)))
    with closing(Rows((*length(each), *_drawn(each, rules)) for each in problems)) as ranked:
        limits = borders(ranked, 2, wanted)
    for problem in problems:
        if within(length(problem), _drawn(problem, rules), limits):
            yield problem
        else:
            yield Dropped(problem.id, "balance", "enough of that length", problem.text)


def _drawn(problem: Problem, rules: Rules) -> tuple[float, str]:
    """Where an item stands in the draw of those that stay."""
    return fraction(rules.seed, "rank", problem.id), problem.id
