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
from coindex.errors import InvalidValue
from coindex.parsing.parser import Parser
from coindex.quizbowl.classify import Rows, training_rows
from coindex.quizbowl.config import Config
from coindex.quizbowl.ground import Ground, ground
from coindex.quizbowl.kept import Kept
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


WORDS = 500_000
"""How many words a `Store` keeps features of, unless told: 0.6 GB, at 1.2 KB a word."""


@dataclass
class Store:
    """Features by document, for one configuration.

    words   how many words of texts, and again of annotations of them, are kept: those of the
            documents asked for least recently are forgotten, and made again if need be
    """

    parser: Parser
    config: Config
    vectors: tuple[Vectors, ...] = ()
    words: int = WORDS
    _plain: Kept[Plain] = field(init=False)
    _kept: Kept[Featured] = field(init=False)

    def __post_init__(self) -> None:
        if self.words < 1:
            raise InvalidValue(f"words: expected 1 or more, found {self.words}")
        self._plain, self._kept = Kept(self.words), Kept(self.words)

    def of(self, documents: Iterable[Document]) -> list[Featured]:
        """The features of documents, in order; those that are known are not made again."""
        given = [(document, text_mark(document)) for document in documents]
        seen = {mark: document for document, mark in given if mark not in self._plain}
        made = dict(zip(seen, views(seen.values(), self.parser), strict=True))
        return [self._featured(document, mark, made) for document, mark in given]

    def forget(self) -> None:
        """Make everything again when it is next asked for."""
        self._plain.clear()
        self._kept.clear()

    def _featured(self, document: Document, of_text: str, made: dict[str, View]) -> Featured:
        size, mark = len(document), _mark(of_text, document)
        plain = self._plain.get(of_text, size, lambda: self._made(document, made.get(of_text)))
        return self._kept.get(mark, size, lambda: Featured(document, plain, mark, of_text))

    def _made(self, document: Document, seen: View | None) -> Plain:
        """What comes from a text; it was parsed, or forgotten while others of the call came."""
        found = next(views([document], self.parser)) if seen is None else seen
        return Plain(found, self.config, self.vectors)


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
