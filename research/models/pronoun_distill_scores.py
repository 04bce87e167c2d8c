"""The scores of a model on prepared sets, and its accuracy on dev, for `pronoun_distill`.

One: the problem as it is. Both: the mean of that and its switched copy, where there is one. Rule:
both if all candidates are names, else one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from research.models.packed_rows import PackedRows, Vocabulary, load_arrays

if TYPE_CHECKING:
    from coindex.models.pronoun.substitution import Substitution

WAYS = ("one", "both", "rule")
SWITCHED = ":switched"
_MAX_SUBWORDS = 65_536
Values = NDArray[np.float32]


class PreparedSets:
    """The sets of `pronoun_distill_data`, by label."""

    def __init__(self, folder: Path) -> None:
        """Read them."""
        arrays = load_arrays(folder / "sets.npz.xz")
        metadata = json.loads((folder / "sets.json").read_text())
        self.parts: dict[str, list[str]] = metadata["parts"]
        own: dict[str, dict[str, NDArray[Any]]] = defaultdict(dict)
        for key, value in arrays.items():
            label, _, name = key.partition("|")
            own[label][name] = value
        self.sets = {label: PackedRows(each) for label, each in own.items()}

    @property
    def dev(self) -> list[str]:
        """The labels of the sets with answers, and of their copies."""
        return [label for label, each in self.sets.items() if each.target.any()]

    @property
    def test(self) -> list[str]:
        """The labels of all others."""
        return [label for label, each in self.sets.items() if not each.target.any()]

    def subwords(self, labels: Iterable[str]) -> int:
        """The subwords of all rows of some sets."""
        return int(sum(self.sets[label].costs.sum() for label in labels))

    def shorten(self, few: int) -> None:
        """Only so many problems of each set and their copies, for trials."""
        for label, each in self.sets.items():
            kept = np.flatnonzero(each.item < few)
            self.sets[label] = each.part(kept)


@torch.no_grad()
def score_set(model: Substitution, packed: PackedRows, vocabulary: Vocabulary) -> list[Values]:
    """The scores of the candidates of each problem of a set, in order."""
    model.eval()
    device = next(model.parameters()).device
    scores = [np.zeros(0, np.float32) for _ in range(len(packed))]
    order = [int(at) for at in np.argsort(packed.lengths, kind="stable") if packed.counts[at]]
    start = 0
    while start < len(order):
        stop, rows = start, 0
        while stop < len(order):
            rows += int(packed.counts[order[stop]])
            if stop > start and rows * packed.lengths[order[stop]] > _MAX_SUBWORDS:
                break
            stop += 1
        chosen = order[start:stop]
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            flat = model.scores(packed.batch(chosen, vocabulary, device)).cpu().numpy()
        ends = np.cumsum(packed.counts[chosen])
        for at, own in zip(chosen, np.split(flat, ends[:-1]), strict=True):
            scores[at] = own
        start = stop
    return scores


def score_sets(
    model: Substitution, sets: PreparedSets, labels: Iterable[str], vocabulary: Vocabulary
) -> dict[str, list[Values]]:
    """The scores of several sets."""
    return {label: score_set(model, sets.sets[label], vocabulary) for label in labels}


def three_ways(
    own: Sequence[Values], packed: PackedRows, copies: Mapping[int, Values]
) -> list[tuple[Values, Values, Values]]:
    """The scores of each problem by one reading, by both and by the rule."""
    rows = []
    for number, names, one in zip(packed.item, packed.group % 2, own, strict=True):
        copy = copies.get(int(number))
        both = one
        if copy is not None and len(one) == 2:
            both = np.mean([one, copy[::-1]], 0, dtype=np.float32)
        rows.append((one, both, both if names else one))
    return rows


def dev_accuracy(
    sets: PreparedSets, scores: Mapping[str, Sequence[Values]]
) -> dict[str, dict[str, float]]:
    """Accuracy in percent by set and way, without problems of which no candidate is right.

    WinoBias is also given by type and side; "mean" is that of the sets, WinoBias as one.
    """
    figures: dict[str, dict[str, float]] = {}
    for label in (each for each in scores if not each.endswith(SWITCHED)):
        packed = sets.sets[label]
        other = label + SWITCHED
        copies = dict(
            zip(map(int, sets.sets[other].item), scores[other], strict=True)
            if other in scores
            else ()
        )
        hits: dict[str, list[tuple[bool, ...]]] = defaultdict(list)
        ways = three_ways(scores[label], packed, copies)
        for at, each in enumerate(ways):
            right = packed.target[packed.rows[at] : packed.rows[at + 1]] > 0
            if not right.any() or right.all():
                continue
            row = tuple(bool(right[int(one.argmax())]) for one in each)
            hits[label].append(row)
            part = sets.parts[label][int(packed.group[at]) // 2]
            if part:
                hits[f"{label} {part}"].append(row)
        for name, rows in sorted(hits.items()):
            shares = (round(100 * float(np.mean(way)), 2) for way in zip(*rows, strict=True))
            figures[name] = dict(zip(WAYS, shares, strict=True))
    whole = [each for name, each in figures.items() if " " not in name]
    figures["mean"] = {way: round(float(np.mean([each[way] for each in whole])), 2) for way in WAYS}
    return figures


def write_scores(path: Path, scores: Mapping[str, Sequence[Values]]) -> None:
    """Write scores by set, as `pronoun_scores` reads them."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, rows in scores.items():
        arrays[name] = np.concatenate([*rows, np.zeros(0, np.float32)]).astype(np.float32)
        arrays[f"{name}|counts"] = np.array([len(row) for row in rows], np.int32)
    np.savez_compressed(path, allow_pickle=False, **arrays)
