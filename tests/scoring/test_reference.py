"""Parity with the reference program on its own cases, and the same cases restated.

The restated cases are written as fractions, worked out by hand from the metrics'
definitions; they need no data.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

from coindex import Document, formats, score
from coindex.scoring.contingency import ContingencyTable
from coindex.scoring.metrics.builtin import b3, blanc, ceafe, lea

# Entities as strings of mentions: key, response, then recall and precision of each metric.
KEY = ["a", "bc", "def"]
CASES: dict[str, tuple[list[str], list[str], dict[str, tuple[F, F]]]] = {
    "the same": (KEY, KEY, dict.fromkeys(["muc", "b3", "ceafm", "ceafe", "lea", "blanc"], (F(1), F(1)))),
    "one entity found, one cut": (KEY, ["a", "de"], {
        "muc": (F(1, 3), F(1, 1)), "b3": (F(1 + 4 * 1, 3) * F(1, 6) + F(1, 9), F(1)),
        "ceafm": (F(3, 6), F(3, 3)), "ceafe": ((1 + F(4, 5)) / 3, (1 + F(4, 5)) / 2),
        "lea": ((1 + 3 * F(1, 3)) / 6, F(1)),
    }),
    "all in one": (KEY, ["abcdef"], {
        "muc": (F(3, 3), F(3, 5)), "b3": (F(1), (F(1) + 4 + 9) / 6 / 6),
        "ceafm": (F(3, 6), F(3, 6)), "ceafe": (F(6, 9) / 3, F(6, 9) / 1),
        "lea": ((0 + 2 + 3) / F(6), F(1 + 3, 15)),
    }),
    "all alone": (KEY, list("abcdef"), {
        "muc": (F(0), F(0)), "b3": ((1 + 2 * F(1, 2) + 3 * F(1, 3)) / 6, F(1)),
        "ceafm": (F(3, 6), F(3, 6)), "ceafe": ((1 + F(2, 3) + F(2, 4)) / 3, (1 + F(2, 3) + F(2, 4)) / 6),
        "lea": (F(1, 6), F(1, 6)),
    }),
    "two merged, one mention missing, one extra": (["abc", "de"], ["abd", "cex"], {
        "muc": (F(2 - 1 + 0, 3), F(1, 4)), "b3": ((F(4, 3) + F(1, 3) + F(1, 2) + F(1, 2)) / 5,
                                                   (F(4, 3) + F(1, 3) + F(1, 3) + F(1, 3)) / 6),
        "ceafm": (F(3, 5), F(3, 6)), "ceafe": ((F(4, 6) + F(2, 5)) / 2, (F(4, 6) + F(2, 5)) / 2),
        "lea": ((3 * F(1, 3)) / 5, (3 * F(1, 3)) / 6),
        "blanc": ((F(1, 4) + F(3, 6)) / 2, (F(1, 6) + F(3, 9)) / 2),
    }),
    "nothing found": (KEY, [], {m: (F(0), F(0)) for m in ("muc", "b3", "ceafm", "ceafe", "lea", "blanc")}),
    "nothing right": (["ab"], ["xy"], {m: (F(0), F(0)) for m in ("muc", "b3", "ceafm", "ceafe", "lea")}),
    "one chain, so BLANC counts its links alone": (["abcd"], ["ab", "cd"], {"blanc": (F(2, 6), F(1))}),
    "no chain, so BLANC counts the other links alone": (list("abcd"), ["ab", "c", "d"], {"blanc": (F(5, 6), F(1))}),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "metric"), [(name, metric) for name, case in CASES.items() for metric in case[2]]
)
def test_golden_fractions(name: str, metric: str) -> None:
    key, response, golden = CASES[name]
    found = score(key, response, metrics=[metric]).scores[metric]
    recall, precision = golden[metric]
    assert found.recall == pytest.approx(100 * float(recall), abs=1e-9)
    assert found.precision == pytest.approx(100 * float(precision), abs=1e-9)


def _b3_cubed(table: ContingencyTable) -> np.ndarray:
    cubes = table.overlaps.astype(float) ** 3
    recall, precision = cubes / table.key[table.rows], cubes / table.response[table.columns]
    return np.array([recall.sum(), table.key.sum(), precision.sum(), table.response.sum()])


def _without_singletons(
    right: Callable[[ContingencyTable], np.ndarray],
) -> Callable[[ContingencyTable], np.ndarray]:
    def count(table: ContingencyTable) -> np.ndarray:
        kept = (table.key[table.rows] > 1) & (table.response[table.columns] > 1)
        less = replace(
            table, rows=table.rows[kept], columns=table.columns[kept], overlaps=table.overlaps[kept]
        )
        return right(less)

    return count


def _muc_by_mentions(table: ContingencyTable) -> np.ndarray:
    kept = table.overlaps.sum() - len(table.overlaps)
    return np.array([kept, table.key.sum(), kept, table.response.sum()], float)


def _ceaf_greedy(table: ContingencyTable) -> np.ndarray:
    weights = 2 * table.overlaps / (table.key[table.rows] + table.response[table.columns])
    return np.array([weights.sum(), len(table.key), weights.sum(), len(table.response)])


_right_blanc = blanc.count


def _blanc_one_kind(table: ContingencyTable) -> np.ndarray:
    counts = _right_blanc(table)
    counts[3:] = 0
    return counts


MUTANTS = {
    "B³ cubed": ("b3", _b3_cubed),
    "B³ without singletons": ("b3", _without_singletons(b3.count)),
    "LEA without singletons": ("lea", _without_singletons(lea.count)),
    "CEAFe without singletons": ("ceafe", _without_singletons(ceafe.count)),
    "CEAFm with CEAFe's similarity": ("ceafm", ceafe.count),
    "CEAFe that aligns an entity twice": ("ceafe", _ceaf_greedy),
    "MUC over mentions": ("muc", _muc_by_mentions),
    "BLANC of coreferent links alone": ("blanc", _blanc_one_kind),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_mutants_are_caught(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong exponent, a forgotten singleton and the like change some golden value."""
    metric, count = MUTANTS[mutant]
    monkeypatch.setattr(f"coindex.scoring.metrics.builtin.{metric}.count", count)
    monkeypatch.setattr(f"coindex.scoring.metrics.builtin.{metric}.count_stack", None)
    wrong = 0
    for key, response, golden in CASES.values():
        if metric in golden:
            found = score(key, response, metrics=[metric]).scores[metric]
            wanted = [100 * float(value) for value in golden[metric]]
            wrong += [found.recall, found.precision] != pytest.approx(wanted, abs=1e-9)
    assert wrong, "no golden value tells this mutant from the metric"


