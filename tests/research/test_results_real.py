"""research/results.md is what the kept runs give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from research.results.attention_heads import read_heads
from research.results.leaderboard import read_leaderboard
from research.results.plan import plan_of
from research.results.runs import read_run

from coindex import io

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "research" / "models" / "pronoun"
RUNS = sorted((HOME / "runs").glob("*"))
MOST = 30_000
"""The most bytes of a run's file: they are kept for ever."""


@pytest.mark.data
def test_the_page_is_new(data: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "results"), "--check"],
        env={**os.environ, "COINDEX_DATA": str(data)},
    )
    assert done.returncode == 0, "run scripts/results"


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.name)
def test_a_run_is_small_and_named_by_what_it_is(path: Path) -> None:
    metadata = read_run(path).metadata
    seed = "" if metadata.seed is None else f".{metadata.seed}"
    assert path.name == f"{metadata.system}{seed}.json.xz"
    assert path.stat().st_size <= MOST
    told = metadata.recipe + metadata.signature
    assert not any(mark in told for mark in ("/tmp", "/work", "/home", "\\"))


def test_there_are_runs_and_each_has_a_place() -> None:
    assert RUNS
    plan = plan_of({name: io.read_text(HOME / name) for name in ("results.toml", "bars.toml")})
    known = {each.name for each in plan.system}
    assert set(read_leaderboard([HOME / "runs"]).systems) <= known
    assert len(known) == len(plan.system)


def test_heads_are_those_of_the_encoders() -> None:
    found = read_heads(io.read_text(HOME / "heads.json"), "heads.json")
    shapes = {each.encoder: (len(each.fits["found"].table), 12) for each in found}
    assert shapes == {"all-mpnet-base-v2": (12, 12), "all-MiniLM-L6-v2": (6, 12)}
