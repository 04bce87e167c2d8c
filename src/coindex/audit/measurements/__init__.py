"""The measurements of an audit, a plugin family: one module each in `builtin/`."""

from __future__ import annotations

from typing import cast

from coindex import plugins
from coindex.audit.measurements.protocol import GROUPS, Measurement


def names() -> tuple[str, ...]:
    """The names of all measurements: group by group, then those that need a corpus first."""
    every = plugins.names("measurements")
    return tuple(sorted(every, key=lambda name: (_group(name), not load(name).BENCHMARKS, name)))


def load(name: str) -> Measurement:
    """A measurement by its name."""
    return cast("Measurement", plugins.load("measurements", name))


def _group(name: str) -> int:
    group = load(name).GROUP
    return GROUPS.index(group) if group in GROUPS else len(GROUPS)
