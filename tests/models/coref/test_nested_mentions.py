"""Mentions within others of their entity, under an everyday scheme."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coindex import Document
from coindex.models.coref.infer.nested_mentions import nearby_mentions, without_nested
from coindex.text.mention_classes import kind_of
from coindex.types.mention import Mention
from coindex.types.span import Span
from generator_samples import marked

CASES = {
    "[1 [1 Ines] and Paolo] left . [1 They] were late .": ["Ines and Paolo", "They"],
    "[1 the director of [1 the zoo]] left . [1 She] was late .": ["the director of the zoo", "She"],
    "[1 [1 Ewa Nowicka] , [1 the director]] left . [1 She] was late .": [
        "Ewa Nowicka", "the director", "She",
    ],
    "[1 [1 Jonas Feld] , [1 83]] , left . [1 He] was late .": ["Jonas Feld", "He"],
    "[1 [1 Dagny] [1 herself]] left . [1 She] was late .": ["Dagny", "herself", "She"],
    "[1 the man who lost [1 his] hat] left . [1 He] was late .": [
        "the man who lost his hat", "his", "He",
    ],
    "[1 The loaf] fell . [1 It] looks like [1 a brick] .": ["The loaf", "It"],
    "[1 Ann] left . [1 She] was late .": ["Ann", "She"],
}  # fmt: skip


def kinds(document: Document) -> Document:
    entities = (
        replace(e, mentions=tuple(replace(m, kind=kind_of(document, m)) for m in e.mentions))
        for e in document.entities
    )
    return replace(document, entities=tuple(entities))


@pytest.mark.parametrize("text", CASES)
def test_what_stays(text: str) -> None:
    document = without_nested(kinds(marked("x", [text])), singletons=False)
    (entity,) = document.entities
    found = [" ".join(document.tokens[m.start : m.end]) for m in sorted(
        entity.mentions, key=lambda m: (m.start, -m.end))]  # fmt: skip
    assert found == CASES[text]


def test_an_entity_of_nested_mentions_alone_goes() -> None:
    document = kinds(marked("x", ["[1 the roof of [1 the house]] leaks ."]))
    assert not without_nested(document, singletons=False).entities
    assert len(without_nested(document, singletons=True).entities) == 1


def test_a_mention_is_compared_with_the_few_that_can_contain_it() -> None:
    """Twenty thousand mentions in one entity must not cost their square."""
    mentions = [Mention((Span(at, at + 1 + at % 3),)) for at in range(20_000)]
    nearby = nearby_mentions(mentions)
    compared = [list(nearby(mention)) for mention in mentions]
    assert sum(map(len, compared)) < 4 * len(mentions)
    for mention, others in zip(mentions[:200], compared, strict=False):
        assert mention in others
        containing = {m for m in mentions if m.start <= mention.start and mention.end <= m.end}
        assert containing <= set(others)


@pytest.mark.parametrize("singletons", [True, False])
def test_an_entity_may_lose_all_its_mentions(singletons: bool) -> None:
    document = kinds(marked("x", ["It looks like [1 a brick] ."]))
    assert without_nested(document, singletons=singletons).entities == ()
