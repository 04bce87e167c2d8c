"""A problem with the phrases that may be its answer: its own candidates, or detected names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from coindex.types.decision import Decision
from coindex.types.problem import Problem
from coindex.types.span import Chars

NO_SCORE = -1e6
"""The score of a candidate that no phrase matches; lower than any score of a model."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase that the pronoun may refer to.

    chars       its offsets; None if it is not in the passage
    candidates  the indices of the problem's candidates that it matches: its own index, or for
                a name detected in the passage any number, also none
    """

    text: str
    chars: Chars | None
    candidates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """A problem and the phrases to choose from, which may be none.

    detected   whether the phrases are names that were detected in the passage
    """

    problem: Problem
    phrases: tuple[Phrase, ...]
    detected: bool = False

    def decision(self, at: int | None, scores: Sequence[float] = ()) -> Decision:
        """The decision for the phrase at an index, or for none of them.

        scores  of the phrases, if there are any; the decision has those of the candidates
        """
        by_candidate = self._candidate_scores(scores) if scores else None
        if at is None:
            return Decision(self.problem.id, (), by_candidate)
        phrase = self.phrases[at]
        picked = phrase.chars if self.detected else None
        return Decision(self.problem.id, phrase.candidates, by_candidate, picked=picked)

    def _candidate_scores(self, scores: Sequence[float]) -> tuple[float, ...] | None:
        """The best score of the phrases that match each candidate; None if none matches any.

        A detected phrase that matches no candidate may have a better score than all of these.
        """
        best = [NO_SCORE] * len(self.problem.candidates)
        for phrase, score in zip(self.phrases, scores, strict=True):
            for index in phrase.candidates:
                best[index] = max(best[index], score)
        return tuple(best) if any(phrase.candidates for phrase in self.phrases) else None


CandidateFinder = Callable[[Iterable[Problem]], Iterator[CandidateQuery]]
"""Finds the phrases of problems; `coindex.resolvers.parsed_problem` has one for each way."""


def own_candidates(problems: Iterable[Problem]) -> Iterator[CandidateQuery]:
    """Problems with their own candidates, at the offsets that the corpus states."""
    for problem in problems:
        phrases = (Phrase(c.text, c.chars, (at,)) for at, c in enumerate(problem.candidates))
        yield CandidateQuery(problem, tuple(phrases))


def decide_by_scores(
    query: CandidateQuery, scores: Sequence[float], threshold: float | None
) -> Decision:
    """The phrase with the best score; none of them if that is below the threshold."""
    at = argmax(scores)
    if at is not None and threshold is not None and scores[at] < threshold:
        at = None
    return query.decision(at, scores)


def argmax(scores: Sequence[float]) -> int | None:
    """The index of the highest score, the first of several; None if there is none."""
    return max(range(len(scores)), key=scores.__getitem__) if scores else None
