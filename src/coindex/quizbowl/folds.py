"""Cross-validation, as in the paper's Figure 5: gold, CRF and rule-based mentions.

Document n belongs to fold n mod k; each fold is answered by a system trained on the
others (and on `support`, which is never scored). All answers together are scored once,
so that every document counts once. The two baselines work on the same mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from coindex.core.document import Document
from coindex.errors import InvalidValue
from coindex.quizbowl import model as system
from coindex.quizbowl.baselines import BASELINES
from coindex.quizbowl.featured import Featured
from coindex.quizbowl.learn import Learner
from coindex.quizbowl.levels import Place
from coindex.quizbowl.model import MENTIONS, Model, places, with_entities
from coindex.scoring.run import Options, Result, score_pairs

METRICS = ("mentions", "muc", "b3", "ceafe", "conll")
OWN = "quizbowl"

Watch = Callable[[str, int, int], None]
Pair = tuple[Document, Document]


@dataclass(frozen=True, slots=True)
class Detected:
    """How well mentions were found, before any linking: exact matches."""

    matched: int
    found: int
    gold: int

    @property
    def scores(self) -> tuple[float, float, float]:
        """Precision, recall and F1 in percent; zero over zero is zero."""
        precision = 100 * self.matched / self.found if self.found else 0.0
        recall = 100 * self.matched / self.gold if self.gold else 0.0
        total = precision + recall
        return precision, recall, 2 * precision * recall / total if total else 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """One system with one kind of mentions."""

    system: str
    mentions: str
    result: Result


@dataclass(frozen=True, slots=True)
class Validation:
    """All rows, and how well each kind of mentions was found."""

    rows: tuple[Row, ...]
    detected: tuple[tuple[str, Detected], ...]

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
    folds: int = 5, seed: int = 1, watch: Watch | None = None,
) -> Validation:  # fmt: skip
    """Train and answer fold by fold, and score."""
    if not 2 <= folds <= len(documents):
        raise InvalidValue(f"folds: expected 2 up to {len(documents)} documents, found {folds}")
    check_apart([*documents, *support], "scored or trained on")
    parts = learner.store.of(documents)
    answers: dict[tuple[str, str], list[Pair]] = {}
    found: dict[str, list[tuple[list[Place], Featured]]] = {}
    for fold in range(folds):
        rest = [document for at, document in enumerate(documents) if at % folds != fold]
        trained = learner.train([*rest, *support], seed).model
        for part in parts[fold::folds]:
            _answer(trained, part, answers, found)
        if watch:
            watch("folds", fold + 1, folds)
    rows = tuple(
        Row(name, kind, score_pairs(pairs, Options(METRICS), name))
        for (name, kind), pairs in answers.items()
    )
    return Validation(rows, tuple((kind, _detected(each)) for kind, each in found.items()))


def check_apart(documents: Sequence[Document], what: str) -> None:
    """No document twice: one that was trained on would be scored, or decide a setting."""
    seen: set[str] = set()
    for document in documents:
        if document.key in seen:
            raise InvalidValue(f"expected each document once, found {document.key!r} {what} again")
        seen.add(document.key)


def _answer(
    trained: Model, part: Featured, answers: dict[tuple[str, str], list[Pair]],
    found: dict[str, list[tuple[list[Place], Featured]]],
) -> None:  # fmt: skip
    """Every system's answer on one document, with each kind of mentions."""
    least = 1 if trained.singletons else 2
    for kind in MENTIONS:
        seen = places(trained, part, kind)
        found.setdefault(kind, []).append((seen, part))
        sets = {OWN: system.entities(trained, part, seen)}
        sets |= {name: make(part, seen) for name, make in BASELINES.items()}
        for name, groups in sets.items():
            kept = [group for group in groups if len(group) >= least]
            pair = part.document, with_entities(part.document, kept)
            answers.setdefault((name, kind), []).append(pair)


def _detected(found: Sequence[tuple[list[Place], Featured]]) -> Detected:
    return Detected(
        sum(len(set(seen) & part.gold.keys()) for seen, part in found),
        sum(len(set(seen)) for seen, _ in found),
        sum(len(part.gold) for _, part in found),
    )


def with_row(
    found: Validation, name: str, key: Sequence[Document], response: Sequence[Document]
) -> Validation:
    """The same with one more system, which finds its own mentions."""
    result = score_pairs(zip(key, response, strict=True), Options(METRICS), name)
    return Validation((*found.rows, Row(name, "own", result)), found.detected)
