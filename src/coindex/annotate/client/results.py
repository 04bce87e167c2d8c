"""What the client returns: frozen dataclasses for what programs use most, JSON for figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

Result = TypeVar("Result")


def result_of(kind: type[Result], values: Mapping[str, Any]) -> Result:
    """Return the dataclass of a JSON object; keys that this version does not know are ignored."""
    known = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in values.items() if name in known})


@dataclass(frozen=True, slots=True)
class ProjectInfo:
    """A project; `settings` and `choices` only where one project was asked for."""

    id: int
    name: str
    kind: str
    role: str | None
    state: str = "active"
    settings: Mapping[str, Any] | None = None
    choices: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document or item in the list of a project; `until` is when a deleted one is removed."""

    id: int
    name: str
    tokens: int
    training: bool
    done: int
    open: int
    gold: bool
    state: str = "active"
    until: int | None = None
    excerpt: str | None = None


@dataclass(frozen=True, slots=True)
class AssignmentInfo:
    """One annotator's work on one document; times are milliseconds since 1970."""

    id: int
    document: int
    name: str
    purpose: str
    status: str
    revision: int
    seconds: int
    training: bool
    lease_until: int | None = None
    deadline: int | None = None
    user: int | None = None
    name_of_user: str | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a project."""

    user: int
    name: str
    role: str
    passed: int | None = None


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation: `open`, `used` or `expired`."""

    id: str
    role: str | None
    created: int
    expires: int
    state: str
    by: str | None = None
    used_by: str | None = None


@dataclass(frozen=True, slots=True)
class NextAssignment:
    """The next assignment of the token's owner; without one, the reason why."""

    sheet: int | None
    why: Mapping[str, Any] | None = None
    reason: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import made of a file: numbers, what was skipped and why, whose work it had."""

    imported: Mapping[str, int]
    skipped: list[Mapping[str, str]]
    people: list[str]


@dataclass(frozen=True, slots=True)
class WebhookInfo:
    """A webhook with its last requests."""

    id: int
    url: str
    kinds: list[str]
    created: int
    deliveries: list[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class UserInfo:
    """An account."""

    id: int
    name: str
    administrator: bool
    disabled: bool = False
    created: int | None = None
    second_factor: bool = False
