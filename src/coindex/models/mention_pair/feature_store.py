"""A document's features, each computed when it is first needed, and cached.

No feature depends on a model, so they are reused when a model is trained again or on other
documents. `FeatureStore` caches them by the document's content; what depends on the text
alone is shared by all annotations of it. Caches are bounded: a server that runs for months
sees new documents and new versions of annotations all the time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Generic, TypeVar

import numpy as np

from coindex.errors import InvalidValue
from coindex.models.mention_pair.mention_arrays import encode_mentions
from coindex.models.mention_pair.mention_crf import BioLabels, TokenRange, encode_labels
from coindex.models.mention_pair.pair_classifier import TrainingPairs, training_pairs
from coindex.models.mention_pair.recipe import Config
from coindex.models.mention_pair.token_arrays import (
    ParsedTokens,
    TextParser,
    TokenArrays,
    encode_tokens,
    parse_documents,
)
from coindex.models.mention_pair.token_features import Sequences, crf_sequences
from coindex.models.mention_pair.word_vectors import Vectors
from coindex.types.document import Document

MAX_WORDS = 500_000
"""How many words a `FeatureStore` caches features of by default: 0.6 GB, at 1.2 KB per word."""

Value = TypeVar("Value")


@dataclass
class LruCache(Generic[Value]):
    """Values by key, each with a size; the least recently used are dropped beyond `capacity`.

    The newest value is always cached, however large.
    """

    capacity: int
    total: int = 0
    _entries: OrderedDict[str, tuple[int, Value]] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def get(self, key: str, size: int, make: Callable[[], Value]) -> Value:
        """The value of a key; if it is not cached it is made, and others may be dropped."""
        if key in self._entries:
            self._entries.move_to_end(key)
            return self._entries[key][1]
        value = make()
        self._entries[key] = size, value
        self.total += size
        while self.total > self.capacity and len(self._entries) > 1:
            _, (freed, _) = self._entries.popitem(last=False)
            self.total -= freed
        return value

    def clear(self) -> None:
        """Drop all values."""
        self._entries.clear()
        self.total = 0


@dataclass
class TextFeatures:
    """Features that depend on a text alone."""

    parsed: ParsedTokens
    config: Config
    vectors: tuple[Vectors, ...]

    @cached_property
    def token_arrays(self) -> TokenArrays:
        """Input of the pair features."""
        return encode_tokens(self.parsed, [each.lookup for each in self.vectors])

    @cached_property
    def sequences(self) -> Sequences:
        """Input of the CRF."""
        return crf_sequences(self.parsed, self.config.crf_features)


@dataclass
class DocumentFeatures:
    """A document with its features, its digest, and the digest of its text without entities."""

    document: Document
    text: TextFeatures
    digest: str
    text_digest: str

    @cached_property
    def gold(self) -> dict[TokenRange, int]:
        """The entity of each gold mention, in reading order; of several, the largest."""
        owners: dict[TokenRange, int] = {}
        sizes = [len(entity) for entity in self.document.entities]
        for number, entity in enumerate(self.document.entities):
            for mention in entity.mentions:
                at = mention.start, mention.end
                if at not in owners or sizes[number] > sizes[owners[at]]:
                    owners[at] = number
        return dict(sorted(owners.items()))

    @cached_property
    def gold_labels(self) -> BioLabels:
        """The gold labels of all tokens."""
        return encode_labels(self.gold, len(self.document), self.text.config.depth)

    @cached_property
    def training_pairs(self) -> TrainingPairs:
        """Pairs of gold mentions to train the classifier on."""
        arrays = self.text.token_arrays
        mentions = encode_mentions(arrays, list(self.gold))
        entities = np.array(list(self.gold.values()), np.int64)
        seed = int(self.text_digest[:12], 16)
        return training_pairs(arrays, mentions, entities, self.text.config, seed)


@dataclass
class FeatureStore:
    """Features by document, for one configuration.

    words   capacity: how many words of texts, and again of annotations of them, are cached
    """

    parser: TextParser
    config: Config
    vectors: tuple[Vectors, ...] = ()
    words: int = MAX_WORDS
    _texts: LruCache[TextFeatures] = field(init=False)
    _documents: LruCache[DocumentFeatures] = field(init=False)

    def __post_init__(self) -> None:
        if self.words < 1:
            raise InvalidValue(f"words: expected 1 or more, found {self.words}")
        self._texts, self._documents = LruCache(self.words), LruCache(self.words)

    def features(self, documents: Iterable[Document]) -> list[DocumentFeatures]:
        """The features of documents, in order; cached ones are not computed again."""
        given = [(document, text_digest(document)) for document in documents]
        new = {digest: document for document, digest in given if digest not in self._texts}
        parsed = dict(zip(new, parse_documents(new.values(), self.parser), strict=True))
        return [self._document_features(document, digest, parsed) for document, digest in given]

    def clear(self) -> None:
        """Drop all cached features."""
        self._texts.clear()
        self._documents.clear()

    def _document_features(
        self, document: Document, of_text: str, parsed: dict[str, ParsedTokens]
    ) -> DocumentFeatures:
        size, digest = len(document), _digest(of_text, document)

        def text_features() -> TextFeatures:
            # dropped from the cache by other documents of the same call, it is parsed again
            tokens = parsed.get(of_text)
            if tokens is None:
                tokens = next(parse_documents([document], self.parser))
            return TextFeatures(tokens, self.config, self.vectors)

        text = self._texts.get(of_text, size, text_features)
        return self._documents.get(
            digest, size, lambda: DocumentFeatures(document, text, digest, of_text)
        )


def text_digest(document: Document) -> str:
    """A digest of a document without its entities: its name, text, tokens and sentences."""
    whole = (document.key, document.text, document.tokens, document.starts, document.sentences)
    return sha256(repr(whole).encode("utf-8", "surrogatepass")).hexdigest()


def document_digest(document: Document) -> str:
    """A digest of a document with its entities."""
    return _digest(text_digest(document), document)


def _digest(of_text: str, document: Document) -> str:
    entities = sorted(
        tuple((mention.start, mention.end) for mention in entity.mentions)
        for entity in document.entities
    )
    return sha256(f"{of_text}{entities}".encode()).hexdigest()


def joint_digest(parts: Sequence[DocumentFeatures]) -> str:
    """A digest of a set of documents, whatever their order."""
    return sha256("".join(sorted(part.digest for part in parts)).encode()).hexdigest()
