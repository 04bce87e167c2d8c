"""Inference: the mentions of a document, its entities, and how uncertain a model is of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from coindex.models.mention_pair import baselines, pair_classifier, pair_features
from coindex.models.mention_pair.feature_store import DocumentFeatures
from coindex.models.mention_pair.mention_arrays import encode_mentions
from coindex.models.mention_pair.mention_crf import TokenRange
from coindex.models.mention_pair.model import Model
from coindex.models.mention_pair.token_arrays import Floats, Ints
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

MENTIONS = ("gold", "crf", "rules")


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """How uncertain a model is of one document; entropies in nats, summed.

    tokens        the length of the document
    mentions      entropy of the labels of its tokens
    antecedents   entropy of the choice of an antecedent (or of none), weighted by the
                  probability of the mention
    """

    tokens: int
    mentions: float
    antecedents: float


def find_mentions(model: Model, features: DocumentFeatures, kind: str = "crf") -> list[TokenRange]:
    """The mentions of a document: gold, by the CRF, or by rules."""
    if kind == "gold":
        return list(features.gold)
    if kind == "crf":
        return model.detector.find(features.text.sequences)
    return baselines.rule_based_mentions(features.text.parsed)


def link_mentions(
    model: Model, features: DocumentFeatures, ranges: Sequence[TokenRange]
) -> list[list[TokenRange]]:
    """The sets of mentions that corefer, in reading order; singletons included."""
    if not ranges:
        return []
    config, arrays = model.config, features.text.token_arrays
    mentions = encode_mentions(arrays, ranges)
    pairs = pair_features.candidates(arrays, mentions, config.reach)
    scores = pair_features.scores(arrays, mentions, pairs, config, model.weights)
    scores = np.clip(scores + model.classifier.intercept, -50, 50)
    probabilities = np.asarray(1.0 / (1.0 + np.exp(-scores)), np.float64)
    links = pair_classifier.links(pairs, probabilities, config.rule, config.threshold)
    clusters = pair_classifier.clusters(len(ranges), links)
    return [[ranges[at] for at in cluster] for cluster in clusters]


def predict(
    model: Model, features: DocumentFeatures, *, kind: str = "crf", singletons: bool | None = None
) -> Document:
    """The document with predicted entities.

    `singletons` says whether entities of one mention are included; by default they are
    if the training documents had them.
    """
    least = 1 if (model.singletons if singletons is None else singletons) else 2
    clusters = link_mentions(model, features, find_mentions(model, features, kind))
    return with_entities(features.document, [each for each in clusters if len(each) >= least])


def with_entities(document: Document, clusters: Sequence[Sequence[TokenRange]]) -> Document:
    """A document with these entities in place of its own."""
    entities = (Entity(tuple(Mention.at(*each) for each in cluster)) for cluster in clusters)
    return replace(document, entities=tuple(entities))


def uncertainty(model: Model, features: DocumentFeatures) -> Uncertainty:
    """How uncertain the model is of a document."""
    detected = model.detector.find_with_probabilities(features.text.sequences)
    antecedents = 0.0
    if detected.ranges:
        arrays = features.text.token_arrays
        mentions = encode_mentions(arrays, detected.ranges)
        pairs = pair_features.candidates(arrays, mentions, model.config.reach)
        scores = pair_features.scores(arrays, mentions, pairs, model.config, model.weights)
        scores = scores + model.classifier.intercept
        by_mention = _antecedent_entropy(pairs.later, scores, len(mentions))
        antecedents = float((by_mention * detected.probabilities).sum())
    return Uncertainty(len(features.document), detected.entropy, antecedents)


def _antecedent_entropy(later: Ints, scores: Floats, count: int) -> Floats:
    """For each mention, the entropy over its antecedents and "none".

    The distribution is a softmax over the classifier's scores, with a zero for "none".
    """
    odds = np.exp(np.clip(scores, -50, 50))
    total = np.bincount(later, odds, count) + 1.0
    share = odds / total[later]
    inside = np.bincount(later, -share * np.log(np.maximum(share, 1e-300)), count)
    return np.asarray(inside + np.log(total) / total, np.float64)
