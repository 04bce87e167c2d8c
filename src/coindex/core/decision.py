"""Decisions on problems: which candidates a resolver says the pronoun means.

Decisions and problems belong together by their ids, never by their order. A
decision on an unknown problem, or two on one, is an error. A problem without a
decision gets one that says nothing of any candidate, and its id is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from coindex.core.problem import Problem
from coindex.core.span import Chars
from coindex.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class Decision:
    """What a resolver says of one problem.

    chosen  indices of the candidates that the pronoun means: none, one, several
    scores  how sure the resolver is of each candidate, if it tells
    unsaid  indices of the candidates of which it says neither yes nor no
    picked  the phrase that it took the pronoun to mean, where it looks for phrases
            of its own; it may be none of the candidates
    """

    id: str
    chosen: tuple[int, ...] = ()
    scores: tuple[float, ...] | None = None
    unsaid: tuple[int, ...] = ()
    picked: Chars | None = None

    def __post_init__(self) -> None:
        if not self.id:
            raise InvalidValue("a decision needs the id of its problem, found an empty one")
        for indices in (self.chosen, self.unsaid):
            if list(indices) != sorted(set(indices)) or (indices and indices[0] < 0):
                raise InvalidValue(
                    f"{self.id}: a decision's indices must rise from 0, found {indices}"
                )
        both = set(self.chosen) & set(self.unsaid)
        if both:
            raise InvalidValue(f"{self.id}: candidate {min(both)} is chosen and left unsaid")


@dataclass(frozen=True, slots=True)
class Matched:
    """Problems and the decisions on them, side by side.

    missing  ids of the problems without a decision, in the order of the problems
    """

    problems: tuple[Problem, ...]
    decisions: tuple[Decision, ...]
    missing: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.problems)

    def __iter__(self) -> Iterator[tuple[Problem, Decision]]:
        return zip(self.problems, self.decisions, strict=True)


def match(problems: Iterable[Problem], decisions: Iterable[Decision]) -> Matched:
    """Each problem with the decision on it, by id, in the order of the problems."""
    items, found = tuple(problems), list(decisions)
    _once("problem", [problem.id for problem in items])
    _once("decision", [decision.id for decision in found])
    by_id = {decision.id: decision for decision in found}
    known = {problem.id for problem in items}
    unknown = [id for id in by_id if id not in known]
    if unknown:
        raise InvalidValue(
            f"expected decisions on the {len(items)} problems,"
            f" found {len(unknown)} on others: {_some(unknown)}"
        )
    aligned = tuple(by_id.get(problem.id) or silent(problem) for problem in items)
    for problem, decision in zip(items, aligned, strict=True):
        _fits(problem, decision)
    return Matched(items, aligned, tuple(p.id for p in items if p.id not in by_id))


def silent(problem: Problem) -> Decision:
    """The decision that says nothing of any candidate."""
    return Decision(problem.id, unsaid=tuple(range(len(problem.candidates))))


def answer_of(problem: Problem) -> tuple[int, ...]:
    """The right candidates; an error where they are not known."""
    if problem.answer is None:
        raise InvalidValue(f"{problem.id}: expected an answer to score against, found none")
    return problem.answer


def unanswered(problem: Problem) -> Problem:
    """The problem as a resolver may see it: without its answer and the corpus's other facts.

    Facts give answers away: KnowRef's `correct_candidate_idx`, WinoBias's part.
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
    for index in (*decision.chosen[-1:], *decision.unsaid[-1:]):
        if index >= count:
            raise InvalidValue(
                f"{problem.id}: expected one of {count} candidates, found index {index}"
            )
    if decision.scores is not None and len(decision.scores) != count:
        raise InvalidValue(
            f"{problem.id}: expected {count} scores, one for each candidate,"
            f" found {len(decision.scores)}"
        )
