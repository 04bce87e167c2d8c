"""Entities of one mention, which a scheme without them leaves out.

An everyday scheme is trained on texts that mark entities of two mentions or more, so its network
has learnt to pass over what is mentioned once. Another scheme of the same model has entities of
one mention: what it finds, and is in no entity yet, is added. Each text is encoded twice for that.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import tee
from typing import NamedTuple

import numpy as np

from coindex.models.common.inference import sigmoid
from coindex.models.coref.artifact import Scheme
from coindex.models.coref.features import NAME, SpanFeaturizer, word_features
from coindex.models.coref.infer.engine import Engine, ResolveRules
from coindex.models.coref.infer.mention_detection import DetectedMentions
from coindex.models.coref.infer.mention_selection import LOWEST, SelectionRules, select_mentions
from coindex.models.coref.infer.nested_mentions import without_nested
from coindex.text.mention_classes import kind_of
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.progress import OnProgress
from coindex.types.span import Span


def resolve_with_singles(
    engine: Engine,
    documents: Iterable[Document],
    scheme: Scheme,
    single: Scheme,
    on_progress: OnProgress,
    rules: ResolveRules,
) -> Iterator[Document]:
    """Each document with its entities under a scheme, and single mentions as `single` has them."""
    first, second = tee(documents)
    lowest = replace(single, mention_threshold=min(single.mention_threshold, LOWEST))
    selection = SelectionRules(repeats=False, events=rules.events)
    resolved = engine.resolve(first, scheme, on_progress, rules)
    for document, (_, found) in zip(resolved, engine.detect(second, lowest), strict=True):
        mentions = select_mentions(document, found, single.mention_threshold, selection)
        added = with_single_mentions(document, mentions, single)
        yield without_nested(added, singletons=True) if rules.weights else added


def with_single_mentions(
    document: Document, mentions: DetectedMentions, single: Scheme
) -> Document:
    """The document with each mention that is none of its own yet as an entity, likely ones first."""
    phrases = _Phrases(document)
    spans, confidence = mentions.spans, single.mention_calibration.apply(sigmoid(mentions.logits))
    added = []
    for index in np.argsort(-mentions.logits, kind="stable").tolist():
        if mentions.logits[index] <= single.mention_threshold:
            break
        span = Span(int(spans.starts[index]), int(spans.ends[index]))
        named = int(spans.classes[index]) == NAME
        if phrases.take(_Phrase(span, int(spans.heads[index]), named)):
            mention = Mention((span,), attrs=(("confidence", f"{confidence[index]:.3f}"),))
            added.append(Entity((replace(mention, kind=kind_of(document, mention)),)))
    every = sorted(
        (*document.entities, *added), key=lambda e: (e.mentions[0].start, -e.mentions[0].end)
    )
    return replace(document, entities=tuple(every))


class _Phrase(NamedTuple):
    """A span, the number of its head word, and whether it is a name."""

    span: Span
    head: int
    named: bool

    def is_apart_from(self, other: _Phrase) -> bool:
        """Whether two phrases that share a token can both be mentions.

        One of them contains the other, and has another head: `her keys` and `her`, `the printer on the second floor`
        and `the second floor`; a part of a name is no mention.
        """
        inner, outer = sorted((self, other), key=lambda each: len(each.span))
        nested = outer.span.start <= inner.span.start and inner.span.end <= outer.span.end
        return nested and self.head != other.head and not (self.named and other.named)


class _Phrases:
    """The mentions of a document, by their tokens."""

    def __init__(self, document: Document) -> None:
        """Those that it has."""
        self._sentences = document.sentences
        self._at: dict[int, list[_Phrase]] = {}
        covers = [m.cover for entity in document.entities for m in entity.mentions]
        starts = np.array([span.start for span in covers], dtype=np.int64)
        ends = np.array([span.end for span in covers], dtype=np.int64)
        found = SpanFeaturizer(word_features(document)).spans(starts, ends)
        for span, head, kind in zip(
            covers, found.heads.tolist(), found.classes.tolist(), strict=True
        ):
            self._add(_Phrase(span, head, kind == NAME))

    def take(self, phrase: _Phrase) -> bool:
        """Add a phrase, unless it is one of these with other borders, or runs on past its sentence."""
        span = phrase.span
        if bisect_right(self._sentences, span.start) != bisect_left(self._sentences, span.end):
            return False
        near = {each for at in range(span.start, span.end) for each in self._at.get(at, ())}
        if not all(map(phrase.is_apart_from, near)):
            return False
        self._add(phrase)
        return True

    def _add(self, phrase: _Phrase) -> None:
        for at in range(phrase.span.start, phrase.span.end):
            self._at.setdefault(at, []).append(phrase)
