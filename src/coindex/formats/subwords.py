"""Documents in subwords: `subtoken_map` gives the word of each subword.

    "sentences": [["[CLS]", "Ann", "sl", "##ept", "[SEP]"]], "subtoken_map": [0, 0, 1, 1, 1]

Files prepared for a transformer list segments of subwords under `sentences`, and their clusters
count subwords. Here they become words again: mentions begin and end with whole words. The words
are those of the field `tokens` if it has one for each number, else the subwords without the
marks of the tokeniser. `sentence_map` gives the sentence of each subword.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coindex.formats.json_fields import Fields

SPECIAL = frozenset({"[CLS]", "[SEP]", "[PAD]", "<s>", "</s>", "<pad>"})
MISSING = "_"
"""The word of a number for which there are no subwords."""


@dataclass(frozen=True, slots=True)
class SubwordMap:
    """The words of a document in subwords.

    word_of    the word of each subword, None for special ones
    first_of   the first subword of each word, None for a word without subwords
    sentences  the words, sentence by sentence; None if the file does not say where they begin
    """

    word_of: tuple[int | None, ...]
    first_of: tuple[int | None, ...]
    words: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...] | None

    def locate(self, fields: Fields, name: str, first: int, last: int) -> tuple[int, int]:
        """The first and last word of an inclusive pair of subwords."""
        count = len(self.word_of)
        if not 0 <= first <= last < count:
            raise fields.wrong(name, f"[first, last] within {count} subwords", [first, last])
        start, end = self.word_of[first], self.word_of[last]
        if start is None or end is None:
            raise fields.wrong(name, "[first, last] among the words", [first, last])
        return start, end

    def column(self, values: Sequence[str]) -> list[str]:
        """One value for each word, from one for each subword."""
        return ["" if first is None else values[first] for first in self.first_of]


def read_subwords(fields: Fields, subwords: Sequence[str]) -> SubwordMap:
    """The words of a document whose `sentences` hold these subwords, in order."""
    word_of = _word_of(fields, subwords)
    numbers = [number for number in word_of if number is not None]
    count = max(numbers, default=-1) + 1
    firsts: list[int | None] = [None] * count
    parts: list[list[str]] = [[] for _ in range(count)]
    for index, (number, subword) in enumerate(zip(word_of, subwords, strict=True)):
        if number is None or subword in SPECIAL:
            continue
        parts[number].append(subword)
        firsts[number] = index if firsts[number] is None else firsts[number]
    words = _given_words(fields, count) or _joined_words(fields, parts)
    return SubwordMap(
        word_of, tuple(firsts), words, _sentences(fields, words, firsts, len(word_of))
    )


def _word_of(fields: Fields, subwords: Sequence[str]) -> tuple[int | None, ...]:
    value = fields.as_list("subtoken_map", fields.take("subtoken_map"))
    if len(value) != len(subwords):
        expected = f"a number for each of the {len(subwords)} tokens in 'sentences'"
        raise fields.wrong("subtoken_map", expected, f"{len(value)} numbers")
    fields.as_ints("subtoken_map", [number for number in value if number is not None])
    reach = 0
    for number in value:
        if number is not None and not 0 <= number - reach <= len(value):
            raise fields.wrong("subtoken_map", "numbers that rise from 0", number)
        reach = reach if number is None else number
    if reach > 2 * len(value):
        raise fields.wrong("subtoken_map", "the numbers of words, one after the other", reach)
    return tuple(value)


def _given_words(fields: Fields, count: int) -> tuple[str, ...] | None:
    """The words of the field `tokens`, if there is one for each number."""
    value = fields.peek("tokens")
    if not isinstance(value, list) or len(value) != count or not count:
        return None
    return fields.as_texts("tokens", fields.take("tokens"))


def _joined_words(fields: Fields, parts: list[list[str]]) -> tuple[str, ...]:
    """Each word as its subwords, without the marks of WordPiece and SentencePiece."""
    words = []
    for pieces in parts:
        bare = [piece.removeprefix("##") if at else piece for at, piece in enumerate(pieces)]
        words.append("".join(bare).lstrip("▁Ġ") or MISSING)
    lost = sum(not pieces for pieces in parts)
    if lost:
        message = f"expected subwords of each word, found none of {lost}; read as {MISSING!r}"
        fields.source.note(fields.line, "subwords", message)
    return tuple(words)


def _sentences(
    fields: Fields, words: tuple[str, ...], firsts: Sequence[int | None], count: int
) -> tuple[tuple[str, ...], ...] | None:
    if not fields.has("sentence_map"):
        return None
    numbers = fields.ints("sentence_map")
    if len(numbers) != count:
        expected = f"a number for each of {count} subwords"
        raise fields.wrong("sentence_map", expected, f"{len(numbers)} numbers")
    rows: list[list[str]] = []
    before: int | None = None
    for word, first in zip(words, firsts, strict=True):
        number = before if first is None else numbers[first]
        if not rows or number != before:
            rows.append([])
        rows[-1].append(word)
        before = number
    return tuple(map(tuple, rows))
