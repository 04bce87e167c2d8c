"""Builders of corpora: one module each in `builtin`, found by its name.

`protocol` states what a builder has to define; `pipeline` runs one over shards of raw text that
`sources` read.
"""

from __future__ import annotations

from typing import cast

from coindex import plugins
from coindex.builders.protocol import DEFAULTS, Builder, Dropped, ParsedPassage, Passage

__all__ = ["Builder", "Dropped", "ParsedPassage", "Passage", "load", "names"]


def names() -> tuple[str, ...]:
    """The names of all builders; nothing is imported."""
    return plugins.names("builders")


def load(name: str) -> Builder:
    """The builder of that name, with the defaults of members that it leaves out."""
    module = plugins.load("builders", name)
    for member, default in DEFAULTS.items():
        vars(module).setdefault(member, default)
    return cast(Builder, module)
