"""Mentions are joined to the entity that their antecedents vote for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.models.coref.features import CLASSES, NAME, SpanFeatures
from coindex.models.coref.infer.decode import EntityDecoder, link_by_scores

NONE = -math.inf


def rows(*values: list[float]) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def test_two_middling_antecedents_of_one_entity_beat_a_better_one_of_another() -> None:
    joiner = EntityDecoder()
    scores = rows([NONE] * 3, [2.0, NONE, NONE], [NONE] * 3, [1.0, 1.0, 1.5])
    columns = np.tile(np.arange(3), (4, 1))
    parents, chances = joiner.add(scores, columns)
    assert parents.tolist() == [-1, 0, -1, 0]
    total = 2 * math.exp(1.0) + math.exp(1.5) + 1
    assert chances[3] == pytest.approx(2 * math.exp(1.0) / total)


def test_values_of_an_antecedent_and_of_none() -> None:
    parents, chances = EntityDecoder().add(rows([NONE], [-1.0]), np.zeros((2, 1), dtype=np.int64))
    assert parents.tolist() == [-1, -1]
    assert chances.tolist() == pytest.approx([1.0, 1 / (1 + math.exp(-1))])


@pytest.mark.parametrize(("cut", "parent"), [(0.0, 0), (0.69, 0), (0.70, -1), (-1.0, 0)])
def test_the_cut_is_on_the_entitys_score(cut: float, parent: int) -> None:
    """Two antecedents of score 0 make ln 2 = 0.693."""
    joiner = EntityDecoder()
    joiner.add(rows([NONE, NONE], [9.0, NONE]), np.array([[0, 1], [0, 1]]))
    parents, _ = joiner.add(rows([0.0, 0.0]), np.array([[0, 1]]), cut)
    assert parents.tolist() == [parent]


def test_no_columns_at_all() -> None:
    parents, chances = EntityDecoder().add(np.zeros((2, 0), np.float32), np.zeros((2, 0), np.int64))
    assert parents.tolist() == [-1, -1]
    assert chances.tolist() == [1.0, 1.0]


@given(st.integers(1, 30), st.integers(0, 10_000), st.integers(1, 9), st.integers(0, 9))
def test_some_at_a_time_is_all_at_once(count: int, seed: int, step: int, low: int) -> None:
    rng = np.random.default_rng(seed)
    columns = np.tile(np.arange(count), (count, 1))
    scores = rng.normal(size=(count, count)).astype(np.float32) * 3
    scores[columns >= np.arange(count)[:, None]] = NONE
    cuts = rng.uniform(low - 9, 9, count).astype(np.float32)
    whole, sure = EntityDecoder().add(scores, columns, cuts)
    joiner = EntityDecoder()
    some = [slice(at, at + step) for at in range(0, count, step)]
    parts = [joiner.add(scores[part], columns[part], cuts[part]) for part in some]
    assert np.concatenate([parents for parents, _ in parts]).tolist() == whole.tolist()
    assert np.concatenate([chances for _, chances in parts]).tolist() == sure.tolist()
    assert ((sure > 0) & (sure <= 1)).all()
    assert all(parent < number for number, parent in enumerate(whole))


@pytest.mark.parametrize(
    ("kind", "string", "parent"),
    [("masculine", 7, 0), ("name", 1, 0), ("name", 7, -1), ("definite", 7, -1), ("bare", 1, -1)],
)
def test_the_cut_is_for_nouns_and_new_names(kind: str, string: int, parent: int) -> None:
    """The second mention's only antecedent has a score of 1, the cut is 2."""
    classes = np.array([NAME, CLASSES.index(kind)])
    strings = np.array([1, string])
    zeros = np.zeros(2, dtype=np.int64)
    spans = SpanFeatures(zeros, zeros + 1, classes, strings, zeros, zeros, zeros, zeros)
    blocks = [(rows([NONE]), np.array([[0]])), (rows([1.0]), np.array([[0]]))]
    assert link_by_scores(spans, blocks, 2.0).parents.tolist() == [-1, parent]
