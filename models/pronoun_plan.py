"""Writes the plan of the pronoun models: `python models/pronoun_plan.py > plan.json`.

The seconds are those of one H200 with eight jobs at a time.
"""

from __future__ import annotations

import itertools
import json
from typing import Any

RATES = ("3e-5", "1e-5", "5e-6", "3e-6")
SEEDS = (1, 2, 3)
STARTS = {"plain": "lm-head", "wikicrem": "wikicrem-{}"}
MARGIN = ["stage.1.alpha=5.0", "stage.1.beta=0.4"]
CHOSEN = ["stage.1.rate=5e-6", "stage.1.head_rate=5e-6", *MARGIN]
"""The best point of the paper's grid on held-out WikiCREM: `pronoun/grid.json`. Scenarios B and C
keep its margin and choose the rate, each start for itself; GAP takes that of both together."""


def rate(value: str) -> list[str]:
    """One rate for encoder and head, as in the paper."""
    return [f"stage.1.rate={value}", f"stage.1.head_rate={value}"]


def job(name: str, recipe: str, takes: int, **more: Any) -> dict[str, Any]:
    """One job."""
    return {"name": name, "recipe": recipe, "takes": takes, **more}


def grid() -> list[dict[str, Any]]:
    """The paper's grid, on 6,400 items; it was run once, so `everything` leaves it out."""
    found = []
    for number, value in enumerate(RATES):
        points = [
            [*rate(value), f"stage.1.alpha={alpha}", f"stage.1.beta={beta}"]
            for alpha, beta in itertools.product(("5.0", "10.0", "20.0"), ("0.1", "0.2", "0.4"))
        ]
        few = ["stage.1.most=6400", "stage.1.parts=1"]
        found.append(job(f"grid-{number}", "wikicrem", 180, start="lm-head", set=few, grid=points))
    return found


def masked() -> list[dict[str, Any]]:
    """WikiCREM's models: scenario A and its control, then B and C."""
    found = []
    for name, seed in itertools.product(("wikicrem", "randomwiki"), SEEDS):
        more = {"seed": seed, "start": "lm-head", "set": ["stage.1.parts=4", *CHOSEN]}
        found.append(job(f"{name}-{seed}", name, 200, **more))
    for name, (way, start) in itertools.product(("dpr", "all"), STARTS.items()):
        points = [[*rate(value), *MARGIN] for value in RATES]
        start = start.format(1)
        found.append(job(f"grid-{name}-{way}", name, 150, start=start, grid=points))
    for name, seed in itertools.product(("dpr", "gap", "all"), SEEDS):
        for way, start in STARTS.items():
            best = [f"grid-{'dpr' if name == 'dpr' else 'all'}-{way}"]
            more = {"seed": seed, "start": start.format(seed), "best of": best}
            found.append(job(f"{name}-{way}-{seed}", name, 130, **more))
    for seed in range(1, 7):
        found.append(job(f"everything-{seed}", "everything", 400, seed=seed, start="lm-head"))
    return found


def substituted() -> list[dict[str, Any]]:
    """KnowRef's models over the encoder as trained on plain text, with and without WikiCREM.

    Three more stand on an encoder that went through the text twice.
    """
    twice = [job("lm-head2", "lm-head", 260, seed=2, start="lm-head")]
    twice += [
        job(f"twice-{seed}", "substitution", 350, seed=seed, after="lm-head2") for seed in SEEDS
    ]
    once = [
        job(f"{name}-{seed}", name, takes, seed=seed, after="lm-head")
        for name, takes in (
            ("substitution-wikicrem", 330), ("substitution", 250), ("substitution-gap", 130),
            ("substitution-gap-plain", 110),
        )
        for seed in SEEDS
    ]  # fmt: skip
    return once + twice


def early() -> list[dict[str, Any]]:
    """What needs no language model's head: the head itself, the shipped model, KnowRef alone.

    KnowRef alone waits all the same: nearly all other jobs want the head, so it goes quickly.
    """
    found = [job("lm-head", "lm-head", 200)]
    found += [
        job(f"shipped-{seed}", "shipped", 560, seed=seed, family="b", encoder="") for seed in SEEDS
    ]
    for name, seed in itertools.product(("knowref-plain", "knowref"), SEEDS):
        found.append(job(f"{name}-{seed}", name, 120, seed=seed, wait=["lm-head"]))
    for seed in SEEDS[1:]:
        found.append(job(f"head-{seed}", "lm-head", 300, seed=seed, wait=["lm-head2"]))
    return found


def everything() -> list[dict[str, Any]]:
    """All jobs; those that others wait for come first, the longest before the short ones."""
    first, masks, subs = early(), masked(), substituted()
    return [*first[:4], *masks[:3], *subs[:6], *first[4:], *masks[6:], *masks[3:6], *subs[6:]]


if __name__ == "__main__":
    print(json.dumps(everything(), indent=1))  # noqa: T201
