"""Pronoun problems from documents with entities, to learn from.

For every third-person pronoun of an entity: the passage is its sentence and the two
before it; the right candidate is the nearest phrase of its entity there that is no
pronoun, the wrong ones the nearest phrases of other entities, at most `WRONG`, that the
pronoun could mean by its form: entities that the document calls by the same pronoun
somewhere ("she", "her"). So gender and number do not give the answer away, and what is
left is syntax and sense. Pronouns without a right phrase and a wrong one are left out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars
from coindex.core.words import labels

BEFORE = 2
WRONG = 3
LONGEST = 6
"""Words of a candidate: a whole clause in the pronoun's place makes no sentence."""

_GROUPS = frozenset({"masculine", "feminine", "neuter", "plural"})


@dataclass(frozen=True, slots=True)
class _Known:
    """An entity's phrases that are no pronouns, and the groups of its pronouns."""

    phrases: tuple[Mention, ...]
    groups: frozenset[str]


def problems(documents: Iterable[Document]) -> Iterator[Problem]:
    """The problems of documents, in reading order."""
    for document in documents:
        known = [_known(document, entity) for entity in document.entities]
        for at, entity in enumerate(document.entities):
            for mention in entity.mentions:
                group = _group(document, mention)
                if group is not None:
                    found = _problem(document, mention, group, known, at)
                    if found is not None:
                        yield found


def _known(document: Document, entity: Entity) -> _Known:
    phrases = tuple(mention for mention in entity.mentions if _is_phrase(document, mention))
    groups = {_group(document, mention) for mention in entity.mentions} - {None}
    return _Known(phrases, frozenset(group for group in groups if group))


def _problem(
    document: Document, pronoun: Mention, group: str, known: list[_Known], own: int
) -> Problem | None:
    sentence = bisect_right(document.sentences, pronoun.start) - 1
    first = document.sentences[max(sentence - BEFORE, 0)]
    ends = (*document.sentences[1:], len(document))
    last = ends[sentence]
    nearest: list[tuple[int, int, Mention]] = []
    for at, entity in enumerate(known):
        if at != own and group not in entity.groups:
            continue
        near = [m for m in entity.phrases if _fits(m, pronoun, first, last)]
        if near:
            best = min(near, key=lambda m: _distance(m, pronoun))
            nearest.append((_distance(best, pronoun), at, best))
    right = [row for row in nearest if row[1] == own]
    taken = {document.text_of(row[2]).casefold() for row in right}
    wrong = [
        row for row in sorted(nearest, key=lambda row: row[:2])
        if row[1] != own and document.text_of(row[2]).casefold() not in taken
    ][:WRONG]  # fmt: skip
    if not right or not wrong:
        return None
    chosen = sorted((*right, *wrong), key=lambda row: (row[2].start, row[2].end))
    return _made(document, pronoun, Chars(document.starts[first], document.ends[last - 1]),
                 [row[2] for row in chosen], [row[1] for row in chosen].index(own), group)  # fmt: skip


def _made(
    document: Document, pronoun: Mention, passage: Chars, chosen: list[Mention], right: int,
    group: str,
) -> Problem:  # fmt: skip
    def within(mention: Mention) -> Chars:
        place = document.chars(mention.cover)
        return Chars(place.start - passage.start, place.end - passage.start)

    return Problem(
        f"{document.key}:{pronoun.start}",
        passage.of(document.text),
        within(pronoun),
        tuple(Candidate(document.text_of(mention), within(mention)) for mention in chosen),
        (right,),
        group,
        source=document.id,
    )


def _fits(phrase: Mention, pronoun: Mention, first: int, last: int) -> bool:
    apart = phrase.end <= pronoun.start or pronoun.end <= phrase.start
    return apart and first <= phrase.start and phrase.end <= last


def _distance(phrase: Mention, pronoun: Mention) -> int:
    """In words; what comes after the pronoun is further than all that comes before."""
    before = phrase.end <= pronoun.start
    return pronoun.start - phrase.end if before else 1000 + phrase.start - pronoun.end


def _group(document: Document, mention: Mention) -> str | None:
    """The group of a pronoun in whose place a name can stand; None for all else."""
    word = document.tokens[mention.start].lower()
    if len(mention.tokens) != 1 or word not in labels("pronoun_forms"):
        return None
    group = labels("pronouns").get(word)
    return group if group in _GROUPS else None


def _is_phrase(document: Document, mention: Mention) -> bool:
    """A phrase of few words in one piece, without a pronoun."""
    if mention.discontinuous or len(mention.tokens) > LONGEST:
        return False
    written = [document.tokens[at].lower() for at in mention.tokens]
    return not any(word in labels("pronouns") for word in written)
