"""Decisions on problems: the candidates that a resolver chooses as antecedents.

Decisions are matched with problems by id, never by order. A decision on an unknown problem,
or a second decision on one, is an error. A problem without a decision gets one that leaves
all candidates undecided, and its id is listed as missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from coindex.errors import InvalidValue
from coindex.types.problem import Problem
from coindex.types.span import Chars


@dataclass(frozen=True, slots=True)
class Decision:
    """A resolver's decision on one problem.

    chosen     indices of the candidates that the pronoun refers to: none, one, several
    scores     the resolver's score of each candidate, if it gives any
    undecided  indices of the candidates that it neither accepts nor rejects
    picked     the antecedent that it chose, if it detects mentions itself; this need not be
               one of the candidates
    """

    id: str
    chosen: tuple[int, ...] = ()
    scores: tuple[float, ...] | None = None
    undecided: tuple[int, ...] = ()
    picked: Chars | None = None

    def __post_init__(self) -> None:
        if not self.id:
            raise InvalidValue("a decision needs the id of its problem, found an empty one")
        for indices in (self.chosen, self.undecided):
            if list(indices) != sorted(set(indices)) or (indices and indices[0] < 0):
                raise InvalidValue(
                    f"{self.id}: a decision's indices must rise from 0, found {indices}"
                )
        overlap = set(self.chosen) & set(self.undecided)
        if overlap:
            raise InvalidValue(f"{self.id}: candidate {min(overlap)} is chosen and left unsaid")


@dataclass(frozen=True, slots=True)
class MatchedDecisions:
    """Problems with the decisions on them, in the same order.

    missing  ids of the problems without a decision, in the order of the problems
    """

    problems: tuple[Problem, ...]
    decisions: tuple[Decision, ...]
    missing: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.problems)

    def __iter__(self) -> Iterator[tuple[Problem, Decision]]:
        return zip(self.problems, self.decisions, strict=True)


def match_decisions(problems: Iterable[Problem], decisions: Iterable[Decision]) -> MatchedDecisions:
    """Each problem with the decision on it, by id, in the order of the problems."""
    items, given = tuple(problems), list(decisions)
    _once("problem", [problem.id for problem in items])
    _once("decision", [decision.id for decision in given])
    by_id = {decision.id: decision for decision in given}
    known = {problem.id for problem in items}
    unknown = [id for id in by_id if id not in known]
    if unknown:
        raise InvalidValue(
            f"expected decisions on the {len(items)} problems,"
            f" found {len(unknown)} on others: {_some(unknown)}"
        )
    aligned = tuple(by_id.get(problem.id) or abstention(problem) for problem in items)
    for problem, decision in zip(items, aligned, strict=True):
        _fits(problem, decision)
    return MatchedDecisions(items, aligned, tuple(p.id for p in items if p.id not in by_id))


def abstention(problem: Problem) -> Decision:
    """The decision that leaves all candidates of a problem undecided."""
    return Decision(problem.id, undecided=tuple(range(len(problem.candidates))))


def answer_of(problem: Problem) -> tuple[int, ...]:
    """The right candidates; an error if they are not known."""
    if problem.answer is None:
        raise InvalidValue(f"{problem.id}: expected an answer to score against, found none")
    return problem.answer


def unanswered(problem: Problem) -> Problem:
    """The problem as a resolver may see it: without its answer and its metadata.

    Metadata may reveal the answer: KnowRef's `correct_candidate_idx`, WinoBias's part.
    """
    return replace(problem, answer=None, meta=())


def _once(what: str, ids: Sequence[str]) -> None:
    again = [id for id, count in Counter(ids).items() if count > 1]
    if again:
        raise InvalidValue(f"expected each {what} once, found some again: {_some(again)}")


def _some(ids: Sequence[str], most: int = 5) -> str:
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    return ", ".join(ids[:most]) + more


def _fits(problem: Problem, decision: Decision) -> None:
    count = len(problem.candidates)
    for index in (*decision.chosen[-1:], *decision.undecided[-1:]):
        if index >= count:
            raise InvalidValue(
                f"{problem.id}: expected one of {count} candidates, found index {index}"
            )
    if decision.scores is not None and len(decision.scores) != count:
        raise InvalidValue(
            f"{problem.id}: expected {count} scores, one for each candidate,"
            f" found {len(decision.scores)}"
        )
