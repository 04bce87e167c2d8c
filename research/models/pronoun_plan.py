"""The jobs of the pronoun models, and the plan as JSON: `python -m research.models.pronoun_plan`.

The seconds of a job are those of one H200 with eight jobs at a time.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

RATES = ("3e-5", "1e-5", "5e-6", "3e-6")
SEEDS = (1, 2, 3)
STARTS = {"plain": "lm-head", "wikicrem": "wikicrem-{}"}
MARGIN = ["stage.1.alpha=5.0", "stage.1.beta=0.4"]
CHOSEN = ["stage.1.rate=5e-6", "stage.1.head_rate=5e-6", *MARGIN]
"""The best point of the paper's grid on held-out WikiCREM: `pronoun/grid.json`. Scenarios B and C
keep its margin; their learning rate is chosen for each start; GAP takes that of GAP with DPR."""


@dataclass(frozen=True, slots=True)
class Job:
    """One training job.

    takes     the seconds that it needs
    changes   changes of the recipe; grid: sets of further changes, each trained in turn
    start     the job whose model it starts from; after: the masked-lm job whose encoder it uses
    encoder   a folder of encoders; empty for the one that the recipe names
    family    the family of prepared data: m for MPNet, b for BERT
    best_of   the grids whose best changes it uses; wait: jobs that must end before it starts
    """

    name: str
    recipe: str
    takes: int
    seed: int = 1
    changes: list[str] = field(default_factory=list)
    grid: list[list[str]] = field(default_factory=list)
    start: str = ""
    after: str = ""
    encoder: str = "mpnet"
    family: str = "m"
    best_of: list[str] = field(default_factory=list)
    wait: list[str] = field(default_factory=list)

    @property
    def needs(self) -> list[str]:
        """The jobs whose results it uses."""
        return [name for name in (self.start, self.after, *self.best_of) if name]


def plan_json(jobs: Iterable[Job]) -> str:
    """Jobs as JSON; `parse_plan` reads it."""
    return json.dumps([asdict(job) for job in jobs], indent=1)


def parse_plan(text: str) -> list[Job]:
    """The jobs of a plan."""
    rows: list[Mapping[str, Any]] = json.loads(text)
    return [Job(**row) for row in rows]


def learning_rate(value: str) -> list[str]:
    """The changes for one learning rate of encoder and head, as in the paper."""
    return [f"stage.1.rate={value}", f"stage.1.head_rate={value}"]


def grid_jobs() -> list[Job]:
    """The paper's grid, on 6,400 items; it was run once and is not part of `all_jobs`."""
    few = ["stage.1.most=6400", "stage.1.parts=1"]
    jobs = []
    for number, value in enumerate(RATES):
        points = [
            [*learning_rate(value), f"stage.1.alpha={alpha}", f"stage.1.beta={beta}"]
            for alpha, beta in itertools.product(("5.0", "10.0", "20.0"), ("0.1", "0.2", "0.4"))
        ]
        name = f"grid-{number}"
        jobs.append(Job(name, "wikicrem", 180, start="lm-head", changes=few, grid=points))
    return jobs


def masked_lm_jobs() -> list[Job]:
    """WikiCREM's models: scenario A and its control, then B and C."""
    jobs = []
    for name, seed in itertools.product(("wikicrem", "randomwiki"), SEEDS):
        changes = ["stage.1.parts=4", *CHOSEN]
        jobs.append(Job(f"{name}-{seed}", name, 200, seed, changes, start="lm-head"))
    for name, (way, start) in itertools.product(("dpr", "all"), STARTS.items()):
        points = [[*learning_rate(value), *MARGIN] for value in RATES]
        jobs.append(Job(f"grid-{name}-{way}", name, 150, start=start.format(1), grid=points))
    for name, seed in itertools.product(("dpr", "gap", "all"), SEEDS):
        for way, start in STARTS.items():
            grid = f"grid-{'dpr' if name == 'dpr' else 'all'}-{way}"
            begin = start.format(seed)
            jobs.append(Job(f"{name}-{way}-{seed}", name, 130, seed, start=begin, best_of=[grid]))
    for seed in range(1, 7):
        jobs.append(Job(f"everything-{seed}", "everything", 400, seed, start="lm-head"))
    return jobs


def substitution_jobs() -> list[Job]:
    """Substitution models over the encoder that was trained on plain text.

    With and without WikiCREM; three more use an encoder that read the text twice.
    """
    takes = {
        "substitution-wikicrem": 330, "substitution": 250, "substitution-gap": 130,
        "substitution-gap-plain": 110,
    }  # fmt: skip
    once = [
        Job(f"{name}-{seed}", name, seconds, seed, after="lm-head")
        for name, seconds in takes.items()
        for seed in SEEDS
    ]
    twice = [Job("lm-head2", "lm-head", 260, 2, start="lm-head")]
    twice += [Job(f"twice-{seed}", "substitution", 350, seed, after="lm-head2") for seed in SEEDS]
    return once + twice


def first_jobs() -> list[Job]:
    """Jobs that do not start from a language model's head: the head, shipped, KnowRef alone.

    KnowRef alone waits for the head all the same, since nearly all other jobs need the head.
    """
    jobs = [Job("lm-head", "lm-head", 200)]
    jobs += [
        Job(f"shipped-{seed}", "adapters", 560, seed, family="b", encoder="") for seed in SEEDS
    ]
    for name, seed in itertools.product(("knowref-plain", "knowref"), SEEDS):
        jobs.append(Job(f"{name}-{seed}", name, 120, seed, wait=["lm-head"]))
    for seed in SEEDS[1:]:
        jobs.append(Job(f"head-{seed}", "lm-head", 300, seed, wait=["lm-head2"]))
    return jobs


def all_jobs() -> list[Job]:
    """All jobs; those that others need come first, long ones before short ones."""
    first, masked, substitution = first_jobs(), masked_lm_jobs(), substitution_jobs()
    return [
        *first[:4], *masked[:3], *substitution[:6], *first[4:], *masked[6:], *masked[3:6],
        *substitution[6:],
    ]  # fmt: skip


if __name__ == "__main__":
    print(plan_json(all_jobs()))  # noqa: T201
