"""Statistics of corpora: documents as in the Quiz Bowl paper's Table 2, and pronoun problems.

The counts of one document or problem are additive; their sums describe a corpus. A mention is
nested if it lies within a mention with another span. A singleton is the only mention of its
entity; all other mentions are anaphora.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from coindex.text.word_lists import labels
from coindex.transform.edit import count_shared_spans
from coindex.types.document import Document
from coindex.types.problem import Problem
from coindex.types.span import Span


@dataclass(frozen=True, slots=True)
class DocumentStatistics:
    """Counts of documents; those of two corpora can be added."""

    documents: int = 0
    sentences: int = 0
    tokens: int = 0
    mentions: int = 0
    entities: int = 0
    singletons: int = 0
    nested: int = 0
    discontinuous: int = 0
    zeros: int = 0
    plural: int = 0
    mention_lengths: Counter[int] = field(default_factory=Counter)
    entity_sizes: Counter[int] = field(default_factory=Counter)
    pronouns: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: DocumentStatistics) -> DocumentStatistics:
        return DocumentStatistics(*_sums(self, other))

    @property
    def anaphora(self) -> int:
        """The number of mentions that are not singletons."""
        return self.mentions - self.singletons


def document_statistics(document: Document) -> DocumentStatistics:
    """The counts of one document."""
    mentions = document.mentions
    return DocumentStatistics(
        documents=1,
        sentences=len(document.sentences),
        tokens=len(document.tokens) - len(document.zeros),
        mentions=len(mentions),
        entities=len(document.entities),
        singletons=sum(entity.singleton for entity in document.entities),
        nested=_nested({mention.cover: 0 for mention in mentions}, document),
        discontinuous=sum(mention.discontinuous for mention in mentions),
        zeros=len(document.zeros),
        plural=count_shared_spans(document),
        mention_lengths=Counter(len(mention.tokens) for mention in mentions),
        entity_sizes=Counter(map(len, document.entities)),
        pronouns=_pronouns(document),
    )


def _nested(spans: Iterable[Span], document: Document) -> int:
    """The number of mentions that lie within another, by one sweep over the spans."""
    inside: set[Span] = set()
    furthest = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.end <= furthest:
            inside.add(span)
        furthest = max(furthest, span.end)
    return sum(mention.cover in inside for mention in document.mentions)


def _pronouns(document: Document) -> Counter[str]:
    """The number of pronouns of each group."""
    groups = labels("pronouns")
    words = (
        document.tokens[mention.start].lower()
        for mention in document.mentions
        if mention.end - mention.start == 1
    )
    return Counter(groups[word] for word in words if word in groups)


def describe_documents(counts: DocumentStatistics) -> dict[str, object]:
    """The counts and the figures that follow from them, by name, for a table or JSON."""
    return {
        "documents": counts.documents,
        "sentences": counts.sentences,
        "tokens": counts.tokens,
        "mentions": counts.mentions,
        "entities": counts.entities,
        "singletons": counts.singletons,
        "anaphora": counts.anaphora,
        "nested mentions": counts.nested,
        "discontinuous mentions": counts.discontinuous,
        "zeros": counts.zeros,
        "mentions of several entities": counts.plural,
        "mentions per sentence": _ratio(counts.mentions, counts.sentences),
        "anaphora per sentence": _ratio(counts.anaphora, counts.sentences),
        "nested per sentence": _ratio(counts.nested, counts.sentences),
        "mentions per 100 tokens": _ratio(100 * counts.mentions, counts.tokens),
        "tokens per document": _ratio(counts.tokens, counts.documents),
        "tokens per sentence": _ratio(counts.tokens, counts.sentences),
        "mention length, mean": _mean(counts.mention_lengths),
        "mention length, longest": max(counts.mention_lengths, default=0),
        "mentions per entity, mean": _mean(counts.entity_sizes),
        "mentions per entity, most": max(counts.entity_sizes, default=0),
        "pronouns": {name: counts.pronouns[name] for name in sorted(counts.pronouns)},
    }


def _ratio(a: int, b: int) -> float | None:
    return a / b if b else None


def _mean(lengths: Counter[int]) -> float | None:
    """The mean of a distribution, or None if it is empty."""
    return _ratio(sum(length * number for length, number in lengths.items()), lengths.total())


def density(rows: Iterable[DocumentStatistics]) -> list[tuple[int, int, int]]:
    """Running totals of tokens, mentions and nested mentions, document by document."""
    points = [(0, 0, 0)]
    for row in rows:
        tokens, mentions, nested = points[-1]
        points.append((tokens + row.tokens, mentions + row.mentions, nested + row.nested))
    return points


@dataclass(frozen=True, slots=True)
class ProblemStatistics:
    """Counts of pronoun problems; those of two corpora can be added."""

    problems: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    pronouns: Counter[str] = field(default_factory=Counter)
    candidates: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    lost: int = 0

    def __add__(self, other: ProblemStatistics) -> ProblemStatistics:
        return ProblemStatistics(*_sums(self, other))


def problem_statistics(problem: Problem) -> ProblemStatistics:
    """The counts of one problem."""
    return ProblemStatistics(
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


def describe_problems(counts: ProblemStatistics) -> dict[str, object]:
    """The counts and the figures that follow from them, by name, for a table or JSON."""
    return {
        "problems": counts.problems,
        "answers": dict(sorted(counts.answers.items())),
        "groups": dict(sorted(counts.groups.items())),
        "pronouns": dict(counts.pronouns.most_common()),
        "candidates": {str(size): counts.candidates[size] for size in sorted(counts.candidates)},
        "candidates not in the text": counts.lost,
        "words per passage, mean": _mean(counts.lengths),
        "words per passage, most": max(counts.lengths, default=0),
    }


Statistics = DocumentStatistics | ProblemStatistics


def _sums(one: Statistics, other: Statistics) -> Iterator[Any]:
    """The sums of the fields of two statistics of the same class."""
    return (getattr(one, each.name) + getattr(other, each.name) for each in fields(one))
