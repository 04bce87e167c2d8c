"""Problems with the phrases to choose from: given without a parse, found with one."""

from __future__ import annotations

from pathlib import Path

import pytest

import training_samples as samples
from coindex.models.pronoun.query import NO_SCORE, CandidateQuery, Phrase, argmax
from coindex.models.pronoun.train.dev_sets import DevSet, dev_score
from coindex.resolvers import ResolverSettings
from coindex.resolvers.parsed_problem import candidate_finder
from coindex.types.decision import Decision
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

TEXT = "Ruth Ode met Ida Lane in Paris before she sang with Max Weber."
HER = Chars(TEXT.index("she"), TEXT.index("she") + 3)


def test_given_candidates_are_looked_for_by_their_words() -> None:
    problem = Problem("p", TEXT, HER, (Candidate("ida lane"), Candidate("Bob")), (0,))
    find, depends = candidate_finder(ResolverSettings("given"))
    (asked,) = find([problem])
    assert depends == "candidates:given"
    assert not asked.detected
    first, second = asked.phrases
    assert (first.text, first.chars, first.candidates) == ("ida lane", Chars(13, 21), (0,))
    assert (second.chars, second.candidates) == (None, (1,))


def test_found_names_stand_for_the_candidates_they_match(pipeline: str) -> None:
    names = (Candidate("Ruth", Chars(0, 4)), Candidate("Ida Lane", Chars(13, 21)))
    problem = Problem("p", TEXT, HER, names, (1,), "feminine")
    find, depends = candidate_finder(ResolverSettings("found", pipeline=pipeline))
    (asked,) = find([problem])
    assert depends.startswith(f"candidates:found|pipeline:{pipeline}-")
    assert asked.detected
    stands = {phrase.text: phrase.candidates for phrase in asked.phrases}
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
    side = DevSet(
        "x", "gap", tuple(CandidateQuery(each, seen, detected=True) for each in (one, two, none))
    )
    assert side.lost == 50.0
    told = [Decision("a", (1,)), Decision("b", (1,)), Decision("c")]
    assert dev_score(side, told) == pytest.approx(50.0)  # 1 hit, 1 wrong, 1 missed


def test_decisions_and_the_best() -> None:
    problem = samples.problem(0)
    asked = CandidateQuery(problem, (Phrase("Ann", None, (0,)), Phrase("Bob", None, (1,))))
    assert asked.decision(1, [0.5, 2.0]) == Decision(problem.id, (1,), (0.5, 2.0))
    assert asked.decision(None) == Decision(problem.id)
    with pytest.raises(ValueError, match="shorter"):
        asked.decision(1, [0.5])
    assert argmax([1.0, 3.0, 3.0]) == 1
    assert argmax([]) is None


def test_scores_of_candidates_from_those_of_found_phrases() -> None:
    names = (Candidate("Ruth Ode"), Candidate("Ida Lane"), Candidate("Bob"))
    problem = Problem("p", TEXT, HER, names)
    other = Phrase("Max Weber", Chars(52, 61), ())
    ruth = [Phrase("Ruth Ode", Chars(0, 8), (0,)), Phrase("Ruth", Chars(0, 4), (0, 1))]
    asked = CandidateQuery(problem, (*ruth, other), detected=True)
    chosen = asked.decision(1, [-3.0, -1.0, 5.0])
    assert (chosen.chosen, chosen.scores) == ((0, 1), (-1.0, -1.0, NO_SCORE))
    assert asked.decision(0, [-1.0, -3.0, 5.0]).scores == (-1.0, -3.0, NO_SCORE)
    assert asked.decision(2, [-1.0, -3.0, 5.0]).chosen == ()  # somebody else has the best score
    assert asked.decision(0).scores is None
    nobody = CandidateQuery(problem, (other,), detected=True)
    assert nobody.decision(0, [5.0]) == Decision("p", picked=other.chars)
    assert CandidateQuery(problem, (), detected=True).decision(None, []) == Decision("p")


def test_a_resolver_with_found_candidates(tiny: Path, pipeline: str, tmp_path: Path) -> None:
    from coindex import resolvers
    from coindex.models.pronoun import substitution, weights

    facts = {"kind": "substitution", "recipe": {"window": 64, "neither": False}}
    weights.save_model(tmp_path, substitution.new_substitution(str(tiny), 0, 1), facts)
    settings = ResolverSettings("found", pipeline=pipeline, model=str(tmp_path))
    resolver = resolvers.load("substitution", settings)
    assert isinstance(resolver, resolvers.Decider)
    names = (Candidate("Ruth Ode"), Candidate("Ida Lane"))
    nothing = Problem("n", "It rained.", Chars(0, 2), (Candidate("Ann"), Candidate("Bob")))
    first, second = resolver.decide([Problem("p", TEXT, HER, names), nothing])
    assert first.picked is not None
    assert first.scores is not None
    assert min(first.scores) > NO_SCORE
    assert (second.chosen, second.picked) == ((), None)
