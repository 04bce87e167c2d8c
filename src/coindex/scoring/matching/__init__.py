"""Matching rules: when a response mention is the same as a key mention. One module each.

A rule works for every metric, so every metric has a minimum-span variant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from coindex import plugins

if TYPE_CHECKING:
    from coindex.scoring.matching.protocol import MatchingRule


def names() -> tuple[str, ...]:
    """The names of all matching rules, sorted."""
    return plugins.names("matching")


def in_order() -> tuple[str, ...]:
    """The names of all matching rules, in their order of display."""
    return tuple(sorted(names(), key=lambda name: (load(name).ORDER, name)))


def load(name: str) -> MatchingRule:
    """A matching rule by its name.

    A rule of another package may define `pair` only: its title is then its name, it is shown last,
    and rankings do not use it.
    """
    module = plugins.load("matching", name)
    for member, default in (
        ("TITLE", name),
        ("ORDER", 1000),
        ("IN_RANKINGS", False),
        ("REVISION", 1),
    ):
        vars(module).setdefault(member, default)
    return cast("MatchingRule", module)


def describe(name: str) -> str:
    """A rule in signatures: its name, and its revision from the second on (`mina.2`)."""
    revision = load(name).REVISION
    return name if revision == 1 else f"{name}.{revision}"
