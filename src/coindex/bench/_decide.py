"""The decisions of a resolver on problems: those of an interrupted run, and the rest made now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing

from coindex import plugins
from coindex.bench._journal import Journal, file_digest
from coindex.bench.options import Watch
from coindex.core.decision import Decision, unanswered
from coindex.core.problem import Problem
from coindex.resolvers import Decider


def decide(
    facts: Mapping[str, str],
    decider: Decider,
    problems: Sequence[Problem],
    label: str,
    watch: Watch,
) -> tuple[Journal, dict[str, Decision]]:
    """All decisions by id, and the journal that holds them; nobody is told an answer.

    facts  what the decisions depend on besides problems and decider; `resolver` is its name
    """
    source = file_digest(getattr(plugins.load("resolvers", facts["resolver"]), "__file__", None))
    journal = Journal({**facts, "signature": decider.signature, "source": source}, problems)
    found = journal.known()
    rest = [unanswered(problem) for problem in problems if problem.id not in found]
    watch(label, len(found), len(problems))
    with closing(journal.keep(decider.decide(rest) if rest else ())) as made:
        for decision in made:
            found[decision.id] = decision
            watch(label, len(found), len(problems))
    return journal, found
