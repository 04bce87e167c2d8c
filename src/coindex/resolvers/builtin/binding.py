"""Binding: an object is not the subject of its own clause, unless it is reflexive.

`[Ann] saw Mary and thanked her`: `her` is not Ann. This is Principle B of binding theory
(Chomsky 1981), for `him`, `her`, `them`, `me` and `us` as objects of a verb, directly or after
some prepositions (not `with` and those of place: `Ann took it with her`), and only where it is
certain who the subject is (`binding_theory`).

It excludes candidates, and does not rank the others: where one of two is left, that is the
decision, else there is none. In an ensemble it is used as a veto (`veto = true`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from coindex.resolvers.binding_theory import violates_principle_b
from coindex.resolvers.parsed_problem import ParsedProblem, parsed_problems
from coindex.resolvers.protocol import Decider, ResolverSettings, nothing_missing
from coindex.text.parsing.parser import Parser, make_parser
from coindex.types.decision import Decision
from coindex.types.problem import Problem

ABOUT = "bars candidates that are the subject of an object's own clause; decides if one is left"
CONTEXT = "snippet"
EXCLUDED = -9.0
missing = nothing_missing


@dataclass(frozen=True, slots=True)
class Binding:
    """Scores 0 or `EXCLUDED`; with detected candidates, it never chooses one."""

    candidates: str
    parser: Parser

    @property
    def signature(self) -> str:
        """The kind of candidates, and the parser."""
        return f"binding|candidates:{self.candidates}|{self.parser.signature}"

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        for problem, parsed in parsed_problems(problems, self.parser, "given"):
            excluded = _excluded(parsed) if parsed is not None else frozenset()
            every = range(len(problem.candidates))
            left = tuple(index for index in every if index not in excluded)
            decided = excluded and len(left) == 1 and self.candidates == "given"
            scores = tuple(EXCLUDED if index in excluded else 0.0 for index in every)
            yield Decision(problem.id, left if decided else (), scores)


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work."""
    return Binding(settings.candidates, make_parser(settings.pipeline, cache=settings.cache))


def _excluded(parsed: ParsedProblem) -> frozenset[int]:
    """The given candidates that are excluded; none where all would be."""
    excluded = frozenset(
        phrase.index
        for phrase in parsed.phrases
        if phrase.index is not None
        and violates_principle_b(parsed.tree, parsed.pronoun, phrase.head)
    )
    return excluded if len(excluded) < len(parsed.problem.candidates) else frozenset()
