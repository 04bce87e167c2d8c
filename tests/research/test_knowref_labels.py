"""`python -m research.models.knowref_labels`: verdicts, what is dropped, the share that is right."""

from __future__ import annotations

from pathlib import Path

import pytest
from research.models import knowref_labels as script

import training_samples as samples
from coindex import formats
from coindex.types.decision import Decision


def test_dropped_labels_by_verdict(tmp_path: Path) -> None:
    problems = [samples.problem(number) for number in range(4)]
    formats.write(tmp_path / "AC.jsonl", problems, "problem-jsonl")
    found = script.items([tmp_path / "AC.jsonl"])
    assert list(found) == [f"AC/problem-{n}" for n in range(4)]
    lines = ["corpus\tid\tverdict", "gap\tAC/problem-0\tright",
             "knowref, first\tAC/problem-0\tcorrectly labelled\t\t",
             "knowref, first\tAC/problem-1\tunresolvable",
             "knowref, third\tAC/problem-1\tincorrectly labelled"]  # fmt: skip
    judged = script.verdicts(lines)
    first = [Decision(problem.id, (0,), (3.0, 0.0)) for problem in problems]
    row = script.counts(found, first, judged, 0.9)
    assert row == {
        (True, "correctly labelled"): 1, (False, "incorrectly labelled"): 1,
        (True, "not judged"): 1, (False, "not judged"): 1,
    }  # fmt: skip
    text = script.table({0.9: row}).splitlines()[1].split("\t")
    assert text == ["0.9", "1 of 1", "0 of 1", "0 of 0", "1 of 2", "0.0"]


def test_the_shipped_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    formats.write(tmp_path / "AC.jsonl", [samples.problem(1)], "problem-jsonl")
    assert script.main(["default", str(tmp_path / "AC.jsonl")]) == 0
    signature, head, *rows = capsys.readouterr().out.splitlines()
    assert signature.startswith("substitution|")
    assert head.startswith("confidence\tcorrectly labelled")
    assert len(rows) == 1 + len(script.CONFIDENCES)
