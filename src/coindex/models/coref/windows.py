"""Windows: stretches of subwords that an encoder can read at once.

A window ends where a sentence does and begins with some context from before. Each word belongs
to exactly one window, the one where it is new; its vector is that of its first subword there.
So the windows of a text do not depend on the other texts in a batch, and their number grows
linearly with the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InvalidValue
from coindex.models.common.subwords import MAX_SUBWORDS, SubwordTokenizer

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Window:
    """Subwords for the encoder, and the position of the first subword of each new word.

    first      the index of the first new word in the text
    positions  the indices of the new words' first subwords in `subwords`
    """

    subwords: Ints
    first: int
    positions: Ints

    def __len__(self) -> int:
        return len(self.subwords)


def split_into_windows(
    words: Sequence[Sequence[int]],
    sentences: Sequence[int],
    tokenizer: SubwordTokenizer,
    size: int,
    overlap: int,
) -> list[Window]:
    """The windows of a text: at most `size` subwords, of which `overlap` are context.

    words       the subwords of each word
    sentences   the index of the first word of each sentence

    A sentence that fits no window is split between words. The content of a window depends on
    the text before it and on whether the next sentence fits, and on nothing later.
    """
    if size < overlap + MAX_SUBWORDS + 2 or overlap < 0:
        raise InvalidValue(
            f"a window needs room for its {overlap} subwords of context, its two special tokens and"
            f" {MAX_SUBWORDS} new subwords: {max(overlap, 0) + MAX_SUBWORDS + 2}, found {size}"
        )
    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    ends = np.concatenate([[0], np.cumsum(lengths)])
    flat = np.fromiter((s for word in words for s in word), dtype=np.int64, count=int(ends[-1]))
    stops = np.append(np.asarray(sentences[1:], dtype=np.int64), len(words))
    windows: list[Window] = []
    first = 0
    while first < len(words):
        context = _context_start(ends, first, overlap)
        room = size - 2 - int(ends[first] - ends[context])
        last = _last_word(ends, stops, first, room)
        body = flat[ends[context] : ends[last]]
        windows.append(
            Window(
                np.concatenate([[tokenizer.begin], body, [tokenizer.end]]),
                first,
                ends[first:last] - ends[context] + 1,
            )
        )
        first = last
    return windows


def _context_start(ends: Ints, first: int, overlap: int) -> int:
    """The first word of the context: as many words back as fit into `overlap` subwords."""
    return int(np.searchsorted(ends, ends[first] - overlap, side="left")) if overlap else first


def _last_word(ends: Ints, stops: Ints, first: int, room: int) -> int:
    """One past the last word: the last sentence end that fits, else the last word that does."""
    most = int(np.searchsorted(ends, ends[first] + room, side="right")) - 1
    sentence = int(np.searchsorted(stops, most, side="right")) - 1
    if sentence >= 0 and stops[sentence] > first:
        return int(stops[sentence])
    return max(most, first + 1)
