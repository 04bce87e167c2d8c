"""From a document or a problem to what every view of it needs.

A `Sheet` holds the text as a stream of steps (see `_weave`), the marks in it and
the entities they belong to. A document's entities are numbered from 1: those
with several mentions first, then the singletons, so that leaving singletons out
changes no number. A problem's entities are its candidates, in their order, and
its pronoun is marked with those that answer it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.naming import NOBODY, best_name
from coindex.core.problem import Problem
from coindex.core.resolved import numbered
from coindex.core.span import Chars, Span
from coindex.view._weave import Range, crossing, levels, outers, weave
from coindex.view.sheet import Group, Mark, Sheet

ZERO = "∅"
_CLOSE = re.compile(ZERO + r"(?=\w)")


def layout(item: Document | Problem, singletons: bool = True) -> Sheet:
    """A document or a problem as a sheet, with or without entities mentioned once."""
    return _problem(item) if isinstance(item, Problem) else _document(item, singletons)


class _Canvas:
    """A document's text with a character put in for every token that has none."""

    def __init__(self, document: Document) -> None:
        self.document = document
        pairs = enumerate(zip(document.starts, document.ends, strict=True))
        self._tokens = [token for token, (start, end) in pairs if start == end]
        self._at = [document.starts[token] for token in self._tokens]
        self.zeros = frozenset(at + index for index, at in enumerate(self._at))
        borders = [0, *self._at, len(document.text)]
        cut = (document.text[a:b] for a, b in pairwise(borders))
        self.text = ZERO.join(cut)

    def ranges(self, mention: Mention) -> tuple[Range, ...]:
        """Where a mention stands in this text."""
        return tuple(self._range(span) for span in mention.spans)

    def _range(self, span: Span) -> Range:
        start, last = self.document.starts[span.start], span.end - 1
        end = self.document.ends[last]
        before = max(bisect_left(self._at, end), bisect_right(self._tokens, last))
        return start + bisect_left(self._tokens, span.start), end + before

    def words(self, ranges: Iterable[Range]) -> str:
        """The words that stand there, gaps as ` … `."""
        found = " … ".join(self.text[start:end] for start, end in ranges)
        return _CLOSE.sub(f"{ZERO} ", found) if self.zeros else found


def _document(document: Document, singletons: bool) -> Sheet:
    canvas = _Canvas(document)
    shown = numbered(document, singletons)
    places: dict[tuple[Span, ...], list[tuple[int, Mention]]] = {}
    for number, entity in enumerate(shown, 1):
        for mention in entity.mentions:
            places.setdefault(mention.spans, []).append((number, mention))
    order = sorted(places, key=lambda spans: (spans[0].start, -spans[-1].end, spans))
    index = {spans: at for at, spans in enumerate(order)}
    ranges = [canvas.ranges(places[spans][0][1]) for spans in order]
    shape = zip(order, ranges, levels(ranges), outers(ranges), strict=True)
    cross = crossing(ranges)
    marks = tuple(
        _mark(canvas, places[spans], where, level, outer, index[spans] in cross)
        for spans, where, level, outer in shape
    )
    groups = tuple(
        _group(document, entity, number, tuple(index[m.spans] for m in entity.mentions), marks)
        for number, entity in enumerate(shown, 1)
    )
    steps = tuple(weave(canvas.text, ranges, canvas.zeros))
    return Sheet(
        document.key,
        "document",
        document.text,
        steps,
        marks,
        groups,
        tokens=len(document),
        facts=document.meta,
    )


def _mark(
    canvas: _Canvas,
    found: Sequence[tuple[int, Mention]],
    where: Sequence[Range],
    level: int,
    outer: int | None,
    crosses: bool,
) -> Mark:
    """One mark for all mentions of the same spans: entities may differ on its details."""
    document, mentions = canvas.document, [mention for _, mention in found]
    head = next((m.head for m in mentions if m.head is not None), None)
    attrs = [pair for mention in mentions for pair in mention.attrs]
    ids = [("id", mention.id) for mention in mentions if mention.id is not None]
    if document.speakers and document.speakers[mentions[0].start] not in NOBODY:
        ids.append(("speaker", document.speakers[mentions[0].start]))
    return Mark(
        canvas.words(where),
        tuple(document.chars(span) for span in mentions[0].spans),
        tuple(number for number, _ in found),
        level,
        outer,
        crosses=crosses,
        tokens=mentions[0].spans,
        head=None if head is None else document.tokens[head],
        kind=next((m.kind for m in mentions if m.kind is not None), None),
        attrs=tuple(dict.fromkeys((*ids, *attrs))),
    )


def _group(
    document: Document, entity: Entity, number: int, own: tuple[int, ...], marks: Sequence[Mark]
) -> Group:
    name = best_name(document, entity) or marks[own[0]].text
    return Group(number, name, own, entity.singleton, entity.id, entity.kind, entity.attrs)


def _problem(problem: Problem) -> Sheet:
    places: dict[tuple[Chars, str], list[int]] = {(problem.target, "pronoun"): []}
    for number, candidate in enumerate(problem.candidates, 1):
        if candidate.chars:
            places.setdefault((candidate.chars, "candidate"), []).append(number)
    places[problem.target, "pronoun"] = [at + 1 for at in problem.answer or ()]
    order = sorted(places, key=lambda key: (key[0].start, -key[0].end, key[1]))
    ranges = [((chars.start, chars.end),) for chars, _ in order]
    shape = zip(order, levels(ranges), outers(ranges), strict=True)
    cross = crossing(ranges)
    marks = tuple(
        Mark(
            chars.of(problem.text),
            (chars,),
            tuple(places[chars, role]),
            level,
            outer,
            role,
            at in cross,
        )
        for at, ((chars, role), level, outer) in enumerate(shape)
    )
    groups = tuple(
        Group(n, c.text, tuple(at for at, mark in enumerate(marks) if n in mark.entities))
        for n, c in enumerate(problem.candidates, 1)
    )
    extra = (("group", problem.group), ("source", problem.source))
    facts = tuple((name, value) for name, value in extra if value is not None)
    return Sheet(
        problem.id,
        "problem",
        problem.text,
        tuple(weave(problem.text, ranges, ())),
        marks,
        groups,
        note=_answer(problem),
        facts=(*facts, *problem.meta),
    )


def _answer(problem: Problem) -> str:
    asked = f"“{problem.pronoun}” means"
    if problem.answer is None:
        return f"{asked}: not known"
    if not problem.answer:
        return f"{asked}: none of the candidates"
    right = (f"{problem.candidates[at].text} ({at + 1})" for at in problem.answer)
    return f"{asked}: {', '.join(right)}"
