"""Other relations than identity, as Universal Anaphora annotates and its program scores them.

Discourse deixis has entities of its own, in a layer of brackets. Bridging anaphors have an
antecedent each, in a layer of links between mentions. Mentions that refer to nothing are
entities with the attribute `referring`, which no metric of entities counts. Mentions of bridging
and those that do not refer match exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coindex.errors import UsageError
from coindex.formats.conllua_markables import NON_REFERRING, links, read_column
from coindex.scoring.contingency import ContingencyTable, Floats
from coindex.types.document import Document
from coindex.types.mention import reading_order
from coindex.types.source import Source

Spans = tuple[int, ...]
"""A mention by its place in reading order."""


def check_relation(key: Sequence[Document], relation: str) -> None:
    """Raise an error if no document of the key has the annotation of a relation."""
    if relation == "discourse-deixis" and not any(each.layer("discourse_deixis") for each in key):
        raise UsageError(
            "discourse deixis needs a key in CoNLL-UA with a column DISCOURSE_DEIXIS, found none"
        )


def entities_of_relation(document: Document, relation: str) -> Document:
    """The document with the entities of a relation, and without those that do not refer."""
    if relation == "discourse-deixis":
        column = document.layer("discourse_deixis") or ()
        zeros = frozenset(document.zeros)
        words = [at for at in range(len(document)) if at not in zeros]
        entities = read_column(column, words, {}, Source(document.key))
        document = replace(document, entities=entities)
    referring = tuple(entity for entity in document.entities if NON_REFERRING not in entity.attrs)
    if len(referring) < len(document.entities):
        return replace(document, entities=referring)
    return document


def non_referring(document: Document) -> set[Spans]:
    """The mentions that do not refer."""
    return {
        reading_order(mention)
        for entity in document.entities
        if NON_REFERRING in entity.attrs
        for mention in entity.mentions
    }


def bridging_pairs(document: Document) -> dict[Spans, Spans]:
    """The antecedent of each bridging anaphor; links to unknown mentions are left out."""
    by_id = {m.id: reading_order(m) for m in document.mentions if m.id is not None}
    firsts = {entity.id: reading_order(entity.mentions[0]) for entity in document.entities}
    pairs = {}
    for cell in document.layer("bridging") or ():
        for link in links(cell) if cell != "_" else ():
            anaphor = by_id.get(link.get("markableid", ""))
            antecedent = by_id.get(link.get("mentionanchor", "")) or firsts.get(
                link.get("entityanchor", "")
            )
            if anaphor is not None and antecedent is not None:
                pairs[anaphor] = antecedent
    return pairs


def count_bridging(table: ContingencyTable, level: str) -> Floats:
    """Correct anaphors, and the anaphors of each side.

    level  `anaphor` if the anaphor is enough, `mention` if its antecedent must be the same
           mention, `entity` if it must be of the same entity of the key
    """
    key, response = documents_of(table, "bridging")
    keys, responses = bridging_pairs(key), bridging_pairs(response)
    owner = {reading_order(m): at for at, e in enumerate(key.entities) for m in e.mentions}
    correct = 0
    for anaphor in keys.keys() & responses.keys():
        one, two = keys[anaphor], responses[anaphor]
        same_entity = one in owner and owner[one] == owner.get(two)
        correct += level == "anaphor" or one == two or (level == "entity" and same_entity)
    return np.array([correct, len(keys), correct, len(responses)], float)


def documents_of(table: ContingencyTable, metric: str) -> tuple[Document, Document]:
    """The documents of a table, with all of their entities."""
    if table.pair is None or table.pair.documents is None:
        raise UsageError(f"{metric}: documents are needed, and plain entities have none")
    return table.pair.documents
