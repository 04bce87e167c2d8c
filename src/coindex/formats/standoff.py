"""Documents from annotation that points into a text by character offsets."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from coindex.errors import InvalidValue, UsageError
from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention, Pairs
from coindex.types.source import Source
from coindex.types.span import Span

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CharMention:
    """A mention by the ranges of its characters, with its line in the file."""

    ranges: tuple[Range, ...]
    line: int
    kind: str | None = None
    id: str | None = None
    attrs: Pairs = ()


CharEntity = tuple[str | None, Sequence[CharMention]]
"""The id of an entity, and its mentions."""


def one_document(items: Iterable[Document], format: str) -> Iterator[Document]:
    """The items of a format whose files hold one document; a second one is an error."""
    for number, item in enumerate(items):
        if number:
            raise UsageError(f"{format} holds one document per file: convert them one by one")
        yield item


def utf16_offsets(text: str) -> Mapping[int, int]:
    """For each offset in UTF-16 units, as Java counts, the offset in characters."""
    units = accumulate((2 if char > "\uffff" else 1 for char in text), initial=0)
    return {unit: at for at, unit in enumerate(units)}


def java_offsets(text: str) -> list[int]:
    """For each offset in characters, the offset in UTF-16 units."""
    return list(accumulate((2 if char > "\uffff" else 1 for char in text), initial=0))


def checked_range(text: str, start: int, end: int, line: int, source: Source) -> Range:
    """A range within the text, without white space at its ends; an error if it has no words."""
    if not 0 <= start < end <= len(text):
        expected = f"expected start < end within the text's {len(text)} characters"
        raise source.error(line, f"{expected}, found {start} {end}")
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start == end:
        raise source.error(line, f"expected words at {start}, found only white space")
    return start, end


def standoff_document(
    id: str,
    text: str,
    entities: Iterable[CharEntity],
    source: Source,
    *,
    tokens: Sequence[Range] | None = None,
    sentences: Sequence[int] | None = None,
) -> Document:
    """A document with the tokens given, or with those of our tokeniser.

    Tokens are divided at the borders of mentions. `sentences` are the offsets at which
    sentences begin; without them they are found by rule.
    """
    named = [(name, list(mentions)) for name, mentions in entities]
    every = [mention for _, mentions in named for mention in mentions]
    borders = {at for mention in every for span in mention.ranges for at in span}
    spans = list(token_offsets(text, borders) if tokens is None else _divided(tokens, borders))
    starts, ends = tuple(start for start, _ in spans), tuple(end for _, end in spans)
    built = []
    for name, mentions in named:
        found = (_mention(mention, starts, ends, source) for mention in mentions)
        distinct = _distinct(((m, c.line) for m, c in zip(found, mentions, strict=True)), source)
        if distinct:
            built.append(Entity(tuple(distinct), name))
    words = tuple(text[start:end] for start, end in spans)
    firsts = sentence_starts(text, spans) if sentences is None else _firsts(sentences, starts)
    return Document(id, text, words, starts, ends, firsts, tuple(built))


def _divided(tokens: Sequence[Range], borders: set[int]) -> Iterator[Range]:
    """The tokens, divided at borders within them."""
    ordered = sorted(borders)
    for start, end in tokens:
        inner = ordered[bisect_right(ordered, start) : bisect_left(ordered, end)]
        yield from pairwise([start, *inner, end])


def _firsts(sentences: Sequence[int], starts: Sequence[int]) -> tuple[int, ...]:
    """The first token of each sentence."""
    firsts = {bisect_left(starts, offset) for offset in sentences} | {0}
    return tuple(sorted(first for first in firsts if first < len(starts)))


def _mention(
    mention: CharMention, starts: Sequence[int], ends: Sequence[int], source: Source
) -> Mention | None:
    """The tokens of a mention; a mistake if there are none."""
    pairs = [(bisect_right(ends, start), bisect_left(starts, end)) for start, end in mention.ranges]
    try:
        spans = tuple(Span(first, last) for first, last in sorted(pairs))
        return Mention(spans, None, mention.kind, mention.id, mention.attrs)
    except InvalidValue:
        found = ", ".join(f"{start}-{end}" for start, end in mention.ranges)
        message = f"expected a mention that covers tokens, each once, found {found}"
        source.mistake(mention.line, "offset", message)
        return None


def _distinct(found: Iterable[tuple[Mention | None, int]], source: Source) -> list[Mention]:
    """The mentions, each once; repeated ones are noted."""
    distinct: dict[tuple[Span, ...], Mention] = {}
    for mention, line in found:
        if mention is not None and mention.spans in distinct:
            source.note(line, "repeated", "an entity holds this mention twice; kept once")
        elif mention is not None:
            distinct[mention.spans] = mention
    return list(distinct.values())


def token_entities(
    clusters: Iterable[tuple[str | None, Iterable[tuple[Mention, int]]]], source: Source
) -> tuple[Entity, ...]:
    """Entities of mentions with their lines; repeated mentions are noted and kept once."""
    built = ((name, _distinct(mentions, source)) for name, mentions in clusters)
    return tuple(Entity(tuple(mentions), name) for name, mentions in built if mentions)


def spans_of(tokens: Iterable[int]) -> tuple[Span, ...]:
    """The runs of neighbouring tokens."""
    ordered = sorted(set(tokens))
    cuts = [0, *(i for i in range(1, len(ordered)) if ordered[i] > ordered[i - 1] + 1)]
    runs = pairwise([*cuts, len(ordered)])
    return tuple(Span(ordered[first], ordered[last - 1] + 1) for first, last in runs)


def merged(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The sets that links connect, in the order of their first members."""
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for one, other in pairs:
        parent[root(other)] = root(one)
    groups: dict[str, list[str]] = {}
    for key in parent:
        groups.setdefault(root(key), []).append(key)
    return list(groups.values())
