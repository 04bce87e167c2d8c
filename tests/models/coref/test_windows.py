"""Windows: every word once, never too long, the same whatever comes later."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.errors import InvalidValue
from coindex.models.common.subwords import MAX_SUBWORDS, SubwordTokenizer
from coindex.models.coref.windows import Window, split_into_windows

MARKS: Any = SimpleNamespace(begin=-1, end=-2)


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[list[int]], list[int], int, int]:
    """Words as pieces that are all different, sentence starts, a size and an overlap."""
    lengths = draw(st.lists(st.integers(1, MAX_SUBWORDS), max_size=60))
    at = np.cumsum([0, *lengths]).tolist()
    pieces = [list(range(a, b)) for a, b in pairwise(at)]
    inner = draw(st.sets(st.integers(1, max(len(lengths) - 1, 1)), max_size=12))
    sentences = sorted({0, *(n for n in inner if n < len(lengths))}) if lengths else []
    overlap = draw(st.integers(0, 20))
    size = draw(st.integers(overlap + MAX_SUBWORDS + 2, overlap + MAX_SUBWORDS + 40))
    return pieces, sentences, size, overlap


def flat(found: list[Window]) -> list[tuple[list[int], int, list[int]]]:
    return [(w.subwords.tolist(), w.first, w.positions.tolist()) for w in found]


@given(texts())
def test_each_word_is_new_in_exactly_one_window(
    text: tuple[list[list[int]], list[int], int, int],
) -> None:
    pieces, sentences, size, overlap = text
    found = split_into_windows(pieces, sentences, MARKS, size, overlap)
    seen: list[int] = []
    for window in found:
        assert len(window) == len(window.subwords) <= size
        assert (window.subwords[0], window.subwords[-1]) == (-1, -2)
        assert window.first == len(seen)
        seen += window.subwords[window.positions].tolist()
    assert seen == [word[0] for word in pieces]


@given(texts())
def test_context_is_the_words_before_as_many_as_fit(
    text: tuple[list[list[int]], list[int], int, int],
) -> None:
    pieces, sentences, size, overlap = text
    for window in split_into_windows(pieces, sentences, MARKS, size, overlap):
        body = window.subwords[1:-1].tolist()
        context = body[: window.positions[0] - 1]
        before = [piece for word in pieces[: window.first] for piece in word]
        assert context == before[len(before) - len(context) :]
        assert len(context) <= overlap
        starts = {word[0] for word in pieces}
        assert not context or context[0] in starts
        if len(context) < len(before):
            shorter = before[: len(before) - len(context)]
            last = max(n for n, piece in enumerate(shorter) if piece in starts)
            assert len(context) + len(shorter) - last > overlap


@given(texts())
def test_a_window_ends_with_a_sentence_if_one_ends_in_it(
    text: tuple[list[list[int]], list[int], int, int],
) -> None:
    pieces, sentences, size, overlap = text
    found = split_into_windows(pieces, sentences, MARKS, size, overlap)
    ends = {*sentences, len(pieces)}
    for window, after in pairwise(found):
        inside = [end for end in ends if window.first < end <= after.first]
        assert after.first in ends or not inside


@given(texts(), st.integers(0, 5))
def test_later_text_changes_no_window_that_ended_with_a_sentence(
    text: tuple[list[list[int]], list[int], int, int], number: int
) -> None:
    pieces, sentences, size, overlap = text
    found = split_into_windows(pieces, sentences, MARKS, size, overlap)
    assert flat(found) == flat(split_into_windows(pieces, sentences, MARKS, size, overlap))
    if number + 1 < len(found) and found[number + 1].first in sentences:
        end = found[number + 1].first
        cut = split_into_windows(
            pieces[:end], [s for s in sentences if s < end], MARKS, size, overlap
        )
        assert flat(cut) == flat(found)[: number + 1]


def test_values() -> None:
    pieces = [[10], [11, 12], [13], [14], [15, 16], [17]]
    found = split_into_windows(pieces, [0, 2, 3], MARKS, 19, 3)
    assert flat(found) == [([-1, 10, 11, 12, 13, 14, 15, 16, 17, -2], 0, [1, 2, 4, 5, 6, 8])]
    long = [[n] * 6 for n in range(5)]
    found = split_into_windows(long, [0, 1, 4], MARKS, 20, 6)
    assert flat(found)[:2] == [
        ([-1, *[0] * 6, -2], 0, [1]),  # the second sentence does not fit: the first ends it
        ([-1, *[0] * 6, *[1] * 6, *[2] * 6, -2], 1, [7, 13]),  # cut between words
    ]
    assert split_into_windows([], [], MARKS, 32, 8) == []


def test_no_room_is_an_error() -> None:
    with pytest.raises(
        InvalidValue, match=r"a window needs room for its 8 subwords .* 22, found 21"
    ):
        split_into_windows([[1]], [0], MARKS, 21, 8)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "ann", "##s", "##a", "a"]
    made = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            {word: n for n, word in enumerate(vocabulary)},
            unk_token="[UNK]",
            max_input_chars_per_word=300,
        )
    )
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return made


def test_pieces_of_odd_words(tokenizer: Any) -> None:
    pieces = SubwordTokenizer(tokenizer)
    assert (pieces.begin, pieces.end, pieces.pad) == (2, 3, 0)
    odd = ["Ann", "anns", "\u200b", "a" * 5000, "\ud800", "zebra", "Ann"]
    found = pieces.of(odd)
    assert found == [[4], [4, 5], [1], [7] + [6] * (MAX_SUBWORDS - 1), [1], [1], [4]]
    assert pieces.of(odd[::-1]) == found[::-1]


def test_a_tokenizer_without_marks_is_refused() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
    bare = tokenizers.Tokenizer(tokenizers.models.WordPiece({"a": 0}, unk_token="a"))
    with pytest.raises(InvalidValue, match=r"the mark \[CLS\] or <s>"):
        SubwordTokenizer(bare)
