"""Clusters to decisions and back, so that any resolver answers any benchmark.

Clusters to decisions, as GAP does it (Webster et al. 2018, section 4.2): a
candidate is chosen if the cluster with the target pronoun also holds a mention of
it, aligned by heads (see `aligned`). The four outcomes of KnowRef (Emami et al.
2019, section 3.3) follow: two candidates chosen, none, the wrong one, the right
one. A pronoun that is in no cluster, or with none of the candidates, means "none of
them". A pronoun may be in several clusters; a candidate that is not in the text is
looked for by its words.

Documents may be tokenised in any way and lose or gain white space: only the other
characters must be those of the problem, and treebanks' brackets and quotes are
taken for what they stand for. A document belongs to the problem of its id, else
to the one of its text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from coindex.core.decision import Decision
from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars, Span
from coindex.core.tokenize import sentences, tokens
from coindex.errors import InvalidValue
from coindex.pronoun.aligned import aligned
from coindex.pronoun.letters import letters

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class FromClusters:
    """The decisions that documents hold.

    missing  ids of the problems without a document: no decision is made on them
    extra    keys of the documents that belong to no problem
    """

    decisions: tuple[Decision, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def decisions_of(problems: Sequence[Problem], documents: Iterable[Document]) -> FromClusters:
    """What documents with entities say of problems."""
    found = list(documents)
    texts = {problem.id: letters(problem.text).text for problem in problems}
    given = [letters(document.text).text for document in found]
    places = _by_id(problems, found)
    wrong = [id for id, at in places.items() if given[at] != texts[id]]
    if wrong:
        raise InvalidValue(
            f"expected documents with the text of their problems, found {len(wrong)} with"
            f" another: {_some(wrong)}"
        )
    used = set(places.values())
    places |= _by_text(
        {id: text for id, text in texts.items() if id not in places},
        [(at, text) for at, text in enumerate(given) if at not in used],
    )
    if found and not places:
        raise InvalidValue(
            f"expected documents of the {len(problems)} problems, found {len(found)} of which"
            f" none has the id or the text of one: {_some([each.key for each in found])}"
        )
    used = set(places.values())
    return FromClusters(
        tuple(decision_of(p, found[places[p.id]]) for p in problems if p.id in places),
        tuple(p.id for p in problems if p.id not in places),
        tuple(each.key for at, each in enumerate(found) if at not in used),
    )


def decision_of(problem: Problem, document: Document) -> Decision:
    """What a document with the text of a problem says of it."""
    mine, theirs = letters(problem.text), letters(document.text)
    if mine.text != theirs.text:
        raise InvalidValue(f"{problem.id}: expected a document with the same text, found another")
    ranges = [
        theirs.range(Chars(start, end))
        for start, end in zip(document.starts, document.ends, strict=True)
    ]

    def mention_at(chars: Chars) -> Mention | None:
        start, end = mine.range(chars)
        first = bisect_right([stop for _, stop in ranges], start)
        last = bisect_left([begin for begin, _ in ranges], end)
        return Mention.at(first, last) if first < last else None

    pronoun = mention_at(problem.target)
    names = [
        [m for m in map(mention_at, places_of(problem, candidate)) if m]
        for candidate in problem.candidates
    ]
    clusters = [
        [m for m in entity.mentions if m.tokens != pronoun.tokens]
        for entity in document.entities
        if pronoun and any(m.tokens == pronoun.tokens for m in entity.mentions)
    ]
    mentions = [mention for cluster in clusters for mention in cluster]
    return Decision(problem.id, _chosen(document, mentions, names))


def places_of(problem: Problem, candidate: Candidate) -> list[Chars]:
    """Where a candidate stands: its place, or else wherever its words are found."""
    if candidate.chars is not None:
        return [candidate.chars]
    words = re.escape(candidate.text.strip())
    found = re.finditer(rf"(?<!\w){words}(?!\w)", problem.text, re.IGNORECASE)
    return [Chars(*match.span()) for match in found]


def _chosen(
    document: Document, mentions: Sequence[Mention], names: Sequence[Sequence[Mention]]
) -> tuple[int, ...]:
    """The candidates that are mentioned; one whose words are those of one is no other's."""
    chosen = set()
    for mention in mentions:
        same = [
            index
            for index, places in enumerate(names)
            if any(mention.tokens == place.tokens for place in places)
        ]
        chosen.update(
            same
            or [
                index
                for index, places in enumerate(names)
                if any(aligned(document, mention, place) for place in places)
            ]
        )
    return tuple(sorted(chosen))


