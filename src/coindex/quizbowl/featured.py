"""A document's features, each made when it is first needed, and kept.

Nothing here depends on a model: training again, or on other documents, uses the same
objects. A `Store` keeps them by the document's content: what comes from the text
alone is shared by all annotations of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from coindex.core.document import Document
from coindex.parsing.parser import Parser
from coindex.quizbowl.classify import Rows, training_rows
from coindex.quizbowl.config import Config
from coindex.quizbowl.ground import Ground, ground
from coindex.quizbowl.levels import Labelled, Place, encode
from coindex.quizbowl.spans import spans
from coindex.quizbowl.tokens import sequences
from coindex.quizbowl.vectors import Vectors
from coindex.quizbowl.view import View, views


@dataclass
class Plain:
    """What comes from a text alone."""

    view: View
    config: Config
    vectors: tuple[Vectors, ...]

    @cached_property
    def ground(self) -> Ground:
        """What pairs need."""
        return ground(self.view, [each.lookup for each in self.vectors])

    @cached_property
    def sequences(self) -> list[tuple[Any, int, int]]:
        """What the CRF needs."""
        return sequences(self.view, self.config.crf_features)


@dataclass
class Featured:
    """One document with its features; `mark` is a digest of it, `text_mark` without entities."""

    document: Document
    plain: Plain
    mark: str
    text_mark: str

    @property
    def view(self) -> View:
        """The parsed tokens."""
        return self.plain.view

    @property
    def ground(self) -> Ground:
        """What pairs need."""
        return self.plain.ground

    @property
    def sequences(self) -> list[tuple[Any, int, int]]:
        """What the CRF needs."""
        return self.plain.sequences

    @cached_property
    def gold(self) -> dict[Place, int]:
        """Each gold mention's entity, in reading order; of several, the largest."""
        found: dict[Place, int] = {}
        sizes = [len(entity) for entity in self.document.entities]
        for number, entity in enumerate(self.document.entities):
            for mention in entity.mentions:
                place = mention.start, mention.end
                if place not in found or sizes[number] > sizes[found[place]]:
                    found[place] = number
        return dict(sorted(found.items()))

    @cached_property
    def labelled(self) -> Labelled:
        """The gold labels of all tokens."""
        return encode(self.gold, len(self.document), self.plain.config.depth)

    @cached_property
    def rows(self) -> Rows:
        """The training pairs."""
        members = spans(self.ground, list(self.gold))
        entities = np.array(list(self.gold.values()), np.int64)
        seed = int(self.text_mark[:12], 16)
        return training_rows(self.ground, members, entities, self.plain.config, seed)


@dataclass
class Store:
    """Features by document, for one configuration."""

    parser: Parser
    config: Config
    vectors: tuple[Vectors, ...] = ()
    _plain: dict[str, Plain] = field(default_factory=dict)
    _kept: dict[str, Featured] = field(default_factory=dict)

    def of(self, documents: Iterable[Document]) -> list[Featured]:
        """The features of documents, in order; those that are known are not made again."""
        given = [(document, text_mark(document)) for document in documents]
        lacking = {mark: document for document, mark in given if mark not in self._plain}
        found = views(lacking.values(), self.parser)
        for mark, seen in zip(lacking, found, strict=True):
            self._plain[mark] = Plain(seen, self.config, self.vectors)
        return [self._featured(document, mark) for document, mark in given]

    def forget(self) -> None:
        """Make everything again when it is next asked for."""
        self._plain.clear()
        self._kept.clear()

    def _featured(self, document: Document, of_text: str) -> Featured:
        mark = _mark(of_text, document)
        if mark not in self._kept:
            self._kept[mark] = Featured(document, self._plain[of_text], mark, of_text)
        return self._kept[mark]


def text_mark(document: Document) -> str:
    """A digest of a document without its entities: its name, text, tokens and sentences."""
    whole = (document.key, document.text, document.tokens, document.starts, document.sentences)
    return sha256(repr(whole).encode("utf-8", "surrogatepass")).hexdigest()


def full_mark(document: Document) -> str:
    """A digest of a document with its entities."""
    return _mark(text_mark(document), document)


def _mark(of_text: str, document: Document) -> str:
    entities = sorted(
        tuple((mention.start, mention.end) for mention in entity.mentions)
        for entity in document.entities
    )
    return sha256(f"{of_text}{entities}".encode()).hexdigest()


def joint_mark(parts: Sequence[Featured]) -> str:
    """A digest of a set of documents, whatever their order."""
    return sha256("".join(sorted(part.mark for part in parts)).encode()).hexdigest()
