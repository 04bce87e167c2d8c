"""Cross-validation, as in the paper's Figure 5: gold, CRF and rule-based mentions.

Document n belongs to fold n mod k. Each fold is predicted by a model trained on the others
(and on `support`, which is never scored). All predictions are scored together, so that every
document counts once. The two baselines use the same mentions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coindex.errors import InvalidValue
from coindex.models.mention_pair.baselines import BASELINES
from coindex.models.mention_pair.feature_store import DocumentFeatures
from coindex.models.mention_pair.infer import MENTIONS, find_mentions, link_mentions, with_entities
from coindex.models.mention_pair.mention_crf import TokenRange
from coindex.models.mention_pair.model import Model
from coindex.models.mention_pair.train import Learner
from coindex.report.table import Cell, Table, text_notes
from coindex.scoring.scorer import Result, ScoringOptions, score_pairs
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress

METRICS = ("mentions", "muc", "b3", "ceafe", "conll")
OWN = "quizbowl"

Pair = tuple[Document, Document]


@dataclass(frozen=True, slots=True)
class MentionDetection:
    """Exact matches of mentions, before any linking."""

    matched: int
    predicted: int
    gold: int

    @property
    def scores(self) -> tuple[float, float, float]:
        """Precision, recall and F1 in percent; zero over zero is zero."""
        precision = 100 * self.matched / self.predicted if self.predicted else 0.0
        recall = 100 * self.matched / self.gold if self.gold else 0.0
        total = precision + recall
        return precision, recall, 2 * precision * recall / total if total else 0.0


@dataclass(frozen=True, slots=True)
class SystemScores:
    """The scores of one system with one kind of mentions."""

    system: str
    mentions: str
    result: Result


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """The scores of all systems, and of the detection of each kind of mentions."""

    rows: tuple[SystemScores, ...]
    detected: tuple[tuple[str, MentionDetection], ...]

    def as_json(self) -> dict[str, Any]:
        """As plain values: precision, recall and F1 of each metric."""
        return {
            "mentions": {
                kind: dict(zip(("precision", "recall", "f1"), each.scores, strict=True))
                for kind, each in self.detected
            },
            "systems": [
                {
                    "system": row.system,
                    "mentions": row.mentions,
                    "signature": row.result.signature,
                    "scores": {
                        name: {"precision": s.precision, "recall": s.recall, "f1": s.f1}
                        for name, s in row.result.scores.items()
                    },
                }
                for row in self.rows
            ],
        }


def cross_validate(
    documents: Sequence[Document], learner: Learner, *, support: Sequence[Document] = (),
    folds: int = 5, seed: int = 1, on_progress: OnProgress = ignore_progress,
) -> CrossValidation:  # fmt: skip
    """Train and predict fold by fold, and score."""
    if not 2 <= folds <= len(documents):
        raise InvalidValue(f"folds: expected 2 up to {len(documents)} documents, found {folds}")
    check_disjoint([*documents, *support], "scored or trained on")
    parts = learner.store.features(documents)
    predictions: dict[tuple[str, str], list[Pair]] = {}
    detected: dict[str, list[tuple[list[TokenRange], DocumentFeatures]]] = {}
    for fold in range(folds):
        rest = [document for at, document in enumerate(documents) if at % folds != fold]
        trained = learner.train([*rest, *support], seed).model
        for features in parts[fold::folds]:
            _predict(trained, features, predictions, detected)
        on_progress(Progress("folds", fold + 1, folds))
    rows = tuple(
        SystemScores(name, kind, score_pairs(pairs, ScoringOptions(METRICS), name))
        for (name, kind), pairs in predictions.items()
    )
    return CrossValidation(rows, tuple((kind, _detection(each)) for kind, each in detected.items()))


def check_disjoint(documents: Sequence[Document], what: str) -> None:
    """Raise if a document occurs twice: it could be trained on and scored."""
    seen: set[str] = set()
    for document in documents:
        if document.key in seen:
            raise InvalidValue(f"expected each document once, found {document.key!r} {what} again")
        seen.add(document.key)


def _predict(
    trained: Model, features: DocumentFeatures, predictions: dict[tuple[str, str], list[Pair]],
    detected: dict[str, list[tuple[list[TokenRange], DocumentFeatures]]],
) -> None:  # fmt: skip
    """Predictions of all systems for one document, with each kind of mentions."""
    least = 1 if trained.singletons else 2
    for kind in MENTIONS:
        ranges = find_mentions(trained, features, kind)
        detected.setdefault(kind, []).append((ranges, features))
        by_system = {OWN: link_mentions(trained, features, ranges)}
        by_system |= {name: link(features, ranges) for name, link in BASELINES.items()}
        for name, clusters in by_system.items():
            long = [cluster for cluster in clusters if len(cluster) >= least]
            pair = features.document, with_entities(features.document, long)
            predictions.setdefault((name, kind), []).append(pair)


def _detection(detected: Sequence[tuple[list[TokenRange], DocumentFeatures]]) -> MentionDetection:
    return MentionDetection(
        sum(len(set(ranges) & features.gold.keys()) for ranges, features in detected),
        sum(len(set(ranges)) for ranges, _ in detected),
        sum(len(features.gold) for _, features in detected),
    )


def with_system(
    validation: CrossValidation, name: str, key: Sequence[Document], response: Sequence[Document]
) -> CrossValidation:
    """A cross-validation with one more system, which detects its own mentions."""
    result = score_pairs(zip(key, response, strict=True), ScoringOptions(METRICS), name)
    return CrossValidation(
        (*validation.rows, SystemScores(name, "own", result)), validation.detected
    )


PAPER = ("the paper, on 400 quiz bowl documents", 76.1, 69.6, 72.7)


def tables(validation: CrossValidation, folds: int) -> list[Table]:
    """Scores of mention detection and of systems, laid out as in the paper's Figure 5."""
    rows: list[tuple[Cell, ...]] = [(kind, *each.scores) for kind, each in validation.detected]
    mentions = Table("Mentions, exact", ("mentions", "P", "R", "F1"), (*rows, PAPER))
    return [mentions, _systems(validation, folds)]


def _systems(validation: CrossValidation, folds: int) -> Table:
    columns = ["system", "mentions"]
    for metric in METRICS[1:-1]:
        columns += [f"{metric} P", f"{metric} R", f"{metric} F1"]
    rows: list[tuple[Cell, ...]] = []
    for row in validation.rows:
        scores = row.result.scores
        cells: list[Cell] = [row.system, row.mentions]
        for metric in METRICS[1:-1]:
            each = scores[metric]
            cells += [each.precision, each.recall, each.f1]
        rows.append((*cells, scores["conll"].f1))
    signature = validation.rows[0].result.signature if validation.rows else ""
    return Table(
        f"{folds}-fold cross-validation", (*columns, "conll"), tuple(rows), text_notes(signature)
    )
