"""The stored scores of the pronoun teacher: they parse, and the README states their counts."""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter, defaultdict
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from research.pronoun_teacher.export_scores import decisions, parse_score_line

TEACHER = Path(__file__).parents[2] / "research" / "pronoun_teacher"
SCORES = TEACHER / "scores"
PREPARED = json.loads((SCORES / "prepared.json").read_text())
README = (TEACHER / "README.md").read_text(encoding="utf-8")
OLD_NAMES = {
    "rate": "learning_rate", "head_rate": "head_learning_rate", "problems": "batch_size",
    "norm": "max_norm", "every": "average_every", "most_pieces": "train_subwords",
    "score_pieces": "score_subwords",
}  # fmt: skip
"""Settings in the logs, and their present names."""


@cache
def unlabelled(name: str) -> list[tuple[str, list[int], list[int]]]:
    with lzma.open(SCORES / f"{name}.tsv.xz", "rt") as file:
        return [parse_score_line(line) for line in file]


def blind(name: str) -> list[dict[str, Any]]:
    with lzma.open(SCORES / f"{name}-scores.jsonl.xz", "rt") as file:
        return [json.loads(line) for line in file]


def table_rows(first: str) -> list[list[str]]:
    """The cells of the rows of README's tables whose first cell is a name."""
    rows = [line.strip("|").split("|") for line in README.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows if row[0].strip() == first]


@pytest.mark.parametrize("name", sorted(PREPARED["unlabelled"]))
def test_scores_of_unlabelled_problems(name: str) -> None:
    rows, counts = unlabelled(name), PREPARED["unlabelled"][name]
    assert len(rows) == len({id for id, _, _ in rows}) == counts["kept"] <= counts["scored"]
    assert all(len(one) >= 2 and len(two) in (0, len(one)) for _, one, two in rows)
    pairs = [(one, two) for _, one, two in rows if two]
    agree = sum(one.index(max(one)) == two.index(max(two)) for one, two in pairs) / len(pairs)
    ((_, _, scored, stored, copies, agreement, _),) = table_rows(name)
    expected = [f"{counts['scored']:,}", f"{counts['kept']:,}", f"{len(pairs):,}"]
    assert [scored, stored, copies] == expected
    assert agreement == f"{100 * agree:.0f} %"


def test_all_unlabelled_problems_are_counted() -> None:
    total = sum(row["kept"] for row in PREPARED["unlabelled"].values())
    assert total == PREPARED["total kept"]
    assert f"{total:,} unlabelled problems" in README


@pytest.mark.parametrize("name", ["dev", "test"])
def test_scores_of_labelled_sets_have_no_text_and_no_answers(name: str) -> None:
    rows = blind(name)
    assert Counter(row["set"] for row in rows) == PREPARED["labelled"][name]["problems"]
    for row in rows:
        assert row.keys() <= {"set", "id", "scores", "switched"}
        assert len(row["scores"]) >= 2
        assert all(isinstance(value, float) for value in row["scores"])
        assert "switched" not in row or len(row["switched"]) == len(row["scores"])
    copies = sum("switched" in row for row in rows)
    assert copies == PREPARED["labelled"][name]["switched"]


def test_ids_are_short() -> None:
    """An id is a number, a page and offsets, or a name of a split: never a sentence."""
    ids = [row["id"] for name in ("dev", "test") for row in blind(name)]
    ids += [id for name in PREPARED["unlabelled"] for id, _, _ in unlabelled(name)]
    assert max(map(len, ids)) <= 48
    assert not any(" " in id for id in ids)


def test_checksums_are_well_formed() -> None:
    found: list[str] = []

    def collect(value: Any) -> None:
        for key, each in value.items():
            if isinstance(each, dict):
                collect(each)
            elif "sha256" in key:
                found.append(each)

    collect(PREPARED)
    assert len(found) == 4 + 5 + 2
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in found)
    log = (TEACHER / "logs" / "run-b.jsonl").read_text().splitlines()
    assert json.loads(log[-1])["sha256"] in found


