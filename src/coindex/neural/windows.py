"""Windows: stretches of word pieces that an encoder can read at once.

A window ends where a sentence does and begins with some context from before. Each
word belongs to exactly one window, the one where it is new; its vector is that of
its first piece there. So the windows of a text do not depend on what else is in
the batch, and their number grows with the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InvalidValue

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Ints = NDArray[np.int64]

MOST = 12
"""The most pieces of one word; what is longer is cut, so that no word fills a window."""


@dataclass(frozen=True, slots=True)
class Window:
    """Pieces for the encoder, and the place of the first piece of each new word.

    first   the first new word
    places  where the new words' first pieces stand in `pieces`
    """

    pieces: Ints
    first: int
    places: Ints

    def __len__(self) -> int:
        return len(self.pieces)


class Pieces:
    """Splits words into pieces; each different word once."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """A WordPiece tokenizer with the marks of BERT or MPNet."""
        self._tokenizer = tokenizer
        self._known: dict[str, list[int]] = {}
        self.begin = self._mark("[CLS]", "<s>")
        self.end = self._mark("[SEP]", "</s>")
        self.pad = self._mark("[PAD]", "<pad>")
        self._unknown = self._mark("[UNK]", "<unk>")

    def of(self, words: Sequence[str]) -> list[list[int]]:
        """The pieces of each word: at least one, at most `MOST`."""
        new = [word for word in dict.fromkeys(words) if word not in self._known]
        found = self._tokenizer.encode_batch_fast(
            [_clean(word[:200]) for word in new], add_special_tokens=False
        )
        if len(self._known) > 200_000:
            self._known = {word: self._known[word] for word in set(words) if word in self._known}
        for word, encoding in zip(new, found, strict=True):
            self._known[word] = encoding.ids[:MOST] or [self._unknown]
        return [self._known[word] for word in words]

    def _mark(self, *names: str) -> int:
        for name in names:
            number = self._tokenizer.token_to_id(name)
            if number is not None:
                return int(number)
        raise InvalidValue(f"expected a tokenizer with the mark {' or '.join(names)}, found none")


def _clean(word: str) -> str:
    """Half a character, as JSON can hold, is nothing that a tokenizer takes."""
    return word.encode("utf-8", "replace").decode("utf-8")


def windows(
    pieces: Sequence[Sequence[int]],
    sentences: Sequence[int],
    marks: Pieces,
    size: int,
    overlap: int,
) -> list[Window]:
    """The windows of a text: at most `size` pieces, of which `overlap` are from before.

    sentences   the first word of each sentence

    A sentence that fits no window is cut between words. What a window holds depends
    on the text before it, and on whether the next sentence fits: on nothing later.
    """
    if size < overlap + MOST + 2 or overlap < 0:
        raise InvalidValue(
            f"a window needs room for its {overlap} pieces of context, its two marks and"
            f" {MOST} new pieces: {max(overlap, 0) + MOST + 2}, found {size}"
        )
    lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    ends = np.concatenate([[0], np.cumsum(lengths)])
    flat = np.fromiter((p for word in pieces for p in word), dtype=np.int64, count=int(ends[-1]))
    stops = np.append(np.asarray(sentences[1:], dtype=np.int64), len(pieces))
    found: list[Window] = []
    first = 0
    while first < len(pieces):
        context = _back(ends, first, overlap)
        room = size - 2 - int(ends[first] - ends[context])
        last = _fit(ends, stops, first, room)
        body = flat[ends[context] : ends[last]]
        found.append(
            Window(
                np.concatenate([[marks.begin], body, [marks.end]]),
                first,
                ends[first:last] - ends[context] + 1,
            )
        )
        first = last
    return found


def _back(ends: Ints, first: int, overlap: int) -> int:
    """The first word of the context: as many words back as fit into `overlap` pieces."""
    return int(np.searchsorted(ends, ends[first] - overlap, side="left")) if overlap else first


def _fit(ends: Ints, stops: Ints, first: int, room: int) -> int:
    """One past the last word: the last end of a sentence that fits, else the last word."""
    most = int(np.searchsorted(ends, ends[first] + room, side="right")) - 1
    whole = int(np.searchsorted(stops, most, side="right")) - 1
    if whole >= 0 and stops[whole] > first:
        return int(stops[whole])
    return max(most, first + 1)
