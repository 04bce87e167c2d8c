"""Nested mentions as labels, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.models.mention_pair.mention_crf import decode_labels, encode_labels

LABELS = st.sampled_from(["O", "B", "I", "BB", "IB", "II", "IBB", "IIB", "III"])


@pytest.mark.parametrize(
    ("places", "size", "labels"),
    [
        ([], 2, ("O", "O")),
        ([(0, 1), (1, 2)], 2, ("B", "B")),
        ([(0, 3), (0, 1)], 4, ("BB", "I", "I", "O")),
        ([(0, 3), (2, 3)], 3, ("B", "I", "IB")),
        ([(0, 4), (1, 3), (2, 3)], 4, ("B", "IB", "IIB", "I")),
    ],
)
def test_golden_labels(places: list[tuple[int, int]], size: int, labels: tuple[str, ...]) -> None:
    found = encode_labels(places, size)
    assert (found.labels, found.lost) == (labels, 0)
    assert sorted(decode_labels(labels)) == sorted(places)


def test_what_crosses_or_lies_too_deep_is_counted() -> None:
    assert encode_labels([(0, 2), (1, 3)], 3).lost == 1
    deep = [(0, 5), (0, 4), (0, 3), (0, 2)]
    assert encode_labels(deep, 5, depth=3).lost == 1
    assert sorted(decode_labels(encode_labels(deep, 5, depth=3).labels)) == sorted(deep[:3])


def test_an_inside_without_a_beginning_begins_a_mention() -> None:
    assert decode_labels(["O", "I", "O"]) == [(1, 2)]
    assert decode_labels(["B", "II"]) == [(0, 2), (1, 2)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=8))
def test_what_is_encoded_is_decoded(raw: list[tuple[int, int]]) -> None:
    places = {(start, min(start + size, 10)) for start, size in raw}
    found = encode_labels(places, 10)
    again = decode_labels(found.labels)
    assert len(again) == len(places) - found.lost
    assert set(again) <= places


@given(st.lists(LABELS, max_size=12))
def test_any_labels_give_nested_mentions(labels: list[str]) -> None:
    found = decode_labels(labels)
    for start, end in found:
        assert 0 <= start < end <= len(labels)
        assert not any(a < start < b < end for a, b in found)
