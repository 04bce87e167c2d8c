"""Scores of the teacher: dev accuracy, the test sets without answers, the unlabelled sets.

This module needs numpy and torch. It does not need coindex.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from research.pronoun_teacher.batching import prefetch, split_by_size
from research.pronoun_teacher.model import Teacher
from research.pronoun_teacher.packed_readings import PackedReadings
from research.pronoun_teacher.session import Session, read_set

Scores = NDArray[np.float32]
SELECTION_SETS = ("dpr:dev", "knowref:dev", "gap:validation", "winobias:dev", "winogrande:dev")
"""The dev sets whose mean accuracy chooses the weights."""
_PART = 30_000  # readings of an unlabelled set that are scored and written at once


@torch.no_grad()
def score_readings(
    model: Teacher, readings: PackedReadings, chosen: Iterable[int], most: int
) -> Scores:
    """The scores of all rows of some readings, in their order."""
    order = list(chosen)
    groups = list(split_by_size(readings, order, most))
    device = model.norm.device
    cast = model.norm.dtype != torch.bfloat16
    pending = []
    for group, batch in zip(groups, prefetch(readings.batch, groups), strict=True):
        with torch.autocast(device.type, torch.bfloat16, enabled=cast):
            pending.append((group, model(batch.to(device)).float()))
    by_reading: dict[int, Scores] = {}
    for group, scores in pending:
        flat, here = scores.cpu().numpy(), 0
        for at in group:
            by_reading[at] = flat[here : here + readings.counts[at]]
            here += readings.counts[at]
    return np.concatenate([by_reading[at] for at in order]) if order else np.zeros(0, np.float32)


def first_readings(readings: PackedReadings, values: NDArray[np.generic]) -> dict[int, Scores]:
    """The values of the rows of each problem's own text, without switched copies."""
    return {
        int(readings.item[at]): np.asarray(values[readings.rows[at] : readings.rows[at + 1]])
        for at in range(len(readings))
        if not readings.switched[at]
    }


def mean_readings(readings: PackedReadings, scores: Scores) -> dict[int, Scores]:
    """The scores of each problem's candidates: the mean of the text's and the switched copy's.

    The candidates of a switched copy are in reverse order.
    """
    means = first_readings(readings, scores)
    for at in range(len(readings)):
        item = int(readings.item[at])
        if readings.switched[at] and item in means:
            copy = scores[readings.rows[at] : readings.rows[at + 1]]
            means[item] = np.mean([means[item], copy[::-1]], axis=0, dtype=np.float32)
    return means


def accuracy(
    scores: Mapping[int, Scores],
    right: Mapping[int, NDArray[np.generic]],
    ids: Sequence[tuple[str, str]],
) -> dict[str, float]:
    """Accuracy in percent by set, and by the four parts of WinoBias.

    Problems without a right candidate are left out.
    """
    rows: dict[str, list[bool]] = {}
    for item, score in scores.items():
        if not right[item].any():
            continue
        corpus, id = ids[item]
        names = [corpus, id.rsplit("-", 1)[0]] if corpus.startswith("winobias") else [corpus]
        for name in names:
            rows.setdefault(name, []).append(bool(right[item][int(score.argmax())]))
    return {name: round(100 * sum(each) / len(each), 2) for name, each in sorted(rows.items())}


def evaluate_dev(session: Session, model: Teacher, name: str) -> float:
    """Score the dev sets and log their accuracy; returns the mean that chooses the weights.

    The log has the accuracy of the mean of both readings ("both") and of the first one ("one").
    """
    readings, ids = session.dev.readings, session.dev.ids
    model.eval()
    began = time.monotonic()
    scores = score_readings(model, readings, range(len(readings)), session.plan.score_subwords)
    np.savez_compressed(session.out / f"dev-{name}.npz", scores=scores.astype(np.float16))
    right = first_readings(readings, readings.right)
    both = accuracy(mean_readings(readings, scores), right, ids)
    one = accuracy(first_readings(readings, scores), right, ids)
    mean = round(sum(both[each] for each in SELECTION_SETS) / len(SELECTION_SETS), 3)
    session.log(dev=name, mean=mean, both=both, one=one, took=round(time.monotonic() - began, 1))
    return mean


def score_all(session: Session, model: Teacher) -> None:
    """Score the test sets, then the unlabelled sets of the plan.

    Unlabelled sets may arrive while the model is trained; each is waited for until the deadline.
    """
    test = read_set(session.work / "data", "test").readings
    scores = score_readings(model, test, range(len(test)), session.plan.score_subwords)
    np.savez_compressed(session.out / "test.npz", scores=scores.astype(np.float32))
    session.log(scored="test", readings=len(test))
    for name in session.plan.score:
        path = session.work / "scored" / f"{name}.npz"
        while not path.exists() and time.time() < session.plan.deadline:
            time.sleep(0.5)
        if path.exists():
            score_unlabelled(session, model, name, PackedReadings(dict(np.load(path))))


def score_unlabelled(session: Session, model: Teacher, name: str, readings: PackedReadings) -> None:
    """Score a set part by part; what was written before the deadline can be used."""
    borders = [*range(0, len(readings), _PART), len(readings)]
    for number, (first, last) in enumerate(pairwise(borders)):
        if time.time() > session.plan.deadline:
            session.log(not_scored=name, readings=len(readings) - first)
            return
        began = time.monotonic()
        chosen = range(first, last)
        scores = score_readings(model, readings, chosen, session.plan.score_subwords)
        np.savez_compressed(
            session.out / f"scored-{name}-{number:03d}.npz", scores=scores.astype(np.float16),
            item=readings.item[first:last], switched=readings.switched[first:last],
            counts=readings.counts[first:last].astype(np.uint8),
        )  # fmt: skip
        took = time.monotonic() - began
        rate = round(int(readings.lengths[first:last].sum()) / took)
        session.log(scored=name, part=number, readings=last - first, took=round(took, 1), rate=rate)
