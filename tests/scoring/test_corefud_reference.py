"""Parity with the shared task's scorer on its own cases, for every combination of options."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from coindex import Document, formats
from coindex.scoring.alignment import align
from coindex.scoring.scorer import ScoringOptions, score_pairs

pytestmark = pytest.mark.data

METRICS = ("muc", "b3", "ceafe", "ceafm", "lea", "mor")
REPEATED = ("TC-A-8", "TC-A-9")
"""The cases with repeated mentions, which this scorer counts in all of their entities."""


@cache
def read(path: Path) -> tuple[Document, ...]:
    return tuple(each for each in formats.read(path) if isinstance(each, Document))


@pytest.mark.parametrize("match", ["exact", "partial", "head"])
def test_the_shared_tasks_cases(data: Path, match: str) -> None:
    folder = data / "corefud-cases"
    rows = map(json.loads, (folder / "values.jsonl").read_text("utf-8").splitlines())
    wrong: list[str] = []
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row["match"] == match:
            counts[row["zeros"], row["zero_match"]] += 1
            wrong += _differences(folder, row)
    assert wrong == []
    assert counts == {
        ("keep", "linear"): 200,
        ("drop", "linear"): 200,
        ("keep", "dependent"): 26,
        ("drop", "dependent"): 44,
    }


def _differences(folder: Path, row: dict[str, Any]) -> list[str]:
    repeats = "all" if row["response"].split("/")[-1].startswith(REPEATED) else "largest"
    options = ScoringOptions(
        METRICS, row["match"], row["singletons"], row["zeros"], "error", row["zero_match"], repeats
    )
    pairs = align(read(folder / row["key"]), read(folder / row["response"]))
    scores = score_pairs(pairs, options).scores
    found = {m: (s.recall, s.precision, s.f1) for m, s in scores.items()}
    return [
        f"{row['response']} {options}: {metric}: expected {row['values'][metric]}, found {values}"
        for metric, values in found.items()
        if values != pytest.approx([100 * value for value in row["values"][metric]], abs=1e-2)
    ]


@pytest.mark.parametrize("case", ["A8", "A9"])
def test_the_reference_scorer_counts_the_first_of_repeated_mentions(data: Path, case: str) -> None:
    folder = data / "scorer-cases"
    rows = json.loads((folder / "cases.json").read_text("utf-8"))
    (row,) = (each for each in rows if each["id"] == case)
    pairs = align(read(folder / row["key"]), read(folder / row["response"]))
    names = {"muc": "muc", "b3": "bcub", "ceafm": "ceafm", "ceafe": "ceafe", "blanc": "blanc"}
    scores = score_pairs(pairs, ScoringOptions(tuple(names), repeats="first")).scores
    for metric, name in names.items():
        expected = [100 * value for value in row["hand_computed"][name]]
        found = scores[metric]
        assert (found.recall, found.precision, found.f1) == pytest.approx(expected, abs=1e-2)
