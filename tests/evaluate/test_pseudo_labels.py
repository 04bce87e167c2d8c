"""Answers of a resolver to learn from: where it is sure, how often right, and not asked twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import training_samples as samples
from coindex import formats, resolvers
from coindex.cli import cli
from coindex.errors import InputError, UsageError
from coindex.evaluate.pseudo_labels import best_candidate, pseudo_label
from coindex.types.decision import Decision
from coindex.types.problem import Problem

TOLD = {"0": (5.0, 1.0), "1": (1.0, 2.0), "2": (0.0, 9.0), "3": (3.0, 3.0), "4": (1.0, 8.0)}
"""Scores of five problems; the second is not sure, the fourth a draw."""


class Teacher:
    """One that has its answers ready, and may be interrupted."""

    signature = "teacher"

    def __init__(self, scores: Mapping[str, tuple[float, ...]] = TOLD, last: str = "") -> None:
        self.scores, self.last, self.asked = scores, last, list[str]()

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        for problem in problems:
            assert problem.answer is None, "nobody is told the answer"
            if problem.id == self.last:
                raise KeyboardInterrupt
            self.asked.append(problem.id)
            scores = self.scores.get(problem.id)
            chosen = (max(range(2), key=scores.__getitem__),) if scores else (0,)
            yield Decision(problem.id, chosen, scores)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COINDEX_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def hired(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts a teacher in the place of a resolver."""

    def hire(teacher: Teacher) -> Teacher:
        monkeypatch.setattr(resolvers, "decider", lambda name, settings: teacher)
        return teacher

    return hire


def problem(number: int, answer: tuple[int, ...] | None = None) -> Problem:
    made = samples.problem(number)
    return Problem(str(number), made.text, made.target, made.candidates, answer)


def test_what_it_is_sure_of_is_taught(hired: Any) -> None:
    hired(Teacher())
    found = pseudo_label(
        [*map(problem, range(4)), problem(4, (1,)), problem(5, (0,))], "first", min_margin=4.0
    )
    assert [(each.id, each.answer) for each in found.problems] == [("0", (0,)), ("2", (1,))]
    assert (found.unsure, found.silent, found.total) == (1, 1, 6)
    assert found.checked == ((7.0, True), (-inf, False))
    assert (found.accuracy_at(7.0), found.accuracy_at(7.5)) == ((1, 1), (0, 0))
    assert found.problems[0].text == problem(0).text


def test_an_interrupted_run_goes_on(hired: Any) -> None:
    problems = [problem(number) for number in range(5)]
    first = hired(Teacher(last="3"))
    with pytest.raises(KeyboardInterrupt):
        pseudo_label(problems, "first")
    second = hired(Teacher())
    found = pseudo_label(problems, "first")
    assert (first.asked, second.asked) == (["0", "1", "2"], ["3", "4"])
    assert len(found.problems) == 4
    third = hired(Teacher())
    assert pseudo_label(problems, "first") == found
    assert len(pseudo_label(problems, "first", min_margin=4.0).problems) == 3
    assert third.asked == [], "another distance costs nothing"


def test_what_cannot_teach(hired: Any) -> None:
    hired(Teacher({}))
    with pytest.raises(UsageError, match="expected a resolver that scores candidates"):
        pseudo_label([problem(1)], "first")
    with pytest.raises(UsageError, match="found 1 repeated"):
        pseudo_label([problem(1), problem(1)], "first")
    for sure in (-1.0, inf, nan):
        with pytest.raises(UsageError, match="expected a margin of 0 or more, found"):
            pseudo_label([problem(1)], "first", min_margin=sure)
    assert pseudo_label([], "first").total == 0


@given(st.lists(st.floats(-50, 50), max_size=5))
def test_a_margin_is_between_the_best_two(scores: list[float]) -> None:
    best = max(range(len(scores)), key=scores.__getitem__, default=0)
    told = best_candidate(Decision("x", (best,), tuple(scores)))
    rest = [score for at, score in enumerate(scores) if at != best]
    if not rest or max(rest) == scores[best]:
        assert told is None
    else:
        assert told == (scores[best] - max(rest), best)
    assert best_candidate(Decision("x", (), tuple(scores))) is None
    assert best_candidate(Decision("x", (0,))) is None


def run(*args: str) -> Any:
    return CliRunner().invoke(cli, ["train", "teach", *args])


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Eight problems without an answer, and eight with."""
    one = samples.write(tmp_path / "a.jsonl", [problem(n) for n in range(8)], "problem-jsonl")
    two = [problem(n, samples.problem(n).answer) for n in range(8, 16)]
    return [str(one), str(samples.write(tmp_path / "b.jsonl", two, "problem-jsonl"))]


def test_the_command_with_the_shipped_model(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "taught.jsonl"
    done = run(*files, "--resolver", "substitution", "--sure", "0", "-o", str(out), "--json")
    assert done.exit_code == 0, (done.output, done.exception)
    told = json.loads(done.stdout)
    assert (told["read"], told["answered"], told["not-sure"]) == (16, 8, 0)
    assert told["checked"]["problems"] == told["checked"]["sure"] == 8
    taught = list(formats.read(out))
    assert [each.id for each in taught] == [str(n) for n in range(8)]
    assert all(isinstance(each, Problem) and each.answer in ((0,), (1,)) for each in taught)


def test_the_command_says_what_became_of_all(files: list[str], tmp_path: Path, hired: Any) -> None:
    scores = {str(n): (float(n), 4.0) for n in range(16)}
    hired(Teacher(scores))
    out = tmp_path / "taught.jsonl"
    done = run(*files, "--resolver", "first", "--sure", "2", "-o", str(out))
    assert done.exit_code == 0
    assert "5 of 8 problem(s) answered, 2 not sure enough, 1 without a choice" in done.stderr
    assert (
        "of 8 that have an answer 8 reach this margin, and 4 of these are right (50.0 %)"
        in done.stderr
    )
    hired(Teacher(scores))
    done = run(files[0], "--resolver", "first", "--sure", "99", "-o", str(out))
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (1, "nothing is written")
    assert len(list(formats.read(out))) == 5, "what was there stays"


def test_where_nothing_can_be_written_is_said_first(files: list[str], hired: Any) -> None:
    teacher = hired(Teacher())
    done = run(files[0], "--resolver", "first", "--sure", "1", "-o", "no/such/file.jsonl")
    assert isinstance(done.exception, InputError)
    assert "no such folder to write in" in str(done.exception)
    assert teacher.asked == []


def test_documents_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("Ann slept.\n", encoding="utf-8")
    done = run(str(text), "--resolver", "substitution", "--sure", "1", "-o", str(tmp_path / "o"))
    assert isinstance(done.exception, UsageError)
    assert "this is a document" in str(done.exception)
