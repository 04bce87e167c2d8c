"""Query strategies, a plugin family: one module each in `builtin/`."""

from __future__ import annotations

from typing import cast

from coindex import plugins
from coindex.active.strategies.protocol import Strategy
from coindex.errors import UnknownName


def names() -> tuple[str, ...]:
    """The names of all strategies."""
    return plugins.names("strategies")


def load(name: str) -> Strategy:
    """A strategy by its name."""
    if name not in names():
        raise UnknownName("strategy", name, names())
    return cast("Strategy", plugins.load("strategies", name))
