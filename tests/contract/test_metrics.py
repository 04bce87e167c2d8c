"""One contract for every metric and every matching rule."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from coindex import Document, Entity, Mention, matching, metrics, score
from coindex.arrays import table
from coindex.metrics import _assignment
from coindex.scoring.run import Options, score_pairs
from strategies import documents, entity_sets

METRICS = [name for name in metrics.names() if not hasattr(metrics.load(name), "AVERAGE_OF")]
RULES = matching.names()


@st.composite
def partitions(draw: st.DrawFn) -> list[list[int]]:
    """Entities over at most a dozen mentions that share nothing."""
    labels = draw(st.lists(st.integers(0, 5), min_size=1, max_size=12))
    kept = [m for m in range(len(labels)) if draw(st.booleans()) or draw(st.booleans())]
    found: dict[int, list[int]] = {}
    for mention in kept:
        found.setdefault(labels[mention], []).append(mention)
    return list(found.values())


def _has_links(side: list[list[int]]) -> bool:
    mentions = sum(map(len, side))
    pairs = sum(len(entity) * (len(entity) - 1) // 2 for entity in side)
    return 0 < pairs < mentions * (mentions - 1) // 2


@pytest.mark.parametrize("name", METRICS)
@given(key=partitions(), response=partitions())
def test_scores_lie_between_nothing_and_all(
    name: str, key: list[list[int]], response: list[list[int]]
) -> None:
    module = metrics.load(name)
    counts = module.count(table(key, response))
    assert counts.shape == (len(module.COUNTS),)
    assert (counts >= -1e-9).all()
    scores = module.score(counts)
    assert ((scores >= 0) & (scores <= 1 + 1e-9)).all()


@pytest.mark.parametrize("name", METRICS)
@given(key=partitions())
def test_a_key_scored_against_itself_is_perfect(name: str, key: list[list[int]]) -> None:
    assume(_has_links(key))
    scores = metrics.load(name).score(metrics.load(name).count(table(key, key)))
    assert scores == pytest.approx([1, 1, 1])


@pytest.mark.parametrize("name", METRICS)
@given(key=partitions(), response=partitions())
def test_swapping_sides_swaps_recall_and_precision(
    name: str, key: list[list[int]], response: list[list[int]]
) -> None:
    if name == "blanc":  # it looks at the key to see which kinds of links count
        assume(_has_links(key) and _has_links(response))
    one = metrics.load(name).score(metrics.load(name).count(table(key, response)))
    other = metrics.load(name).score(metrics.load(name).count(table(response, key)))
    assert one[[1, 0, 2]] == pytest.approx(other)


@pytest.mark.parametrize("name", METRICS)
@given(key=partitions(), response=partitions(), seed=st.integers(0, 99))
def test_order_and_names_do_not_matter(
    name: str, key: list[list[int]], response: list[list[int]], seed: int
) -> None:
    rng = random.Random(seed)
    moved = [[rng.sample(entity, len(entity)) for entity in side] for side in (key, response)]
    for side in moved:
        rng.shuffle(side)
    renamed = [[[f"m{mention:03}" for mention in entity] for entity in side] for side in moved]
    count = metrics.load(name).count
    assert count(table(key, response)) == pytest.approx(count(table(*moved)))
    assert count(table(key, response)) == pytest.approx(count(table(*renamed)))


@pytest.mark.parametrize("name", METRICS)
@given(rows=st.lists(st.tuples(partitions(), partitions()), min_size=1, max_size=4))
def test_counts_add_up_and_score_many_totals_at_once(
    name: str, rows: list[tuple[list[list[int]], list[list[int]]]]
) -> None:
    module = metrics.load(name)
    counts = np.array([module.count(table(*row)) for row in rows])
    together = module.score(counts)
    assert together.shape == (len(rows), 3)
    for row, scores in zip(counts, together, strict=True):
        assert module.score(row) == pytest.approx(scores)
    assert module.score(counts.sum(axis=0)) == pytest.approx(module.score(counts[::-1].sum(axis=0)))


@given(key=partitions(), response=partitions())
def test_all_ways_to_align_entities_agree(key: list[list[int]], response: list[list[int]]) -> None:
    both = table(key, response)
    weights = 2 * both.overlaps / (both.key[both.rows] + both.response[both.columns])
    dense = np.zeros((len(both.key), len(both.response)))
    dense[both.rows, both.columns] = weights
    best = _assignment.best_total(both.rows, both.columns, weights)
    assert best == pytest.approx(_brute_force(dense))
    limits = _assignment.FEW, _assignment.DENSE
    try:
        for _assignment.FEW, _assignment.DENSE in ((0, 2500), (0, 0)):
            assert _assignment.best_total(both.rows, both.columns, weights) == pytest.approx(best)
    finally:
        _assignment.FEW, _assignment.DENSE = limits


def _brute_force(dense: np.ndarray) -> float:
    """The best alignment by trying rows one after the other."""
    if not dense.size:
        return 0.0
    rest = _brute_force(dense[1:])
    for column in np.flatnonzero(dense[0]):
        rest = max(rest, dense[0, column] + _brute_force(np.delete(dense[1:], column, axis=1)))
    return float(rest)


def _parsed(document: Document) -> Document:
    """A document with a flat tree, so that every rule applies."""
    count = len(document)
    bits = ["*"] * count
    for start, end in zip(document.sentences, [*document.sentences[1:], count], strict=True):
        bits[start] = "(TOP(NP" + bits[start]
        bits[end - 1] += "))"
    return replace(document, parse=tuple(bits), pos=("NN",) * count, zeros=())


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents())
def test_under_every_rule_a_document_matches_itself(rule: str, document: Document) -> None:
    document = _parsed(document)
    result = score_pairs([(document, document)], Options(("mentions", "b3", "lea", "ceafe"), rule))
    if document.entities:
        assert all(s.f1 == pytest.approx(100) for s in result.scores.values())
    else:
        assert all(s.f1 == 0 for s in result.scores.values()), "nothing over nothing is nothing"


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents(), seed=st.integers(0, 9))
def test_under_every_rule_ids_do_not_matter(rule: str, document: Document, seed: int) -> None:
    document = _parsed(document)
    rng = random.Random(seed)
    ids = rng.sample(range(100), len(document.entities))
    renamed = replace(
        document,
        entities=tuple(replace(e, id=str(n)) for e, n in zip(document.entities, ids, strict=True)),
    )
    options = Options(("mentions", "muc", "b3", "ceafe", "lea", "blanc"), rule)
    one, other = (score_pairs([(document, each)], options) for each in (document, renamed))
    for name in one.counts:
        assert one.counts[name] == pytest.approx(other.counts[name])


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "partial"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents(), data=st.data())
def test_under_every_rule_swapping_sides_swaps_scores(
    rule: str, document: Document, data: st.DataObject
) -> None:
    """All but `partial`, which asks for a response within the key and not the other way."""
    document = _parsed(document)
    entities = data.draw(entity_sets(len(document))) if len(document) > 1 else []
    other = replace(document, entities=tuple(entities))
    options = Options(("mentions", "muc", "b3", "ceafe", "lea"), rule)
    one = score_pairs([(document, other)], options).scores
    swapped = score_pairs([(other, document)], options).scores
    for metric, found in one.items():
        assert found.recall == pytest.approx(swapped[metric].precision)
        assert found.f1 == pytest.approx(swapped[metric].f1)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_says_what_it_is(rule: str) -> None:
    assert matching.load(rule).__doc__


def test_repeats_are_kept_once_in_the_largest_entity() -> None:
    found = table([["a", "b", "c"], ["a", "d"], ["a"]], [["a", "b", "c"], ["d"]])
    assert found.key.tolist() == [3, 1]
    assert found.repeated == (2, 0)
    assert found.overlaps.tolist() == [3, 1]
    assert table([["a", "a", "b"]], [["a"]]).collapsed == (1, 0)


def test_mixed_identities_are_ordered_somehow() -> None:
    assert table([["a", 1], [1, "b"]], [["a", 1]]).repeated == (1, 0)


def test_documents_and_sets_score_alike() -> None:
    document = Document.of(
        "d",
        [list("abcd")],
        [Entity((Mention.at(0, 1), Mention.at(1, 2))), Entity((Mention.at(3, 4),))],
    )
    sets = [{0, 1}, {3}]
    other = [{0, 3}]
    response = Document.of("d", [list("abcd")], [Entity((Mention.at(0, 1), Mention.at(3, 4)))])
    assert score(document, response).scores == score(sets, other).scores
