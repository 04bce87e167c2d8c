"""Resolvers: one module each in `builtin/`, found by its name; see `protocol`.

from coindex import resolvers
resolver = resolvers.load("parallelism")
for decision in resolver.decide(problems): ...
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from coindex import plugins
from coindex.errors import InputError
from coindex.resolvers.cluster_decisions import ClusterDecider
from coindex.resolvers.protocol import (
    CANDIDATES,
    Clusterer,
    Decider,
    ResolverPlugin,
    ResolverSettings,
    nothing_missing,
)
from coindex.types.decision import Decision, unanswered
from coindex.types.problem import Problem

if TYPE_CHECKING:
    from coindex.models.pronoun.recipe import Member
    from coindex.models.pronoun.train.fit_ensemble import MemberDecisions

__all__ = [
    "CANDIDATES",
    "Clusterer",
    "Decider",
    "ResolverPlugin",
    "ResolverSettings",
    "available",
    "decider",
    "load",
    "member_decisions",
    "missing",
    "names",
    "plugin",
]


def names() -> tuple[str, ...]:
    """The names of all resolvers; nothing is imported."""
    return plugins.names("resolvers")


def plugin(name: str) -> ResolverPlugin:
    """The module of a resolver by its name, with defaults for members that it does not define.

    The defaults are for modules of other packages: no `ABOUT`, the context "snippet", and
    nothing missing.
    """
    module = plugins.load("resolvers", name)
    defaults = {"ABOUT": "", "CONTEXT": "snippet", "missing": nothing_missing}
    for member, default in defaults.items():
        vars(module).setdefault(member, default)
    return cast("ResolverPlugin", module)


def available(settings: ResolverSettings | None = None) -> Iterator[str]:
    """The names of the resolvers that could be loaded."""
    return (name for name in names() if missing(name, settings) is None)


def missing(name: str, settings: ResolverSettings | None = None) -> str | None:
    """What a resolver needs and does not have, as an error message; None if nothing."""
    return plugin(name).missing(settings or ResolverSettings())


def load(name: str, settings: ResolverSettings | None = None) -> Decider | Clusterer:
    """A resolver by its name, ready to work."""
    return plugin(name).load(settings or ResolverSettings())


def decider(name: str, settings: ResolverSettings | None = None) -> Decider:
    """A resolver by its name, to decide problems; a clusterer decides through its clusters."""
    resolver = load(name, settings)
    return resolver if isinstance(resolver, Decider) else ClusterDecider(resolver)


def member_decisions(members: Sequence[Member], pipeline: str | None = None) -> MemberDecisions:
    """How the members of an ensemble decide, for training; an `InputError` if one cannot work."""

    def settings(member: Member, candidates: str = "given") -> ResolverSettings:
        return ResolverSettings(candidates, pipeline=pipeline, model=member.model or None)

    def decide(member: Member, candidates: str, problems: Sequence[Problem]) -> list[Decision]:
        resolver = decider(member.resolver, settings(member, candidates))
        return list(resolver.decide(map(unanswered, problems)))

    for member in members:
        message = missing(member.resolver, settings(member))
        if message:
            raise InputError(message)
    return decide


def __getattr__(name: str) -> object:
    if name == "Settings":
        warnings.warn(
            "coindex.resolvers.Settings is now ResolverSettings", DeprecationWarning, stacklevel=2
        )
        return ResolverSettings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
