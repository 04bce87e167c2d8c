"""Documents in, the same documents with entities out.

All windows of all documents go through the encoder in one stream, so that short
texts keep every thread busy; what is kept of a window is only its mentions. The
answer on a text depends on that text alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from coindex.core.document import Document
from coindex.core.kinds import kind_of
from coindex.core.mention import Entity, Mention
from coindex.core.span import Span
from coindex.neural.encoder import Encoder, Rows, Task
from coindex.neural.links import Links, link
from coindex.neural.mentions import Found, find
from coindex.neural.numbers import one_thread, sigmoid
from coindex.neural.package import Facts, Head, Scheme
from coindex.neural.windows import Pieces, Window, windows
from coindex.neural.words import Phrases, Spans, words_of

Ints = NDArray[np.int64]
Watch = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Engine:
    """Everything needed to resolve."""

    facts: Facts
    head: Head
    pieces: Pieces
    encoder: Encoder

    def resolve(
        self, documents: Iterable[Document], scheme: Scheme, watch: Watch | None = None
    ) -> Iterator[Document]:
        """Each document with its entities; those it had are left out.

        watch   told how many words are done, after each window
        """
        for document, found in self.found(documents, scheme, watch):
            with one_thread():
                links = link(found, self.facts, self.head, scheme.cut_link)
            yield resolved(document, found, links, scheme)

    def found(
        self, documents: Iterable[Document], scheme: Scheme, watch: Watch | None = None
    ) -> Iterator[tuple[Document, Found]]:
        """Each document with its mentions, before they are linked."""
        plans: deque[_Plan] = deque()
        rows = self.encoder.run(self._tasks(documents, plans), scheme.number)
        done = 0
        for plan, answers in _pulled(rows, plans):
            yield plan.document, self._mentions(plan, answers, scheme, done, watch)
            done += len(plan.document)

    def _tasks(self, documents: Iterable[Document], plans: deque[_Plan]) -> Iterator[Task]:
        for document in documents:
            plan = self._plan(document)
            plans.append(plan)
            for window in plan.windows:
                shapes = plan.shapes[window.first : window.first + len(window.places)]
                yield Task(window.pieces, window.places, shapes)

    def _plan(self, document: Document) -> _Plan:
        arrays = words_of(document)
        split = self.pieces.of(document.tokens)
        made = windows(
            split, document.sentences, self.pieces, self.facts.window, self.facts.overlap
        )
        return _Plan(document, Phrases(arrays), arrays.shapes, made)

    def _mentions(
        self, plan: _Plan, answers: Iterator[Rows], scheme: Scheme, done: int, watch: Watch | None
    ) -> Found:
        firsts = np.asarray(plan.document.sentences, dtype=np.int64)
        parts: list[Found] = []
        for window, rows in zip(plan.windows, answers, strict=True):
            last = window.first + len(window.places)
            inner = firsts[(firsts > window.first) & (firsts < last)] - window.first
            starts = np.concatenate([[0], inner])
            with one_thread():
                parts.append(find(
                    rows, plan.phrases, window.first, starts, self.facts, self.head,
                    scheme.cut_mention,
                ))  # fmt: skip
            if watch:
                watch(done + last)
        return _joined(parts, self.facts.span)


@dataclass(frozen=True, slots=True)
class _Plan:
    document: Document
    phrases: Phrases
    shapes: Ints
    windows: list[Window]


def _pulled(rows: Iterator[Rows], plans: deque[_Plan]) -> Iterator[tuple[_Plan, Iterator[Rows]]]:
    """Each plan with its own rows; plans are there once their first window was asked for."""
    for first in rows:
        while not plans[0].windows:
            yield plans.popleft(), iter(())
        plan = plans.popleft()
        yield plan, _some(first, rows, len(plan.windows))
    while plans:
        yield plans.popleft(), iter(())


def _some(first: Rows, rows: Iterator[Rows], count: int) -> Iterator[Rows]:
    yield first
    for _ in range(count - 1):
        yield next(rows)


def _joined(parts: list[Found], size: int) -> Found:
    if not parts:
        empty = np.zeros(0, dtype=np.int64)
        none = Spans(*([empty] * len(Spans.__slots__)))
        return Found(none, np.zeros(0, np.float32), np.zeros((0, size), np.float32))
    spans = Spans(
        *(np.concatenate([getattr(part.spans, n) for part in parts]) for n in Spans.__slots__)
    )
    order = np.lexsort((spans.ends, spans.starts))
    logits = np.concatenate([part.logits for part in parts])
    vectors = np.concatenate([part.vectors for part in parts])
    return Found(spans.take(order), logits[order], vectors[order])


def resolved(document: Document, found: Found, links: Links, scheme: Scheme) -> Document:
    """The document with its entities; each mention says how sure the model is of it."""
    sure = sigmoid(found.logits)
    groups: list[list[int]] = []
    home: list[int] = []
    for index, parent in enumerate(links.parents.tolist()):
        home.append(home[parent] if parent >= 0 else len(groups))
        if parent < 0:
            groups.append([])
        groups[home[-1]].append(index)
    kept = [group for group in groups if scheme.singletons or len(group) > 1]
    entities = tuple(
        Entity(tuple(_mention(document, found, links, sure, index) for index in group))
        for group in kept
    )
    return replace(document, entities=entities)


def _mention(
    document: Document, found: Found, links: Links, sure: NDArray[np.float32], index: int
) -> Mention:
    span = Span(int(found.spans.starts[index]), int(found.spans.ends[index]))
    attrs = [("confidence", f"{sure[index]:.3f}")]
    if links.parents[index] >= 0:
        attrs.append(("link", f"{links.chances[index]:.3f}"))
    mention = Mention((span,), attrs=tuple(attrs))
    return replace(mention, kind=kind_of(document, mention))
