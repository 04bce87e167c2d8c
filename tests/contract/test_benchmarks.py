"""One contract for every benchmark: what it states, and how it scores the extremes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from bench_samples import for_every_benchmark
from coindex import benchmarks
from coindex import datasets as corpora
from coindex.benchmarks.protocol import (
    CANDIDATES,
    CONSISTENCY,
    CONTEXTS,
    UNITS,
    Chance,
    DocumentOutcome,
    Published,
)
from coindex.errors import InvalidValue, UnknownName, UsageError
from coindex.types.decision import Decision, MatchedDecisions, match_decisions
from coindex.types.document import Document
from coindex.types.mention import Entity
from coindex.types.problem import Problem

NAMES = benchmarks.names("problems")
OF_DOCUMENTS = benchmarks.names("documents")
UNLABELLED = {("wnli", "test")}
SPLITS = [
    (name, split)
    for name in NAMES
    for split in benchmarks.load(name).SPLITS
    if (name, split) not in UNLABELLED
]
LOST = {"both", "none", "incorrect"}
"""Shares of what went wrong: all others are of what went right."""


SAMPLE = for_every_benchmark(48)


def gold(problem: Problem) -> Decision:
    return Decision(problem.id, problem.answer or ())


def wrong(problem: Problem) -> Decision:
    every = range(len(problem.candidates))
    return Decision(problem.id, tuple(at for at in every if at not in (problem.answer or ())))


def decided(
    how: Callable[[Problem], Decision], problems: tuple[Problem, ...] = SAMPLE
) -> MatchedDecisions:
    return match_decisions(problems, [how(problem) for problem in problems])


def percents(name: str, matched: MatchedDecisions) -> dict[str, float | None]:
    figures = benchmarks.load(name).score(matched, resamples=200)
    return {figure.name: figure.value for figure in figures if figure.unit == "percent"}


def test_these_benchmarks_exist() -> None:
    named = "gap knowref dpr wsc273 pdp wnli winogender winobias winogrande"
    assert set(named.split()) <= set(NAMES)
    assert "probes" in OF_DOCUMENTS
    assert sorted((*NAMES, *OF_DOCUMENTS)) == sorted(benchmarks.names())
    with pytest.raises(UsageError, match="probes: expected a benchmark of problems"):
        benchmarks.load("probes")
    with pytest.raises(UsageError, match="gap: expected a benchmark of documents"):
        benchmarks.load_documents("gap")
    with pytest.raises(UnknownName, match="unknown benchmark 'gab'; expected one of: dpr, gap"):
        benchmarks.load("gab")


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_states_what_it_is(name: str) -> None:
    module = benchmarks.load(name)
    assert module.TITLE
    assert "\n" not in module.TITLE
    assert len(module.PROTOCOL.split()) > 30
    assert all(len(line) <= 100 for line in module.PROTOCOL.splitlines())
    assert all(corpora.load(corpus).files for corpus in module.CORPUS)
    assert module.DEFAULT in module.SPLITS
    assert all(isinstance(count, int) and count > 0 for count in module.SPLITS.values())
    assert set(module.CANDIDATES) <= set(CANDIDATES)
    assert module.CANDIDATES[0] == "given"
    assert set(module.CONTEXTS) <= set(CONTEXTS)
    assert module.CONTEXTS[0] == "snippet"
    assert len(set(module.METRICS)) == len(module.METRICS) > 0
    assert CONSISTENCY not in module.METRICS
    assert isinstance(module.CHANCE, Chance)
    assert 0 < module.CHANCE.value < 100
    assert module.CHANCE.why


@pytest.mark.parametrize("name", NAMES)
def test_published_rows_are_about_this_benchmark(name: str) -> None:
    module = benchmarks.load(name)
    for row in module.PUBLISHED:
        assert isinstance(row, Published)
        assert row.system
        assert ", Table " in row.source
        assert row.split in module.SPLITS
        assert row.candidates in module.CANDIDATES
        assert row.context in module.CONTEXTS
        assert row.figures
        assert {figure for figure, _ in row.figures} <= {*module.METRICS, CONSISTENCY}
    keys = [(row.system, row.source, row.split, row.candidates) for row in module.PUBLISHED]
    assert len(set(keys)) == len(keys), "a row is there twice"


@pytest.mark.parametrize("name", NAMES)
def test_figures_come_in_the_order_of_the_metrics(name: str) -> None:
    module = benchmarks.load(name)
    for matched in (
        decided(gold),
        match_decisions(SAMPLE, []),
        match_decisions(SAMPLE[:1], []),
        match_decisions([], []),
    ):
        figures = module.score(matched, resamples=50)
        assert tuple(figure.name for figure in figures) == module.METRICS
        assert all(figure.unit in UNITS for figure in figures)
        for figure in figures:
            assert figure.of is not None
            assert (figure.value is None) <= (figure.interval is None)


@pytest.mark.parametrize("name", NAMES)
def test_gold_gives_all(name: str) -> None:
    assert percents(name, decided(gold)) == {
        metric: 0 if metric in LOST else 100 if value is not None else None
        for metric, value in percents(name, decided(gold)).items()
    }
    assert percents(name, decided(gold))[benchmarks.load(name).METRICS[0]] == 100
    for figure in benchmarks.load(name).score(decided(gold)):
        if figure.unit in ("points", "ratio"):
            assert figure.value == (0 if figure.unit == "points" else 1)


@pytest.mark.parametrize("name", NAMES)
def test_all_wrong_gives_nothing(name: str) -> None:
    found = percents(name, decided(wrong))
    assert found.pop("incorrect", 100) == 100
    assert set(found.values()) <= {0, None}
    assert found[benchmarks.load(name).METRICS[0]] == 0


@pytest.mark.parametrize("name", NAMES)
def test_silence_gives_nothing(name: str) -> None:
    """Nothing said is nothing right; KnowRef's ranking figure leaves such problems out."""
    found = percents(name, match_decisions(SAMPLE, []))
    assert found.pop("none", 100) == 100
    assert set(found.values()) <= {0, None}
    assert found[benchmarks.load(name).METRICS[0]] == (None if name == "knowref" else 0)


