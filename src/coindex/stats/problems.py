"""Counts of pronoun problems: answers, groups, pronouns, candidates."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields

from coindex.core.problem import Problem
from coindex.stats.documents import mean


@dataclass(frozen=True, slots=True)
class Counts:
    """What can be counted in problems; counts of two corpora add up."""

    problems: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    pronouns: Counter[str] = field(default_factory=Counter)
    candidates: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    lost: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Counts)))


def count(problem: Problem) -> Counts:
    """The counts of one problem."""
    return Counts(
        problems=1,
        answers=Counter([_answer(problem.answer)]),
        groups=Counter([problem.group] if problem.group else []),
        pronouns=Counter([problem.pronoun.lower()]),
        candidates=Counter([len(problem.candidates)]),
        lengths=Counter([len(problem.text.split())]),
        lost=sum(candidate.chars is None for candidate in problem.candidates),
    )


def _answer(answer: tuple[int, ...] | None) -> str:
    if answer is None:
        return "unknown"
    names = [chr(ord("A") + index) if index < 26 else str(index + 1) for index in answer]
    return " and ".join(names) or "none"


def describe(counts: Counts) -> dict[str, object]:
    """The counts and what follows from them, by name, for a table or JSON."""
    return {
        "problems": counts.problems,
        "answers": dict(sorted(counts.answers.items())),
        "groups": dict(sorted(counts.groups.items())),
        "pronouns": dict(counts.pronouns.most_common()),
        "candidates": {str(size): counts.candidates[size] for size in sorted(counts.candidates)},
        "candidates not in the text": counts.lost,
        "words per passage, mean": mean(counts.lengths),
        "words per passage, most": max(counts.lengths, default=0),
    }
