"""The coreference engine: documents in, the same documents with entities out.

All windows of all documents pass through the encoder in one stream, so that short texts keep
every thread busy; of a window only its mentions stay in memory. The result for a text depends
on that text alone. Several threads may call one engine: what they share is read only, or a cache
that is safe in threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from coindex.models.common.artifact import TOKENIZER
from coindex.models.common.encoders import ENCODER_FILE
from coindex.models.common.inference import one_thread, sigmoid
from coindex.models.common.subwords import SubwordTokenizer, read_tokenizer
from coindex.models.coref.artifact import (
    CorefMetadata,
    HeadWeights,
    Scheme,
    read_head,
    read_metadata,
)
from coindex.models.coref.features import SpanFeatures, SpanFeaturizer, word_features
from coindex.models.coref.infer.agreement import WEIGHTS, agreement, corpus_rules
from coindex.models.coref.infer.decode import Links, link_mentions
from coindex.models.coref.infer.encoder import (
    Encoder,
    EncoderInput,
    OnnxEncoder,
    WordRows,
    load_torch_model,
)
from coindex.models.coref.infer.mention_detection import DetectedMentions, detect_mentions
from coindex.models.coref.infer.mention_selection import (
    LOWEST,
    SelectionRules,
    label_spans,
    select_mentions,
)
from coindex.models.coref.infer.nested_mentions import nearby_mentions, without_nested
from coindex.models.coref.windows import Window, split_into_windows
from coindex.text.mention_classes import kind_of
from coindex.text.word_classes import ARTICLES, POSSESSIVE_MARKS, normalize
from coindex.text.word_lists import words
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.progress import OnProgress, Progress, ignore_progress
from coindex.types.span import Span

Ints = NDArray[np.int64]

_NO_WORDS: Ints = np.zeros(0, dtype=np.int64)
_RELATIVES = frozenset({"who", "whom", "whose", "which", "where"})


def load_engine(
    folder: Path, threads: int, batch: int | None = None, device: str = "cpu"
) -> Engine:
    """The model of a folder: exported (ONNX), or as training wrote it (torch).

    batch   how many windows are encoded ahead of what was consumed
    device  "cpu" or "cuda"
    """
    tokenizer = SubwordTokenizer(read_tokenizer(folder / TOKENIZER))
    if (folder / ENCODER_FILE).is_file():
        metadata = read_metadata(folder)
        encoder = OnnxEncoder(folder / ENCODER_FILE, threads, batch, device)
        return Engine(metadata, read_head(folder, metadata), tokenizer, encoder)
    metadata, head, torch_encoder = load_torch_model(folder, device)
    return Engine(metadata, head, tokenizer, torch_encoder)


@dataclass(frozen=True, slots=True)
class ResolveRules:
    """How the network's scores are completed.

    weights   the rules of agreement that are applied, with their weights
    events    whether verbs can be mentions under an everyday scheme
    explain   whether each mention says why it was joined or not
    """

    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    events: bool = False
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Engine:
    """A model that is ready to resolve documents."""

    metadata: CorefMetadata
    head: HeadWeights
    tokenizer: SubwordTokenizer
    encoder: Encoder

    def resolve(
        self,
        documents: Iterable[Document],
        scheme: Scheme,
        on_progress: OnProgress = ignore_progress,
        rules: ResolveRules | None = None,
    ) -> Iterator[Document]:
        """Each document with its entities in place of those it had.

        on_progress   called after each window, with the number of words that are done
        rules         how the network's scores are completed
        """
        rules = rules or ResolveRules()
        lowest = min(scheme.mention_threshold, LOWEST) if scheme.everyday else None
        used = scheme if lowest is None else replace(scheme, mention_threshold=lowest)
        selection = SelectionRules(events=rules.events)
        for document, detected in self.detect(documents, used, on_progress):
            mentions = detected
            if scheme.everyday:
                mentions = select_mentions(document, detected, scheme.mention_threshold, selection)
            agreed = None
            if rules.weights:
                weights = rules.weights if scheme.everyday else corpus_rules(rules.weights)
                agreed = agreement(document, mentions.spans, weights, rules.explain)
            with one_thread():
                links = link_mentions(mentions, self.metadata, self.head, scheme, agreed)
            reasons = agreed.reasons if agreed is not None else ()
            resolved = document_with_entities(document, mentions, links, scheme, reasons)
            if rules.weights:
                resolved = without_doubles(resolved, scheme.singletons)
            if rules.weights and scheme.everyday:
                resolved = without_nested(resolved, singletons=scheme.singletons)
            yield resolved

    def detect(
        self,
        documents: Iterable[Document],
        scheme: Scheme,
        on_progress: OnProgress = ignore_progress,
    ) -> Iterator[tuple[Document, DetectedMentions]]:
        """Each document with its detected mentions, before they are linked."""
        plans: deque[_Plan] = deque()
        rows = self.encoder.run(self._inputs(documents, plans), scheme.number)
        done = 0
        for plan, own_rows in _rows_by_plan(rows, plans):
            yield plan.document, self._mentions(plan, own_rows, scheme, done, on_progress)
            done += len(plan.document)

    def _inputs(self, documents: Iterable[Document], plans: deque[_Plan]) -> Iterator[EncoderInput]:
        for document in documents:
            plan = self._plan(document)
            plans.append(plan)
            if not plan.windows:  # so that texts without words are not taken ahead without end
                yield EncoderInput(_NO_WORDS, _NO_WORDS, _NO_WORDS)
            for window in plan.windows:
                shapes = plan.shapes[window.first : window.first + len(window.positions)]
                yield EncoderInput(window.subwords, window.positions, shapes)

    def _plan(self, document: Document) -> _Plan:
        features = word_features(document)
        windows = split_into_windows(
            self.tokenizer.of(document.tokens), document.sentences, self.tokenizer,
            self.metadata.window, self.metadata.overlap,
        )  # fmt: skip
        return _Plan(document, SpanFeaturizer(features), features.shapes, windows)

    def _mentions(
        self,
        plan: _Plan,
        rows: Iterator[WordRows],
        scheme: Scheme,
        done: int,
        on_progress: OnProgress,
    ) -> DetectedMentions:
        firsts = np.asarray(plan.document.sentences, dtype=np.int64)
        parts: list[DetectedMentions] = []
        labels = label_spans(plan.document) if scheme.everyday else ()
        for window, own in zip(plan.windows, rows, strict=True):
            last = window.first + len(window.positions)
            inner = firsts[(firsts > window.first) & (firsts < last)] - window.first
            starts = np.concatenate([[0], inner])
            with one_thread():
                parts.append(detect_mentions(
                    own, plan.featurizer, window.first, starts, self.metadata, self.head,
                    scheme.mention_threshold, labels,
                ))  # fmt: skip
            on_progress(Progress("resolving", done + last, unit="words"))
        return _concatenate(parts, self.metadata.span)


@dataclass(frozen=True, slots=True)
class _Plan:
    document: Document
    featurizer: SpanFeaturizer
    shapes: Ints
    windows: list[Window]


def _rows_by_plan(
    rows: Iterator[WordRows], plans: deque[_Plan]
) -> Iterator[tuple[_Plan, Iterator[WordRows]]]:
    """Each plan with the rows of its windows; a plan is queued before its first window is read."""
    for first in rows:
        plan = plans.popleft()
        yield plan, _take(first, rows, len(plan.windows)) if plan.windows else iter(())


def _take(first: WordRows, rows: Iterator[WordRows], count: int) -> Iterator[WordRows]:
    yield first
    for _ in range(count - 1):
        yield next(rows)


def _concatenate(parts: list[DetectedMentions], size: int) -> DetectedMentions:
    """The mentions of all windows of a document, in reading order."""
    if not parts:
        empty = np.zeros(0, dtype=np.int64)
        none = SpanFeatures(*([empty] * len(SpanFeatures.__slots__)))
        return DetectedMentions(none, np.zeros(0, np.float32), np.zeros((0, size), np.float32))
    names = SpanFeatures.__slots__
    spans = SpanFeatures(*(np.concatenate([getattr(p.spans, n) for p in parts]) for n in names))
    order = np.lexsort((spans.ends, spans.starts))
    logits = np.concatenate([part.logits for part in parts])
    vectors = np.concatenate([part.vectors for part in parts])
    return DetectedMentions(spans.take(order), logits[order], vectors[order])


def document_with_entities(
    document: Document,
    mentions: DetectedMentions,
    links: Links,
    scheme: Scheme,
    reasons: Sequence[str] = (),
) -> Document:
    """The document with its entities; each mention has attributes for its confidence."""
    confidence = scheme.mention_calibration.apply(sigmoid(mentions.logits))
    probabilities = scheme.link_calibration.apply(links.probabilities)
    entities: list[list[Mention]] = []
    entity_of: list[int] = []
    for index, parent in enumerate(links.parents.tolist()):
        entity_of.append(entity_of[parent] if parent >= 0 else len(entities))
        if parent < 0:
            entities.append([])
        span = Span(int(mentions.spans.starts[index]), int(mentions.spans.ends[index]))
        attrs = [("confidence", f"{confidence[index]:.3f}")]
        if parent >= 0:
            attrs.append(("link", f"{probabilities[index]:.3f}"))
        if reasons and reasons[index]:
            attrs.append(("why", reasons[index]))
        entities[entity_of[-1]].append(Mention((span,), attrs=tuple(attrs)))
    return replace(
        document,
        entities=tuple(
            Entity(tuple(replace(mention, kind=kind_of(document, mention)) for mention in group))
            for group in entities
            if len(group) > 1 or scheme.singletons
        ),
    )


def without_doubles(document: Document, singletons: bool) -> Document:
    """The document without second mentions of one place in one entity: `Ann` and `Ann's`.

    Of two nested mentions that differ by articles, titles and possessive marks alone, the longer
    one stays, unless it ends in the possessive mark; a relative clause is left out too.
    """
    entities = []
    for entity in document.entities:
        nearby = nearby_mentions(entity.mentions)
        kept = tuple(m for m in entity.mentions if not _is_double(document, m, nearby(m)))
        if kept and (singletons or len(kept) > 1):
            entities.append(replace(entity, mentions=kept))
    return replace(document, entities=tuple(entities))


def _is_double(document: Document, mention: Mention, others: Iterable[Mention]) -> bool:
    low = [normalize(token) for token in document.tokens[mention.start : mention.end]]
    for other in others:
        if other is mention or other.end <= mention.start:
            continue
        if mention.end <= other.end:
            outer = [normalize(token) for token in document.tokens[other.start : other.end]]
            rest = [*outer[: mention.start - other.start], *outer[mention.end - other.start :]]
            if _adds_nothing(rest) and rest[-1:] not in (["'s"], ["'"]):
                return True
        elif mention.start == other.start and _continues(low, other.end - other.start):
            return True
    return False


def _continues(tokens: Sequence[str], size: int) -> bool:
    """Whether what follows the first `size` words is a possessive mark or a relative clause."""
    rest = tokens[size:]
    if len(rest) == 1:
        return rest[0] in POSSESSIVE_MARKS
    return rest[0] in _RELATIVES or (rest[0] == "," and rest[1] in _RELATIVES)


def _adds_nothing(tokens: Sequence[str]) -> bool:
    titles = words("titles") | words("honorifics") | ARTICLES | POSSESSIVE_MARKS
    return all(token.rstrip(".") in titles for token in tokens)
