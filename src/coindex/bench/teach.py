"""A resolver answers problems that nobody annotated, where it is sure: to learn from.

    from coindex import formats
    from coindex.bench.teach import teach
    found = teach(formats.read("items.jsonl"), "substitution", Settings(model="big"), sure=6.0)
    formats.write("taught.jsonl", found.problems, "problem-jsonl")

So a large model teaches a small one, or one of another kind. How sure it is, is how far the
score of the best candidate is before that of the second. Which distance is enough, and how
many answers are right at it, is told by problems that have an answer: those are answered
too, not to be learnt from but to be counted (`Taught.right`).

Decisions are kept on disk as they are made, so that a run that was interrupted goes on, and
another distance can be tried at no cost; they go a month after they were made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf

from coindex import resolvers
from coindex.bench._decide import decide
from coindex.bench._journal import prune
from coindex.bench.options import Watch
from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.errors import UsageError
from coindex.resolvers import Settings

Checked = tuple[float, bool]
"""How sure an answer was, and whether it is right."""


@dataclass(frozen=True, slots=True)
class Taught:
    """Problems with their new answers, and what became of the others.

    unsure   how many the resolver is not sure enough of
    silent   how many it says nothing of
    checked  of the problems that had an answer: how sure, and whether right; of one that
             it says nothing of, infinitely unsure
    """

    problems: tuple[Problem, ...] = ()
    unsure: int = 0
    silent: int = 0
    checked: tuple[Checked, ...] = ()

    @property
    def read(self) -> int:
        """All problems."""
        return len(self.problems) + self.unsure + self.silent + len(self.checked)

    def right(self, sure: float) -> tuple[int, int]:
        """Of the problems with an answer: how many it is so sure of, and right."""
        kept = [told for margin, told in self.checked if margin >= sure]
        return len(kept), sum(kept)


def margin(decision: Decision) -> tuple[float, int] | None:
    """How far the best candidate is before the second, and which it is; None if none is."""
    scores = decision.scores or ()
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    if not decision.chosen or len(order) < 2 or scores[order[0]] == scores[order[1]]:
        return None
    return scores[order[0]] - scores[order[1]], order[0]


def teach(
    problems: Iterable[Problem],
    resolver: str,
    settings: Settings | None = None,
    *,
    sure: float = 0.0,
    watch: Watch = lambda label, done, total: None,
) -> Taught:
    """The problems that a resolver answers and is sure of, with its answers."""
    if not 0 <= sure < inf:
        raise UsageError(f"expected to be sure by a number from 0, found {sure}")
    items = tuple(problems)
    known = {each.id for each in items}
    if len(known) < len(items):
        raise UsageError(
            f"expected problems of different ids, found {len(items) - len(known)} again"
        )
    prune()
    decider = resolvers.decider(resolver, settings or Settings())
    _, decisions = decide(
        {"resolver": resolver, "benchmark": "teach"}, decider, items, resolver, watch
    )
    if decisions and not any(each.scores for each in decisions.values()):
        raise UsageError(
            f"{resolver}: expected a resolver that tells how sure it is, found no scores"
        )
    found: list[Problem] = []
    checked: list[Checked] = []
    unsure = silent = 0
    for problem in items:
        told = margin(decisions[problem.id]) if problem.id in decisions else None
        if problem.answer is not None:
            checked.append((told[0], told[1] in problem.answer) if told else (-inf, False))
        elif told is None:
            silent += 1
        elif told[0] < sure:
            unsure += 1
        else:
            found.append(replace(problem, answer=(told[1],)))
    return Taught(tuple(found), unsure, silent, tuple(checked))
