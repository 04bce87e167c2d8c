"""Names exchanged: people get other names of their gender, organisations those of others.

    Claire Warwick teaches at Durham University . Warwick ...
    Noreen Okafor teaches at Leeds University . Okafor ...

All variants of a person's name change alike, and one last name stays one: see
`coindex.generators.people`. A person who has two given names in the document (`William`, `Bill`)
keeps them, since new ones would not show that they belong together. An organisation is an entity
that the corpus calls so, or whose name ends in a word of `organisation_words`. It gets the name
of another one of the corpus that ends in the same word, if the document has only one name for it
and nothing is annotated within that name.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from coindex.generators.people import draw_names, find_people, name_edits, rename_speakers
from coindex.generators.protocol import Generated, Make, Variant
from coindex.text.mention_classes import kind_of
from coindex.text.word_lists import words
from coindex.transform.edit import TokenEdit, replace_tokens
from coindex.types.document import Document
from coindex.types.mention import Entity

UNIT = "names"
OPTIONS: Mapping[str, tuple[str, ...]] = {"of": ("all", "people", "organisations")}

Name = tuple[str, ...]
Pool = dict[str, list[Name]]

_LONGEST = 5
_SMALL = frozenset({"of", "and", "for", "the", "&", "-"})


def generator(documents: Sequence[Document], of: str = "all") -> Make:
    """Exchanges the names of people, of organisations, or of both."""
    pool = _pool(documents) if of != "people" else {}

    def make(document: Document, rng: random.Random) -> Generated:
        refused: Counter[str] = Counter()
        edits: list[TokenEdit] = []
        made = 0
        mapping: Mapping[str, str] = {}
        if of != "organisations":
            new = draw_names(document, find_people(document), rng)
            refused.update(new.refused)
            made += len(new.changed)
            mapping = new.mapping
            edits += name_edits(document, mapping)
        if of != "people":
            others = _organisation_edits(document, pool, rng, refused)
            touched = {token for edit in edits for token in range(edit.start, edit.end)}
            for each in others:
                if touched.isdisjoint(t for e in each for t in range(e.start, e.end)):
                    edits += each
                    touched |= {t for e in each for t in range(e.start, e.end)}
                    made += 1
                else:
                    refused["a name within another name"] += 1
        if not made:
            return Generated([], refused)
        changed = rename_speakers(replace_tokens(document, edits), mapping)
        return Generated([Variant(changed, f"names of {of}", made)], refused)

    return make


def organisation_names(document: Document, entity: Entity) -> set[Name]:
    """The names of an organisation in a document, without `the`; empty for other entities."""
    names = set()
    listed = words("organisation_words")
    called = any(mention.kind == "organization" for mention in entity.mentions)
    for mention in entity.mentions:
        tokens = document.tokens[mention.start : mention.end]
        bare = tokens[1:] if tokens[0].lower() == "the" else tokens
        if mention.discontinuous or not bare or kind_of(document, mention) != "name":
            continue
        names.add(bare)
    shown = any(name[-1].rstrip(".").lower() in listed for name in names)
    return names if called or shown else set()


def _pool(documents: Sequence[Document]) -> Pool:
    """Names of organisations by their kind, sorted."""
    found: dict[str, set[Name]] = {}
    for document in documents:
        for entity in document.entities:
            names = organisation_names(document, entity)
            if len(names) == 1 and _is_plain(name := next(iter(names))):
                kind = _kind(document, entity, name)
                if kind is not None:
                    found.setdefault(kind, set()).add(name)
    return {kind: sorted(names) for kind, names in found.items()}


def _is_plain(name: Name) -> bool:
    capitals = all(word[0].isupper() or word in _SMALL for word in name)
    return capitals and name[0][0].isupper() and len(name) <= _LONGEST


def _kind(document: Document, entity: Entity, name: Name) -> str | None:
    """What two names must have in common to be exchanged: the last word, and the article.

    Names of one word (`Boeing`) are a kind of their own. None for all others, and for a name
    that has an article at some places only.
    """
    last = name[-1].rstrip(".").lower()
    articles = {
        document.tokens[m.start].lower() == "the"
        or (m.start > 0 and document.tokens[m.start - 1].lower() == "the")
        for m in entity.mentions
        if document.tokens[m.end - len(name) : m.end] == name
    }
    marked = last in words("organisation_words")
    if len(articles) != 1 or (not marked and (len(name) > 1 or True in articles)):
        return None  # what stands without a telling word may be a bank or a band
    if marked and len(name) == 1:
        return None
    return f"{last if marked else ''}{' the' * articles.pop()}"


def _organisation_edits(
    document: Document, pool: Pool, rng: random.Random, refused: Counter[str]
) -> Iterator[list[TokenEdit]]:
    """The edits of each organisation whose name can be exchanged."""
    spans = {(span.start, span.end) for m in document.mentions for span in m.spans}
    taken: set[Name] = set()
    for entity in document.entities:
        names = organisation_names(document, entity)
        if not names:
            continue
        name = next(iter(names))
        found = list(_occurrences(document, name))
        reason = _why_not(names, name, found, spans)
        options = [
            other
            for other in pool.get(_kind(document, entity, name) or "none", ())
            if other not in taken and not set(other) & set(document.tokens) - _SMALL - {name[-1]}
        ]
        if reason or not options:
            refused[reason or "no other name of its kind"] += 1
            continue
        taken.add(other := rng.choice(options))
        yield [TokenEdit(at, at + len(name), other) for at in found]


def _why_not(
    names: set[Name], name: Name, found: Sequence[int], spans: set[tuple[int, int]]
) -> str:
    if len(names) > 1:
        return "several variants of a name"
    if not _is_plain(name):
        return "a name that is more than a name"
    whole = range(len(name) + 1)
    for at in found:
        borders = {(at + a, at + b) for a in whole for b in whole if a < b} - {(at, at + len(name))}
        if borders & spans:
            return "a mention within the name"
    return ""


def _occurrences(document: Document, name: Name) -> Iterator[int]:
    at = 0
    while at + len(name) <= len(document):
        if document.tokens[at : at + len(name)] == name:
            yield at
            at += len(name)
        else:
            at += 1
