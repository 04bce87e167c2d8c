"""Who cannot be meant by an object pronoun: the subject of its clause, where that is plain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from coindex import benchmarks, resolvers
from coindex.resolvers.builtin.binding import EXCLUDED
from coindex.types.decision import Decision
from coindex.types.problem import Problem

Marked = Callable[..., Problem]

GOLDEN = [  # the candidates that are left
    ("[Ann] saw [Mary] and thanked <her>.", "Mary"),
    ("[Ann] saw [Mary] take the pen and thanked <her>.", "Mary"),
    ("[Ann] saw that [Mary] sings and thanked <her>.", "Mary"),
    ("[Ann] thought [Mary] took the pen and thanked <her>.", "Ann Mary"),
    ("[Ann] asked [Mary] to help <her>.", "Ann"),
    ("[Ann] promised [Mary] to help <her>.", "Mary"),
    ("[Ann] relied on [Mary] to help <her>.", "Ann Mary"),
    ("[Ann] met [Mary] and tried to help <her>.", "Mary"),
    ("[Ann] met [Mary] and explained the plan to <her>.", "Mary"),
    ("[Ann] met [Mary] and carried the bag with <her>.", "Ann Mary"),
    ("[Ann] met [Mary] and thanked <her> mother.", "Ann Mary"),
    ("[Ann] told [Mary] that <she> was late.", "Ann Mary"),
    ("[Ann] met [Mary]. Then Paul thanked <her>.", "Ann Mary"),
    ("[Ann] met [Mary] and [Sue] and thanked <her>.", "Mary Sue"),
    ("[Ann]'s mother met [Mary] and thanked <her>.", "Ann Mary"),
    ("[Ann] met [Mary] and thanked <_>.", "Ann Mary"),
]


def decide(problems: list[Problem], pipeline: str, kind: str = "given") -> list[Decision]:
    resolver = resolvers.load("binding", resolvers.ResolverSettings(kind, 1, pipeline))
    assert isinstance(resolver, resolvers.Decider)
    assert resolver.signature.startswith(f"binding|candidates:{kind}|pipeline:")
    return list(resolver.decide(problems))


@pytest.mark.parametrize(("text", "expected"), GOLDEN)
def test_who_is_left(text: str, expected: str, marked: Marked, pipeline: str) -> None:
    problem = marked(text)
    (decision,) = decide([problem], pipeline)
    names = [candidate.text for candidate in problem.candidates]
    assert decision.scores is not None
    assert set(decision.scores) <= {0.0, EXCLUDED}
    left = [name for name, score in zip(names, decision.scores, strict=True) if score == 0]
    assert left == expected.split()
    sure = len(left) == 1 and len(left) < len(names)
    assert [names[index] for index in decision.chosen] == (left if sure else [])


def test_all_problems_whatever_company_and_answers(marked: Marked, pipeline: str) -> None:
    problems = [marked(text, f"p-{at}") for at, (text, _) in enumerate(GOLDEN)]
    told = [replace(problem, answer=(0,), group="feminine") for problem in problems]
    every = decide(problems, pipeline)
    assert [decision.id for decision in every] == [problem.id for problem in problems]
    assert decide(told[::-1], pipeline) == every[::-1]
    assert decide([problems[3]], pipeline) == [every[3]]


def test_where_names_have_to_be_found_it_tells_scores_and_chooses_none(
    marked: Marked, pipeline: str
) -> None:
    (decision,) = decide([marked(GOLDEN[0][0])], pipeline, "found")
    assert (decision.chosen, decision.scores) == ((), (EXCLUDED, 0.0))


def test_the_only_candidate_is_not_barred(marked: Marked, pipeline: str) -> None:
    (decision,) = decide([marked("[Ann] saw Mary and thanked <her>.")], pipeline)
    assert (decision.chosen, decision.scores) == ((), (0.0,))


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "split", "spoken", "wrong"),
    [("winobias", "dev", 565, 0), ("gap", "development", 41, 2)],
)
def test_how_often_it_speaks_and_is_wrong(
    name: str,
    split: str,
    spoken: int,
    wrong: int,
    pipeline: str,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As docs/how-to/pronoun.md tells; parses differ a little between machines."""
    monkeypatch.setenv("COINDEX_DATA", str(data))
    problems = list(benchmarks.load(name).problems(split))
    barred = [
        (problem.answer, {at for at, score in enumerate(decision.scores or ()) if score})
        for problem, decision in zip(problems, decide(problems, pipeline), strict=True)
    ]
    assert sum(bool(out) for _, out in barred) == pytest.approx(spoken, abs=3)
    errors = sum(not out.isdisjoint(answer or ()) for answer, out in barred)
    assert errors == pytest.approx(wrong, abs=1)
