"""Problems with the phrases to choose from: given without a parse, found with one."""

from __future__ import annotations

from pathlib import Path

import pytest

import training_samples as samples
from coindex.core.decision import Decision
from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars
from coindex.pronoun.asked import NEVER, Asked, Phrase, best
from coindex.pronoun.dev import Side, figure
from coindex.resolvers import Settings
from coindex.resolvers._asked import ask

TEXT = "Ruth Ode met Ida Lane in Paris before she sang with Max Weber."
HER = Chars(TEXT.index("she"), TEXT.index("she") + 3)


def test_given_candidates_are_looked_for_by_their_words() -> None:
    problem = Problem("p", TEXT, HER, (Candidate("ida lane"), Candidate("Bob")), (0,))
    find, depends = ask(Settings("given"))
    (asked,) = find([problem])
    assert depends == "candidates:given"
    assert not asked.found
    first, second = asked.phrases
    assert (first.text, first.chars, first.stands) == ("ida lane", Chars(13, 21), (0,))
    assert (second.chars, second.stands) == (None, (1,))


def test_found_names_stand_for_the_candidates_they_match(pipeline: str) -> None:
    names = (Candidate("Ruth", Chars(0, 4)), Candidate("Ida Lane", Chars(13, 21)))
    problem = Problem("p", TEXT, HER, names, (1,), "feminine")
    find, depends = ask(Settings("found", pipeline=pipeline))
    (asked,) = find([problem])
    assert depends.startswith(f"candidates:found|pipeline:{pipeline}-")
    assert asked.found
    stands = {phrase.text: phrase.stands for phrase in asked.phrases}
    assert (stands["Ruth Ode"], stands["Ida Lane"], stands["Max Weber"]) == ((0,), (1,), ())
    at = [phrase.text for phrase in asked.phrases].index("Max Weber")
    decision = asked.decision(at, [0.0] * len(asked.phrases))
    assert (decision.chosen, decision.scores) == ((), (0.0, 0.0))
    assert decision.picked == asked.phrases[at].chars


def test_what_is_lost_where_names_are_found() -> None:
    names = (Candidate("Ruth Ode"), Candidate("Ida Lane"))
    one = Problem("a", TEXT, HER, names, (1,), "feminine")
    two = Problem("b", TEXT, HER, names, (0,), "feminine")
    none = Problem("c", TEXT, HER, names, (), "feminine")
    seen = (Phrase("Ida Lane", Chars(13, 21), (1,)),)
    side = Side("x", "gap", tuple(Asked(each, seen, found=True) for each in (one, two, none)))
    assert side.lost == 50.0
    told = [Decision("a", (1,)), Decision("b", (1,)), Decision("c")]
    assert figure(side, told) == pytest.approx(50.0)  # 1 hit, 1 wrong, 1 missed


def test_decisions_and_the_best() -> None:
    problem = samples.problem(0)
    asked = Asked(problem, (Phrase("Ann", None, (0,)), Phrase("Bob", None, (1,))))
    assert asked.decision(1, [0.5, 2.0]) == Decision(problem.id, (1,), (0.5, 2.0))
    assert asked.decision(None) == Decision(problem.id)
    with pytest.raises(ValueError, match="shorter"):
        asked.decision(1, [0.5])
    assert best([1.0, 3.0, 3.0]) == 1
    assert best([]) is None


def test_scores_of_candidates_from_those_of_found_phrases() -> None:
    names = (Candidate("Ruth Ode"), Candidate("Ida Lane"), Candidate("Bob"))
    problem = Problem("p", TEXT, HER, names)
    other = Phrase("Max Weber", Chars(52, 61), ())
    ruth = [Phrase("Ruth Ode", Chars(0, 8), (0,)), Phrase("Ruth", Chars(0, 4), (0, 1))]
    asked = Asked(problem, (*ruth, other), found=True)
    chosen = asked.decision(1, [-3.0, -1.0, 5.0])
    assert (chosen.chosen, chosen.scores) == ((0, 1), (-1.0, -1.0, NEVER))
    assert asked.decision(0, [-1.0, -3.0, 5.0]).scores == (-1.0, -3.0, NEVER)
    assert asked.decision(2, [-1.0, -3.0, 5.0]).chosen == ()  # somebody else has the best score
    assert asked.decision(0).scores is None
    nobody = Asked(problem, (other,), found=True)
    assert nobody.decision(0, [5.0]) == Decision("p", picked=other.chars)
    assert Asked(problem, (), found=True).decision(None, []) == Decision("p")


def test_a_resolver_with_found_candidates(tiny: Path, pipeline: str, tmp_path: Path) -> None:
    from coindex import resolvers
    from coindex.pronoun import substituted, weights

    facts = {"kind": "substitution", "recipe": {"window": 64, "neither": False}}
    weights.save(tmp_path, substituted.new(str(tiny), 0, 1), facts)
    settings = Settings("found", pipeline=pipeline, model=str(tmp_path))
    resolver = resolvers.load("substitution", settings)
    assert isinstance(resolver, resolvers.Decider)
    names = (Candidate("Ruth Ode"), Candidate("Ida Lane"))
    nothing = Problem("n", "It rained.", Chars(0, 2), (Candidate("Ann"), Candidate("Bob")))
    first, second = resolver.decide([Problem("p", TEXT, HER, names), nothing])
    assert first.picked is not None
    assert first.scores is not None
    assert min(first.scores) > NEVER
    assert (second.chosen, second.picked) == ((), None)
