"""The contract of matching rules: when a response mention is the same as a key mention."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from coindex.types.document import Document
    from coindex.types.mention import Mention

Identify = Callable[["Mention"], Hashable]
"""Turns a mention into an identity; mentions match if their identities are equal."""


class MatchingRule(Protocol):
    """What the module of a matching rule defines.

    TITLE        the name of the rule in tables
    ORDER        its position among the rules; rules of equal order are sorted by name
    IN_RANKINGS  whether several responses to a key with parse trees are ranked under it, unless
                 the user names other rules
    REVISION     1, and one more whenever results of the rule change; signatures have it from 2
    """

    TITLE: str
    ORDER: int
    IN_RANKINGS: bool
    REVISION: int

    def pair(self, key: Document, response: Document) -> tuple[Identify, Identify]:
        """How to identify the mentions of the key, and those of the response."""
        ...
