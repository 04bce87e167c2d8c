"""The confidence of an exported model, calibrated on dev for each scheme.

A mention is right if the gold document has it. A link is right if mention and the mention of its
entity before it are in one gold entity; mentions that gold does not have are not counted for links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, read_json, write_json
from coindex.models.common.calibration import (
    Calibration,
    Floats,
    calibration_error,
    fit_calibration,
)
from coindex.models.coref.artifact import CorefMetadata, Scheme
from coindex.models.coref.infer.engine import Engine, load_engine
from coindex.models.coref.recipe import Corpus, Recipe
from coindex.models.coref.train.corpora import read_corpus
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

Judged = list[tuple[float, bool]]


@dataclass(slots=True)
class Predictions:
    """Confidences, each with whether it was right."""

    mentions: Judged = field(default_factory=list)
    links: Judged = field(default_factory=list)

    def arrays(self, what: str) -> tuple[Floats, Floats]:
        """Confidences and outcomes of `mentions` or `links`."""
        rows = np.array(getattr(self, what), dtype=np.float64).reshape(-1, 2)
        return rows[:, 0], rows[:, 1]


def calibrate(folder: Path, recipe: Recipe, threads: int = 2) -> dict[str, Any]:
    """Fit and write the calibration of each scheme that has dev documents; returns the errors."""
    if not recipe.dev:
        raise InputError(f"{folder}: the recipe has no [[dev]] corpora to calibrate confidence on")
    engine = load_engine(folder, threads)
    report: dict[str, Any] = {}
    fitted: dict[str, dict[str, list[float]]] = {}
    for scheme in engine.metadata.schemes:
        corpora = [c for c in recipe.dev if not c.partial and _follows(engine.metadata, scheme, c)]
        if corpora:
            predictions = predict(engine, plain(scheme), corpora)
            fitted[scheme.name], report[scheme.name] = _fit(predictions)
    content = read_json(folder / METADATA)
    for row in content["schemes"]:
        row.update(fitted.get(row["name"], {}))
    write_json(folder / METADATA, {**content, "calibrated": report})
    return report


def _follows(metadata: CorefMetadata, scheme: Scheme, corpus: Corpus) -> bool:
    """Whether a corpus has the scheme, or one that the network does not tell from it."""
    names = {name.strip() for name in corpus.scheme.split(",")}
    alike = {other.name for other in metadata.schemes if other.number == scheme.number}
    return not names.isdisjoint(alike)


def plain(scheme: Scheme) -> Scheme:
    """A scheme whose confidences are not calibrated."""
    return replace(scheme, mention_calibration=Calibration(), link_calibration=Calibration())


def predict(engine: Engine, scheme: Scheme, corpora: Iterable[Corpus]) -> Predictions:
    """The confidences of a model on documents, judged."""
    predictions = Predictions()
    for corpus in corpora:
        gold = list(read_corpus(corpus).documents)
        for document, answer in zip(gold, engine.resolve(gold, scheme), strict=True):
            for mentions, links in judged(document, answer):
                predictions.mentions += mentions
                predictions.links += links
    return predictions


def judged(gold: Document, answer: Document) -> Iterator[tuple[Judged, Judged]]:
    """For each entity of an answer its mentions and links, judged by gold."""
    entity_of = {
        (mention.start, mention.end): number
        for number, entity in enumerate(gold.entities)
        for mention in entity.mentions
    }
    return (_judged_entity(entity, entity_of) for entity in answer.entities)


def _judged_entity(entity: Entity, entity_of: dict[tuple[int, int], int]) -> tuple[Judged, Judged]:
    mentions: Judged = []
    links: Judged = []
    before: int | None = None
    for mention in sorted(entity.mentions, key=lambda one: (one.start, one.end)):
        own = entity_of.get((mention.start, mention.end))
        mentions.append((_number(mention, "confidence"), own is not None))
        if own is not None:
            if before is not None and "link" in dict(mention.attrs):
                links.append((_number(mention, "link"), own == before))
            before = own
    return mentions, links


def _number(mention: Mention, name: str) -> float:
    return float(dict(mention.attrs).get(name, 0))


def _fit(predictions: Predictions) -> tuple[dict[str, list[float]], dict[str, Any]]:
    fitted, report = {}, {}
    for what, stored in (("mentions", "mention_calibration"), ("links", "link_calibration")):
        confidence, right = predictions.arrays(what)
        found = fit_calibration(confidence, right)
        fitted[stored] = [found.slope, found.offset]
        report[what] = {
            "count": len(right),
            "before": round(100 * calibration_error(confidence, right), 2),
            "after": round(100 * calibration_error(found.apply(confidence), right), 2),
        }
    return fitted, report
