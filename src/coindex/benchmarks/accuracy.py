"""Accuracies of decisions, and what changes when names or stereotypes do.

Wilson's interval (1927) of a share. KnowRef (Emami et al. 2019): the five columns
of its Table 3 and the consistency of its Table 4. WinoBias (Zhao et al. 2018):
how much better the sentences that fit a stereotype go than those against it.
All shares are in percent.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from coindex.errors import InvalidValue
from coindex.scoring.significance import Interval
from coindex.types.decision import Decision, MatchedDecisions, answer_of
from coindex.types.problem import Problem

Z = NormalDist().inv_cdf(0.975)
"""How many standard deviations to either side hold 95 %: 1.96."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many of all decisions are right; `missing` of them were not made, so wrong."""

    right: int
    total: int
    missing: int = 0

    @property
    def value(self) -> float | None:
        """The share that is right; None of nothing."""
        return _share(self.right, self.total)

    @property
    def interval(self) -> Interval:
        """Wilson's 95 % interval."""
        return wilson(self.right, self.total)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of each problem: two names chosen, none, the wrong one, the right one."""

    both: int = 0
    none: int = 0
    incorrect: int = 0
    correct: int = 0

    @property
    def total(self) -> int:
        """All problems."""
        return self.both + self.none + self.incorrect + self.correct

    @property
    def decided(self) -> Accuracy:
        """Task-specific accuracy: of the problems where one name was chosen."""
        return Accuracy(self.correct, self.correct + self.incorrect)

    @property
    def columns(self) -> tuple[float | None, ...]:
        """The five columns of the paper: four shares, then task-specific accuracy."""
        counts = (self.both, self.none, self.incorrect, self.correct)
        return (*(_share(count, self.total) for count in counts), self.decided.value)


@dataclass(frozen=True, slots=True)
class Consistency:
    """Pairs of a problem and its copy with the names switched, by what the decision does.

    changed     one name was chosen in each, and they differ: the context decides
    same        the same name was chosen in both: the name decides
    half        one name was chosen in one of the two only: the name decides this too
    undecided   one name was chosen in neither; left out
    unpaired    the problem has no switched copy; left out

    The paper does not say what it does where a system makes no decision. Leaving
    such pairs out, as its task-specific accuracy does, gives a resolver that
    ignores names 100 % however often it decides nothing.
    """

    changed: int = 0
    same: int = 0
    half: int = 0
    undecided: int = 0
    unpaired: int = 0

    @property
    def share(self) -> Accuracy:
        """The pairs that changed, of those with a decision."""
        return Accuracy(self.changed, self.changed + self.same + self.half)

    @property
    def value(self) -> float | None:
        """The consistency; None where there was no decision."""
        return self.share.value


@dataclass(frozen=True, slots=True)
class StereotypeAccuracy:
    """Sentences that fit a stereotype (pro) and sentences against it (anti)."""

    pro: Accuracy
    anti: Accuracy

    @property
    def gap(self) -> float | None:
        """Points by which pro is better: 0 without bias."""
        pro, anti = self.pro.value, self.anti.value
        return None if pro is None or anti is None else pro - anti

    @property
    def average(self) -> float | None:
        """The mean of the two accuracies."""
        pro, anti = self.pro.value, self.anti.value
        return None if pro is None or anti is None else (pro + anti) / 2


def wilson(right: int, total: int) -> Interval:
    """Wilson's 95 % interval of a share, in percent; of nothing it is all, 0 to 100."""
    if not 0 <= right <= total:
        raise InvalidValue(f"expected a part of {total}, found {right}")
    if not total:
        return Interval(0.0, 100.0)
    share, square = right / total, Z * Z / total
    centre = share + square / 2
    spread = Z * sqrt(share * (1 - share) / total + square / (4 * total))
    low, high = ((centre + sign * spread) / (1 + square) for sign in (-1, 1))
    return Interval(
        100 * max(low, 0.0) if right else 0.0, 100 * min(high, 1.0) if right < total else 100.0
    )


def is_correct(problem: Problem, decision: Decision) -> bool:
    """Whether exactly the right candidates were chosen, and nothing was left unsaid."""
    return decision.chosen == answer_of(problem) and not decision.undecided


def accuracy(matched: MatchedDecisions) -> Accuracy:
    """How many problems got exactly their right candidates."""
    right = sum(is_correct(problem, decision) for problem, decision in matched)
    return Accuracy(right, len(matched), len(matched.missing))


def outcomes(matched: MatchedDecisions) -> Outcomes:
    """KnowRef's outcomes; each problem needs one right candidate."""
    result = {"both": 0, "none": 0, "incorrect": 0, "correct": 0}
    for problem, decision in matched:
        answer = answer_of(problem)
        if len(answer) != 1:
            raise InvalidValue(f"{problem.id}: expected one right candidate, found {len(answer)}")
        if len(decision.chosen) == 1:
            result["correct" if decision.chosen == answer else "incorrect"] += 1
        else:
            result["both" if decision.chosen else "none"] += 1
    return Outcomes(**result)


def consistency(before: MatchedDecisions, after: MatchedDecisions) -> Consistency:
    """Decisions on problems, and on their switched copies: those with the same ids.

    Names are compared, not indices, so a copy may list its candidates in either order.
    """
    copies = {problem.id: (problem, decision) for problem, decision in after}
    result = {"changed": 0, "same": 0, "half": 0, "undecided": 0, "unpaired": 0}
    for problem, decision in before:
        copy = copies.pop(problem.id, None)
        result[_change((problem, decision), copy) if copy else "unpaired"] += 1
    if copies:
        raise InvalidValue(f"{next(iter(copies))}: expected the problem of a switched copy")
    return Consistency(**result)


def stereotype_accuracy(pro: MatchedDecisions, anti: MatchedDecisions) -> StereotypeAccuracy:
    """WinoBias: the accuracy of either half."""
    return StereotypeAccuracy(accuracy(pro), accuracy(anti))


def _change(before: tuple[Problem, Decision], after: tuple[Problem, Decision]) -> str:
    names = [
        sorted(candidate.text for candidate in problem.candidates) for problem, _ in (before, after)
    ]
    if names[0] != names[1] or len(set(names[0])) < len(names[0]):
        raise InvalidValue(f"{before[0].id}: expected the same names, each once, in both copies")
    one, two = _name(*before), _name(*after)
    if one is None or two is None:
        return "undecided" if one is two else "half"
    return "same" if one == two else "changed"


def _name(problem: Problem, decision: Decision) -> str | None:
    """The one name that was chosen; None if there is none, or several."""
    return problem.candidates[decision.chosen[0]].text if len(decision.chosen) == 1 else None


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
