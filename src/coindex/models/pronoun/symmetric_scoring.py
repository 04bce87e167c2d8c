"""Symmetric scoring: a passage is scored as it is and with its two candidates exchanged.

KnowRef's authors exchange the two candidates of a passage in training, so that a model learns
to ignore names (Emami et al. 2019, section 4.2). The same copy helps when a problem is decided:

    s(a) = (s(a | S) + s(b | S')) / 2

S' being S with a and b exchanged, where b has the role of a. The model's preference for a name
is in both terms and cancels out. Decisions are then the same for S and S' by construction, so
consistency says nothing about such a model; accuracy does. It takes twice the time. Problems
that cannot be switched, and those with detected candidates or not exactly two, are scored once.
With `names`, so are problems whose candidates are not all names: exchanged things make no sense
("the suitcase does not fit into the trophy").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from coindex.models.pronoun.query import CandidateQuery, own_candidates
from coindex.transform.antecedent_switching import Refused, switch
from coindex.types.problem import Problem

PhraseScorer = Callable[[Iterable[CandidateQuery]], Iterator[list[float]]]
"""The scores of the phrases of each problem, in their order."""


_NO_NAMES = frozenset({
    "The", "A", "An", "Some", "My", "Your", "His",
    "Her", "Its", "Our", "Their", "This", "That", "These", "Those",
})  # fmt: skip


def is_name(phrase: str) -> bool:
    """Whether a phrase is spelled as a name."""
    return phrase[:1].isupper() and phrase.split()[0] not in _NO_NAMES


def are_names(problem: Problem) -> bool:
    """Whether all candidates of a problem are spelled as names."""
    return all(is_name(candidate.text) for candidate in problem.candidates)


def symmetric(score: PhraseScorer, *, names: bool = False) -> PhraseScorer:
    """A scorer that also scores the switched copy of each problem, where there is one.

    names   whether only problems whose candidates are all names are switched
    """

    def score_symmetrically(queries: Iterable[CandidateQuery]) -> Iterator[list[float]]:
        has_copy: deque[bool] = deque()

        def with_copies() -> Iterator[CandidateQuery]:
            for query in queries:
                copy = None if names and not are_names(query.problem) else switched_query(query)
                has_copy.append(copy is not None)
                yield query
                if copy is not None:
                    yield copy

        scores = score(with_copies())
        for own in scores:
            yield mean_scores(own, next(scores)) if has_copy.popleft() else own

    return score_symmetrically


def switched_query(query: CandidateQuery) -> CandidateQuery | None:
    """The problem with its two candidates exchanged; None if that is not possible."""
    if query.detected or len(query.phrases) != 2 or len(query.problem.candidates) != 2:
        return None
    copy = switch(query.problem)
    return None if isinstance(copy, Refused) else next(own_candidates([copy]))


def mean_scores(own: list[float], switched: list[float]) -> list[float]:
    """The mean of the scores of a problem and of its switched copy, by the problem's order."""
    return [(a + b) / 2 for a, b in zip(own, reversed(switched), strict=True)]
