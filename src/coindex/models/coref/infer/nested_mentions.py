"""What is left out of an entity under an everyday scheme, since it says nothing of its own.

    Ines and Paolo … they     without `Ines`: a member is not the group
    the director of the zoo   without `the zoo`: a phrase is not what it contains
    Ewa Nowicka, the director …   `Ewa Nowicka` and `the director`, without the whole
    Dagny herself             `Dagny` and `herself`, without the whole
    Jonas Feld, 83            without `83`
    it looks like a brick     without `a brick`: a comparison names no one

A pronoun within a phrase may mean what the phrase means: `the man who lost his hat`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from coindex.text.word_classes import normalize
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

_COMPARISONS = frozenset({"as", "like"})
_INDEFINITE = frozenset({"a", "an"})
_MARKS = frozenset({",", "(", "—", "–"})


def nearby_mentions(mentions: Sequence[Mention]) -> Callable[[Mention], Iterator[Mention]]:
    """For a mention, those that start with it or early enough to contain it.

    An entity can have thousands of mentions: whoever compares each with each of them is quadratic.
    """
    starting: dict[int, list[Mention]] = {}
    for mention in mentions:
        starting.setdefault(mention.start, []).append(mention)
    widest = max((mention.end - mention.start for mention in mentions), default=0)
    return lambda mention: (
        other
        for at in range(mention.start - widest + 1, mention.start + 1)
        for other in starting.get(at, ())
    )


def without_nested(document: Document, *, singletons: bool) -> Document:
    """The document without mentions that an everyday reader would not count."""
    least = 1 if singletons else 2
    entities = ((entity, _own_mentions(document, entity)) for entity in document.entities)
    return replace(
        document,
        entities=tuple(
            entity if len(own) == len(entity.mentions) else replace(entity, mentions=own)
            for entity, own in entities
            if len(own) >= least
        ),
    )


def _own_mentions(document: Document, entity: Entity) -> tuple[Mention, ...]:
    """The mentions that say something of their own; there may be none."""
    mentions = [m for m in entity.mentions if not _is_comparison(document, m)]
    nearby = nearby_mentions(mentions)
    wholes = {id(m) for m in mentions if _is_apposition(document, m, nearby(m))}
    rest = [m for m in mentions if id(m) not in wholes]
    nearby = nearby_mentions(rest)
    return tuple(
        m for m in rest
        if not _is_age(document, m)
        and (m.kind == "pronoun" or not any(_contains(other, m) for other in nearby(m)))
    )  # fmt: skip


def _contains(outer: Mention, inner: Mention) -> bool:
    return outer is not inner and outer.start <= inner.start and inner.end <= outer.end


def _is_apposition(document: Document, mention: Mention, others: Iterable[Mention]) -> bool:
    """Whether a mention is another one, a comma, and what is said of it."""
    return any(
        _contains(mention, other)
        and other.start == mention.start
        and other.end < mention.end
        and _begins_more(document.tokens[other.end])
        for other in others
    )


def _begins_more(token: str) -> bool:
    """Whether a token separates a phrase from what is said of it: a mark, or `herself`."""
    return token in _MARKS or normalize(token).endswith(("self", "selves"))


def _is_age(document: Document, mention: Mention) -> bool:
    """Whether a mention is a number between commas, or after one."""
    words = document.tokens[mention.start : mention.end]
    before = document.tokens[mention.start - 1] if mention.start else ""
    return before == "," and len(words) == 1 and words[0].isdigit()


def _is_comparison(document: Document, mention: Mention) -> bool:
    """Whether a mention is an indefinite phrase after `as` or `like`."""
    if not mention.start:
        return False
    before, first = document.tokens[mention.start - 1], document.tokens[mention.start]
    return normalize(before) in _COMPARISONS and normalize(first) in _INDEFINITE
