"""Last: always the last candidate, a sanity row.

Of given candidates the last in the corpus's own order (in GAP this is always name
B); of found ones the last in the passage.
"""

from __future__ import annotations

from coindex.resolvers.cues import RuleResolver, cue_resolver
from coindex.resolvers.parsed_problem import CandidatePhrase, ParsedProblem
from coindex.resolvers.protocol import Decider, ResolverSettings, nothing_missing

ABOUT = "always the last candidate"
CONTEXT = "snippet"
missing = nothing_missing


def load(settings: ResolverSettings) -> Decider:
    """The resolver, ready to work; with given candidates it parses nothing."""
    if settings.candidates == "given":
        return RuleResolver("last", lambda problem: len(problem.candidates) - 1)
    return cue_resolver("last", settings, _last)


def _last(problem: ParsedProblem) -> CandidatePhrase | None:
    return problem.phrases[-1] if problem.phrases else None
