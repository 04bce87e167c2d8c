"""What a route is: a method, a path, who may, what is sent, and the function that answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from coindex.annotate.access import LEVELS, Person
from coindex.annotate.fail import Fail
from coindex.annotate.web.schema import Schema

if TYPE_CHECKING:
    from coindex.annotate.web.services import Services

RULES = (*LEVELS, "reader", "owner")
"""Who may: a level, or for a sheet those who may read it, or its owner alone."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that has been checked: who asks, for what, with what.

    row     the project, document or sheet of the path, which this person may see
    body    JSON that fits the route's schema, or the bytes of an upload
    """

    person: Person | None
    path: Mapping[str, Any]
    query: Mapping[str, str]
    body: Any
    row: Any
    address: str

    @property
    def user(self) -> Person:
        """Who asks, on a route that is not public."""
        if self.person is None:
            raise Fail(401, "login", "log in first")
        return self.person


@dataclass(frozen=True, slots=True)
class File:
    """An answer to be saved by the browser."""

    name: str
    content: bytes
    kind: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with more than JSON: a status, or a cookie to set or to clear."""

    body: Any
    status: int = 200
    session: str | None = None
    leave: bool = False


Handler = Callable[["Services", Ask], Any]


@dataclass(frozen=True, slots=True)
class Route:
    """One line of the table of routes."""

    method: str
    path: str
    rule: str
    handler: Handler
    about: str
    body: Schema | None = None
    query: Mapping[str, Schema] = field(default_factory=dict)
    upload: bool = False

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"{self.path}: expected a rule of {RULES}, found {self.rule!r}")
