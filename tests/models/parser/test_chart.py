"""Chart decoding: the best of all trees, as trying them all finds it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from coindex.models.parser.chart import best_tree
from coindex.models.parser.decode import SpanScorer


def binary_trees(start: int, end: int) -> Iterator[list[tuple[int, int]]]:
    """Every binary tree over some words, as its spans."""
    if end - start == 1:
        yield [(start, end)]
        return
    for split in range(start + 1, end):
        for left, right in product(binary_trees(start, split), binary_trees(split, end)):
            yield [(start, end), *left, *right]


@pytest.mark.parametrize("words", range(1, 8))
def test_no_tree_is_better(words: int) -> None:
    random = np.random.default_rng(words)
    for _ in range(20):
        scores = np.maximum(random.normal(size=(words, words + 1)), 0).astype(np.float32)
        found = best_tree(scores)
        best = max(sum(scores[span] for span in tree) for tree in binary_trees(0, words))
        assert sum(scores[span] for span in found) == pytest.approx(best)
        assert sorted(found) in [sorted(tree) for tree in binary_trees(0, words)]


def test_a_long_sentence_is_a_tree() -> None:
    random = np.random.default_rng(1)
    scores = random.random((200, 201), dtype=np.float32)
    found = best_tree(scores)
    assert len(found) == 2 * 200 - 1
    assert found[0] == (0, 200)


def scorer(labels: int, hidden: int) -> SpanScorer:
    random = np.random.default_rng(3)
    weight = random.normal(size=(labels, hidden)).astype(np.float32)
    names = ("", *(f"L{number}" for number in range(1, labels)))
    return SpanScorer(weight, random.normal(size=labels).astype(np.float32), names)


def test_scores_of_spans_are_those_of_the_formula() -> None:
    random = np.random.default_rng(4)
    starts, ends = (random.normal(size=(6, 7)).astype(np.float32) for _ in range(2))
    one = scorer(4, 5)
    gains, labels = one.scores(starts, ends)
    for first in range(6):
        for last in range(first, 6):
            hidden = np.maximum(starts[first, :5] + ends[last, :5], 0)
            scores = one.weight @ hidden + one.bias
            scores[0] -= starts[first, 5:] @ ends[last, 5:] / 8
            gain = scores[1:].max() - scores[0]
            assert gains[first, last + 1] == pytest.approx(max(gain, 0), abs=1e-5)
            assert labels[first, last + 1] == (scores[1:].argmax() + 1 if gain > 0 else 0)


def test_phrases_do_not_cross_and_have_labels() -> None:
    random = np.random.default_rng(5)
    one = scorer(5, 8)
    for words in (1, 2, 9, 30):
        starts, ends = (random.normal(size=(words, 12)).astype(np.float32) for _ in range(2))
        tree = one.tree(starts, ends)
        assert all(span.label for span in tree)
        for a, b in product(tree, tree):
            assert not a.start < b.start < a.end < b.end
