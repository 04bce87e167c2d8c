"""One contract for every metric and every matching rule."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from importlib.resources import files
from types import ModuleType

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from coindex import Document, Entity, Mention, plugins, score
from coindex.errors import UsageError
from coindex.scoring import matching, metrics
from coindex.scoring.contingency import contingency_table
from coindex.scoring.matching.protocol import MatchingRule
from coindex.scoring.metrics import assignment
from coindex.scoring.metrics.protocol import Metric
from coindex.scoring.scorer import ScoringOptions, score_pairs
from strategies import documents, entity_sets

COUNTING = [name for name in metrics.names() if not metrics.load(name).AVERAGE_OF]
WITH_WORDS = (
    "mor",
    "zero-anaphora",
    "non-referring",
    "bridging",
    "bridging-mentions",
    "bridging-anaphors",
)
METRICS = [name for name in COUNTING if name not in WITH_WORDS]
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
    module = metrics.load_counting(name)
    counts = module.count(contingency_table(key, response))
    assert counts.shape == (len(module.COUNTS),)
    assert (counts >= -1e-9).all()
    scores = module.score(counts)
    assert ((scores >= 0) & (scores <= 1 + 1e-9)).all()


@pytest.mark.parametrize("name", METRICS)
@given(key=partitions())
def test_a_key_scored_against_itself_is_perfect(name: str, key: list[list[int]]) -> None:
    assume(_has_links(key))
    scores = metrics.load_counting(name).score(
        metrics.load_counting(name).count(contingency_table(key, key))
    )
    assert scores == pytest.approx([1, 1, 1])


@pytest.mark.parametrize("name", METRICS)
@given(key=partitions(), response=partitions())
def test_swapping_sides_swaps_recall_and_precision(
    name: str, key: list[list[int]], response: list[list[int]]
) -> None:
    if name == "blanc":  # it looks at the key to see which kinds of links count
        assume(_has_links(key) and _has_links(response))
    one = metrics.load_counting(name).score(
        metrics.load_counting(name).count(contingency_table(key, response))
    )
    other = metrics.load_counting(name).score(
        metrics.load_counting(name).count(contingency_table(response, key))
    )
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
    count = metrics.load_counting(name).count
    assert count(contingency_table(key, response)) == pytest.approx(
        count(contingency_table(*moved))
    )
    assert count(contingency_table(key, response)) == pytest.approx(
        count(contingency_table(*renamed))
    )


@pytest.mark.parametrize("name", METRICS)
@given(rows=st.lists(st.tuples(partitions(), partitions()), min_size=1, max_size=4))
def test_counts_add_up_and_score_many_totals_at_once(
    name: str, rows: list[tuple[list[list[int]], list[list[int]]]]
) -> None:
    module = metrics.load_counting(name)
    counts = np.array([module.count(contingency_table(*row)) for row in rows])
    together = module.score(counts)
    assert together.shape == (len(rows), 3)
    for row, scores in zip(counts, together, strict=True):
        assert module.score(row) == pytest.approx(scores)
    assert module.score(counts.sum(axis=0)) == pytest.approx(module.score(counts[::-1].sum(axis=0)))


@given(key=partitions(), response=partitions())
def test_all_ways_to_align_entities_agree(key: list[list[int]], response: list[list[int]]) -> None:
    both = contingency_table(key, response)
    weights = 2 * both.overlaps / (both.key[both.rows] + both.response[both.columns])
    dense = np.zeros((len(both.key), len(both.response)))
    dense[both.rows, both.columns] = weights
    best = assignment.best_total(both.rows, both.columns, weights)
    assert best == pytest.approx(_brute_force(dense))
    limits = assignment.FEW, assignment.DENSE
    try:
        for assignment.FEW, assignment.DENSE in ((0, 2500), (0, 0)):
            assert assignment.best_total(both.rows, both.columns, weights) == pytest.approx(best)
    finally:
        assignment.FEW, assignment.DENSE = limits


def _brute_force(dense: np.ndarray) -> float:
    """The best alignment by trying rows one after the other."""
    if not dense.size:
        return 0.0
    rest = _brute_force(dense[1:])
    for column in np.flatnonzero(dense[0]):
        rest = max(rest, dense[0, column] + _brute_force(np.delete(dense[1:], column, axis=1)))
    return float(rest)


@pytest.mark.parametrize("name", WITH_WORDS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents(), data=st.data())
def test_metrics_of_words_are_within_bounds_and_perfect_for_the_key(
    name: str, document: Document, data: st.DataObject
) -> None:
    entities = data.draw(entity_sets(len(document))) if len(document) > 1 else []
    other = replace(document, entities=tuple(entities))
    options = ScoringOptions((name,))
    found = score_pairs([(document, other)], options).scores[name]
    assert 0 <= found.f1 <= 100 + 1e-9
    same = score_pairs([(document, document)], options).scores[name]
    assert same.counts[0] == same.counts[1] == same.counts[2] == same.counts[3]
    if name == "mor":
        swapped = score_pairs([(other, document)], options).scores[name]
        assert found.recall == pytest.approx(swapped.precision)
    with pytest.raises(UsageError, match="plain entities have none"):
        score([{1, 2}], [{1}], metrics=name)


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
    result = score_pairs(
        [(document, document)], ScoringOptions(("mentions", "b3", "lea", "ceafe"), rule)
    )
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
    options = ScoringOptions(("mentions", "muc", "b3", "ceafe", "lea", "blanc"), rule)
    one, other = (score_pairs([(document, each)], options) for each in (document, renamed))
    for name in one.counts:
        assert one.counts[name] == pytest.approx(other.counts[name])


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in ("partial", "head")])
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents(), data=st.data())
def test_under_every_rule_swapping_sides_swaps_scores(
    rule: str, document: Document, data: st.DataObject
) -> None:
    """All but `partial` and `head`, which look at how much of the key mention was found."""
    document = _parsed(document)
    entities = data.draw(entity_sets(len(document))) if len(document) > 1 else []
    other = replace(document, entities=tuple(entities))
    options = ScoringOptions(("mentions", "muc", "b3", "ceafe", "lea"), rule)
    one = score_pairs([(document, other)], options).scores
    swapped = score_pairs([(other, document)], options).scores
    for metric, found in one.items():
        assert found.recall == pytest.approx(swapped[metric].precision)
        assert found.f1 == pytest.approx(swapped[metric].f1)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_says_what_it_is(rule: str) -> None:
    assert matching.load(rule).__doc__
    assert matching.load(rule).TITLE


@pytest.mark.parametrize(
    ("family", "protocol"), [("matching", MatchingRule), ("metrics", Metric)], ids=str
)
def test_builtin_plugins_define_every_member(family: str, protocol: type) -> None:
    for name in plugins.builtin_names(family):
        folder = "matching" if family == "matching" else "metrics"
        text = (
            files(f"coindex.scoring.{folder}.builtin")
            .joinpath(f"{name.replace('-', '_')}.py")
            .read_text("utf-8")
        )
        for member in protocol.__annotations__:
            assert f"\n{member} = " in text, f"{name} has no {member}"


def test_the_order_of_display_is_that_of_the_plugins() -> None:
    order = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll")
    assert metrics.in_order() == (*order, *WITH_WORDS)
    assert metrics.expand("all") == order
    assert matching.in_order() == ("exact", "mina", "mina-strict", "head", "partial")


def test_a_metric_of_another_package_may_leave_out_members(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("whole")
    monkeypatch.setitem(sys.modules, "whole", module)
    found = {"metrics": {"whole": "whole"}, "matching": {"whole": "whole"}}
    monkeypatch.setattr(plugins, "_entry_points", lambda family: found.get(family, {}))
    assert metrics.in_order()[-1] == metrics.expand("all")[-1] == "whole"
    assert metrics.components("whole") == ("whole",)
    assert matching.load("whole").TITLE == "whole"
    assert not matching.load("whole").IN_RANKINGS


def test_an_average_has_no_counts() -> None:
    with pytest.raises(UsageError, match="conll: expected a metric with counts"):
        metrics.load_counting("conll")


def test_repeats_are_kept_once_in_the_largest_entity() -> None:
    found = contingency_table([["a", "b", "c"], ["a", "d"], ["a"]], [["a", "b", "c"], ["d"]])
    assert found.key.tolist() == [3, 1]
    assert found.repeated == (2, 0)
    assert found.overlaps.tolist() == [3, 1]
    assert contingency_table([["a", "a", "b"]], [["a"]]).collapsed == (1, 0)


def test_mixed_identities_are_ordered_somehow() -> None:
    assert contingency_table([["a", 1], [1, "b"]], [["a", 1]]).repeated == (1, 0)


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
