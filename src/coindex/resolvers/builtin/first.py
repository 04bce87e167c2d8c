"""First: always the first candidate, a sanity row.

Of given candidates the first in the corpus's own order (in GAP this is always name
A); of found ones the first in the passage.
"""

from __future__ import annotations

from coindex.resolvers.cues import RuleResolver, cue_resolver
from coindex.resolvers.parsed_problem import CandidatePhrase, ParsedProblem
from coindex.resolvers.protocol import Decider, ResolverSettings, nothing_missing

ABOUT = "always the first candidate"
CONTEXT = "snippet"
missing = nothing_missing


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work; with given candidates it parses nothing."""
    if settings.candidates == "given":
        return RuleResolver("first", lambda problem: 0)
    return cue_resolver("first", settings, _first)


def _first(problem: ParsedProblem) -> CandidatePhrase | None:
    return problem.phrases[0] if problem.phrases else None
