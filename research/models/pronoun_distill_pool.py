"""The settings and the training data of `pronoun_distill`: labelled and unlabelled problems mixed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.models.device_session import log
from research.models.packed_rows import (
    Arrays,
    PackedRows,
    join_arrays,
    load_arrays,
    token_batches,
)

SOFT = ("names", "mixed", "nouns", "gap", "wikicrem")
"""The unlabelled sets, used as far as they are in the folder."""
TWICE = ("dpr:train-small",)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    seconds    of the whole run, with loading and scoring
    rank       of the adapters, 0 for none; bits: how the encoder's weights are rounded (`rounded_weights`)
    rate, head_rate   learning rates: of biases and norms (without adapters, of all layers); of
                      adapters and scorer
    subwords   of a step, padded
    hard       how often a problem with an answer is used while an unlabelled one is used once;
               winogrande, roles: the same for WinoGrande and for sentences with two roles; those of
               `TWICE` are used twice as often
    temperature, smoothing   as in `coindex.models.pronoun.recipe.Stage`
    average    the share of the run, at its end, whose weights are averaged
    few        use only so many items, for trials; steps: the most steps, 0 for as time allows
    score_few  score only so many problems of each set, 0 for all
    """

    seconds: float
    rank: int = 64
    bits: str = ""
    rate: float = 1e-4
    head_rate: float = 5e-4
    subwords: int = 16_384
    hard: float = 2.0
    winogrande: float = 2.0
    roles: float = 1.0
    temperature: float = 1.0
    smoothing: float = 0.05
    warmup: float = 0.06
    average: float = 0.3
    decay: float = 0.01
    clip: float = 1.0
    seed: int = 1
    few: int = 0
    steps: int = 0
    score_few: int = 0


@dataclass(frozen=True, slots=True)
class TrainingPool:
    """All readings, and how often each problem is used in a pass.

    first, copy   for each problem, its reading and that of its switched copy, -1 if it has none
    repeats       for each problem
    """

    packed: PackedRows
    first: NDArray[np.int64]
    copy: NDArray[np.int64]
    repeats: NDArray[np.float64]
    metadata: dict[str, Any]

    def batches(self, most: int, rng: np.random.Generator) -> Iterator[list[int]]:
        """Batches without end; of a problem and its copy, one is drawn each time."""
        while True:
            whole = np.floor(self.repeats + rng.random(len(self.repeats))).astype(np.int64)
            problems = np.repeat(np.arange(len(self.first)), whole)
            copy = self.copy[problems]
            use = (copy >= 0) & (rng.random(len(problems)) < 0.5)
            chosen = np.where(use, copy, self.first[problems])
            lengths, counts = self.packed.lengths[chosen], self.packed.counts[chosen]
            for batch in token_batches(lengths, counts, most, rng):
                yield [int(chosen[at]) for at in batch]


def load_pool(data: Path, settings: Settings) -> TrainingPool:
    """The training data of a folder."""
    parts: list[Arrays] = []
    groups: list[str] = []
    metadata: dict[str, Any] = {}
    items = 0
    for name in ("labelled", "roles", *SOFT):
        if not (data / f"{name}.npz.xz").is_file():
            log(f"{name}: not in {data}")
            continue
        arrays = load_arrays(data / f"{name}.npz.xz")
        if settings.few:
            arrays = _few(arrays, settings.few)
        metadata[name] = json.loads((data / f"{name}.json").read_text())
        arrays["group"] = (arrays["group"] + len(groups)).astype(np.uint8)
        groups += metadata[name]["groups"]
        arrays["item"] = arrays["item"] + items
        items = int(arrays["item"].max()) + 1
        parts.append(arrays)
    packed = PackedRows(join_arrays(parts))
    soft = np.array([group in SOFT for group in groups])
    shape_targets(packed, soft[packed.group], settings)
    return _pool(packed, groups, settings, metadata)


def _few(arrays: Arrays, few: int) -> Arrays:
    """Every so many-th reading, so that all corpora are there."""
    readings = len(arrays["item"])
    kept = np.arange(0, readings, max(readings // few, 1))
    part = PackedRows(arrays).part(kept)
    small = ("subwords", "item", "group", "switched", "before", "after", "counts", "rest")
    made = {name: getattr(part, name) for name in (*small, "start", "end", "target")}
    return {name: value.astype(arrays[name].dtype) for name, value in made.items()}


def shape_targets(packed: PackedRows, soft: NDArray[np.bool_], settings: Settings) -> None:
    """Apply temperature to the teacher's probabilities and smoothing to answers, in place."""
    owner = np.repeat(np.arange(len(packed)), packed.counts)
    target = packed.target / np.bincount(owner, packed.target)[owner]
    powers = np.power(target, 1 / settings.temperature)
    powers /= np.bincount(owner, powers)[owner]
    hard = target * (1 - settings.smoothing) + settings.smoothing / packed.counts[owner]
    packed.target = np.where(soft[owner], powers, hard).astype(np.float32)


def _pool(
    packed: PackedRows, groups: list[str], settings: Settings, metadata: dict[str, Any]
) -> TrainingPool:
    items, at = np.unique(packed.item, return_inverse=True)
    first, copy = np.full(len(items), -1), np.full(len(items), -1)
    own = np.flatnonzero(~packed.switched)
    first[at[own]] = own
    copies = np.flatnonzero(packed.switched)
    copy[at[copies]] = copies
    first = np.where(first < 0, copy, first)
    shares = [group_share(group, settings) for group in groups]
    repeats = np.array(shares)[packed.group[first]]
    counts = np.bincount(packed.group[first], minlength=len(groups))
    log(f"training: {dict(zip(groups, counts.tolist(), strict=True))}, {len(packed)} readings")
    return TrainingPool(packed, first, copy, repeats, metadata)


def group_share(group: str, settings: Settings) -> float:
    """How often a problem of a corpus is used in a pass."""
    if group in SOFT:
        return 1.0
    if group.startswith("winogrande"):
        return settings.winogrande
    if group == "roles":
        return settings.roles
    return settings.hard * (2 if group in TWICE else 1)