def _by_id(problems: Sequence[Problem], documents: Sequence[Document]) -> dict[str, int]:
    """The document of each problem's id."""
    known = {problem.id for problem in problems}
    found: dict[str, int] = {}
    for at, document in enumerate(documents):
        if document.id in known and found.setdefault(document.id, at) != at:
            raise InvalidValue(f"expected one document for {document.id}, found another")
    return found


def _by_text(wanted: dict[str, str], given: Sequence[tuple[int, str]]) -> dict[str, int]:
    """The document of each problem's text; of several alike, each in its turn.

    One document may stand for several problems that ask about the same text.
    """
    documents: dict[str, list[int]] = {}
    for at, text in given:
        documents.setdefault(text, []).append(at)
    asked: dict[str, list[str]] = {}
    for id, text in wanted.items():
        if text in documents:
            asked.setdefault(text, []).append(id)
    found: dict[str, int] = {}
    for text, ids in asked.items():
        places = documents[text]
        if len(places) not in (1, len(ids)):
            raise InvalidValue(
                f"expected one document for {_some(ids)}, or one for each,"
                f" found {len(places)} of the same text"
            )
        each = places if len(places) == len(ids) else places * len(ids)
        found |= dict(zip(ids, each, strict=True))
    return found


def documents_of(problems: Iterable[Problem]) -> Iterator[Document]:
    """The passages as documents without entities, for a cluster resolver to work on.

    A token ends where the pronoun or a candidate does, so that these can be mentions.
    """
    for problem in problems:
        yield _document(problem)


def with_decisions(problem: Problem, decision: Decision) -> Document:
    """The passage with one entity: the pronoun and the candidates that it means.

    A candidate that is not in the text is left out. A decision that says nothing
    gives no entity; one that says "none of them" gives the pronoun alone.
    """
    document = _document(problem)
    if decision.unsaid:
        return document
    candidates = (problem.candidates[index].chars for index in decision.chosen)
    places = dict.fromkeys([problem.target, *(chars for chars in candidates if chars)])
    spans = dict.fromkeys(_span(document, chars) for chars in places)
    return _document(problem, (Entity(tuple(Mention((span,)) for span in spans)),))


def _document(problem: Problem, entities: tuple[Entity, ...] = ()) -> Document:
    places = [problem.target, *(each.chars for each in problem.candidates if each.chars)]
    borders = [border for place in places for border in (place.start, place.end)]
    spans = list(tokens(problem.text, borders))
    return Document(
        problem.id,
        problem.text,
        tuple(problem.text[start:end] for start, end in spans),
        tuple(start for start, _ in spans),
        tuple(end for _, end in spans),
        sentences(problem.text, spans),
        entities,
    )


def _span(document: Document, chars: Chars) -> Span:
    first = bisect_right(document.ends, chars.start)
    return Span(first, max(bisect_left(document.starts, chars.end), first + 1))


class Resolves(Protocol):
    """What finds entities: `coindex.resolvers.Clusterer`, which stands above this package."""

    @property
    def signature(self) -> str:
        """Everything that its entities depend on."""

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Each document with its entities, in their order."""


@dataclass(frozen=True, slots=True)
class ClusterDecider:
    """A cluster resolver that answers problems."""

    resolver: Resolves

    @property
    def signature(self) -> str:
        """That of the resolver, and how its clusters were read."""
        return f"{self.resolver.signature}|clusters:heads"

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order, from the passage's clusters."""
        given = list(problems)
        resolved = iter(self.resolver.resolve(documents_of(given)))
        for problem in given:
            document = next(resolved, None)
            if document is None or document.id != problem.id:
                found = "none" if document is None else document.id
                raise InvalidValue(f"expected the resolved document {problem.id}, found {found}")
            yield decision_of(problem, document)


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more
