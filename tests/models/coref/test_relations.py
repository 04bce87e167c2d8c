"""How two mentions stand to each other: values, and the same from numpy and torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.models.coref.features import (
    CLASSES,
    PAIR_FEATURE_SIZES,
    SENTENCE_TABLE,
    WORD_TABLE,
    SpanFeatures,
    SpanFeaturizer,
    pair_features,
    word_features,
)
from coindex.types.document import Document


def sides(spans: SpanFeatures) -> tuple[SpanFeatures, SpanFeatures]:
    columns = [getattr(spans, name) for name in SpanFeatures.__slots__]
    return SpanFeatures(*(c[:, None] for c in columns)), SpanFeatures(
        *(c[None, :] for c in columns)
    )


def by_numpy(spans: SpanFeatures) -> tuple[Any, ...]:
    return pair_features(*sides(spans), np.array(WORD_TABLE), np.array(SENTENCE_TABLE))


def test_values() -> None:
    rows = [["The", "dog", "saw", "Ann", "Lee"], ["Ann", "said", "a", "dog", "barked"]]
    document = Document.of("d", rows, speakers=("",) * 5 + ("Tom",) * 5)
    starts, ends = np.array([0, 3, 3, 5, 7]), np.array([2, 4, 5, 6, 9])
    words, lines, strings, kinds = by_numpy(
        SpanFeaturizer(word_features(document)).spans(starts, ends)
    )
    # dog-dog: five words between (bucket 4: 4 or 5), next sentence, all strings the same
    assert (words[4, 0], lines[4, 0], strings[4, 0]) == (4, 1, 7 * 3)
    # Ann within Ann Lee: nested has the last number
    assert words[2, 1] == PAIR_FEATURE_SIZES["words"] - 1
    # Ann after Ann Lee: no word between; only the first word is the same
    assert (words[3, 2], strings[3, 2]) == (0, 4 * 3)
    a, the = CLASSES.index("pointing") - 1, CLASSES.index("definite")  # "indefinite" is there twice
    assert kinds[4, 0] == a * len(CLASSES) + the
    assert strings[4, 3] == 0 * 3 + 1  # nothing the same, said by one speaker


def test_speakers_count_only_where_both_are_known() -> None:
    document = Document.of("d", [["a", "b", "c", "d"]], speakers=("", "Tom", "Ann", "Tom"))
    starts = np.arange(4)
    voice = by_numpy(SpanFeaturizer(word_features(document)).spans(starts, starts + 1))[2] % 3
    assert voice.tolist() == [[0, 0, 0, 0], [0, 1, 2, 1], [0, 2, 1, 2], [0, 1, 2, 1]]


def test_buckets_grow_with_the_distance() -> None:
    assert list(WORD_TABLE) == sorted(WORD_TABLE)
    assert (WORD_TABLE[0], WORD_TABLE[1], WORD_TABLE[5], WORD_TABLE[-1]) == (0, 1, 4, 18)
    assert (SENTENCE_TABLE[0], SENTENCE_TABLE[-1]) == (0, PAIR_FEATURE_SIZES["sentences"] - 1)


@given(st.data())
def test_numpy_and_torch_agree(data: st.DataObject) -> None:
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
    word = st.sampled_from(["Ann", "ann", "the", "dog", "she", "They", "a"])
    rows = data.draw(st.lists(st.lists(word, min_size=1, max_size=40), min_size=1, max_size=30))
    count = sum(map(len, rows))
    names = st.sampled_from(["", "Tom", "Eve"])
    speakers = tuple(data.draw(st.lists(names, min_size=count, max_size=count)))
    document = Document.of("d", rows, speakers=speakers)
    starts = np.array(
        sorted(data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=12)))
    )
    wide = data.draw(st.lists(st.integers(1, 9), min_size=len(starts), max_size=len(starts)))
    spans = SpanFeaturizer(word_features(document)).spans(
        starts, np.minimum(starts + np.array(wide), count)
    )
    expected = by_numpy(spans)
    tensors = SpanFeatures(
        *(torch.from_numpy(getattr(spans, name)) for name in SpanFeatures.__slots__)
    )
    found = pair_features(*sides(tensors), torch.tensor(WORD_TABLE), torch.tensor(SENTENCE_TABLE))
    for name, ours, theirs in zip(PAIR_FEATURE_SIZES, expected, found, strict=True):
        assert (ours == theirs.numpy()).all(), name
        assert (ours >= 0).all(), name
        assert (ours < PAIR_FEATURE_SIZES[name]).all(), name
