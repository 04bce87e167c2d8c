"""The plan of a training session on a GPU, its data, its log and its models.

This module needs numpy and torch. It does not need coindex.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from research.pronoun_teacher.model import ModelSize, Teacher
from research.pronoun_teacher.packed_readings import PackedReadings

TRAINING_SETS = ("train", "masked")


@dataclass(slots=True)
class TrainingPlan:
    """The settings of a session.

    seeds           one training run for each
    batch_size      readings per step
    warmup          the share of the steps in which the learning rate rises
    smoothing       label smoothing
    average         the share of the last steps whose weights are averaged, every
                    `average_every` steps
    checks          how many times a run is scored on dev, its end included
    repeat          how often the readings of a corpus are used; once if it is not named
    switched        whether the switched copies are trained on
    train_subwords, score_subwords   the most subwords of a batch, padding included
    score           the names of the unlabelled sets to score, in order
    start_before    no further seed is started after it, in seconds since 1970
    deadline        scoring stops at it, in seconds since 1970
    limit           only so many readings, for trials; 0 for all
    """

    seeds: list[int] = field(default_factory=lambda: [1])
    learning_rate: float = 8e-6
    head_learning_rate: float = 5e-5
    batch_size: int = 64
    warmup: float = 0.06
    smoothing: float = 0.05
    decay: float = 0.01
    max_norm: float = 1.0
    average: float = 0.25
    average_every: int = 10
    checks: int = 3
    repeat: dict[str, int] = field(default_factory=lambda: {"dpr:train-small": 2})
    switched: bool = True
    train_subwords: int = 12_000
    score_subwords: int = 32_000
    score: list[str] = field(default_factory=list)
    start_before: float = 4e9
    deadline: float = 4e9
    limit: int = 0


@dataclass(frozen=True, slots=True)
class ReadingSet:
    """The readings of a file, and for each of its problems the corpus and the id."""

    readings: PackedReadings
    ids: list[tuple[str, str]]


def read_set(folder: Path, name: str) -> ReadingSet:
    """The set of a name: NAME.npz and NAME.ids."""
    ids = []
    for line in (folder / f"{name}.ids").read_text().splitlines():
        corpus, _, id = line.partition("\t")
        ids.append((corpus, id))
    return ReadingSet(PackedReadings(dict(np.load(folder / f"{name}.npz"))), ids)


class Session:
    """One session on a machine: data, base weights, log.

    base        the weights of the language model; random ones if there are none
    embedding   the frozen embeddings, once a model was made
    """

    def __init__(self, work: Path, plan: TrainingPlan, size: ModelSize) -> None:
        """Read the data; the base weights are set afterwards."""
        self.work, self.plan, self.size = work, plan, size
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.started = time.monotonic()
        self.out = work / "out"
        self.out.mkdir(parents=True, exist_ok=True)
        self.train = [read_set(work / "data", name) for name in TRAINING_SETS]
        self.dev = read_set(work / "data", "dev")
        self.base: Mapping[str, Tensor] = {}
        self.embedding: Tensor | None = None

    def log(self, **row: Any) -> None:
        """Append a row to the log, and print it."""
        line = json.dumps({"at": round(time.monotonic() - self.started, 1), **row})
        print(line, flush=True)  # noqa: T201
        with (self.out / "log.jsonl").open("a") as file:
            file.write(line + "\n")

    def new_model(self, seed: int) -> Teacher:
        """The language model with a new score layer."""
        torch.manual_seed(seed)
        model = Teacher(self.size)
        if self.base:
            model.load_gguf_weights(self.base)
        else:
            for value in model.parameters():
                if value.ndim > 1 and value is not model.score.weight:
                    torch.nn.init.normal_(value, std=0.02)
            model.embedding.normal_(std=0.02)
        model.to(self.device)
        self.embedding = model.embedding
        return model

    def scoring_model(self, weights: Mapping[str, Tensor]) -> Teacher:
        """A model with trained weights for scoring: 16 bits on a GPU, 32 bits on a CPU."""
        if self.embedding is None:
            raise ValueError("expected a model to be made before scoring, found none")
        model = Teacher(self.size).to(self.device)
        with torch.no_grad():
            model.embedding.copy_(self.embedding)
            for name, value in model.named_parameters():
                value.copy_(weights[name])
        model = model.bfloat16() if self.device.type == "cuda" else model.float()
        return model.eval()
