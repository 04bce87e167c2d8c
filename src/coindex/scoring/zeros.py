"""Zeros (empty nodes, dropped pronouns): where they are, and which of them match.

The zeros of key and response are predictions, so their numbers may differ. A zero is identified
by its sentence, the word before it and its number after that word, as CoNLL-U writes it (`3.1`).
Both documents get the zeros of either, so that their tokens are the same again; a mention never
gains a token by this.

A mention is a zero if its head is one. Where no head is annotated, the first token is the head,
as CorefUD defines it.

Under `dependent` matching, as in the shared tasks on CorefUD since 2023, zeros are first matched
one to one by their enhanced dependencies: those of the same sentence with the greatest similarity,
which is ten times the F1 of pairs of parent and relation, plus the F1 of parents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from coindex.scoring.matching.one_to_one import best_pairs
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention, reading_order
from coindex.types.span import Span

Slot = tuple[int, int, int]
"""The word that a token is or is next to; 0 before it, 1 itself, 2 after it; its number there."""

RELATION_WEIGHT = 10
"""How much more a parent with its relation counts than a parent alone."""


def zero_test(document: Document) -> Callable[[Mention], bool]:
    """Whether a mention of this document is a zero."""
    zeros = frozenset(document.zeros)
    return lambda mention: (mention.start if mention.head is None else mention.head) in zeros


def with_common_zeros(key: Document, response: Document) -> tuple[Document, Document]:
    """Both documents with the zeros of either."""
    if key.zeros == response.zeros and len(key) == len(response):
        return key, response
    of_key, of_response = _slots(key), _slots(response)
    forms = dict(zip(of_response, response.tokens, strict=True))
    forms.update(zip(of_key, key.tokens, strict=True))
    slots = sorted(forms)
    words = [forms[slot] for slot in slots]
    return _spread(key, of_key, slots, words), _spread(response, of_response, slots, words)


def _slots(document: Document) -> list[Slot]:
    """The slot of each token; zeros that begin a sentence belong to the word after them."""
    zeros = frozenset(document.zeros)
    slots: list[Slot] = []
    word = 0
    leading = 0
    for sentence in document.sentence_spans():
        begun = False
        trailing = 0
        for token in range(sentence.start, sentence.end):
            if token not in zeros:
                slots.append((word, 1, 0))
                word, begun, leading, trailing = word + 1, True, 0, 0
            elif begun:
                slots.append((word - 1, 2, trailing))
                trailing += 1
            else:
                slots.append((word, 0, leading))
                leading += 1
    return slots


def _spread(
    document: Document, own: list[Slot], slots: list[Slot], words: Sequence[str]
) -> Document:
    """The document over more tokens: the new ones are zeros without annotation."""
    if len(own) == len(slots):
        return document
    index = {slot: at for at, slot in enumerate(slots)}
    moved = [index[slot] for slot in own]
    present = frozenset(own)
    source = _sources(moved, len(slots))

    def column(values: Sequence[Any], new: Any) -> tuple[Any, ...]:
        return tuple(
            values[source[at]] if slot in present else new for at, slot in enumerate(slots)
        )

    columns: dict[str, Any] = {
        name: column(values, new)
        for name, new in (("pos", "_"), ("lemma", "_"), ("parse", ""))
        if (values := getattr(document, name)) is not None
    }
    if document.speakers is not None:
        columns["speakers"] = tuple(document.speakers[at] for at in source)
    if document.heads is not None:
        heads = [moved[head] if head >= 0 else -1 for head in document.heads]
        columns["heads"] = column(heads, -1)
    starts = tuple(document.starts[at] for at in source)
    ends = column(document.ends, None)
    return replace(
        document,
        **columns,
        tokens=tuple(words),
        starts=starts,
        ends=tuple(start if end is None else end for start, end in zip(starts, ends, strict=True)),
        sentences=_starts_of_sentences(document, own, slots, index),
        entities=tuple(_moved(entity, moved) for entity in document.entities),
        zeros=tuple(at for at, slot in enumerate(slots) if slot[1] != 1),
        layers=tuple((name, column(values, "_")) for name, values in document.layers),
    )


def _sources(moved: Sequence[int], count: int) -> list[int]:
    """For each new token, the old one at its place, or else the last one before it."""
    sources: list[int] = []
    for old, (start, end) in enumerate(pairwise((*moved, count))):
        sources += [old] * (end - max(start, len(sources)) if sources else end)
    return sources


def _starts_of_sentences(
    document: Document, own: list[Slot], slots: list[Slot], index: dict[Slot, int]
) -> tuple[int, ...]:
    """The first tokens of sentences: zeros that are added before a sentence begin it."""
    starts = []
    for first in document.sentences:
        word, place, _ = own[first]
        at = index[own[first]]
        alone = first == 0 or own[first - 1][:2] != (word, 0)
        while place == 1 and alone and at and slots[at - 1][:2] == (word, 0):
            at -= 1
        starts.append(at)
    return (0, *starts[1:])


def _moved(entity: Entity, moved: Sequence[int]) -> Entity:
    mentions = []
    for mention in entity.mentions:
        spans: list[Span] = []
        for token in mention.tokens:
            at = moved[token]
            if spans and spans[-1].end == at:
                spans[-1] = Span(spans[-1].start, at + 1)
            else:
                spans.append(Span(at, at + 1))
        head = None if mention.head is None else moved[mention.head]
        mentions.append(replace(mention, spans=tuple(spans), head=head))
    return replace(entity, mentions=tuple(mentions))


def dependent_pairs(key: Document, response: Document) -> list[tuple[Mention, Mention]]:
    """The zeros of both sides that match by their dependencies, one to one."""
    sides = [_zero_mentions(document) for document in (key, response)]
    if not all(sides):
        return []
    relations = [[_relations(document, m) for m in side]
                 for document, side in zip((key, response), sides, strict=True)]  # fmt: skip
    cells = {
        (row, column): similarity
        for row, one in enumerate(relations[0])
        for column, two in enumerate(relations[1])
        if (similarity := _similarity(one, two)) > 0
    }
    return [(sides[0][row], sides[1][column]) for row, column in best_pairs(cells)]


def _zero_mentions(document: Document) -> list[Mention]:
    is_zero = zero_test(document)
    mentions = {reading_order(m): m for m in document.mentions if is_zero(m)}
    return [mentions[order] for order in sorted(mentions)]


Relations = frozenset[tuple[int, str, str]]
"""The number of the sentence, the parent's number in it, and the relation to it."""


def _relations(document: Document, mention: Mention) -> Relations:
    """The enhanced dependencies of a mention's head."""
    head = mention.start if mention.head is None else mention.head
    column = document.layer("deps")
    if column is None or column[head] in ("_", ""):
        return frozenset()
    sentence = sum(first <= head for first in document.sentences)
    parts = (item.partition(":") for item in column[head].split("|"))
    return frozenset((sentence, parent, relation) for parent, _, relation in parts)


def _similarity(one: Relations, two: Relations) -> float:
    """How alike the dependencies of two zeros are."""
    parents = [frozenset(item[:2] for item in side) for side in (one, two)]
    return RELATION_WEIGHT * _f1(len(one & two), len(one), len(two)) + _f1(
        len(parents[0] & parents[1]), len(parents[0]), len(parents[1])
    )


def _f1(common: int, one: int, two: int) -> float:
    return 2 * common / (one + two) if common else 0.0
