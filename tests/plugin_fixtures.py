"""Made-up resolvers and benchmarks that are found by their names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench_samples import Resolver, benchmark_facts, gap_like
from coindex import plugins
from coindex.benchmarks.protocol import Published
from coindex.types.problem import Problem

Add = Callable[..., ModuleType]


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Add:
    """Makes a module a plugin of a group: `add("resolvers", "mine", load=...)`."""
    known: dict[str, dict[str, str]] = {}
    before = plugins._entry_points

    def foreign(group: str) -> dict[str, str]:
        return {**before(group), **known.get(group, {})}

    monkeypatch.setattr(plugins, "_entry_points", foreign)

    def add_(group: str, name: str, **facts: Any) -> ModuleType:
        module = ModuleType(f"fake_{group}_{name}")
        module.__dict__.update({"__file__": None, **facts})
        monkeypatch.setitem(sys.modules, module.__name__, module)
        known.setdefault(group, {})[name] = module.__name__
        return module

    return add_


@pytest.fixture
def tiny(add: Add) -> ModuleType:
    """The benchmark `tiny`."""
    return add("benchmarks", "tiny", **benchmark_facts())


@pytest.fixture
def gappy(add: Add) -> ModuleType:
    """The benchmark `gappy`, scored as GAP is; candidates given or found."""
    facts = benchmark_facts()
    facts |= {
        "METRICS": ("f1", "precision", "recall", "bias"),
        "CANDIDATES": ("given", "found"),
        "PUBLISHED": (Published("Old", "S", "dev", (("f1", 50.0),), candidates="found"),),
        "score": gap_like,
    }
    return add("benchmarks", "gappy", **facts)


@pytest.fixture
def resolver(add: Add) -> Callable[..., Resolver]:
    """Makes a resolver of a rule: `resolver("mine", rule)`."""

    def make(
        name: str, rule: Callable[[Problem], tuple[int, ...]], signature: str = "fake"
    ) -> Resolver:
        made = Resolver(rule, signature)
        add("resolvers", name, load=lambda settings: made, CONTEXT="snippet", ABOUT=name)
        return made

    return make


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of this test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("COINDEX_CACHE", str(folder))
    return folder
