"""The raw scores that `pronoun_device.py` brings home, as decisions of `coindex`.

    python models/pronoun_scores.py dev FOLDER NAME ...    figures on dev sets alone
    python models/pronoun_scores.py runs FOLDER PLAN.json  runs for docs/results.md, test too

NAME is a job, or several joined by `+`: the mean of their log-probabilities over candidates.
The plan names systems: [{"system", "seed", "jobs": [...], "recipe"}].
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from coindex import benchmarks
from coindex.cli._pronoun import _ways
from coindex.core.decision import Decision, match, unanswered
from coindex.core.problem import Problem
from coindex.core.switch import Refused, switch
from coindex.pronoun.asked import Asked, decided

DEV = (
    "gap:validation:given", "gap:validation:found", "dpr:dev:given", "knowref:dev:given",
    "knowref:dev:given:switched", "winogrande:dev:given", "winobias:dev:given",
)  # fmt: skip
TEST = (
    "gap:test:given", "gap:test:found", "knowref:test:given", "dpr:test:given", "wsc273:given",
    "pdp:given", "wnli:dev:given", "winogender:sentences:given", "winobias:test:given",
)  # fmt: skip


@cache
def asked_of(name: str) -> tuple[Asked, ...]:
    """The problems of a set with their phrases, as they were sent."""
    parts = name.split(":")
    switched = parts[-1] == "switched"
    way = parts[-2] if switched else parts[-1]
    bench, split = parts[0], parts[1] if parts[1] not in ("given", "found") else ""
    loaded = benchmarks.load(bench)
    problems: Sequence[Problem] = loaded.problems(split or loaded.DEFAULT)
    if switched:
        copies = [switch(problem) for problem in problems]
        problems = [each for each in copies if not isinstance(each, Refused)]
    ask = _ways(None, found=way == "found")[way]
    blind = list(ask(map(unanswered, problems)))
    return tuple(
        Asked(problem, each.phrases, each.found)
        for problem, each in zip(problems, blind, strict=True)
    )


def scores_of(folder: Path, jobs: Sequence[str], name: str) -> list[list[float]]:
    """The scores of each problem; of several jobs the mean of their log-probabilities."""
    total: list[np.ndarray] | None = None
    for job in jobs:
        told = np.load(folder / job / "scores.npz")
        flat, counts = told[name].astype(float), told[f"{name}|counts"]
        each = np.split(flat, np.cumsum(counts)[:-1])
        logs = [_logs(one) if len(jobs) > 1 else one for one in each]
        total = logs if total is None else [a + b for a, b in zip(total, logs, strict=True)]
    return [list(map(float, one)) for one in total or ()]


def _logs(scores: np.ndarray) -> np.ndarray:
    finite = np.where(np.isfinite(scores), scores, -1e9)
    top = finite - finite.max() if len(finite) else finite
    return top - np.log(np.exp(top).sum()) if len(finite) else finite


def decisions_of(
    folder: Path, jobs: Sequence[str], name: str, cut: float | None = None
) -> list[Decision]:
    """The decisions on a set."""
    told = scores_of(folder, jobs, name)
    return [decided(a, s, cut) for a, s in zip(asked_of(name), told, strict=True)]


def figures(folder: Path, jobs: Sequence[str], name: str) -> list[Any]:
    """The benchmark's figures on a set."""
    problems = [each.problem for each in asked_of(name)]
    matched = match(problems, decisions_of(folder, jobs, name))
    return list(benchmarks.load(name.partition(":")[0]).score(matched, 100))


def main() -> None:
    """See above."""
    what, folder, *rest = sys.argv[1:]
    if what == "dev":
        for entry in rest:
            row = []
            for name in DEV:
                found = figures(Path(folder), entry.split("+"), name)
                short = name.replace(":given", "")
                row.append(f"{short} {found[0].value:.1f}")
                if name.startswith("winobias"):
                    row += [f"{f.name} {f.value:.1f}" for f in found[1:] if f.value is not None]
            print(f"{entry}: {', '.join(row)}")  # noqa: T201
        return
    runs(Path(folder), json.loads(Path(rest[0]).read_text(encoding="utf-8")))


def runs(folder: Path, plan: list[dict[str, Any]]) -> None:
    """One file for each system and seed."""
    raise NotImplementedError(folder, plan)


if __name__ == "__main__":
    main()
