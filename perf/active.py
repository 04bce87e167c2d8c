"""Training again after one more document and ranking a pool of 60: with and without caches.

`python perf/active.py`: LitBank, voting, from 10 annotated documents on.

    naive      no caches: features of all documents, all models, all predictions are computed;
               parses come from the cache on disk
    features   features are cached by document
    cached     models and predictions that cannot have changed are cached too, as in the app

Limit: cached takes at most a third of naive. Exits with 1 if it is missed.
"""

from __future__ import annotations

import sys
import time

from coindex import active, datasets, formats
from coindex.errors import CoindexError
from coindex.models.mention_pair.train import Learner, learner
from coindex.types.document import Document

POOL, START, REPEATS = 60, 10, 3
LIMIT = 1 / 3


def documents() -> list[Document]:
    """Documents of LitBank, as many as are needed."""
    found: list[Document] = []
    for path in sorted(datasets.paths("litbank", "conll")):
        found += [item for item in formats.read(path) if isinstance(item, Document)]
    unique = list({document.key: document for document in found}.values())
    return unique[: START + REPEATS + POOL]


def step(resolver: Learner, every: list[Document], known: int) -> float:
    """Seconds of one processor that a server works after one more document.

    All of it runs on one thread; processor time does not depend on what else is running.
    """
    start = time.process_time()
    resolver.train(every[:known])
    active.rank(every[-POOL:], every[:known], resolver, "voting")
    return time.process_time() - start


def measure(every: list[Document]) -> dict[str, float]:
    """The shortest of a few runs of each kind, each after another document."""
    resolver = learner(sources=("none",))
    step(resolver, every, START)
    times: dict[str, list[float]] = {"cached": [], "features": [], "naive": []}
    for known in range(START + 1, START + REPEATS + 1):
        times["cached"].append(step(resolver, every, known))
        resolver.clear(features=False)
        times["features"].append(step(resolver, every, known))
        resolver.clear()
        times["naive"].append(step(resolver, every, known))
    return {name: min(values) for name, values in times.items()}


def main() -> int:
    try:
        best = measure(documents())
    except CoindexError as error:
        print(f"skipped: {error}")
        return 0
    for name, seconds in best.items():
        print(f"{name:9} {seconds:6.2f} s  {seconds / best['naive']:.3f} of naive")
    missed = best["cached"] > LIMIT * best["naive"]
    print(f"cached / naive: {best['cached'] / best['naive']:.3f}, at most {LIMIT:.3f}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
