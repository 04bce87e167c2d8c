"""Scores by type: golden values, and that the types add up to the metrics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import Document, Entity, Mention, formats
from coindex.report.score_details import type_table
from coindex.scoring import metrics
from coindex.scoring.alignment import align
from coindex.scoring.scorer import ScoringOptions, document_contingency
from coindex.scoring.scores_by_type import METRICS, count_by_type, type_scores
from coindex.text.mention_classes import KINDS
from strategies import documents, entity_sets

WORDS = ["Ann", "saw", "the", "dog", ".", "She", "fed", "it", "."]
ANN, DOG, SHE, IT = Mention.at(0, 1), Mention.at(2, 4), Mention.at(5, 6), Mention.at(7, 8)


def _document(*entities: Iterable[Mention]) -> Document:
    return Document.of("d", [WORDS[:5], WORDS[5:]], [Entity(tuple(e)) for e in entities])


KEY = _document([ANN, SHE], [DOG, IT])
RESPONSE = _document([ANN, SHE, IT], [Mention.at(3, 4)])


def test_golden() -> None:
    counts = count_by_type([(KEY, RESPONSE)], ScoringOptions())
    found = {name: [*map(list, each.values())] for name, each in counts.items()}
    two_thirds = pytest.approx(2 / 3)
    assert found == {
        "pronoun": [[2, 2, 2, 2], [pytest.approx(1.5), 2, pytest.approx(1), 2]],
        "pronoun: feminine": [[1, 1, 1, 1], [1, 1, two_thirds, 1]],
        "pronoun: neuter": [[1, 1, 1, 1], [0.5, 1, pytest.approx(1 / 3), 1]],
        "name": [[1, 1, 1, 1], [1, 1, two_thirds, 1]],
        "nominal": [[0, 1, 0, 1], [0, 1, 0, 1]],
    }


def test_grid() -> None:
    grid = type_table(count_by_type([(KEY, RESPONSE)], ScoringOptions()), "by type")
    assert grid.title == "by type"
    assert [row[0] for row in grid.rows] == [
        *("pronoun", "pronoun: feminine", "pronoun: neuter", "name", "nominal", "all"),
    ]
    assert {len(row) for row in grid.rows} == {len(grid.columns)}
    assert grid.rows[-1][:6] == ("all", 4, 4, 75, 75, 75)
    assert grid.rows[-1][6:] == pytest.approx((62.5, 500 / 12, 50))


def test_nothing_is_zero() -> None:
    counts = count_by_type([(_document(), _document())], ScoringOptions())
    assert set(counts) == set(KINDS)
    assert type_scores(counts)["name"]["b3"].f1 == 0


def test_the_key_is_judge_unless_it_has_no_words() -> None:
    shouted = replace(RESPONSE, tokens=("_",) * len(WORDS))
    assert _plain(count_by_type([(KEY, shouted)], ScoringOptions())) == _plain(
        count_by_type([(KEY, RESPONSE)], ScoringOptions())
    )
    wordless = replace(KEY, tokens=("_",) * len(WORDS))
    assert count_by_type([(wordless, RESPONSE)], ScoringOptions())["name"]["mentions"][0] == 1


def _plain(counts: dict[str, dict[str, np.ndarray]]) -> dict[str, dict[str, list[float]]]:
    return {name: {m: list(row) for m, row in each.items()} for name, each in counts.items()}


def _assert_partition(pairs: list[tuple[Document, Document]], options: ScoringOptions) -> None:
    counts = count_by_type(pairs, options)
    tables = [document_contingency(key, response, options) for key, response in pairs]
    for metric in METRICS:
        wanted = sum(metrics.load_counting(metric).count(table) for table in tables)
        assert sum(counts[kind][metric] for kind in KINDS) == pytest.approx(wanted, abs=1e-9)
        groups = [each[metric] for name, each in counts.items() if ":" in name]
        assert np.sum([np.zeros(4), *groups], axis=0) == pytest.approx(counts["pronoun"][metric])


@st.composite
def sided(draw: st.DrawFn) -> tuple[Document, Document]:
    """A document, and the same with other entities."""
    key = draw(documents())
    new = draw(entity_sets(len(key))) if len(key) > 1 else []
    return key, replace(key, entities=(*key.entities[::2],) if draw(st.booleans()) else (*new,))


@given(st.lists(sided(), min_size=1, max_size=3), st.sampled_from(["keep", "drop"]))
def test_types_are_a_partition(pairs: list[tuple[Document, Document]], singletons: str) -> None:
    _assert_partition(pairs, ScoringOptions(singletons=singletons))


@given(sided())
def test_swapping_sides_swaps_recall_and_precision(pair: tuple[Document, Document]) -> None:
    ours, theirs = (count_by_type([p], ScoringOptions()) for p in (pair, pair[::-1]))
    for name, each in ours.items():
        for metric, row in each.items():
            assert row == pytest.approx(theirs[name][metric][[2, 3, 0, 1]])


@pytest.mark.data
@pytest.mark.parametrize("singletons", ["keep", "drop"])
@pytest.mark.parametrize("match", ["exact", "mina", "mina-strict", "head", "partial"])
def test_real_documents(data: Path, match: str, singletons: str) -> None:
    key, response = (
        [cast(Document, item) for item in formats.read(data / "gum" / f"{name}.dev.gold_conll.xz")]
        for name in ("ontogum", "gum")
    )
    pairs = list(align(key, response))
    _assert_partition(pairs, ScoringOptions(match=match, singletons=singletons))
    if (match, singletons) == ("exact", "keep"):
        found = count_by_type(pairs, ScoringOptions())
        totals = {kind: list(map(int, found[kind]["mentions"])) for kind in KINDS}
        assert totals == {
            "pronoun": [1942, 1942, 1942, 2073],
            "name": [651, 670, 651, 1117],
            "nominal": [1095, 1205, 1095, 4707],
        }
