"""Pseudo-labels: a resolver answers unlabelled problems, and confident answers become labels.

    from coindex import formats
    from coindex.evaluate.pseudo_labels import pseudo_label
    labels = pseudo_label(
        formats.read("items.jsonl"), "substitution", ResolverSettings(model="big"), min_margin=6.0
    )
    formats.write("labelled.jsonl", labels.problems, "problem-jsonl")

So a large model can teach a small one, or one of another kind. Confidence is the margin between
the scores of the best and the second candidate. Problems that have an answer show which margin is
enough: they are answered too, not to be labelled but to count how many answers are right at each
margin (`PseudoLabels.accuracy_at`).

Decisions are written to a journal as they are made, so that an interrupted run resumes and another
margin can be tried at no cost; journals are removed after a month.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf

from coindex import resolvers
from coindex.errors import UsageError
from coindex.evaluate.journal import decide, prune
from coindex.resolvers import ResolverSettings
from coindex.types.decision import Decision
from coindex.types.problem import Problem
from coindex.types.progress import OnProgress, ignore_progress

CheckedAnswer = tuple[float, bool]
"""The margin of an answer, and whether it is right."""


@dataclass(frozen=True, slots=True)
class PseudoLabels:
    """Problems with their new answers, and the number of the others.

    unsure   how many have a margin below the threshold
    silent   how many the resolver made no decision on
    checked  for the problems that had an answer: margin and correctness; the margin is minus
             infinity if the resolver made no decision
    """

    problems: tuple[Problem, ...] = ()
    unsure: int = 0
    silent: int = 0
    checked: tuple[CheckedAnswer, ...] = ()

    @property
    def total(self) -> int:
        """The number of problems that were read."""
        return len(self.problems) + self.unsure + self.silent + len(self.checked)

    def accuracy_at(self, min_margin: float) -> tuple[int, int]:
        """Of the problems that had an answer: how many reach the margin, and how many are right."""
        reached = [right for margin, right in self.checked if margin >= min_margin]
        return len(reached), sum(reached)


def best_candidate(decision: Decision) -> tuple[float, int] | None:
    """The margin of the best candidate before the second, and its index; None without one."""
    scores = decision.scores or ()
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    if not decision.chosen or len(order) < 2 or scores[order[0]] == scores[order[1]]:
        return None
    return scores[order[0]] - scores[order[1]], order[0]


def pseudo_label(
    problems: Iterable[Problem],
    resolver: str,
    settings: ResolverSettings | None = None,
    *,
    min_margin: float = 0.0,
    on_progress: OnProgress = ignore_progress,
) -> PseudoLabels:
    """Label the problems on which a resolver is confident with its answers."""
    if not 0 <= min_margin < inf:
        raise UsageError(f"expected a margin of 0 or more, found {min_margin}")
    items = tuple(problems)
    repeated = len(items) - len({each.id for each in items})
    if repeated:
        raise UsageError(f"expected problems with different ids, found {repeated} repeated")
    prune()
    decider = resolvers.decider(resolver, settings or ResolverSettings())
    key = {"resolver": resolver, "benchmark": "teach"}
    _, decisions = decide(key, decider, items, resolver, on_progress)
    if decisions and not any(each.scores for each in decisions.values()):
        raise UsageError(f"{resolver}: expected a resolver that scores candidates, found no scores")
    return _labelled(items, decisions, min_margin)


def _labelled(
    items: tuple[Problem, ...], decisions: dict[str, Decision], min_margin: float
) -> PseudoLabels:
    labelled: list[Problem] = []
    checked: list[CheckedAnswer] = []
    unsure = silent = 0
    for problem in items:
        best = best_candidate(decisions[problem.id]) if problem.id in decisions else None
        if problem.answer is not None:
            checked.append((best[0], best[1] in problem.answer) if best else (-inf, False))
        elif best is None:
            silent += 1
        elif best[0] < min_margin:
            unsure += 1
        else:
            labelled.append(replace(problem, answer=(best[1],)))
    return PseudoLabels(tuple(labelled), unsure, silent, tuple(checked))