@pytest.mark.parametrize("name", NAMES)
def test_both_is_not_right_but_where_yes_and_no_are_counted(name: str) -> None:
    found = percents(name, decided(lambda each: Decision(each.id, (0, 1))))
    if name == "gap":
        assert found["recall"] == 100
        assert found["precision"] == 50
    else:
        assert found.pop("both", 100) == 100
        assert set(found.values()) <= {0, None}


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_decision_costs(name: str) -> None:
    """KnowRef's ranking figure leaves it out; its share of right decisions does not."""
    figure = "correct" if name == "knowref" else benchmarks.load(name).METRICS[0]
    made = [gold(problem) for problem in SAMPLE]
    full, short = (
        percents(name, match_decisions(SAMPLE, each))[figure] for each in (made, made[1:])
    )
    assert full == 100
    assert short is not None
    assert short < 100


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(5))
def test_intervals_hold_their_values(name: str, seed: int) -> None:
    rng = random.Random(seed)
    every = [(0,), (0,), (1,), (1,), (), (0, 1)]
    matched = decided(lambda each: Decision(each.id, rng.choice(every)))
    module = benchmarks.load(name)
    figures = module.score(matched, resamples=1000, seed=seed)
    assert figures == module.score(matched, resamples=1000, seed=seed), "the seed decides"
    for figure in figures:
        if figure.interval is not None:
            assert figure.value is not None
            low, high = figure.interval.low, figure.interval.high
            assert low - 1e-9 <= figure.value <= high + 1e-9
            assert low < high
            if figure.unit == "percent":
                assert 0 <= low <= high <= 100


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_answer_is_an_error(name: str) -> None:
    items = (*SAMPLE[:5], replace(SAMPLE[5], answer=None))
    with pytest.raises(InvalidValue, match=f"{SAMPLE[5].id}: expected an answer"):
        benchmarks.load(name).score(match_decisions(items, []))


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_split_is_an_error(name: str) -> None:
    splits = ", ".join(sorted(benchmarks.load(name).SPLITS))
    with pytest.raises(
        UnknownName, match=f"unknown split of {name} 'x'; expected one of: {splits}"
    ):
        benchmarks.load(name).problems("x")


@cache
def problems_of(name: str, split: str) -> tuple[Problem, ...]:
    return benchmarks.load(name).problems(split)


