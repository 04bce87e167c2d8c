"""Train the teacher and score with it on a GPU: `device`.

    speed WORK        measure how fast steps and scores are, with random weights
    train WORK PLAN   train the seeds of the plan, choose weights on dev, score test and
                      unlabelled sets

WORK has data/*.npz and *.ids (`prepare`), parts/ (`weights`) and, for the unlabelled sets,
scored/*.npz, which may arrive while the model trains. Results are written under WORK/out as soon
as they exist. PLAN is a JSON file with fields of `session.TrainingPlan`. With the environment
variable TINY=1 a small model with random weights is used, for trials on a CPU; with CHECKSUM=1
the log has the sha256 of the base weights, which takes seconds. On a GPU, set
PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.

Test sets have no answers in their files, so their accuracy cannot be computed here.

The modules device, session, training, scoring, batching, model, packed_readings, measure_speed
and weights import nothing of coindex. On another machine, copy research/__init__.py and
research/pronoun_teacher/*.py with their folders, and run from the folder that has `research`:

    python -m research.pronoun_teacher.device train WORK plan.json
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor

from research.pronoun_teacher.measure_speed import measure_speed, peak_memory
from research.pronoun_teacher.model import TINY, ModelSize
from research.pronoun_teacher.scoring import evaluate_dev, score_all
from research.pronoun_teacher.session import Session, TrainingPlan
from research.pronoun_teacher.training import train
from research.pronoun_teacher.weights import checksum, join

Weights = dict[str, Tensor]


def run_session(session: Session) -> None:
    """Train every seed, choose the weights with the best mean on dev, score with them."""
    plan = session.plan
    session.log(plan=asdict(plan), torch=torch.__version__, device=str(session.device))
    candidates: dict[str, Weights] = {}
    dev: dict[str, float] = {}
    for seed in plan.seeds:
        if candidates and time.time() > plan.start_before:
            session.log(not_begun=seed)
            continue
        began = time.monotonic()
        for name, weights in _train_seed(session, seed).items():
            candidates[name] = weights
            dev[name] = evaluate_dev(session, session.scoring_model(weights), name)
        took = round(time.monotonic() - began, 1)
        session.log(trained=seed, took=took, memory=peak_memory(session.device))
        if session.device.type == "cuda":
            torch.cuda.empty_cache()
    for name, weights in seed_means(plan.seeds, candidates).items():
        candidates[name] = weights
        dev[name] = evaluate_dev(session, session.scoring_model(weights), name)
    best = max(dev, key=lambda name: dev[name])
    session.log(chosen=best, by=dev)
    score_all(session, session.scoring_model(candidates[best]))
    session.log(end=True, weights=best, sha256=bfloat16_checksum(candidates[best]))


def _train_seed(session: Session, seed: int) -> dict[str, Weights]:
    """The last weights of a run and the averaged ones, in 16 bits, by name.

    A run of very few steps has no averaged weights.
    """
    model, average = train(session, seed)
    last = {name: value.detach().bfloat16().clone() for name, value in model.named_parameters()}
    weights = {f"seed-{seed}": last}
    if average.count:
        mean = {name: value.bfloat16() for name, value in average.weights.items()}
        weights[f"seed-{seed}-mean"] = mean
    return weights


def seed_means(seeds: list[int], candidates: Mapping[str, Weights]) -> dict[str, Weights]:
    """The means over all seeds of their last weights and of their averaged weights.

    There are none if fewer than two seeds were trained.
    """
    means = {}
    for ending in ("", "-mean"):
        names = [f"seed-{seed}{ending}" for seed in seeds]
        each = [candidates[name] for name in names if name in candidates]
        if len(each) >= 2:
            means[f"soup{ending}"] = {
                key: torch.stack([weights[key].float() for weights in each]).mean(0).bfloat16()
                for key in each[0]
            }
    return means


def bfloat16_checksum(weights: Mapping[str, Tensor]) -> str:
    """One sha256 of all weights as bfloat16, in the order of their names."""
    total = hashlib.sha256()
    for name in sorted(weights):
        bits = weights[name].bfloat16().contiguous().view(torch.int16)
        total.update(bits.cpu().numpy().tobytes())
    return total.hexdigest()


def main() -> None:
    """Run the command that the arguments name."""
    torch.set_float32_matmul_precision("high")
    tiny = bool(os.environ.get("TINY"))
    size = TINY if tiny else ModelSize()
    match sys.argv[1:]:
        case ["speed", work]:
            measure_speed(Session(Path(work), TrainingPlan(), size))
        case ["train", work, file]:
            plan = TrainingPlan(**json.loads(Path(file).read_text()))
            session = Session(Path(work), plan, size)
            if not tiny:
                session.base = join(session.work / "parts")
                sums = {"sha256": checksum(session.base)} if os.environ.get("CHECKSUM") else {}
                session.log(weights=len(session.base), **sums)
            run_session(session)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
