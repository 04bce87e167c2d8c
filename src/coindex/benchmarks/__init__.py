"""Benchmarks of pronoun problems and of documents, one module each, found by its name.

    benchmark = benchmarks.load("gap")
    problems = benchmark.problems("development")
    figures = benchmark.score(match_decisions(problems, decisions))

`protocol` defines what a module states: data, protocol, figures, chance level, published rows.
"""

from __future__ import annotations

from typing import cast

from coindex import plugins
from coindex.benchmarks.protocol import Benchmark, DocumentBenchmark, Kind
from coindex.errors import UsageError


def names(kind: Kind | None = None) -> tuple[str, ...]:
    """The names of all benchmarks, or of those of "problems" or "documents"."""
    every = plugins.names("benchmarks")
    return every if kind is None else tuple(name for name in every if kind_of(name) == kind)


def kind_of(name: str) -> Kind:
    """What a benchmark consists of; a module that does not state it has problems."""
    kind: Kind = vars(plugins.load("benchmarks", name)).get("KIND", "problems")
    return kind


def load(name: str) -> Benchmark:
    """A benchmark of problems by its name."""
    return cast("Benchmark", plugins.load("benchmarks", _checked(name, "problems")))


def load_documents(name: str) -> DocumentBenchmark:
    """A benchmark of documents by its name."""
    return cast("DocumentBenchmark", plugins.load("benchmarks", _checked(name, "documents")))


def _checked(name: str, kind: Kind) -> str:
    """The name, if the benchmark is of this kind."""
    found = kind_of(name)
    if found != kind:
        known = ", ".join(names(kind))
        raise UsageError(f"{name}: expected a benchmark of {kind} ({known}), found one of {found}")
    return name
