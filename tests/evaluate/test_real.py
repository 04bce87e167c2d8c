"""The adapters and the runner on the real corpora."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench_samples import by_name, first_in_text
from coindex import benchmarks, formats
from coindex.evaluate.options import BenchOptions
from coindex.evaluate.run import run_benchmarks
from coindex.resolvers.cluster_decisions import (
    decision_from_document,
    decisions_from_documents,
    document_with_decision,
    documents_from_problems,
)
from coindex.transform.antecedent_switching import Refused, switch
from coindex.types.decision import Decision, unanswered
from coindex.types.document import Document
from coindex.types.problem import Problem
from coindex.types.source import Source

pytestmark = pytest.mark.data

Make = Callable[..., Any]


@pytest.fixture(autouse=True)
def here(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(data))


def located(problem: Problem) -> list[int]:
    """The candidates that have a place of their own."""
    places = [candidate.chars for candidate in problem.candidates]
    return [at for at, place in enumerate(places) if place and places.count(place) == 1]


@pytest.mark.parametrize("name", benchmarks.names("problems"))
def test_decisions_to_clusters_to_decisions_on_every_problem(name: str) -> None:
    benchmark = benchmarks.load(name)
    for problem in benchmark.problems(benchmark.DEFAULT):
        own = located(problem)
        for chosen in [(), *((at,) for at in own), tuple(own)]:
            decision = Decision(problem.id, tuple(chosen))
            assert (
                decision_from_document(problem, document_with_decision(problem, decision))
                == decision
            )


@pytest.mark.parametrize("format", ["conll2012", "jsonlines", "corefud"])
def test_clusters_come_through_every_format(format: str) -> None:
    problems = benchmarks.load("gap").problems("validation")
    decisions = [
        Decision(problem.id, ((), (0,), (1,), (0, 1))[at % 4])
        for at, problem in enumerate(problems)
    ]
    documents = list(map(document_with_decision, problems, decisions))
    lines = list(formats.write_lines(documents, format))
    read = formats.read_lines(lines, format, Source())
    found = decisions_from_documents(
        problems, [each for each in read if isinstance(each, Document)]
    )
    assert found.missing == found.extra == ()
    assert list(found.decisions) == decisions


def test_a_name_and_its_pronoun_can_be_mentions() -> None:
    problems = benchmarks.load("gap").problems("validation")
    for problem, document in zip(problems, documents_from_problems(problems), strict=True):
        starts, ends = set(document.starts), set(document.ends)
        for place in (problem.target, *(each.chars for each in problem.candidates)):
            assert place is not None
            assert place.start in starts
            assert place.end in ends


@pytest.mark.parametrize(("rule", "share"), [(first_in_text, 100), (by_name, 0)])
def test_consistency_on_knowref(resolver: Make, rule: Any, share: float) -> None:
    resolver("mine", rule)
    (table,) = run_benchmarks(["knowref"], ["mine"]).tables
    switched = table.results[0].switched
    assert switched is not None
    assert switched.consistency.value == share
    assert len(switched.matched) > 1200
    assert len(switched.matched) + sum(n for _, n in switched.refused) == 1269


def test_every_benchmark_is_run_and_shown(resolver: Make) -> None:
    from coindex.evaluate import report
    from coindex.report.render import render

    answers = {}
    for benchmark in map(benchmarks.load, benchmarks.names("problems")):
        for each in benchmark.problems(benchmark.DEFAULT):
            for copy in (each, switch(each)):
                if not isinstance(copy, Refused):
                    answers[unanswered(copy)] = copy.answer or ()
    resolver("mine", answers.__getitem__)
    found = run_benchmarks(
        [], ["mine"], BenchOptions(candidates="both", switched=True, resamples=100)
    )
    assert {table.name for table in found.tables} >= set(benchmarks.names("problems"))
    for table in found.tables:
        for cell in table.results:
            assert cell.main.value == 100, f"{table.name}: the answers are right"
            if cell.switched:
                assert cell.switched.figures[0].value == 100, f"{table.name}: so are the copies'"
                assert cell.switched.consistency.value == 100
    for style in ("text", "markdown", "latex"):
        text = render(report.all_tables(found, with_difficulty=True), style)
        assert all(name in text for name in benchmarks.names("problems"))
    assert report.page(found).count("<h2") > 2 * len(found.tables)
    assert len(report.all_json(found, with_difficulty=True)["benchmarks"]) == len(found.tables)
