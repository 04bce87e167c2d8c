"""Removing from a document or a problem what a target format cannot store.

A format lists in `SUPPORTS` the features that it can store. Before an item is written,
the other features are removed and counted: nothing is dropped silently, and what becomes
of, say, a discontinuous mention is the same for every format. A format that stores only
some layers, or some entries of `meta`, names them: `layers:ner`. A format whose mentions lie
within one sentence lists `within-sentences`.

A problem that cannot be written at all (three candidates in a format for two) is
rejected by the format's `refuse(problem)`, which returns the reason.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.transform import edit
from coindex.types.document import Document, join
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Problem


@dataclass(frozen=True, slots=True)
class DocumentFeature:
    """Something that a document may contain and a format may not be able to store.

    count        how often the feature occurs in a document
    drop         the document without it
    consequence  the note to users about the occurrences
    """

    count: Callable[[Document], int]
    drop: Callable[[Document], Document]
    consequence: str


def reduce_document(
    document: Document, supported: Collection[str]
) -> tuple[Document, Counter[str]]:
    """The document with the supported features only, and a count of the others."""
    lost: Counter[str] = Counter()
    if "tokens" in supported:  # a format that stores the tokens stores mentions of any of them
        supported = {*supported, "edges"}
    if "within-sentences" not in supported:
        supported = {*supported, "across"}
    for name, feature in FEATURES.items():
        if name not in supported:
            count = feature.count(document)
            if count:
                lost[name] = count
                document = feature.drop(document)
    layers, lost_layers = _split_named("layers", document.layers, supported)
    meta, lost_meta = _split_named("meta", document.meta, supported)
    if lost_layers or lost_meta:
        document = replace(document, layers=layers, meta=meta)
    return document, lost + lost_layers + lost_meta


Named = TypeVar("Named", bound=tuple[str, Any])


def _split_named(
    field: str, values: tuple[Named, ...], supported: Collection[str]
) -> tuple[tuple[Named, ...], Counter[str]]:
    """The named values that are supported, and a count of the others, by name."""
    if field in supported:
        return values, Counter()
    stored = tuple(value for value in values if f"{field}:{value[0]}" in supported)
    lost = Counter(f"{field}:{v[0]}" for v in values if f"{field}:{v[0]}" not in supported)
    return stored, lost


def _of_mentions(test: Callable[[Mention], bool]) -> Callable[[Document], int]:
    return lambda document: sum(test(m) for e in document.entities for m in e.mentions)


def _of_entities(test: Callable[[Entity], bool]) -> Callable[[Document], int]:
    return lambda document: sum(map(test, document.entities))


def _field(name: str, empty: Any, consequence: str = "left out") -> DocumentFeature:
    return DocumentFeature(
        lambda document: int(getattr(document, name) != empty),
        lambda document: replace(document, **{name: empty}),
        consequence,
    )


def _mention_field(name: str, empty: Any) -> DocumentFeature:
    return DocumentFeature(
        _of_mentions(lambda mention: getattr(mention, name) != empty),
        lambda document: edit.map_mentions(document, lambda m: replace(m, **{name: empty})),
        "left out",
    )


def _entity_field(name: str, empty: Any) -> DocumentFeature:
    return DocumentFeature(
        _of_entities(lambda entity: getattr(entity, name) != empty),
        lambda document: replace(
            document, entities=tuple(replace(e, **{name: empty}) for e in document.entities)
        ),
        "left out",
    )


def _plain_text(document: Document) -> Document:
    """The text as joined tokens; a zero is at the end of the word before it."""
    bare = edit.without_zeros(replace(document, entities=()))
    text, starts, ends = join(bare.tokens, bare.sentences)
    offsets = iter(zip(starts, ends, strict=True))
    zeros = frozenset(document.zeros)
    aligned = [(0, 0)]
    for index in range(len(document.tokens)):
        aligned.append((aligned[-1][1],) * 2 if index in zeros else next(offsets))
    starts, ends = (tuple(pair[side] for pair in aligned[1:]) for side in (0, 1))
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
    reach, irregular = 0, 0
    for index, (token, start, end) in enumerate(zip(document.tokens, starts, ends, strict=True)):
        if index in zeros:
            irregular += not start == end == reach
            continue
        alone = shared[start, end] == 1
        irregular += start == end or (alone and text[start:end] != token)
        irregular += bool(text[reach:start].strip()) or (alone and start < reach)
        reach = max(reach, end)
    return irregular + bool(text[reach:].strip())


def _edged(document: Document, mention: Mention) -> bool:
    """Whether a span of a mention begins or ends with white space, or is empty."""
    texts = (document.chars(span).of(document.text) for span in mention.spans)
    return any(not text or text != text.strip() for text in texts)


def _borders(document: Document) -> set[int]:
    spans = [span for mention in document.mentions for span in mention.spans]
    ranges = [document.chars(span) for span in spans]
    return {chars.start for chars in ranges} | {chars.end for chars in ranges}


def _same_tokens(document: Document) -> bool:
    spans = list(token_offsets(document.text, _borders(document)))
    return spans == list(zip(document.starts, document.ends, strict=True)) and (
        document.tokens == tuple(document.text[start:end] for start, end in spans)
    )


def _same_sentences(document: Document) -> bool:
    spans = list(zip(document.starts, document.ends, strict=True))
    return sentence_starts(document.text, spans) == document.sentences


def _crosses_sentence(document: Document, mention: Mention) -> bool:
    """Whether a mention begins in one sentence and ends in another."""
    sentences = document.sentences
    return bisect_right(sentences, mention.start) != bisect_right(sentences, mention.end - 1)


FEATURES: dict[str, DocumentFeature] = {
    "entities": DocumentFeature(
        lambda d: len(d.entities), lambda d: replace(d, entities=()), "left out"
    ),
    "zeros": DocumentFeature(
        lambda d: len(d.zeros), edit.without_zeros, "left out, with their mentions"
    ),
    "discontinuous": DocumentFeature(
        _of_mentions(lambda mention: mention.discontinuous),
        edit.without_gaps,
        "written as the span from first to last token",
    ),
    "crossing": DocumentFeature(
        edit.count_crossing, edit.without_crossing, "left out: they cross one of their own entity"
    ),
    "edges": DocumentFeature(
        lambda d: _of_mentions(lambda m: _edged(d, m))(d),
        lambda d: edit.map_mentions(d, lambda m: None if _edged(d, m) else m),
        "left out: they begin or end with white space",
    ),
    "surface": DocumentFeature(
        _count_surface, _plain_text, "not as in the text: the text is written as tokens"
    ),
    "text": DocumentFeature(
        lambda d: int(not _joined(d)), _plain_text, "written as tokens, a space apart"
    ),
    "tokens": DocumentFeature(
        lambda d: int(not _same_tokens(d)), lambda d: edit.retokenize(d, _borders(d)), "made anew"
    ),
    "sentences": DocumentFeature(
        lambda d: int(not _same_sentences(d)), edit.resplit_sentences, "made anew when read"
    ),
    "across": DocumentFeature(
        lambda d: sum(_crosses_sentence(d, m) for e in d.entities for m in e.mentions),
        lambda d: edit.map_mentions(d, lambda m: None if _crosses_sentence(d, m) else m),
        "left out: they go on after the end of a sentence",
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
"""By name, in the order in which they are removed."""

DOCUMENT_FEATURES = frozenset(FEATURES) | {"layers", "meta"}
"""The features of a lossless format."""

RESTRICTIONS = frozenset({"within-sentences"})
"""What a format may list in `SUPPORTS` to say that it cannot store something: mentions must lie
within a sentence."""


def consequence(name: str) -> str:
    """What happens to a feature that a format cannot store."""
    return FEATURES[name].consequence if name in FEATURES else "left out"


PROBLEM_FEATURES = frozenset({"group", "source", "meta"})
"""The features of a lossless format."""


def reduce_problem(problem: Problem, supported: Collection[str]) -> tuple[Problem, Counter[str]]:
    """The problem with the supported features only, and a count of the others."""
    lost: Counter[str] = Counter()
    if problem.group is not None and "group" not in supported:
        lost["group"] = 1
        problem = replace(problem, group=None)
    if problem.source is not None and "source" not in supported:
        lost["source"] = 1
        problem = replace(problem, source=None)
    meta, lost_meta = _split_named("meta", problem.meta, supported)
    return replace(problem, meta=meta) if lost_meta else problem, lost + lost_meta
