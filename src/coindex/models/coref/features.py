"""Features of words and spans that do not come from the encoder, as arrays.

The encoders are uncased, so capitals enter here, as do word lists (pronouns, articles),
sentences and speakers. Strings are compared by hashes: the hashes of spans are computed from
prefix sums, for any number of spans at once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.text.word_lists import labels, words
from coindex.types.document import Document

Ints = NDArray[np.int64]

SHAPES = ("lower", "title", "title-first", "upper", "digit", "mark", "mixed")
GROUPS = (
    "", "masculine", "feminine", "neuter", "plural", "first", "first-plural", "second",
    "demonstrative", "relative", "indefinite", "reflexive",
)  # fmt: skip
STARTS = ("", "definite", "indefinite", "pointing", "owned")
CLASSES = (*GROUPS[1:], "name", *STARTS[1:], "bare")
"""The classes of mentions: groups of pronouns, names, and nouns by their first word."""
NAME = CLASSES.index("name")
"""The classes before it are those of pronouns, the classes after it those of nouns."""

_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that powers stay invertible
_PLURAL_FIRST = frozenset({"we", "us", "our", "ours", "ourselves"})


@dataclass(frozen=True, slots=True)
class WordFeatures:
    """The features of a document's words, one value per word.

    hashes     of the word in lower case
    shapes     index into SHAPES
    groups     index into GROUPS: the group of the pronoun, 0 for other words
    starts     index into STARTS
    tails      whether the head noun of a mention cannot follow it
    named      whether it is capitalised, also somewhere within a sentence
    sentences  the index of the sentence
    speakers   the number of the speaker, 0 where there is none
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


def word_features(document: Document) -> WordFeatures:
    """The features of a document's words."""
    tokens = document.tokens
    count = len(tokens)
    values = np.array([_token_features(token) for token in tokens], dtype=np.int64).reshape(
        count, 6
    )
    sentences = np.zeros(count, dtype=np.int64)
    sentences[list(document.sentences[1:])] = 1
    first = np.zeros(count, dtype=bool)
    first[list(document.sentences)] = True
    shapes = values[:, 1].copy()
    shapes[first & (shapes == SHAPES.index("title"))] = SHAPES.index("title-first")
    capital = values[:, 5].astype(bool)
    known = np.unique(values[capital & ~first, 0])
    named = (capital & (~first | np.isin(values[:, 0], known))).astype(np.int64)
    return WordFeatures(
        values[:, 0], shapes, values[:, 2], values[:, 3], values[:, 4], named,
        np.cumsum(sentences), _speakers(document.speakers, count),
    )  # fmt: skip


@lru_cache(maxsize=1 << 13)
def _token_features(token: str) -> tuple[int, int, int, int, int, int]:
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
class SpanFeatures:
    """The features of spans, one value per span; `ends` are one past the last word."""

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

    def take(self, indices: Ints) -> SpanFeatures:
        """The spans with these indices."""
        return SpanFeatures(*(getattr(self, name)[indices] for name in SpanFeatures.__slots__))


class SpanFeaturizer:
    """Computes the features of spans of one document."""

    def __init__(self, words: WordFeatures) -> None:
        """Compute prefix sums of hashes, and the next tail of each word."""
        self._words = words
        count = len(words)
        with np.errstate(over="ignore"):
            powers = np.cumprod(np.concatenate([[np.uint64(1)], np.full(count, _BASE)]))
            values = words.hashes.view(np.uint64) * powers[:-1]
            self._sums = np.concatenate([[np.uint64(0)], np.cumsum(values, dtype=np.uint64)])
        self._inverse = _inverse_powers(count)
        tails = np.where(words.tails.astype(bool), np.arange(count), count)
        self._next = np.append(np.minimum.accumulate(tails[::-1])[::-1], count)

    def spans(self, starts: Ints, ends: Ints) -> SpanFeatures:
        """The features of spans."""
        words = self._words
        skip = (words.starts[starts] > 0) & (ends - starts > 1)
        inner = starts + skip
        stop = np.minimum(self._next[np.minimum(inner + 1, len(words))], ends)
        heads = np.maximum(stop, inner + 1) - 1
        with np.errstate(over="ignore"):
            strings = (self._sums[ends] - self._sums[inner]) * self._inverse[inner]
        return SpanFeatures(
            starts, ends, self._classes(starts, ends, heads), strings.view(np.int64),
            words.hashes[heads], words.hashes[inner],
            words.sentences[starts], words.speakers[starts],
        )  # fmt: skip

    def _classes(self, starts: Ints, ends: Ints, heads: Ints) -> Ints:
        words = self._words
        groups, opens = words.groups[starts], words.starts[starts]
        single = (ends - starts == 1) & (groups > 0)
        classes = np.where(opens > 0, len(GROUPS) + opens - 1, CLASSES.index("bare"))
        classes = np.where(words.named[heads] > 0, CLASSES.index("name"), classes)
        return np.where(single, groups - 1, classes).astype(np.int64)


def _inverse_powers(count: int) -> NDArray[np.uint64]:
    inverse = np.uint64(pow(int(_BASE), -1, 1 << 64))
    with np.errstate(over="ignore"):
        return np.cumprod(np.concatenate([[np.uint64(1)], np.full(count, inverse)]))


WORD_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
SENTENCE_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
PAIR_FEATURE_SIZES = {
    "words": len(WORD_STEPS) + 2,
    "sentences": len(SENTENCE_STEPS) + 1,
    "strings": 8 * 3,
    "classes": len(CLASSES) ** 2,
}
"""The number of values of each index; `words` has one more for nested mentions."""

WORD_TABLE = tuple(bisect_right(WORD_STEPS, distance) for distance in range(WORD_STEPS[-1] + 1))
SENTENCE_TABLE = tuple(
    bisect_right(SENTENCE_STEPS, distance) for distance in range(SENTENCE_STEPS[-1] + 1)
)


def pair_features(
    later: Any, earlier: Any, words: Any, sentences: Any
) -> tuple[Any, Any, Any, Any]:
    """The four indices of pairs of `SpanFeatures`, which must broadcast against each other.

    words, sentences  `WORD_TABLE` and `SENTENCE_TABLE` as arrays of the same library
    """
    apart = (later.starts - earlier.ends).clip(-1, WORD_STEPS[-1])
    nested = apart < 0
    by_words = words[apart.clip(0)] * ~nested + (PAIR_FEATURE_SIZES["words"] - 1) * nested
    lines = (later.sentences - earlier.sentences).clip(0, SENTENCE_STEPS[-1])
    same = later.strings == earlier.strings
    head = later.heads == earlier.heads
    first = later.firsts == earlier.firsts
    known = (later.speakers > 0) & (earlier.speakers > 0)
    agree = later.speakers == earlier.speakers
    voice = known * (2 - 1 * agree)
    strings = same * 1 + head * 2 + first * 4
    kinds = later.classes * len(CLASSES) + earlier.classes
    return by_words, sentences[lines], strings * 3 + voice, kinds
