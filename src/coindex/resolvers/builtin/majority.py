"""Majority: the candidate that the passage mentions most often, a sanity row.

A mention is an occurrence of the candidate's text as whole words, in any case; of
several mentioned as often, the first one is chosen. It is not the most frequent
answer of the corpus: a resolver must not look at answers, and for two candidates
`first` and `last` already show what a constant answer scores.
"""

from __future__ import annotations

import re

from coindex.resolvers.cues import RuleResolver, cue_resolver
from coindex.resolvers.parsed_problem import CandidatePhrase, ParsedProblem
from coindex.resolvers.protocol import Decider, ResolverSettings, nothing_missing
from coindex.types.problem import Problem

ABOUT = "the candidate that the passage mentions most often"
CONTEXT = "snippet"
missing = nothing_missing


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work; with given candidates it parses nothing."""
    if settings.candidates == "given":
        return RuleResolver("majority", _index)
    return cue_resolver("majority", settings, _phrase)


def _index(problem: Problem) -> int:
    counts = [_mentions(problem.text, candidate.text) for candidate in problem.candidates]
    return counts.index(max(counts))


def _phrase(problem: ParsedProblem) -> CandidatePhrase | None:
    text = problem.problem.text
    return max(problem.phrases, key=lambda p: _mentions(text, p.chars.of(text)), default=None)


def _mentions(text: str, name: str) -> int:
    pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
    return sum(1 for _ in re.finditer(pattern, text, re.IGNORECASE))
