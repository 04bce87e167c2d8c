"""Matching rules: when is a response mention the same as a key mention. One file each.

`pair(key, response)` gives two functions that turn a mention of the key, and one
of the response, into an identity; mentions match if their identities are equal.
A rule works for every metric, so each of them has a minimum-span variant.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol

from coindex import plugins
from coindex.core.document import Document
from coindex.core.mention import Mention

Identity = Callable[[Mention], Hashable]


class Matching(Protocol):
    """What a rule's file defines."""

    def pair(self, key: Document, response: Document) -> tuple[Identity, Identity]:
        """How to identify the mentions of the key, and those of the response."""
        ...


def names() -> tuple[str, ...]:
    """The rules there are."""
    return plugins.names("matching")


def load(name: str) -> Matching:
    """A rule by its name."""
    module: Any = plugins.load("matching", name)
    return module  # type: ignore[no-any-return]
