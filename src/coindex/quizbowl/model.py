"""A trained Quiz Bowl system: documents in, documents with entities out.

Training depends on the set of documents, not on their order, and on the seed; the
same set gives the same model to the last bit, which `digest` names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.errors import InvalidValue
from coindex.quizbowl import classify, detect, pairs, rules, tokens
from coindex.quizbowl.classify import Classifier
from coindex.quizbowl.config import Config
from coindex.quizbowl.detect import Detector
from coindex.quizbowl.featured import Featured, joint_mark
from coindex.quizbowl.ground import Floats
from coindex.quizbowl.levels import Place
from coindex.quizbowl.link import groups, links
from coindex.quizbowl.spans import spans
from coindex.quizbowl.vectors import Facts

MENTIONS = ("gold", "crf", "rules")

SINGLE_SHARE = 0.2
"""The share of entities from which on single mentions are a habit; see `keeps_singletons`."""


@dataclass(frozen=True)
class Model:
    """A trained system.

    singletons   whether the training documents had entities of one mention by habit
    lost         how many training mentions the labels could not hold
    trained_on   a digest of the training documents, and how many there were
    pipeline     what parsed them
    """

    config: Config
    detector: Detector
    classifier: Classifier
    vectors: tuple[Facts, ...]
    singletons: bool
    lost: int
    trained_on: tuple[str, int]
    seed: int
    pipeline: str = ""

    @cached_property
    def weights(self) -> Floats:
        """The classifier's weights, one a column."""
        return self.classifier.dense(self.config.bits)

    @cached_property
    def digest(self) -> str:
        """A hash of everything the answers depend on: two that differ have two digests.

        Vectors count by their content, not by the path they were read from.
        """
        versions = tokens.VERSION, pairs.VERSION
        sums = tuple((each.sha256, each.size) for each in self.vectors)
        settings = self.config, self.singletons, self.pipeline, self.classifier.intercept
        parts = sha256(repr((versions, sums, settings)).encode())
        for data in (self.classifier.columns, self.classifier.values):
            parts.update(np.ascontiguousarray(data).tobytes())
        parts.update(self.detector.data)
        return parts.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Doubt:
    """How unsure a model is of one document; entropies in nats, summed.

    mentions      of the labels of tokens
    antecedents   of the choice of an antecedent (or of none), weighed by how likely the
                  mention is one
    """

    tokens: int
    mentions: float
    antecedents: float


def train(parts: Sequence[Featured], config: Config, seed: int = 1, pipeline: str = "") -> Model:
    """Train on annotated documents."""
    ordered = sorted(parts, key=lambda part: part.mark)
    examples = (
        (items, part.labelled.labels[start:end])
        for part in ordered
        for items, start, end in part.sequences
    )
    if not any(len(part.document) for part in ordered):
        raise InvalidValue("expected annotated documents to train on, found no words")
    crf = detect.train(examples, config, seed)
    classifier = classify.train([part.rows for part in ordered], config)
    return Model(
        config, Detector(crf), classifier,
        tuple(each.facts for each in ordered[0].plain.vectors),
        keeps_singletons([part.document for part in ordered]),
        sum(part.labelled.lost for part in ordered),
        (joint_mark(ordered)[:16], len(ordered)), seed, pipeline,
    )  # fmt: skip


def keeps_singletons(documents: Sequence[Document]) -> bool:
    """Whether documents annotate mentions that corefer with nothing: a fifth of the entities.

    A few stray ones do not count: OntoGUM leaves such mentions out, but nine of its 6,168
    entities (train and dev) have one mention, and to answer with hundreds would be wrong. Corpora are of
    one kind or the other. Where single mentions are annotated they are 52 to 86 % of all
    entities, and no document has less than 25 % (LitBank, GUM, PreCo, Phrase Detectives,
    Quiz Bowl: 352 documents); where they are not, no document has more than 16 % (OntoGUM,
    FantasyCoref: 227). So a fifth tells them apart even by a single document.
    """
    single = [entity.singleton for each in documents for entity in each.entities]
    return bool(single) and sum(single) >= SINGLE_SHARE * len(single)


def places(model: Model, part: Featured, kind: str = "crf") -> list[Place]:
    """The mentions of a document: gold, by the CRF, or by rules."""
    if kind == "gold":
        return list(part.gold)
    return model.detector.find(part.sequences) if kind == "crf" else rules.mentions(part.view)


def entities(model: Model, part: Featured, found: Sequence[Place]) -> list[list[Place]]:
    """The sets of mentions that corefer, in reading order; single ones too."""
    if not found:
        return []
    members = spans(part.ground, found)
    looked_at = pairs.candidates(part.ground, members, model.config.reach)
    likely = classify.chances(
        part.ground, members, looked_at, model.config, model.weights, model.classifier.intercept
    )
    joined = links(looked_at, likely, model.config.rule, model.config.threshold)
    return [[found[at] for at in group] for group in groups(len(found), joined)]


def answer(
    model: Model, part: Featured, *, kind: str = "crf", singletons: bool | None = None
) -> Document:
    """The document with the entities that the model finds in it.

    Single mentions are kept if the training documents had them, unless told.
    """
    single = model.singletons if singletons is None else singletons
    found = entities(model, part, places(model, part, kind))
    return with_entities(part.document, [group for group in found if single or len(group) > 1])


def with_entities(document: Document, sets: Sequence[Sequence[Place]]) -> Document:
    """A document with these entities instead of its own."""
    made = tuple(Entity(tuple(Mention.at(*place) for place in group)) for group in sets)
    return replace(document, entities=made)


def doubt(model: Model, part: Featured) -> Doubt:
    """How unsure the model is of a document."""
    found = model.detector.weigh(part.sequences)
    total = 0.0
    if found.places:
        members = spans(part.ground, found.places)
        looked_at = pairs.candidates(part.ground, members, model.config.reach)
        scores = pairs.scores(part.ground, members, looked_at, model.config, model.weights)
        by_mention = _choice_entropy(
            looked_at.later, scores + model.classifier.intercept, len(members)
        )
        total = float((by_mention * found.chances).sum())
    return Doubt(len(part.document), found.entropy, total)


def _choice_entropy(later: Any, scores: Floats, count: int) -> Floats:
    """For each mention, the entropy over its antecedents and "none".

    The odds of each pair, and 1 for none, scaled to sum to 1: a softmax over the
    classifier's scores with a zero beside them.
    """
    odds = np.exp(np.clip(scores, -50, 50))
    total = np.bincount(later, odds, count) + 1.0
    share = odds / total[later]
    inside = np.bincount(later, -share * np.log(np.maximum(share, 1e-300)), count)
    return np.asarray(inside + np.log(total) / total, np.float64)
