"""What a document holds that a format may not be able to hold.

A format names in `HOLDS` the features it keeps. Before a document is written,
`reduce` takes out the others, and counts them: nothing is dropped in silence,
and what becomes of, say, a discontinuous mention is the same everywhere. A
format that keeps some layers only, or some facts, names them: `layers:ner`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from coindex.core import edit
from coindex.core.document import Document, join
from coindex.core.mention import Entity, Mention
from coindex.core.tokenize import sentences, tokens


@dataclass(frozen=True, slots=True)
class Feature:
    """One thing a document may hold: how often it does, how to do without, what that means."""

    count: Callable[[Document], int]
    drop: Callable[[Document], Document]
    fate: str


def reduce(document: Document, holds: Collection[str]) -> tuple[Document, Counter[str]]:
    """The document without what is not in `holds`, and how much of each that was."""
    lost: Counter[str] = Counter()
    if "tokens" in holds:  # what keeps the tokens keeps mentions of any of them
        holds = {*holds, "edges"}
    for name, feature in FEATURES.items():
        if name not in holds:
            count = feature.count(document)
            if count:
                lost[name] = count
                document = feature.drop(document)
    for field in ("layers", "meta"):
        kept, names = split_named(field, getattr(document, field), holds)
        if names:
            lost.update(names)
            document = replace(document, **{field: kept})  # type: ignore[arg-type]
    return document, lost


Named = TypeVar("Named", bound=tuple[str, Any])


def split_named(
    field: str, values: tuple[Named, ...], holds: Collection[str]
) -> tuple[tuple[Named, ...], Counter[str]]:
    """The named values that are held, and a count of the others, by name."""
    if field in holds:
        return values, Counter()
    kept = tuple(value for value in values if f"{field}:{value[0]}" in holds)
    lost = Counter(f"{field}:{v[0]}" for v in values if f"{field}:{v[0]}" not in holds)
    return kept, lost


def _of_mentions(test: Callable[[Mention], bool]) -> Callable[[Document], int]:
    return lambda document: sum(test(m) for e in document.entities for m in e.mentions)


def _of_entities(test: Callable[[Entity], bool]) -> Callable[[Document], int]:
    return lambda document: sum(map(test, document.entities))


def _field(name: str, empty: Any, fate: str = "left out") -> Feature:
    return Feature(
        lambda document: int(getattr(document, name) != empty),
        lambda document: replace(document, **{name: empty}),
        fate,
    )


def _mention_field(name: str, empty: Any) -> Feature:
    return Feature(
        _of_mentions(lambda mention: getattr(mention, name) != empty),
        lambda document: edit.map_mentions(document, lambda m: replace(m, **{name: empty})),
        "left out",
    )


def _entity_field(name: str, empty: Any) -> Feature:
    return Feature(
        _of_entities(lambda entity: getattr(entity, name) != empty),
        lambda document: replace(
            document, entities=tuple(replace(e, **{name: empty}) for e in document.entities)
        ),
        "left out",
    )


def _plain_text(document: Document) -> Document:
    """The text as joined tokens; a zero stands where the word before it ends."""
    bare = edit.without_zeros(replace(document, entities=()))
    text, starts, ends = join(bare.tokens, bare.sentences)
    places = iter(zip(starts, ends, strict=True))
    zeros = frozenset(document.zeros)
    found = [(0, 0)]
    for index in range(len(document.tokens)):
        found.append((found[-1][1],) * 2 if index in zeros else next(places))
    starts, ends = (tuple(place[side] for place in found[1:]) for side in (0, 1))
    return replace(document, text=text, starts=starts, ends=ends)


def _joined(document: Document) -> bool:
    return _plain_text(document).text == document.text


def _count_surface(document: Document) -> int:
    """How many tokens differ from their characters, or are followed by stray ones.

    Zeros have no characters, and several words may share those of one (`del`).
    """
    text, starts, ends = document.text, document.starts, document.ends
    zeros = frozenset(document.zeros)
    shared = Counter(zip(starts, ends, strict=True))
    reach, odd = 0, 0
    for index, (token, start, end) in enumerate(zip(document.tokens, starts, ends, strict=True)):
        if index in zeros:
            odd += not start == end == reach
            continue
        alone = shared[start, end] == 1
        odd += start == end or (alone and text[start:end] != token)
        odd += bool(text[reach:start].strip()) or (alone and start < reach)
        reach = max(reach, end)
    return odd + bool(text[reach:].strip())


def _edged(document: Document, mention: Mention) -> bool:
    """Whether a mention, or a piece of one, begins or ends with white space, or is empty."""
    pieces = (document.chars(span).of(document.text) for span in mention.spans)
    return any(not piece or piece != piece.strip() for piece in pieces)


def _borders(document: Document) -> set[int]:
    spans = [span for mention in document.mentions for span in mention.spans]
    places = [document.chars(span) for span in spans]
    return {place.start for place in places} | {place.end for place in places}


def _same_tokens(document: Document) -> bool:
    spans = list(tokens(document.text, _borders(document)))
    return spans == list(zip(document.starts, document.ends, strict=True)) and (
        document.tokens == tuple(document.text[start:end] for start, end in spans)
    )


def _same_sentences(document: Document) -> bool:
    spans = list(zip(document.starts, document.ends, strict=True))
    return sentences(document.text, spans) == document.sentences


FEATURES: dict[str, Feature] = {
    "entities": Feature(lambda d: len(d.entities), lambda d: replace(d, entities=()), "left out"),
    "zeros": Feature(lambda d: len(d.zeros), edit.without_zeros, "left out, with their mentions"),
    "discontinuous": Feature(
        _of_mentions(lambda mention: mention.discontinuous),
        edit.covered,
        "written as the span from first to last token",
    ),
    "crossing": Feature(
        edit.count_crossing, edit.without_crossing, "left out: they cross one of their own entity"
    ),
    "edges": Feature(
        lambda d: _of_mentions(lambda m: _edged(d, m))(d),
        lambda d: edit.map_mentions(d, lambda m: None if _edged(d, m) else m),
        "left out: they begin or end with white space",
    ),
    "surface": Feature(
        _count_surface, _plain_text, "not as in the text: the text is written as tokens"
    ),
    "text": Feature(lambda d: int(not _joined(d)), _plain_text, "written as tokens, a space apart"),
    "tokens": Feature(
        lambda d: int(not _same_tokens(d)), lambda d: edit.retokenized(d, _borders(d)), "made anew"
    ),
    "sentences": Feature(
        lambda d: int(not _same_sentences(d)), edit.resplit, "made anew when read"
    ),
    "part": _field("part", None),
    "speakers": _field("speakers", None),
    "pos": _field("pos", None),
    "lemma": _field("lemma", None),
    "parse": _field("parse", None),
    "heads": _field("heads", None),
    "mention-head": _mention_field("head", None),
    "mention-kind": _mention_field("kind", None),
    "mention-id": _mention_field("id", None),
    "mention-attrs": _mention_field("attrs", ()),
    "entity-id": _entity_field("id", None),
    "entity-kind": _entity_field("kind", None),
    "entity-attrs": _entity_field("attrs", ()),
}
"""By name, in the order in which they are taken out."""

ALL = frozenset(FEATURES) | {"layers", "meta"}
"""The features of a lossless format."""


def fate(name: str) -> str:
    """What becomes of a feature that cannot be held."""
    return FEATURES[name].fate if name in FEATURES else "left out"
