"""`AnnotatedText`: a document or a problem as every view shows it.

It holds the text as a stream of markup events, the marks in the text, and the entities they
belong to. The terminal, the page and `--json` show the same object. The entities of a document
are numbered from 1: first those with several mentions, then the singletons, so that leaving
singletons out changes no number. The entities of a problem are its candidates, in their order;
its pronoun is marked with the candidates that are the answer.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from coindex.report.table import pluralize
from coindex.report.viewer.markup_events import (
    Event,
    Range,
    Said,
    crossing_marks,
    enclosing_marks,
    markup_events,
    nesting_levels,
)
from coindex.transform.naming import NOBODY, best_name
from coindex.transform.resolved_entities import numbered_entities
from coindex.transform.speakers import document_turns
from coindex.types.document import Document
from coindex.types.mention import Mention, Pairs
from coindex.types.problem import Problem
from coindex.types.span import Chars, Span

ZERO = "∅"
"""The character shown for a token without characters."""

_ZERO_BEFORE_WORD = re.compile(ZERO + r"(?=\w)")


@dataclass(frozen=True, slots=True)
class Mark:
    """A phrase to be marked in the text.

    chars     offsets in the original text; several if the mention is discontinuous
    entities  the numbers of its entities; empty for a pronoun without answer
    level     0 next to the text; overlapping marks have different levels
    outer     the index of the nearest enclosing mark
    role      "mention", "pronoun" or "candidate"
    crosses   whether it overlaps another mark that neither encloses it nor lies within it
    """

    text: str
    chars: tuple[Chars, ...]
    entities: tuple[int, ...]
    level: int = 0
    outer: int | None = None
    role: str = "mention"
    crosses: bool = False
    tokens: tuple[Span, ...] = ()
    head: str | None = None
    kind: str | None = None
    attrs: Pairs = ()

    def as_json(self) -> dict[str, Any]:
        """The mark as JSON values."""
        return {
            "text": self.text,
            "entities": list(self.entities),
            "role": self.role,
            "chars": [[chars.start, chars.end] for chars in self.chars],
            "tokens": [[span.start, span.end] for span in self.tokens],
            "head": self.head,
            "kind": self.kind,
            "attrs": dict(self.attrs),
            "level": self.level,
            "outer": self.outer,
        }


@dataclass(frozen=True, slots=True)
class EntityGroup:
    """An entity or a candidate: its number, its name, and the indices of its marks."""

    number: int
    name: str
    marks: tuple[int, ...]
    singleton: bool = False
    id: str | None = None
    kind: str | None = None
    attrs: Pairs = ()

    def as_json(self) -> dict[str, Any]:
        """The entity as JSON values."""
        return {
            **{name: getattr(self, name) for name in ("number", "name", "id", "kind")},
            "attrs": dict(self.attrs),
            "singleton": self.singleton,
            "mentions": list(self.marks),
        }


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """One document or problem to be shown; `note` is the answer of a problem."""

    id: str
    kind: str
    text: str
    events: tuple[Event, ...]
    marks: tuple[Mark, ...]
    groups: tuple[EntityGroup, ...]
    tokens: int = 0
    note: str | None = None
    metadata: Pairs = ()

    @property
    def summary(self) -> str:
        """The number of tokens, mentions and entities, or of candidates."""
        if self.kind == "problem":
            return pluralize(len(self.groups), "candidate")
        single = sum(group.singleton for group in self.groups)
        counts = [pluralize(self.tokens, "token"), pluralize(len(self.marks), "mention")]
        counts.append(pluralize(len(self.groups), "entity", "entities"))
        return ", ".join(counts) + (f" ({pluralize(single, 'singleton')})" if single else "")

    def as_json(self) -> dict[str, Any]:
        """The object as JSON values: offsets count code points of `text`, ends are exclusive."""
        return {
            **{name: getattr(self, name) for name in ("id", "kind", "text", "tokens", "note")},
            "facts": dict(self.metadata),
            "entities": [group.as_json() for group in self.groups],
            "mentions": [mark.as_json() for mark in self.marks],
        }


def layout(item: Document | Problem, singletons: bool = True) -> AnnotatedText:
    """A document or a problem to be shown, with or without singletons."""
    return _problem(item) if isinstance(item, Problem) else _document(item, singletons)


class _ShownText:
    """The text of a document with a character inserted for every token that has none."""

    def __init__(self, document: Document) -> None:
        self.document = document
        pairs = enumerate(zip(document.starts, document.ends, strict=True))
        self._tokens = [token for token, (start, end) in pairs if start == end]
        self._at = [document.starts[token] for token in self._tokens]
        self.zeros = frozenset(at + index for index, at in enumerate(self._at))
        borders = [0, *self._at, len(document.text)]
        self.text = ZERO.join(document.text[a:b] for a, b in pairwise(borders))

    def ranges(self, spans: Sequence[Span]) -> tuple[Range, ...]:
        """The offsets of spans in this text."""
        return tuple(map(self._range, spans))

    def _range(self, span: Span) -> Range:
        start, last = self.document.starts[span.start], span.end - 1
        end = self.document.ends[last]
        before = max(bisect_left(self._at, end), bisect_right(self._tokens, last))
        return start + bisect_left(self._tokens, span.start), end + before

    def words(self, ranges: Iterable[Range]) -> str:
        """The words at these offsets, with ` … ` for gaps."""
        words = " … ".join(self.text[start:end] for start, end in ranges)
        return _ZERO_BEFORE_WORD.sub(f"{ZERO} ", words) if self.zeros else words


def _document(document: Document, singletons: bool) -> AnnotatedText:
    text = _ShownText(document)
    shown = numbered_entities(document, singletons)
    by_spans: dict[tuple[Span, ...], list[tuple[int, Mention]]] = {}
    for number, entity in enumerate(shown, 1):
        for mention in entity.mentions:
            by_spans.setdefault(mention.spans, []).append((number, mention))
    order = sorted(by_spans, key=lambda spans: (spans[0].start, -spans[-1].end, spans))
    index = {spans: at for at, spans in enumerate(order)}
    ranges = [text.ranges(spans) for spans in order]
    marks = _nested([_mark(text, by_spans[spans]) for spans in order], ranges)
    groups = []
    for number, entity in enumerate(shown, 1):
        own = tuple(index[mention.spans] for mention in entity.mentions)
        name = best_name(document, entity) or marks[own[0]].text
        attrs = (entity.singleton, entity.id, entity.kind, entity.attrs)
        groups.append(EntityGroup(number, name, own, *attrs))
    return AnnotatedText(
        document.key,
        "document",
        document.text,
        tuple(markup_events(text.text, ranges, text.zeros, _said(text))),
        marks,
        tuple(groups),
        tokens=len(document),
        metadata=document.meta,
    )


def _said(text: _ShownText) -> dict[int, Said]:
    """Where somebody begins to speak, by offsets of the shown text; nested turns begin anew."""
    firsts = {start: token for token, start in reversed([*enumerate(text.document.starts)])}
    return {
        text.ranges([Span(firsts[turn.chars.start], firsts[turn.chars.start] + 1)])[0][0]: Said(
            turn.speaker, turn.addressee
        )
        for turn in document_turns(text.document)
        if turn.speaker
    }


def _mark(text: _ShownText, numbered: Sequence[tuple[int, Mention]]) -> Mark:
    """One mark for all mentions with the same spans; their other attributes are combined."""
    document, mentions = text.document, [mention for _, mention in numbered]
    spans = mentions[0].spans
    head = next((m.head for m in mentions if m.head is not None), None)
    attrs = [pair for mention in mentions for pair in mention.attrs]
    ids = [("id", mention.id) for mention in mentions if mention.id is not None]
    if document.speakers and document.speakers[mentions[0].start] not in NOBODY:
        ids.append(("speaker", document.speakers[mentions[0].start]))
    return Mark(
        text.words(text.ranges(spans)),
        tuple(map(document.chars, spans)),
        tuple(number for number, _ in numbered),
        tokens=spans,
        head=None if head is None else document.tokens[head],
        kind=next((m.kind for m in mentions if m.kind is not None), None),
        attrs=tuple(dict.fromkeys((*ids, *attrs))),
    )


def _nested(marks: Sequence[Mark], ranges: Sequence[Sequence[Range]]) -> tuple[Mark, ...]:
    """The marks with their levels, enclosing marks and crossings."""
    levels, outers = nesting_levels(ranges), enclosing_marks(ranges)
    crossing = crossing_marks(ranges)
    return tuple(
        replace(mark, level=levels[at], outer=outers[at], crosses=at in crossing)
        for at, mark in enumerate(marks)
    )


def _problem(problem: Problem) -> AnnotatedText:
    numbers: dict[tuple[Chars, str], list[int]] = {(problem.target, "pronoun"): []}
    for number, candidate in enumerate(problem.candidates, 1):
        if candidate.chars:
            numbers.setdefault((candidate.chars, "candidate"), []).append(number)
    numbers[problem.target, "pronoun"] = [at + 1 for at in problem.answer or ()]
    order = sorted(numbers, key=lambda key: (key[0].start, -key[0].end, key[1]))
    ranges = [((chars.start, chars.end),) for chars, _ in order]
    marks = [
        Mark(chars.of(problem.text), (chars,), tuple(numbers[chars, role]), role=role)
        for chars, role in order
    ]
    groups = tuple(
        EntityGroup(n, c.text, tuple(at for at, mark in enumerate(marks) if n in mark.entities))
        for n, c in enumerate(problem.candidates, 1)
    )
    extra = (("group", problem.group), ("source", problem.source))
    metadata = tuple((name, value) for name, value in extra if value is not None)
    return AnnotatedText(
        problem.id,
        "problem",
        problem.text,
        tuple(markup_events(problem.text, ranges, ())),
        _nested(marks, ranges),
        groups,
        note=_answer(problem),
        metadata=(*metadata, *problem.meta),
    )


def _answer(problem: Problem) -> str:
    question = f"“{problem.pronoun}” means"
    if problem.answer is None:
        return f"{question}: not known"
    if not problem.answer:
        return f"{question}: none of the candidates"
    right = (f"{problem.candidates[at].text} ({at + 1})" for at in problem.answer)
    return f"{question}: {', '.join(right)}"
