"""Changes of documents: each function returns a new, valid document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from coindex.errors import InvalidValue
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span


def map_mentions(document: Document, change: Callable[[Mention], Mention | None]) -> Document:
    """Change mentions, or remove them (None); empty entities and duplicates are removed."""
    entities = []
    for entity in document.entities:
        changed_mentions: dict[tuple[Span, ...], Mention] = {}
        for mention in entity.mentions:
            changed = change(mention)
            if changed is not None:
                changed_mentions.setdefault(changed.spans, changed)
        if changed_mentions:
            entities.append(replace(entity, mentions=tuple(changed_mentions.values())))
    return replace(document, entities=tuple(entities))


def without_gaps(document: Document) -> Document:
    """Discontinuous mentions become the span from their first to their last token."""
    return map_mentions(document, lambda m: replace(m, spans=(m.cover,)) if m.discontinuous else m)


def count_shared_spans(document: Document) -> int:
    """How many spans are mentions of more than one entity."""
    counts = Counter(m.spans for entity in document.entities for m in entity.mentions)
    return sum(count > 1 for count in counts.values())


def count_crossing(document: Document) -> int:
    """How many mentions cross an earlier one of their own entity."""
    return sum(len(entity) - len(uncrossed(entity)) for entity in document.entities)


def without_crossing(document: Document) -> Document:
    """The document without mentions that cross an earlier one of their entity."""
    entities = (replace(entity, mentions=uncrossed(entity)) for entity in document.entities)
    return replace(document, entities=tuple(entities))


def uncrossed(entity: Entity) -> tuple[Mention, ...]:
    """The mentions in reading order, without those that cross an earlier one.

    Overlapping discontinuous mentions count as crossing too, because their spans could not be
    assigned to one or the other.
    """
    uncrossed: list[Mention] = []
    open_: list[Span] = []
    reach = 0
    for mention in sorted(entity.mentions, key=lambda m: (m.start, -m.end)):
        open_ = [other for other in open_ if other.end > mention.start]
        crosses = any(other.crosses(span) for span in mention.spans for other in open_)
        if crosses or (mention.discontinuous and mention.start < reach):
            continue
        uncrossed.append(mention)
        open_.extend(mention.spans)
        reach = max(reach, mention.end) if mention.discontinuous else reach
    return tuple(uncrossed)


def without_zeros(document: Document) -> Document:
    """The document without empty tokens, and without mentions that consist of them alone."""
    return without_tokens(document, document.zeros)


def excerpt(document: Document, span: Span, *, singletons: bool) -> Document:
    """The tokens of a span as a document of their own, with the text that they have.

    Mentions that are not wholly inside are left out; so are entities without a mention, and
    those of one mention unless `singletons`.
    """
    entities = (
        replace(entity, mentions=mentions)
        for entity in document.entities
        if (mentions := tuple(m for m in entity.mentions
                              if span.start <= m.start and m.end <= span.end))
    )  # fmt: skip
    whole = replace(document, entities=tuple(e for e in entities if singletons or len(e) > 1))
    outside = (*range(span.start), *range(span.end, len(document)))
    cut = without_tokens(whole, outside)
    first, last = cut.starts[0], cut.ends[-1]
    return replace(
        cut, text=cut.text[first:last], starts=tuple(at - first for at in cut.starts),
        ends=tuple(at - first for at in cut.ends),
    )  # fmt: skip


def without_tokens(document: Document, removed: Iterable[int]) -> Document:
    """The document without some tokens and their annotation; the text does not change."""
    out = set(removed)
    keep = [index for index in range(len(document.tokens)) if index not in out]
    moved = [0, *accumulate(int(index not in out) for index in range(len(document.tokens)))]

    def column(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(values[index] for index in keep)

    def move(mention: Mention) -> Mention | None:
        spans, head = _shifted(mention, moved), mention.head
        head = None if head is None or head in out else moved[head]
        return replace(mention, spans=spans, head=head) if spans else None

    columns: dict[str, Any] = {
        name: column(values)
        for name in ("tokens", "starts", "ends", "speakers", "pos", "lemma", "parse")
        if (values := getattr(document, name)) is not None
    }
    if document.heads is not None:
        heads = (document.heads[index] for index in keep)
        columns["heads"] = tuple(-1 if head < 0 or head in out else moved[head] for head in heads)
    return replace(
        document,
        **columns,
        entities=map_mentions(document, move).entities,
        sentences=tuple(sorted({moved[first] for first in document.sentences} - {len(keep)})),
        zeros=tuple(moved[zero] for zero in document.zeros if zero not in out),
        layers=tuple((name, column(values)) for name, values in document.layers),
    )


def _shifted(mention: Mention, moved: list[int]) -> tuple[Span, ...]:
    """The new spans of a mention; adjacent spans are merged."""
    spans: list[Span] = []
    for span in mention.spans:
        start, end = moved[span.start], moved[span.end]
        if start == end:
            continue
        if spans and spans[-1].end == start:
            spans[-1] = Span(spans[-1].start, end)
        else:
            spans.append(Span(start, end))
    return tuple(spans)


def retokenize(document: Document, borders: Iterable[int]) -> Document:
    """The document with tokens and sentences computed from its text; mentions keep their characters."""
    from coindex.text.tokenizer import sentence_starts, token_offsets

    spans = list(token_offsets(document.text, borders))
    starts, ends = tuple(s for s, _ in spans), tuple(e for _, e in spans)
    first = {start: index for index, start in enumerate(starts)}
    last = {end: index + 1 for index, end in enumerate(ends)}

    def move(mention: Mention) -> Mention | None:
        ranges = [document.chars(span) for span in mention.spans]
        if not all(chars and chars.start in first and chars.end in last for chars in ranges):
            return None  # it has no characters, or ends within a token
        new = tuple(Span(first[chars.start], last[chars.end]) for chars in ranges)
        return replace(mention, spans=new, head=None)

    entities = []
    for entity in document.entities:
        mentions = {m.spans: m for m in map(move, entity.mentions) if m}
        if mentions:
            entities.append(replace(entity, mentions=tuple(mentions.values())))
    return Document(
        document.id,
        document.text,
        tuple(document.text[start:end] for start, end in spans),
        starts,
        ends,
        sentence_starts(document.text, spans),
        tuple(entities),
        part=document.part,
        meta=document.meta,
    )


def without_markup(document: Document, markup: str) -> Document:
    """A text with the tokens of what is visible of it, at their offsets in the original.

    markup   one of `coindex.text.markup.MARKUPS`

    The text does not change. A token may differ from its characters: it is `&` for `&amp;`, and
    `Anna` for `An<b>n</b>a`. A document is returned as it is if it has no markup.
    """
    from coindex.text.markup import read_markup
    from coindex.text.tokenizer import sentence_starts, token_offsets

    visible = read_markup(document.text, markup)
    if visible is None:
        return document
    spans = list(token_offsets(visible.text))
    offsets = [visible.original(start, end) for start, end in spans]
    return Document(
        document.id,
        document.text,
        tuple(visible.text[start:end] for start, end in spans),
        tuple(start for start, _ in offsets),
        tuple(end for _, end in offsets),
        sentence_starts(visible.text, spans),
        part=document.part,
        meta=document.meta,
    )


def resplit_sentences(document: Document) -> Document:
    """The document with sentences computed from its text."""
    from coindex.text.tokenizer import sentence_starts

    spans = list(zip(document.starts, document.ends, strict=True))
    return replace(document, sentences=sentence_starts(document.text, spans))


@dataclass(frozen=True, slots=True)
class TokenEdit:
    """New words for the tokens from `start` up to `end`; if both are equal, words before `start`.

    mentions  new mentions among the words: from, to, and the index of the entity; an index that
              the document does not have is that of a new entity
    line      whether the words are a sentence of their own, on a line of their own
    speaker   the speaker of the words; that of the token at `start` if None
    """

    start: int
    end: int
    words: tuple[str, ...]
    mentions: tuple[tuple[int, int, int], ...] = ()
    line: bool = False
    speaker: str | None = None


def replace_tokens(document: Document, edits: Iterable[TokenEdit]) -> Document:
    """The document with words exchanged, inserted and left out.

    The words become tokens, separated by single spaces; all other tokens keep the white space
    before them. A mention keeps its tokens and grows or shrinks with them: words that are
    inserted at one of its borders stay outside, and a mention of which no token is left, or with
    a border within a replaced phrase, is left out. Words before the first token of a sentence
    belong to that sentence. Edits before one token are made in their order. Tags, lemmas, trees
    and other layers are left out, as they describe the old words.
    """
    image = _TokenImage(document, sorted(edits, key=lambda edit: (edit.start, edit.end)))
    return replace(
        document, text="".join(image.parts), tokens=tuple(image.tokens),
        starts=tuple(image.starts), ends=tuple(image.ends), sentences=image.sentences(),
        zeros=(), layers=(), entities=tuple(image.entities()),
        speakers=tuple(image.speakers) if document.speakers is not None else None,
        pos=None, lemma=None, parse=None, heads=None,
    )  # fmt: skip


class _TokenImage:
    """The new tokens of a document, and where its old ones are among them.

    before, after  the index among the new tokens of each old token, without and with the words
                   inserted before it; `after` is -1 within a replaced phrase
    """

    def __init__(self, document: Document, edits: Sequence[TokenEdit]) -> None:
        self.document = document
        self.tokens: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.speakers: list[str] = []
        self.before: list[int] = []
        self.after: list[int] = []
        self.parts: list[str] = []
        self.lines: set[int] = set()
        self.added: dict[int, list[Mention]] = {}
        self._size = 0
        self._last = -1
        at = 0
        for edit in edits:
            if edit.start < at or edit.end > len(document):
                raise InvalidValue(f"{document.id}: edits must be apart, found {edit}")
            self._copy(at, edit.start)
            self._insert(edit)
            at = edit.end
        self._copy(at, len(document))
        self._reach(len(document))
        self.after.append(len(self.tokens))

    def _copy(self, start: int, end: int) -> None:
        for token in range(start, end):
            self._reach(token)
            self.after.append(len(self.tokens))
            chars = self.document.text[self.document.starts[token] : self.document.ends[token]]
            self._add(self.document.tokens[token], chars, token, self._gap(token))
            self._last = token

    def _insert(self, edit: TokenEdit) -> None:
        self._reach(edit.start)
        first = len(self.tokens)
        source = min(edit.start, len(self.document) - 1)
        self.lines |= {first} if edit.line else set()
        for number, word in enumerate(edit.words):
            self._add(word, word, source, " " if number else self._gap(source))
        self.lines |= {len(self.tokens)} if edit.line else set()
        if edit.speaker is not None and self.document.speakers is not None:
            self.speakers[first:] = [edit.speaker] * len(edit.words)
        for start, end, entity in edit.mentions:
            self.added.setdefault(entity, []).append(Mention.at(first + start, first + end))
        if edit.end > edit.start:
            self._last = edit.end - 1 if edit.words else self._last
            self.after.append(first)
        for token in range(edit.start + 1, edit.end):
            self._reach(token)
            self.after.append(-1)

    def _reach(self, token: int) -> None:
        if len(self.before) == token:
            self.before.append(len(self.tokens))

    def _gap(self, token: int) -> str:
        """The white space before a token; a space or a line break after tokens left out."""
        if not self.tokens:
            return ""
        if len(self.tokens) in self.lines:
            return "\n"
        if len(self.tokens) > self.before[token]:  # words were inserted before it
            return " "
        last = self.document.ends[self._last] if self._last >= 0 else 0
        gap = self.document.text[last : self.document.starts[token]]
        if self._last == token - 1:
            return gap if gap.isspace() or not gap else " "
        return "\n" if "\n" in gap else " "

    def _add(self, token: str, chars: str, source: int, gap: str) -> None:
        self.parts += [gap, chars]
        self.starts.append(self._size + len(gap))
        self._size += len(gap) + len(chars)
        self.ends.append(self._size)
        self.tokens.append(token)
        if self.document.speakers is not None:
            self.speakers.append(self.document.speakers[source])

    def entities(self) -> Iterator[Entity]:
        """The entities with their mentions moved, and with the new mentions."""
        known = self.document.entities
        for number, entity in enumerate(known):
            moved = [m for m in map(self._moved, entity.mentions) if m is not None]
            every = {m.spans: m for m in (*moved, *self.added.get(number, ()))}
            if every:
                yield replace(entity, mentions=tuple(every.values()))
        for number in sorted(self.added):
            if number >= len(known):
                yield Entity(tuple(self.added[number]))

    def _moved(self, mention: Mention) -> Mention | None:
        spans = [self._span(span) for span in mention.spans]
        if None in spans:
            return None
        whole = tuple(Span(*span) for span in spans if span is not None and span[0] < span[1])
        return replace(mention, spans=whole, head=None) if whole else None

    def _span(self, span: Span) -> tuple[int, int] | None:
        """The new borders of a span; None if one of them is within a replaced phrase."""
        start, end = self.after[span.start], self.before[span.end]
        inside = span.end < len(self.document) and self.after[span.end] < 0
        return None if start < 0 or inside else (start, end)

    def sentences(self) -> tuple[int, ...]:
        """The new starts of the sentences; those without tokens are left out."""
        firsts = {self.before[first] for first in self.document.sentences} | self.lines
        return tuple(sorted(first for first in firsts if first < len(self.tokens)))