@pytest.fixture
def here(data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COINDEX_DATA", str(data))
    return data


@pytest.mark.data
@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_a_split_is_what_is_stated(name: str, split: str, here: Path) -> None:
    problems = problems_of(name, split)
    assert len(problems) == benchmarks.load(name).SPLITS[split]
    assert len({problem.id for problem in problems}) == len(problems)
    assert all(problem.answer is not None for problem in problems)


@pytest.mark.data
@pytest.mark.parametrize(("name", "split"), sorted(UNLABELLED))
def test_a_split_without_answers_is_refused_before_anything_is_run(
    name: str, split: str, here: Path
) -> None:
    with pytest.raises(UsageError) as caught:
        benchmarks.load(name).problems(split)
    count = benchmarks.load(name).SPLITS[split]
    assert f"{name} {split}: expected answers" in str(caught.value)
    assert f"for {count} of {count} problems; other splits: train, dev" in str(caught.value)


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_the_extremes_on_real_problems(name: str, here: Path) -> None:
    module = benchmarks.load(name)
    problems = problems_of(name, module.DEFAULT)
    for how, value in ((gold, 100), (wrong, 0)):
        figure = module.score(decided(how, problems), resamples=50)[0]
        assert (figure.value, figure.of) == (value, len(problems))


DOCUMENT_SPLITS = [
    (name, split) for name in OF_DOCUMENTS for split in benchmarks.load_documents(name).SPLITS
]


@cache
def gold_outcomes(name: str, split: str) -> tuple[DocumentOutcome, ...]:
    """The outcomes of documents that have the expected entities."""
    module = benchmarks.load_documents(name)
    nothing = module.outcomes(split, [None] * module.SPLITS[split])
    return module.outcomes(split, [outcome.expected for outcome in nothing])


@pytest.mark.parametrize("name", OF_DOCUMENTS)
def test_a_benchmark_of_documents_states_what_it_is(name: str) -> None:
    module = benchmarks.load_documents(name)
    assert module.KIND == "documents"
    assert module.TITLE
    assert "\n" not in module.TITLE
    assert len(module.PROTOCOL.split()) > 30
    assert all(len(line) <= 100 for line in module.PROTOCOL.splitlines())
    assert all(corpora.load(corpus).files for corpus in module.CORPUS)
    assert module.DEFAULT in module.SPLITS
    assert len(set(module.METRICS)) == len(module.METRICS) > 0
    splits = ", ".join(sorted(module.SPLITS))
    with pytest.raises(
        UnknownName, match=f"unknown split of {name} 'x'; expected one of: {splits}"
    ):
        module.documents("x")


@pytest.mark.parametrize(("name", "split"), DOCUMENT_SPLITS)
def test_the_documents_are_bare_texts(name: str, split: str) -> None:
    module = benchmarks.load_documents(name)
    documents = module.documents(split)
    assert len(documents) == module.SPLITS[split]
    assert len({document.id for document in documents}) == len(documents)
    assert all(document == Document(document.id, document.text) for document in documents)


@pytest.mark.parametrize(("name", "split"), DOCUMENT_SPLITS)
def test_gold_documents_are_wholly_right(name: str, split: str) -> None:
    metrics = benchmarks.load_documents(name).METRICS
    for outcome in gold_outcomes(name, split):
        assert outcome.right, outcome.reasons
        assert tuple(count for count, _ in outcome.counts) == metrics[1:]
        assert sum(number for count, number in outcome.counts if count in metrics[1:5]) == 0


@pytest.mark.parametrize(("name", "split"), DOCUMENT_SPLITS)
def test_one_cluster_of_everything_is_not_right(name: str, split: str) -> None:
    module = benchmarks.load_documents(name)
    merged = []
    for outcome in gold_outcomes(name, split):
        mentions = {each.spans: each for e in outcome.expected.entities for each in e.mentions}
        entities = (Entity(tuple(mentions.values())),) if mentions else ()
        merged.append(replace(outcome.expected, entities=entities))
    for before, after in zip(
        gold_outcomes(name, split), module.outcomes(split, merged), strict=True
    ):
        assert after.right == (len(before.expected.entities) < 2), after.id
        assert bool(after.reasons) == (not after.right)


@pytest.mark.parametrize(("name", "split"), DOCUMENT_SPLITS)
def test_nothing_is_right_only_where_nothing_is_expected(name: str, split: str) -> None:
    module = benchmarks.load_documents(name)
    bare = module.documents(split)
    for resolved in ([None] * len(bare), bare):
        for document, outcome in zip(bare, module.outcomes(split, resolved), strict=True):
            several = [
                entity
                for entity in outcome.expected.entities
                if sum(each.kind != "optional" for each in entity.mentions) > 1
            ]
            assert outcome.id == document.id
            assert outcome.right == (not several)


def test_data_files_are_in_the_wheel() -> None:
    """The build includes every probe and every list of words."""
    from hatchling.builders.wheel import WheelBuilder

    root = Path(__file__).resolve().parents[2]
    builder = WheelBuilder(str(root))
    included = {file.distribution_path for file in builder.recurse_included_files()}
    folders = ("benchmarks/probes", "benchmarks/data", "scoring/contradictions/data", "text/data")
    for folder in folders:
        paths = list((root / "src" / "coindex" / folder).glob("*.txt"))
        assert paths
        assert {f"coindex/{folder}/{path.name}" for path in paths} <= included
