"""Benchmarks of made-up problems, and resolvers that are found by their names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from audit_samples import Oracle, sample_benchmarks
from coindex import benchmarks
from plugin_fixtures import Add, add, cache

__all__ = ["add", "cache"]


@pytest.fixture
def small_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    """The four benchmarks of an audit, with made-up problems."""
    for name, problems in sample_benchmarks().items():
        monkeypatch.setattr(benchmarks.load(name), "problems", lambda split, each=problems: each)


@pytest.fixture
def resolver(add: Add) -> Callable[[str, Oracle], str]:
    """Makes a double a resolver with a name, which is returned."""

    def make(name: str, double: Oracle) -> str:
        add("resolvers", name, load=lambda settings: double, CONTEXT="snippet", ABOUT=name)
        return name

    return make
