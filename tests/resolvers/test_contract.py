"""What holds for every resolver of problems, by its name."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from coindex import plugins, resolvers
from coindex.types.decision import Decision, match_decisions
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

CUES = (
    *("first", "last", "majority", "parallelism", "parallelism-url", "random"),
    *("syntactic-distance", "token-distance", "topical-entity"),
)
WITHOUT_PARSE = {"first", "last", "majority", "random"}
PAGE = "http://en.wikipedia.org/wiki/Ida_Lane"
TEXTS = (
    "[Ruth Ode] met [Ida Lane] before <she> sang in Paris.",
    "In <her> youth, [Ruth Ode] admired [Ida Lane].",
    "[Max]  told\n\n [Otto] that <he>\twas late .",
    "The [jar] was smaller than the [cup], so the <_> was full first.",
    "[Jos* Pe*a] saw [*lvaro], who gave <him> a book. ``Thanks'', said Pe*a.",
    "[The city council] refused [the demonstrators] a permit because <they> feared [violence].",
    "He said that [Ann]'s mother had called <the other one> and [Mary].",
    "[A] <it> [B]",
    "🙂 [Zoë] and [Bjørn] left — <she> was tired.",
    "<her>[Ann]",
)


@pytest.fixture(scope="module")
def problems(marked: Callable[..., Problem]) -> list[Problem]:
    made = [marked(text, f"p-{at}", PAGE if at % 2 else None) for at, text in enumerate(TEXTS)]
    nowhere = Problem("nowhere", "It rained.", Chars(0, 2), (Candidate("Ann"), Candidate("Mary")))
    half = Problem(
        "half", "The brushes hit it.", Chars(16, 18), (Candidate("Ann"), Candidate("brush"))
    )
    blank = Problem("blank", "   ", Chars(0, 2), (Candidate("Ann"),))
    return [*made, nowhere, half, blank]


@pytest.fixture(params=resolvers.CANDIDATES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def decide(
    name: str, kind: str, pipeline: str, problems: list[Problem], seed: int = 1
) -> list[Decision]:
    settings = resolvers.ResolverSettings(kind, seed, pipeline)
    resolver = resolvers.load(name, settings)
    assert isinstance(resolver, resolvers.Decider)
    return list(resolver.decide(problems))


def test_the_cues_are_all_there() -> None:
    assert set(CUES) <= set(resolvers.names())


@pytest.mark.parametrize("name", CUES)
def test_it_says_what_it_does_and_what_it_looks_at(name: str) -> None:
    module = plugins.load("resolvers", name)
    assert module.ABOUT
    assert ("page" if name == "parallelism-url" else "snippet") == module.CONTEXT


@pytest.mark.parametrize("name", CUES)
def test_one_decision_for_each_problem_in_order(
    name: str, kind: str, pipeline: str, problems: list[Problem]
) -> None:
    decisions = decide(name, kind, pipeline, problems)
    assert [decision.id for decision in decisions] == [problem.id for problem in problems]
    assert len(match_decisions(problems, decisions)) == len(problems)


@pytest.mark.parametrize("name", CUES)
def test_of_given_candidates_exactly_one_is_chosen(
    name: str, pipeline: str, problems: list[Problem]
) -> None:
    chosen = {d.id: d.chosen for d in decide(name, "given", pipeline, problems)}
    lost = {"nowhere", "blank"} if name not in WITHOUT_PARSE else set()
    assert {id for id, indices in chosen.items() if len(indices) != 1} == lost
    if name not in WITHOUT_PARSE:
        assert chosen["half"] == (1,)


@pytest.mark.parametrize("name", CUES)
def test_what_is_found_is_picked_and_matched(
    name: str, pipeline: str, problems: list[Problem]
) -> None:
    decisions = decide(name, "found", pipeline, problems)
    assert sum(bool(decision.chosen) for decision in decisions) >= 4
    for problem, decision in zip(problems, decisions, strict=True):
        if decision.picked is None:
            assert not decision.chosen
            continue
        phrase = decision.picked.of(problem.text)
        names = [candidate.text for candidate in problem.candidates]
        expected = [at for at, text in enumerate(names) if text in phrase or phrase in text]
        assert list(decision.chosen) == expected


@pytest.mark.parametrize("name", CUES)
def test_neither_order_nor_company_matters(
    name: str, kind: str, pipeline: str, problems: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    together = {decision.id: decision for decision in decide(name, kind, pipeline, problems)}
    shuffled = random.Random(3).sample(problems, len(problems))
    assert {d.id: d for d in decide(name, kind, pipeline, shuffled)} == together
    for problem in problems:
        assert decide(name, kind, pipeline, [problem]) == [together[problem.id]]
    monkeypatch.setattr("coindex.resolvers.parsed_problem.BATCH", 2)
    assert {d.id: d for d in decide(name, kind, pipeline, problems)} == together


@pytest.mark.parametrize("name", sorted(set(CUES) - WITHOUT_PARSE))
def test_the_order_of_candidates_does_not_matter(
    name: str, pipeline: str, problems: list[Problem], marked: Callable[..., Problem]
) -> None:
    tie = marked("[Ann] thanked <her> [Mary].", "tie")
    every = [*problems, tie]
    turned = [replace(problem, candidates=problem.candidates[::-1]) for problem in every]
    chosen = [decision.chosen for decision in decide(name, "given", pipeline, every)]
    again = [decision.chosen for decision in decide(name, "given", pipeline, turned)]
    last = [len(problem.candidates) - 1 for problem in every]
    assert [tuple(n - at for at in found) for n, found in zip(last, again, strict=True)] == chosen


@pytest.mark.parametrize("name", CUES)
def test_answers_and_groups_are_not_looked_at(
    name: str, kind: str, pipeline: str, problems: list[Problem]
) -> None:
    told = [replace(problem, answer=(0,), group="feminine") for problem in problems]
    assert decide(name, kind, pipeline, told) == decide(name, kind, pipeline, problems)


def test_chance_changes_half_of_its_decisions_with_the_names(
    marked: Callable[..., Problem],
) -> None:
    names = [marked("[Ann] met [Mary] when <she> left.", f"p{n}") for n in range(400)]
    turned = [
        replace(each, text=other.text, candidates=other.candidates[::-1])
        for each in names
        for other in [marked("[Mary] met [Ann] when <she> left.")]
    ]
    chosen = [
        [decision.chosen for decision in decide("random", "given", "", problems)]
        for problems in (names, turned)
    ]
    same = sum(one == two for one, two in zip(*chosen, strict=True))
    assert 150 < same < 250, "neither the name nor the place decides"


@pytest.mark.parametrize("name", sorted(set(CUES) - {"parallelism-url"}))
def test_the_page_is_looked_at_by_one_alone(
    name: str, kind: str, pipeline: str, problems: list[Problem]
) -> None:
    without = [replace(problem, source=None) for problem in problems]
    assert decide(name, kind, pipeline, without) == decide(name, kind, pipeline, problems)


@pytest.mark.parametrize("name", CUES)
def test_the_signature_names_what_decisions_depend_on(name: str, kind: str, pipeline: str) -> None:
    signature = resolvers.load(name, resolvers.ResolverSettings(kind, 7, pipeline)).signature
    assert signature.startswith(f"{name}|candidates:{kind}")
    assert ("|seed:7" in signature) == (name == "random")
    parsed = kind == "found" or name not in WITHOUT_PARSE
    assert (f"|pipeline:{pipeline}-" in signature and "|spacy:" in signature) == parsed


@pytest.mark.parametrize("name", sorted(WITHOUT_PARSE))
def test_some_need_no_spacy_for_given_candidates(
    name: str, problems: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coindex.text.parsing.spacy_pipeline._version", lambda package: None)
    resolver = resolvers.load(name, resolvers.ResolverSettings("given"))
    assert isinstance(resolver, resolvers.Decider)
    assert len(list(resolver.decide(problems))) == len(problems)


@pytest.mark.parametrize("name", sorted(set(CUES) - WITHOUT_PARSE))
def test_decisions_come_before_all_problems_are_read(
    name: str, pipeline: str, problems: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coindex.resolvers.parsed_problem.BATCH", 2)
    taken: list[Problem] = []

    def taking() -> Iterator[Problem]:
        for problem in problems:
            taken.append(problem)
            yield problem

    resolver = resolvers.load(name, resolvers.ResolverSettings("given", 1, pipeline))
    assert isinstance(resolver, resolvers.Decider)
    stream = resolver.decide(taking())
    next(stream)
    assert len(taken) == 2


def test_the_old_name_of_the_settings_is_deprecated() -> None:
    with pytest.warns(DeprecationWarning, match="is now ResolverSettings"):
        assert resolvers.Settings is resolvers.ResolverSettings
    with pytest.raises(AttributeError):
        assert resolvers.nothing
