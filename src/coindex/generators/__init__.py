"""Generators of training documents: one module each in `builtin`, found by its name.

A generator makes new documents of annotated ones, by a change that keeps the annotation right:
other names, labels of speakers, other pronouns. `protocol` states what one has to define; `run`
applies one to the documents of corpora and keeps the account.
"""

from __future__ import annotations

from typing import cast

from coindex import plugins
from coindex.generators.protocol import Generated, Generator

__all__ = ["Generated", "Generator", "load", "names"]


def names() -> tuple[str, ...]:
    """The names of all generators; nothing is imported."""
    return plugins.names("generators")


def load(name: str) -> Generator:
    """The generator of that name."""
    return cast(Generator, plugins.load("generators", name))
