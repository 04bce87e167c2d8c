"""Benchmarks of pronoun problems: one file each, found by its name.

    bench = benchmarks.load("gap")
    problems = bench.problems("development")
    figures = bench.score(match(problems, decisions))

Each file states its data, protocol, figures, chance level and published rows. What
they share is in files that begin with an underscore.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from coindex import plugins
from coindex.benchmarks._spec import Chance, Figure, Published
from coindex.core.decision import Matched
from coindex.core.problem import Problem
from coindex.scoring.significance import RESAMPLES, SEED


class Benchmark(Protocol):
    """What a benchmark's file defines; `_spec` says what each name means."""

    TITLE: str
    CORPUS: tuple[str, ...]
    SPLITS: Mapping[str, int]
    DEFAULT: str
    CANDIDATES: tuple[str, ...]
    CONTEXTS: tuple[str, ...]
    PROTOCOL: str
    METRICS: tuple[str, ...]
    CHANCE: Chance
    PUBLISHED: tuple[Published, ...]

    def problems(self, split: str) -> tuple[Problem, ...]:
        """The problems of a split; an error where they have no answers to score against."""
        ...

    def score(
        self, matched: Matched, resamples: int = RESAMPLES, seed: int = SEED
    ) -> tuple[Figure, ...]:
        """The figures of decisions, in the order of METRICS."""
        ...


def names() -> tuple[str, ...]:
    """The benchmarks there are."""
    return plugins.names("benchmarks")


def load(name: str) -> Benchmark:
    """A benchmark by its name."""
    module: Any = plugins.load("benchmarks", name)
    return module  # type: ignore[no-any-return]
