"""Clusters to decisions and back, so that any resolver answers any benchmark.

Clusters to decisions, as GAP does it (Webster et al. 2018, section 4.2): a candidate is chosen if
the cluster with the target pronoun also contains a mention of it, aligned by heads (see
`same_mention`). The four outcomes of KnowRef (Emami et al. 2019, section 3.3) follow: two
candidates chosen, none, the wrong one, the right one. A pronoun that is in no cluster, or with
none of the candidates, is the decision "none of them". A pronoun may be in several clusters; a
candidate that is not in the text is searched for by its words.

Documents may be tokenised in any way and lose or gain white space: only the other characters must
be those of the problem, and treebanks' brackets and quotes count as the characters that they
represent. A document belongs to the problem of its id, else to the one of its text.

GAP specifies only "using mention heads for alignment". Here a mention is the same as a name if it
has the same tokens, or if both have the same head ("President Ann Lee" and "Ann Lee"), or if it
is a part of the name that contains its head ("Lee"). "Ann Lee 's brother" is headed by "brother",
and "the city" is a part of "the city councilmen" but no name, so neither is the same; and "Ann Lee
and Bob" are two, whichever of them a treebank takes for the head.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from coindex.errors import InvalidValue
from coindex.resolvers.protocol import Clusterer
from coindex.text.char_alignment import nonspace_text
from coindex.text.heads import dependency_head, tree_head
from coindex.text.mention_classes import kind_of
from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.text.word_lists import labels
from coindex.types.decision import Decision
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars, Span

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ClusterDecisions:
    """The decisions that follow from documents with entities.

    missing  ids of the problems without a document: no decision is made on them
    extra    keys of the documents that belong to no problem
    """

    decisions: tuple[Decision, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def decisions_from_documents(
    problems: Sequence[Problem], documents: Iterable[Document]
) -> ClusterDecisions:
    """The decisions on problems that follow from documents with entities."""
    assigned = assign_documents({problem.id: problem.text for problem in problems}, documents)
    given = assigned.documents
    return ClusterDecisions(
        tuple(decision_from_document(p, given[p.id]) for p in problems if p.id in given),
        tuple(p.id for p in problems if p.id not in given),
        assigned.extra,
    )


@dataclass(frozen=True, slots=True)
class AssignedDocuments:
    """Documents by the ids of the items they are of, and the keys of those that are of none."""

    documents: dict[str, Document]
    extra: tuple[str, ...]


def assign_documents(
    items: Mapping[str, str], documents: Iterable[Document], noun: str = "problems"
) -> AssignedDocuments:
    """The document of each item: by its id, else by its text. `items` are texts by their ids."""
    result = list(documents)
    texts = {id: nonspace_text(text).text for id, text in items.items()}
    given = [nonspace_text(document.text).text for document in result]
    places = _by_id(items, result)
    wrong = [id for id, at in places.items() if given[at] != texts[id]]
    if wrong:
        raise InvalidValue(
            f"expected documents with the text of their {noun}, found {len(wrong)} with"
            f" another: {_some(wrong)}"
        )
    used = set(places.values())
    places |= _by_text(
        {id: text for id, text in texts.items() if id not in places},
        [(at, text) for at, text in enumerate(given) if at not in used],
    )
    if result and not places:
        raise InvalidValue(
            f"expected documents of the {len(items)} {noun}, found {len(result)} of which"
            f" none has the id or the text of one: {_some([each.key for each in result])}"
        )
    used = set(places.values())
    return AssignedDocuments(
        {id: result[at] for id, at in places.items()},
        tuple(each.key for at, each in enumerate(result) if at not in used),
    )


def decision_from_document(problem: Problem, document: Document) -> Decision:
    """The decision on a problem that follows from a document with the same text."""
    mine, theirs = nonspace_text(problem.text), nonspace_text(document.text)
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
        [m for m in map(mention_at, candidate_offsets(problem, candidate)) if m]
        for candidate in problem.candidates
    ]
    clusters = [
        [m for m in entity.mentions if m.tokens != pronoun.tokens]
        for entity in document.entities
        if pronoun and any(m.tokens == pronoun.tokens for m in entity.mentions)
    ]
    mentions = [mention for cluster in clusters for mention in cluster]
    return Decision(problem.id, _chosen(document, mentions, names))


def candidate_offsets(problem: Problem, candidate: Candidate) -> list[Chars]:
    """The offsets of a candidate, or else all occurrences of its words."""
    if candidate.chars is not None:
        return [candidate.chars]
    words = re.escape(candidate.text.strip())
    result = re.finditer(rf"(?<!\w){words}(?!\w)", problem.text, re.IGNORECASE)
    return [Chars(*match.span()) for match in result]


def _chosen(
    document: Document, mentions: Sequence[Mention], names: Sequence[Sequence[Mention]]
) -> tuple[int, ...]:
    """The candidates that are mentioned; a mention with the tokens of one is not aligned with others."""
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
                if any(same_mention(document, mention, place) for place in places)
            ]
        )
    return tuple(sorted(chosen))


def _by_id(known: Container[str], documents: Sequence[Document]) -> dict[str, int]:
    """The document of each id."""
    result: dict[str, int] = {}
    for at, document in enumerate(documents):
        if document.id in known and result.setdefault(document.id, at) != at:
            raise InvalidValue(f"expected one document for {document.id}, found another")
    return result


def _by_text(wanted: dict[str, str], given: Sequence[tuple[int, str]]) -> dict[str, int]:
    """The document of each problem's text; of several with one text, in their order.

    One document may serve several problems about the same text.
    """
    documents: dict[str, list[int]] = {}
    for at, text in given:
        documents.setdefault(text, []).append(at)
    problems: dict[str, list[str]] = {}
    for id, text in wanted.items():
        if text in documents:
            problems.setdefault(text, []).append(id)
    result: dict[str, int] = {}
    for text, ids in problems.items():
        places = documents[text]
        if len(places) not in (1, len(ids)):
            raise InvalidValue(
                f"expected one document for {_some(ids)}, or one for each,"
                f" found {len(places)} of the same text"
            )
        each = places if len(places) == len(ids) else places * len(ids)
        result |= dict(zip(ids, each, strict=True))
    return result


def documents_from_problems(problems: Iterable[Problem]) -> Iterator[Document]:
    """The passages as documents without entities, for a cluster resolver to work on.

    A token ends where the pronoun or a candidate does, so that these can be mentions.
    """
    for problem in problems:
        yield _document(problem)


def document_with_decision(problem: Problem, decision: Decision) -> Document:
    """The passage with one entity: the pronoun and the candidates that it means.

    A candidate that is not in the text is left out. A decision that says nothing
    gives no entity; one that says "none of them" gives the pronoun alone.
    """
    document = _document(problem)
    if decision.undecided:
        return document
    candidates = (problem.candidates[index].chars for index in decision.chosen)
    places = dict.fromkeys([problem.target, *(chars for chars in candidates if chars)])
    spans = dict.fromkeys(_span(document, chars) for chars in places)
    return _document(problem, (Entity(tuple(Mention((span,)) for span in spans)),))


def _document(problem: Problem, entities: tuple[Entity, ...] = ()) -> Document:
    places = [problem.target, *(each.chars for each in problem.candidates if each.chars)]
    borders = [border for place in places for border in (place.start, place.end)]
    spans = list(token_offsets(problem.text, borders))
    return Document(
        problem.id,
        problem.text,
        tuple(problem.text[start:end] for start, end in spans),
        tuple(start for start, _ in spans),
        tuple(end for _, end in spans),
        sentence_starts(problem.text, spans),
        entities,
    )


def _span(document: Document, chars: Chars) -> Span:
    first = bisect_right(document.ends, chars.start)
    return Span(first, max(bisect_left(document.starts, chars.end), first + 1))


@dataclass(frozen=True, slots=True)
class ClusterDecider:
    """A cluster resolver that answers problems."""

    resolver: Clusterer

    @property
    def signature(self) -> str:
        """That of the resolver, and how its clusters are aligned."""
        return f"{self.resolver.signature}|clusters:heads"

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order, from the passage's clusters."""
        given = list(problems)
        resolved = iter(self.resolver.resolve(documents_from_problems(given)))
        for problem in given:
            document = next(resolved, None)
            if document is None or document.id != problem.id:
                result = "none" if document is None else document.id
                raise InvalidValue(f"expected the resolved document {problem.id}, found {result}")
            yield decision_from_document(problem, document)


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more


