"""A whole simulation: all seeds, in this process or in several, resumed from its folder."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from hashlib import sha256
from pathlib import Path
from typing import Any

from coindex import __version__
from coindex.active._journal import Journal, Row
from coindex.active._plan import Plan, roles
from coindex.active._simulate import Watch, simulate_seed
from coindex.active._worker import Setup, Worker
from coindex.core.document import Document
from coindex.parsing.parser import parser
from coindex.quizbowl import vectors
from coindex.quizbowl.featured import full_mark


def simulate(
    documents: Sequence[Document], plan: Plan, setup: Setup | None = None, *,
    folder: Path | None = None, workers: int = 1, fresh: bool = False, watch: Watch | None = None,
) -> list[Row]:  # fmt: skip
    """The rows of all seeds, in order; with a folder, what is there already is not done again."""
    chosen = setup or Setup()
    seeds = range(1, plan.seeds + 1)
    for seed in seeds:
        roles(documents, plan, seed)  # too few documents are told before anything is trained
    journal = None
    if folder is not None:
        journal = Journal(folder)
        journal.open(told(documents, plan, chosen), fresh=fresh)
    if workers == 1:
        return _here(documents, plan, chosen, journal, watch)
    with Worker(chosen, workers) as others:
        futures = {others.simulate(documents, plan, seed, journal): seed for seed in seeds}
        left = set(futures)
        while left:
            _, left = wait(left, return_when=FIRST_COMPLETED)
            if watch:
                watch("seeds", len(futures) - len(left), len(futures))
        by_seed = {seed: future.result() for future, seed in futures.items()}
    return [row for seed in seeds for row in by_seed[seed]]


def _here(
    documents: Sequence[Document], plan: Plan, setup: Setup, journal: Journal | None,
    watch: Watch | None,
) -> list[Row]:  # fmt: skip
    resolver = setup.learner()
    rows: list[Row] = []
    for seed in range(1, plan.seeds + 1):

        def tell(name: str, done: int, total: int, seed: int = seed) -> None:
            if watch:
                watch(f"seed {seed}, {name}", done, total)

        rows += simulate_seed(documents, resolver, plan, seed, journal, tell)
    return rows


def told(documents: Sequence[Document], plan: Plan, setup: Setup) -> dict[str, Any]:
    """All that a simulation depends on."""
    marks = "".join(sorted(map(full_mark, documents)))
    return {
        "plan": plan.as_json(),
        "resolver": {
            "name": "quizbowl",
            "config": setup.config.as_json(),
            "vectors": [each.facts.sha256 for each in map(vectors.load, setup.vectors) if each],
            "pipeline": parser(setup.pipeline, cache=False).signature,
        },
        "documents": {"count": len(documents), "sha256": sha256(marks.encode()).hexdigest()},
        "version": __version__,
    }
