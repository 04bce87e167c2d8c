"""Runs of made-up systems on the benchmark `tiny`, for the tests of the page of results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from research.results.leaderboard import Leaderboard
from research.results.runs import RunMetadata, read_run, write_run

from bench_samples import ITEMS
from coindex.types.decision import Decision
from coindex.types.problem import Problem

TASK = "tiny:dev"


def right_on(*numbers: int) -> list[Decision]:
    """Right on the items with these numbers, wrong on the others."""
    return [
        Decision(each.id, (n % 2 if n in numbers else 1 - n % 2,)) for n, each in enumerate(ITEMS)
    ]


def board(folder: Path, runs: dict[tuple[str, int | None], list[Decision]]) -> Leaderboard:
    """The board of runs by system and seed, written and read again."""
    found = []
    for (system, seed), decisions in runs.items():
        path = folder / f"{system}.{seed}.json.xz"
        metadata = RunMetadata(system, "fake", seed, 1_500_000, 2.5, "a recipe", f"fake|{system}")
        write_run(path, metadata, {TASK: decisions})
        found.append(read_run(path))
    return Leaderboard(tuple(found), resamples=500)


def decided(
    rule: Callable[[Problem], tuple[int, ...]], problems: tuple[Problem, ...]
) -> list[Decision]:
    return [Decision(problem.id, rule(problem)) for problem in problems]
