"""Runs of made-up systems on the benchmark `tiny`, for the tests of the page of results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench_samples import ITEMS
from coindex.bench.board import Board
from coindex.bench.runs import Facts, read_run, write_run
from coindex.core.decision import Decision
from coindex.core.problem import Problem

TASK = "tiny:dev"


def right_on(*numbers: int) -> list[Decision]:
    """Right on the items with these numbers, wrong on the others."""
    return [
        Decision(each.id, (n % 2 if n in numbers else 1 - n % 2,)) for n, each in enumerate(ITEMS)
    ]


def board(folder: Path, runs: dict[tuple[str, int | None], list[Decision]]) -> Board:
    """The board of runs by system and seed, written and read again."""
    found = []
    for (system, seed), decisions in runs.items():
        path = folder / f"{system}.{seed}.json.xz"
        facts = Facts(system, "fake", seed, 1_500_000, 2.5, "a recipe", f"fake|{system}")
        write_run(path, facts, {TASK: decisions})
        found.append(read_run(path))
    return Board(tuple(found), resamples=500)


def decided(
    rule: Callable[[Problem], tuple[int, ...]], problems: tuple[Problem, ...]
) -> list[Decision]:
    return [Decision(problem.id, rule(problem)) for problem in problems]