REFERENCE = {"muc": "muc", "b3": "bcub", "ceafm": "ceafm", "ceafe": "ceafe", "blanc": "blanc"}
_NUMBER = re.compile(r"[\d.]+(?= /)|(?<=/ )[\d.]+")


@pytest.mark.data
def test_all_official_cases(data: Path) -> None:
    folder = data / "scorer-cases"
    cases = json.loads((folder / "cases.json").read_text())
    assert len(cases) == 36
    for case in cases:
        (key,) = formats.read(folder / case["key"])
        (response,) = formats.read(folder / case["response"])
        assert isinstance(key, Document)
        assert isinstance(response, Document)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some have other words than their keys
            scores = score(key, response, metrics="all").scores
        for metric, theirs in REFERENCE.items():
            told = case["reference_scorer"][theirs]
            counts = [float(number) for number in _NUMBER.findall(told["line"])]
            ours = scores[metric]
            found = list(ours.counts)
            if metric == "blanc":  # it prints its scores there, over one
                found = [(ours.recall or 0) / 100, 1, (ours.precision or 0) / 100, 1]
            assert found == pytest.approx(counts, abs=1e-9), (case["id"], metric)
            for name in ("recall", "precision", "f1"):  # it truncates to two decimals
                assert -1e-9 <= getattr(ours, name) - told[name] < 0.01 + 1e-9, (case["id"], metric)
        if case.get("lea_coval"):
            lea = scores["lea"]
            found = [(lea.recall or 0) / 100, (lea.precision or 0) / 100, lea.f1 / 100]
            assert found == pytest.approx(case["lea_coval"], abs=1e-6), case["id"]