_POSSESSIVES = frozenset({"'s", "'", "’s", "’"})
_JOINERS = frozenset({"-", "–", "&", "/"})
_COORDINATORS = frozenset({"and", "or", "&", "nor"})
_FOLLOWERS = frozenset({"preposition", "verb", "other"})
_SUFFIX = re.compile(r"(?:jr|sr|[ivx]+)\.?", re.IGNORECASE)


def same_mention(document: Document, mention: Mention, name: Mention) -> bool:
    """Whether a mention is one of the name at these tokens."""
    if mention.tokens == name.tokens:
        return True
    head = head_of(document, mention)
    if head not in name.tokens or _joined(document, mention, name):
        return False
    if head == head_of(document, name):
        return True
    part = set(mention.tokens) <= set(name.tokens)
    return part and head in _core(document, name) and kind_of(document, name) == "name"


def head_of(document: Document, mention: Mention) -> int:
    """The head: annotated, or by the document's trees or dependencies, or by word lists."""
    if mention.head is not None:
        return mention.head
    bare = _bare(document, mention)
    if bare.start + 1 == bare.end:
        return bare.start
    if document.parse is not None:
        return tree_head(document, bare)
    if document.heads is not None:
        return dependency_head(document, bare)
    return _core(document, bare)[-1]


def _bare(document: Document, mention: Mention) -> Mention:
    """The mention without marks, `'s`, `Jr.` or `III` at its end."""
    tokens = list(mention.tokens)
    while len(tokens) > 1 and _is_tail(document.tokens[tokens[-1]]):
        tokens.pop()
    return Mention((Span(tokens[0], tokens[-1] + 1),))


def _core(document: Document, mention: Mention) -> list[int]:
    """The tokens up to the head, without a possessor and without what follows the head."""
    labelled = labels("function_words")
    result: list[int] = []
    for token in _bare(document, mention).tokens:
        word = document.tokens[token].replace("’", "'").lower()
        if word in _POSSESSIVES:
            result = []
        elif _has_letter(word) and (not result or labelled.get(word) not in _FOLLOWERS):
            result.append(token)
        elif result and word not in _JOINERS:
            break
    return result or [mention.start]


def _joined(document: Document, mention: Mention, name: Mention) -> bool:
    """Whether the mention coordinates the name with another: `and` beside it, in the mention."""
    beside = {name.start - 1, name.end} & set(mention.tokens)
    return any(document.tokens[token].lower() in _COORDINATORS for token in beside)


def _is_tail(token: str) -> bool:
    return token in _POSSESSIVES or not _has_letter(token) or _SUFFIX.fullmatch(token) is not None


def _has_letter(token: str) -> bool:
    return any(map(str.isalnum, token))
