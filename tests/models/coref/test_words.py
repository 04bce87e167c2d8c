"""What is known of words and spans: values, and hashes against the words themselves."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.models.coref.features import (
    CLASSES,
    GROUPS,
    SHAPES,
    STARTS,
    SpanFeaturizer,
    word_features,
)
from coindex.types.document import Document

WORDS = st.sampled_from(["Ann", "ann", "ANN", "the", "The", "dog", "of", "'s", "’s", ",", "she"])


def document(sentences: list[list[str]], speakers: tuple[str, ...] | None = None) -> Document:
    return Document.of("d", sentences, speakers=speakers)


def names(values: np.ndarray, of: tuple[str, ...]) -> list[str]:
    return [of[value] for value in values]


def test_values_of_words() -> None:
    found = word_features(
        document([["Ann", "'s", "NASA", "CD-3", "1999", "I", "saw"], ["The", "dog", "Ann", "iPad"]])
    )
    assert names(found.shapes, SHAPES) == [
        "title-first", "lower", "upper", "upper", "digit", "title", "lower",
        "title-first", "lower", "title", "mixed",
    ]  # fmt: skip
    # a capital at the start of a sentence is a name only if it has one elsewhere
    assert found.named.tolist() == [1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0]
    assert names(found.groups, GROUPS)[5] == "first"
    assert names(found.starts, STARTS)[7] == "definite"
    assert found.sentences.tolist() == [0] * 7 + [1] * 4
    assert found.hashes[0] == found.hashes[9] != found.hashes[2]
    digest = blake2b(b"ann", digest_size=8).digest()
    assert found.hashes[0] == int.from_bytes(digest, "big", signed=True)


def test_pronouns_have_their_groups() -> None:
    row = ["he", "HER", "It", "they", "we", "You", "herself", "who", "this", "dog"]
    assert names(word_features(document([row])).groups, GROUPS) == [
        "masculine", "feminine", "neuter", "plural", "first-plural", "second", "reflexive",
        "relative", "demonstrative", "",
    ]  # fmt: skip


def test_speakers_are_numbered_as_they_come() -> None:
    rows = [["a", "b"], ["c", "d", "e"]]
    found = word_features(document(rows, ("", "Tom", "Ann", "Tom", "")))
    assert found.speakers.tolist() == [0, 1, 2, 1, 0]
    assert word_features(document(rows)).speakers.tolist() == [0] * 5


def test_values_of_spans() -> None:
    text = ["The", "old", "dog", "of", "Ann", "saw", "Ann", "Lee", "and", "she", "saw", "a", "cat"]
    phrases = SpanFeaturizer(word_features(document([text])))
    starts, ends = np.array([0, 4, 6, 9, 11, 1]), np.array([5, 5, 8, 10, 13, 3])
    found = phrases.spans(starts, ends)
    assert names(found.classes, CLASSES) == [
        "definite", "name", "name", "feminine", "indefinite", "bare",
    ]  # fmt: skip
    low = word_features(document([[word.lower() for word in text]])).hashes
    assert found.heads.tolist() == [low[2], low[4], low[7], low[9], low[12], low[2]]
    assert found.firsts.tolist() == [low[1], low[4], low[6], low[9], low[12], low[1]]
    taken = found.take(np.array([1, 3]))
    assert (len(taken), taken.starts.tolist()) == (2, [4, 9])


@given(st.lists(WORDS, min_size=1, max_size=25), st.data())
def test_strings_are_equal_if_and_only_if_the_words_are(
    row: list[str], data: st.DataObject
) -> None:
    found = word_features(document([row]))
    pairs = []
    for _ in range(6):
        start = data.draw(st.integers(0, len(row) - 1))
        pairs.append((start, data.draw(st.integers(start + 1, len(row)))))
    spans = SpanFeaturizer(found).spans(*(np.array(side) for side in zip(*pairs, strict=True)))

    def text(start: int, end: int) -> list[str]:
        words = [word.lower().replace("’", "'") for word in row[start:end]]
        return words[1:] if len(words) > 1 and found.starts[start] else words

    for a, one in enumerate(pairs):
        for b, two in enumerate(pairs):
            assert (spans.strings[a] == spans.strings[b]) == (text(*one) == text(*two))


@given(st.lists(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=6), max_size=5))
def test_any_words_at_all(rows: list[list[str]]) -> None:
    found = word_features(document(rows))
    count = len(found)
    phrases = SpanFeaturizer(found)
    starts = np.arange(count)
    spans = phrases.spans(starts, starts + 1)
    assert len(spans) == count == sum(map(len, rows))
    assert (spans.heads == found.hashes).all()
    assert (spans.strings == found.hashes).all()
    assert ((spans.classes >= 0) & (spans.classes < len(CLASSES))).all()


def test_half_a_character_has_a_hash() -> None:
    assert len(word_features(document([["\ud800", "x"]]))) == 2


def test_a_document_without_words() -> None:
    found = word_features(document([]))
    none = np.zeros(0, dtype=np.int64)
    assert len(found) == len(SpanFeaturizer(found).spans(none, none)) == 0


@pytest.mark.parametrize("rows", [[["a"] * 3000], [["a", "b", "b"]] * 1000])
def test_hashes_of_long_texts_stay_exact(rows: list[list[str]]) -> None:
    spans = SpanFeaturizer(word_features(document(rows))).spans(
        np.array([0, 3, 2997, 1]), np.array([3, 6, 3000, 4])
    )
    assert spans.strings[0] == spans.strings[1] == spans.strings[2]
    assert (spans.strings[3] == spans.strings[0]) == (len(rows) == 1)
