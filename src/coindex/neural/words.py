"""What is known of each word before any network sees it, as arrays.

The encoders to be had are uncased, so capitals come in here; so do word lists
(pronouns, articles), sentences and speakers. Strings are compared by hashes: the
hash of a span is computed from prefix sums, for any number of spans at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from coindex.core.document import Document
from coindex.core.words import labels, words

Ints = NDArray[np.int64]

SHAPES = ("lower", "title", "title-first", "upper", "digit", "mark", "mixed")
GROUPS = (
    "", "masculine", "feminine", "neuter", "plural", "first", "first-plural", "second",
    "demonstrative", "relative", "indefinite", "reflexive",
)  # fmt: skip
STARTS = ("", "definite", "indefinite", "pointing", "owned")
CLASSES = (*GROUPS[1:], "name", *STARTS[1:], "bare")
"""What a mention can be: one of the groups of pronouns, a name, or a noun by how it opens."""
NAME = CLASSES.index("name")
"""Before it are the classes of pronouns, after it those of nouns."""

_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that powers stay invertible
_PLURAL_FIRST = frozenset({"we", "us", "our", "ours", "ourselves"})


@dataclass(frozen=True, slots=True)
class Words:
    """A document's words as arrays, one value a word.

    hashes     of the word in small letters
    shapes     index into SHAPES
    groups     index into GROUPS: which pronoun it is, 0 for none
    starts     index into STARTS
    tails      whether a mention's noun does not come after it
    named      whether it has a capital, and has one within a sentence somewhere
    sentences  the sentence's number
    speakers   the speaker's number, 0 where nobody is named
    """

    hashes: Ints
    shapes: Ints
    groups: Ints
    starts: Ints
    tails: Ints
    named: Ints
    sentences: Ints
    speakers: Ints

    def __len__(self) -> int:
        return len(self.hashes)


def words_of(document: Document) -> Words:
    """The arrays of a document."""
    tokens = document.tokens
    count = len(tokens)
    facts = np.array([_facts(token) for token in tokens], dtype=np.int64).reshape(count, 6)
    sentences = np.zeros(count, dtype=np.int64)
    sentences[list(document.sentences[1:])] = 1
    first = np.zeros(count, dtype=bool)
    first[list(document.sentences)] = True
    shapes = facts[:, 1].copy()
    shapes[first & (shapes == SHAPES.index("title"))] = SHAPES.index("title-first")
    capital = facts[:, 5].astype(bool)
    known = np.unique(facts[capital & ~first, 0])
    named = (capital & (~first | np.isin(facts[:, 0], known))).astype(np.int64)
    return Words(
        facts[:, 0], shapes, facts[:, 2], facts[:, 3], facts[:, 4], named,
        np.cumsum(sentences), _speakers(document.speakers, count),
    )  # fmt: skip


@lru_cache(maxsize=1 << 18)
def _facts(token: str) -> tuple[int, int, int, int, int, int]:
    low = token.lower().replace("’", "'")
    coded = blake2b(low.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    digest = int.from_bytes(coded, "big")
    shape = SHAPES.index(_shape(token))
    starts = labels("mention_starts")
    named = shape in (1, 3, 6) and token[:1].isupper() and low != "i"
    tail = low in words("mention_tails") or token in words("mention_tails")
    return (
        digest - (1 << 64) if digest >= 1 << 63 else digest,
        shape,
        GROUPS.index(_group(low)),
        STARTS.index(starts.get(low, "")),
        int(tail),
        int(named),
    )


def _group(low: str) -> str:
    group = labels("pronouns").get(low, "")
    if group and low.endswith(("self", "selves")):
        return "reflexive"
    return "first-plural" if low in _PLURAL_FIRST else group


def _shape(token: str) -> str:
    if token.islower():
        return "lower"
    if token.isupper():
        return "title" if len(token) == 1 else "upper"
    if token.istitle():
        return "title"
    if any(character.isdigit() for character in token):
        return "digit"
    return "mixed" if any(character.isalpha() for character in token) else "mark"


def _speakers(speakers: Sequence[str] | None, count: int) -> Ints:
    if speakers is None:
        return np.zeros(count, dtype=np.int64)
    numbers = {"": 0}
    return np.array([numbers.setdefault(name, len(numbers)) for name in speakers], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans of words as arrays, one value a span; `ends` are one past the last word."""

    starts: Ints
    ends: Ints
    classes: Ints
    strings: Ints
    heads: Ints
    firsts: Ints
    sentences: Ints
    speakers: Ints

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, indices: Ints) -> Spans:
        """Some of the spans."""
        return Spans(*(getattr(self, name)[indices] for name in Spans.__slots__))


class Phrases:
    """Looks up what spans of one document are; made once, asked for any spans."""

    def __init__(self, words: Words) -> None:
        """Prefix sums and the next tail of each word."""
        self._words = words
        count = len(words)
        with np.errstate(over="ignore"):
            powers = np.cumprod(np.concatenate([[np.uint64(1)], np.full(count, _BASE)]))
            values = words.hashes.view(np.uint64) * powers[:-1]
            self._sums = np.concatenate([[np.uint64(0)], np.cumsum(values, dtype=np.uint64)])
        self._inverse = _inverse_powers(count)
        tails = np.where(words.tails.astype(bool), np.arange(count), count)
        self._next = np.append(np.minimum.accumulate(tails[::-1])[::-1], count)

    def spans(self, starts: Ints, ends: Ints) -> Spans:
        """What the spans are: class, string, head."""
        words = self._words
        skip = (words.starts[starts] > 0) & (ends - starts > 1)
        inner = starts + skip
        stop = np.minimum(self._next[np.minimum(inner + 1, len(words))], ends)
        heads = np.maximum(stop, inner + 1) - 1
        with np.errstate(over="ignore"):
            strings = (self._sums[ends] - self._sums[inner]) * self._inverse[inner]
        return Spans(
            starts, ends, self._classes(starts, ends, heads), strings.view(np.int64),
            words.hashes[heads], words.hashes[inner],
            words.sentences[starts], words.speakers[starts],
        )  # fmt: skip

    def _classes(self, starts: Ints, ends: Ints, heads: Ints) -> Ints:
        words = self._words
        groups, opens = words.groups[starts], words.starts[starts]
        single = (ends - starts == 1) & (groups > 0)
        found = np.where(opens > 0, len(GROUPS) + opens - 1, CLASSES.index("bare"))
        found = np.where(words.named[heads] > 0, CLASSES.index("name"), found)
        return np.where(single, groups - 1, found).astype(np.int64)


def _inverse_powers(count: int) -> NDArray[np.uint64]:
    inverse = np.uint64(pow(int(_BASE), -1, 1 << 64))
    with np.errstate(over="ignore"):
        return np.cumprod(np.concatenate([[np.uint64(1)], np.full(count, inverse)]))
