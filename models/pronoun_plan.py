"""Writes the plan of the pronoun models: `python models/pronoun_plan.py > plan.json`."""

from __future__ import annotations

import itertools
import json
from typing import Any

RATES = ("3e-5", "1e-5", "5e-6", "3e-6")
SEEDS = (1, 2, 3)


def rate(value: str) -> list[str]:
    """One rate for encoder and head, as in the paper."""
    return [f"stage.1.rate={value}", f"stage.1.head_rate={value}"]


def job(name: str, recipe: str, takes: int, **more: Any) -> dict[str, Any]:
    """One job."""
    return {"name": name, "recipe": recipe, "takes": takes, **more}


def masked() -> list[dict[str, Any]]:
    """WikiCREM's models: the paper's grid, scenario A and its control, B and C."""
    found = [job("lm-head", "lm-head", 200)]
    grids = [f"grid-{number}" for number in range(len(RATES))]
    for name, value in zip(grids, RATES, strict=True):
        points = [
            [*rate(value), f"stage.1.alpha={alpha}", f"stage.1.beta={beta}"]
            for alpha, beta in itertools.product(("5.0", "10.0", "20.0"), ("0.1", "0.2", "0.4"))
        ]
        few = ["stage.1.most=6400", "stage.1.parts=1"]
        found.append(job(name, "wikicrem", 100, start="lm-head", set=few, grid=points))
    for seed in SEEDS:
        for name in ("wikicrem", "randomwiki"):
            more = {"seed": seed, "start": "lm-head", "best of": grids}
            found.append(job(f"{name}-{seed}", name, 90, **more, set=["stage.1.parts=4"]))
    for name in ("dpr", "gap", "all"):
        points = [rate(value) for value in RATES]
        found.append(job(f"grid-{name}", name, 140, start="wikicrem-1", grid=points))
    for seed in SEEDS:
        for name in ("dpr", "gap", "all"):
            for start in ("lm-head", f"wikicrem-{seed}"):
                label = f"{name}-{'plain' if start == 'lm-head' else 'wikicrem'}-{seed}"
                more = {"seed": seed, "start": start, "best of": [f"grid-{name}"]}
                found.append(job(label, name, 70, **more))
    return found


def substituted() -> list[dict[str, Any]]:
    """KnowRef's models."""
    found = []
    for seed in SEEDS:
        found.append(job(f"knowref-plain-{seed}", "knowref-plain", 60, seed=seed))
        found.append(job(f"knowref-{seed}", "knowref", 90, seed=seed))
    for seed in SEEDS:
        found.append(job(f"substitution-{seed}", "substitution", 200, seed=seed))
        found.append(job(f"substitution-wikicrem-{seed}", "substitution-wikicrem", 270, seed=seed))
    found.append(job("substitution-lm-1", "substitution", 200, seed=1, after="wikicrem-1"))
    found.append(job("substitution-gap-1", "substitution-gap", 120, seed=1))
    return found


def shipped() -> list[dict[str, Any]]:
    """Adapters over the shipped encoder."""
    return [
        job(f"shipped-{seed}", "shipped", 150, seed=seed, family="b", encoder="shipped")
        for seed in SEEDS
    ]


if __name__ == "__main__":
    print(json.dumps([*masked(), *substituted(), *shipped()], indent=1))  # noqa: T201
