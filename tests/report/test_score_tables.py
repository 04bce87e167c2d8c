"""Tables from results built by hand: what stands in them, what is marked, what is noted."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from coindex import __version__
from coindex.errors import UsageError
from coindex.report import score_tables
from coindex.report.score_details import document_table
from coindex.report.score_report import comparisons_json, scores_json
from coindex.report.table import Bar, Table
from coindex.scoring.scorer import Result, ScoringOptions
from coindex.scoring.significance import Comparison, Interval, holm


def texts(table: Table) -> tuple[str, ...]:
    """The notes of a table as plain lines."""
    return tuple(map(str, table.notes))


def approx(value: Any) -> Any:
    """A number to compare with, in cells that are typed."""
    return pytest.approx(value)


def result(
    name: str,
    *shares: float,
    match: str = "exact",
    metrics: tuple[str, ...] = ("b3",),
    **irregular: Any,
) -> Result:
    """A response with 100 mentions in each document, of which this many are right."""
    rows = np.array([[share, 100, share, 100] for share in shares], float)
    documents = tuple(f"d{number}" for number in range(len(shares)))
    parts = ("muc", "b3", "ceafe") if "conll" in metrics else metrics
    counts = {part: rows for part in parts}
    return Result(name, ScoringOptions(metrics, match), documents, counts, **irregular)


def comparison(first: str, second: str, *p: float) -> Comparison:
    return Comparison(first, second, "conll", -1.004, p[0], p[1], Interval(-2.5, -0.001))


def test_one_system() -> None:
    grid = score_tables.score_table(
        result("a", 60, 40, metrics=("muc", "conll")), {"muc": Interval(41.204, 59.996)}
    )
    assert grid.columns == ("metric", "recall", "precision", "F1", "95 % interval")
    assert grid.rows == (
        ("MUC", 50.0, 50.0, approx(50), "41.20-60.00"),
        ("CoNLL", None, None, approx(50), None),
    )
    assert grid.bars == (
        Bar("MUC", approx(50), 41.204, 59.996),
        Bar("CoNLL", approx(50)),
    )
    assert texts(grid) == (
        "95 % intervals by the bootstrap over 2 documents: 10,000 resamples, seed 1.",
        "Bars: F1 with 95 % intervals",
        f"Signature: muc+conll|match:exact|singletons:keep|zeros:keep|docs:2|v:{__version__}",
    )


def test_what_was_odd_is_said_in_words() -> None:
    one = result("a", 60, match="mina", repeated=(1, 1200), collapsed=(0, 2))
    _, repeated, collapsed, signature = texts(score_tables.score_table(one, {}))
    assert repeated == (
        "Repeated: 1 mention of the key and 1,200 of the response annotated more than once, "
        "kept once, in the largest of their entities."
    )
    assert collapsed == (
        "Collapsed: 0 mentions of the key and 2 of the response that equal another of their "
        "entity under MINA spans, counted once."
    )
    assert "repeats-once:1+1200|collapsed:0+2" in signature


def test_several_systems() -> None:
    systems = [
        result(n, s, metrics=("b3", "lea")) for n, s in zip("abc", (60, 70, 70), strict=True)
    ]
    grid = score_tables.systems_table(
        systems, [{"b3": Interval(58, 62)}, {}, {}], resamples=99, seed=7
    )
    assert grid.columns == ("system", "B³", "LEA", "95 % interval of B³")
    assert grid.rows[0] == ("a", approx(60), approx(60), "58.00-62.00")
    assert grid.rows[2][3] is None
    assert grid.marked == {(1, 1), (1, 2), (2, 1), (2, 2)}
    assert texts(grid)[0] == "Marked: the best of its column."
    assert "99 resamples, seed 7" in texts(grid)[1]
    assert [note for note in texts(grid) if note.startswith("Signature")] == [
        f"Signature: {systems[0].signature}"
    ]
    assert [bar.label for bar in grid.bars] == ["a", "b", "c"]


def test_the_average_decides_and_one_alone_is_not_the_best() -> None:
    grid = score_tables.systems_table([result("a", 60, metrics=("conll", "b3"))], [{}])
    assert grid.columns[-1] == "95 % interval of CoNLL"
    assert not grid.marked
    assert not any("resamples" in note for note in texts(grid))


def test_systems_with_their_own_oddities_have_their_own_signatures() -> None:
    systems = [result("a", 60), result("b", 50, repeated=(0, 3)), result("c", 50)]
    notes = texts(score_tables.systems_table(systems, [{}, {}, {}]))
    assert any(note.endswith("(key+response): b 0+3.") for note in notes)
    assert f"Signature of a, c: {systems[0].signature}" in notes
    assert f"Signature of b: {systems[1].signature}" in notes


def test_systems_must_share_their_metrics() -> None:
    with pytest.raises(UsageError, match="a and b were scored by different metrics"):
        score_tables.systems_table([result("a", 1), result("b", 1, metrics=("lea",))], [{}, {}])


def test_ranks_share_and_skip() -> None:
    assert score_tables.ranks([50.0, 70.0, 70.0 + 1e-12, 60.0]) == [4, 1, 1, 3]
    assert score_tables.ranks([]) == []


def test_ranking_marks_changes() -> None:
    scores = {"exact": (50, 62.2, 60), "mina": (63, 64, 63), "head": (70, 64, 66)}
    results = {
        rule: [result(name, f1, match=rule) for name, f1 in zip("abc", values, strict=True)]
        for rule, values in scores.items()
    }
    grid = score_tables.ranking_table(results, "b3")
    assert grid.title == "B³ F1 under each matching rule"
    assert grid.columns == ("system", "maximum spans", "MINA spans", "head spans")
    assert grid.rows == (
        ("b", "62.20 (1)", "64.00 (1)", "64.00 (3)"),
        ("c", "60.00 (2)", "63.00 (2)", "66.00 (2)"),
        ("a", "50.00 (3)", "63.00 (2)", "70.00 (1)"),
    )
    assert grid.marked == {(0, 3), (2, 2), (2, 3)}
    assert texts(grid)[:3] == (
        "Marked: a rank that differs from that under maximum spans.",
        "Ranks are by the unrounded F1; equal scores share a rank.",
        "Best: b under maximum spans; b under MINA spans; a under head spans.",
    )
    assert texts(grid)[3:] == tuple(f"Signature: {each[0].signature}" for each in results.values())


def test_ranking_compares_with_maximum_spans_wherever_they_stand() -> None:
    results = {
        "partial": [result("a", 60, match="partial"), result("b", 50, match="partial")],
        "exact": [result("a", 40), result("b", 50)],
    }
    grid = score_tables.ranking_table(results, "b3")
    assert grid.columns == ("system", "partial", "maximum spans")
    assert [row[0] for row in grid.rows] == ["a", "b"]
    assert grid.marked == {(0, 1), (1, 1)}


def test_ranks_of_two_digits_keep_the_others_in_line() -> None:
    results = {"exact": [result(f"s{n}", 90 - n) for n in range(10)]}
    grid = score_tables.ranking_table(results, "b3")
    assert [row[1] for row in grid.rows[-2:]] == ["82.00 \u2007(9)", "81.00 (10)"]
    assert "Best: s0." in texts(grid)
    assert not grid.marked


def test_one_system_alone_has_no_rank() -> None:
    grid = score_tables.ranking_table({"exact": [result("a", 60)]}, "b3")
    assert grid.rows == (("a", "60.00"),)
    assert len(texts(grid)) == 1


def test_ranking_needs_the_same_systems() -> None:
    with pytest.raises(UsageError, match="same systems in the same order"):
        score_tables.ranking_table({"exact": [result("a", 1)], "mina": [result("b", 1)]}, "b3")


def test_holm_by_hand() -> None:
    # sorted: 0.005 x 4 = 0.02; 0.01 x 3 = 0.03; 0.03 x 2 = 0.06; 0.04 x 1 < 0.06, so 0.06
    assert holm([0.01, 0.04, 0.03, 0.005]) == approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


def test_one_comparison() -> None:
    grid = score_tables.comparison_table([comparison("a", "b", 0.01, 0.0499)], resamples=99, seed=7)
    assert "p (Holm)" not in grid.columns
    assert grid.rows == (
        ("a", "b", "CoNLL", "-1.00", "-2.50 to +0.00", "0.0100", "0.0499", "significant at 0.05"),
    )
    assert grid.marked == {(0, 7)}
    assert "99 resamples each, seed 7" in texts(grid)[1]


def test_both_tests_must_agree() -> None:
    grid = score_tables.comparison_table([comparison("a", "b", 0.01, 0.05)])
    assert grid.rows[0][-1] == "not significant"
    assert not grid.marked
    assert not texts(grid)[0].startswith("Marked")


def test_several_comparisons_are_corrected() -> None:
    grid = score_tables.comparison_table(
        [comparison("a", "b", 0.02, 0.03), comparison("a", "c", 0.01, 0.001)]
    )
    assert grid.columns[-2:] == ("p (Holm)", "verdict")
    assert [row[-2:] for row in grid.rows] == [
        ("0.0300", "significant at 0.05"),
        ("0.0200", "significant at 0.05"),
    ]
    three = [comparison("a", name, 0.02, 0.03) for name in "bcd"]
    assert {row[-2:] for row in score_tables.comparison_table(three).rows} == {
        ("0.0900", "not significant")
    }
    assert any(
        "corrected for 3 comparisons" in n for n in texts(score_tables.comparison_table(three))
    )


def test_documents_from_worst_to_best() -> None:
    one = result("a", 60, 40, 50, metrics=("muc", "conll"))
    one.counts["muc"] = np.array([[0, 5, 0, 5], [5, 5, 5, 5], [5, 5, 5, 5]], float)
    grid = document_table(one)
    assert grid.columns == ("document", "MUC", "CoNLL", "key mentions", "response mentions")
    assert grid.rows == (
        ("d0", 0.0, approx(40), 100, 100),
        ("d1", 100.0, approx(60), 100, 100),
        ("d2", 100.0, approx(200 / 3), 100, 100),
    )
    assert all(isinstance(row[3], int) for row in grid.rows)


def test_documents_without_an_average_or_mention_counts() -> None:
    grid = document_table(result("a", 60, 40, metrics=("muc",)))
    assert grid.columns == ("document", "MUC")
    assert [row[0] for row in grid.rows] == ["d1", "d0"]


def test_empty_documents_are_noted() -> None:
    one = result("a", 60, 40)
    one.counts["b3"][1] = 0
    assert texts(document_table(one))[0] == (
        "1 document with no mention on either side: nothing over nothing is scored as 0."
    )


def test_json_shape() -> None:
    one = result("a", 1 / 3, metrics=("muc", "conll"))
    found = json.loads(json.dumps(scores_json(one.scores, {"muc": Interval(0.1, 0.5)})))
    share = approx(1 / 3)
    assert found == {
        "muc": {
            "recall": share,
            "precision": share,
            "f1": share,
            "counts": [1 / 3, 100.0, 1 / 3, 100.0],
            "interval": [0.1, 0.5],
        },
        "conll": {"f1": share},
    }
    assert scores_json(one.document_scores(0))["conll"] == {"f1": share}


def test_json_of_a_comparison() -> None:
    (found,) = comparisons_json([comparison("a", "b", 0.1, 0.2)])
    assert found == {
        "first": "a",
        "second": "b",
        "metric": "conll",
        "difference": -1.004,
        "interval": [-2.5, -0.001],
        "p": {"randomization": 0.1, "bootstrap": 0.2, "holm": 0.2},
        "significant": False,
    }