@pytest.mark.parametrize(("name", "steps"), [("a", 1500), ("b", 1500), ("c", 782)])
def test_the_plans_are_those_of_the_logs(name: str, steps: int) -> None:
    pytest.importorskip("torch")
    from research.pronoun_teacher.session import TrainingPlan

    lines = (TEACHER / "logs" / f"run-{name}.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    logged = next(row["plan"] for row in rows if "plan" in row)
    plan = json.loads((TEACHER / "plans" / f"run-{name}.json").read_text())
    assert plan.keys() <= {field.name for field in fields(TrainingPlan)}
    assert plan["switched"] == (logged["readings"] == "both")
    for old, value in logged.items():
        new = OLD_NAMES.get(old, old)
        assert new not in plan or plan[new] == value
    assert {row["of"] for row in rows if "of" in row} == {steps}


def test_the_readme_states_the_accuracy_of_the_logs() -> None:
    """Rows of run a, and of the averaged weights, by the mean of both readings."""
    columns = ("dpr:dev", "knowref:dev", "gap:validation", "gap:validation (found)")
    expected = []
    for run, dev in (("a", "seed-1-step-500"), ("b", "seed-1-mean"), ("c", "seed-1-mean")):
        lines = (TEACHER / "logs" / f"run-{run}.jsonl").read_text().splitlines()
        row = next(row for row in map(json.loads, lines) if row.get("dev") == dev)
        expected.append([round(row["both"][name], 1) for name in columns])
    stated = [[float(cell) for cell in row[3:7]] for row in table_rows_with("both")]
    assert all(each in stated for each in expected)


def table_rows_with(way: str) -> list[list[str]]:
    """The rows of the dev table for a way of scoring."""
    rows = [line.strip("|").split("|") for line in README.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows]
    return [row for row in cells if len(row) == 10 and row[2] == way]


@pytest.mark.data
def test_stored_dev_scores_have_the_stated_accuracy(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(data))
    from research.pronoun_teacher.export_scores import problems_of_names
    from research.pronoun_teacher.prepare import DEV

    from coindex.models.pronoun.train.problems import read_problems

    problems = {(name, each.id): each for name in DEV for each in read_problems(name)}
    names = problems_of_names()
    hits: dict[str, list[tuple[bool, ...]]] = defaultdict(list)
    for row in blind("dev"):
        problem = problems.get((row["set"], row["id"]))
        if problem is None or not problem.answer:
            continue
        one, two = (np.array(row.get(key, ()), np.float32) for key in ("scores", "switched"))
        chosen = decisions(one, two if len(two) else None, names=names[row["set"], row["id"]])
        hits[row["set"]].append(tuple(at in problem.answer for at in chosen))
    for number, way in enumerate(("one", "both", "rule")):
        stated = next(row for row in table_rows_with(way) if "stored teacher" in row[0])
        for column, name in ((3, "dpr:dev"), (4, "knowref:dev"), (5, "gap:validation")):
            accuracy = 100 * np.mean([each[number] for each in hits[name]])
            assert stated[column] == f"{accuracy:.1f}"
        accuracy = 100 * np.mean([each[number] for each in hits["winogrande:dev"]])
        assert stated[9] == f"{accuracy:.1f}"


def test_the_readme_states_the_dev_mean_of_run_d() -> None:
    lines = (TEACHER / "logs" / "run-d.jsonl").read_text().splitlines()
    chosen = next(row for row in map(json.loads, lines) if "chosen" in row)
    best = chosen["by"][chosen["chosen"]]
    assert f"**{best:.1f}** (b 80.5, c 81.8)" in README


def test_scores_of_several_teachers_are_averaged_as_probabilities() -> None:
    from research.pronoun_teacher.report_test import mean_scores

    one = {"set": {"1": {"scores": [0.0, np.log(3.0)], "switched": [1.0, 1.0]}}}
    two = {"set": {"1": {"scores": [5.0, 5.0]}}}
    (row,) = mean_scores([one, two])["set"].values()
    assert row.keys() == {"scores"}
    expected = [(np.log(0.25) + np.log(0.5)) / 2, (np.log(0.75) + np.log(0.5)) / 2]
    assert row["scores"] == pytest.approx(expected)
