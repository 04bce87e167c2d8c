"""How two mentions stand to each other: what a pair's score knows besides vectors.

Four indices a pair: how far apart in words, how far in sentences, which strings
are the same (with whether the speaker is), and the classes of the two. The
arithmetic uses only what numpy arrays and torch tensors share, so training and
inference cannot drift apart.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from coindex.neural.words import CLASSES

WORD_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
SENTENCE_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
SIZES = {
    "words": len(WORD_STEPS) + 2,
    "sentences": len(SENTENCE_STEPS) + 1,
    "strings": 8 * 3,
    "classes": len(CLASSES) ** 2,
}
"""How many values each index can have; `words` has one more for nested mentions."""

WORD_TABLE = tuple(bisect_right(WORD_STEPS, distance) for distance in range(WORD_STEPS[-1] + 1))
SENTENCE_TABLE = tuple(
    bisect_right(SENTENCE_STEPS, distance) for distance in range(SENTENCE_STEPS[-1] + 1)
)


def relations(later: Any, earlier: Any, words: Any, sentences: Any) -> tuple[Any, Any, Any, Any]:
    """The four indices of pairs of `Spans`, which must broadcast against each other.

    words, sentences  the two tables above as an array of the same kind
    """
    apart = (later.starts - earlier.ends).clip(-1, WORD_STEPS[-1])
    nested = apart < 0
    by_words = words[apart.clip(0)] * ~nested + (SIZES["words"] - 1) * nested
    lines = (later.sentences - earlier.sentences).clip(0, SENTENCE_STEPS[-1])
    same = later.strings == earlier.strings
    head = later.heads == earlier.heads
    first = later.firsts == earlier.firsts
    told = (later.speakers > 0) & (earlier.speakers > 0)
    agree = later.speakers == earlier.speakers
    voice = told * (2 - 1 * agree)
    strings = same * 1 + head * 2 + first * 4
    kinds = later.classes * len(CLASSES) + earlier.classes
    return by_words, sentences[lines], strings * 3 + voice, kinds
