"""All cases, in the order in which they are run."""

from __future__ import annotations

from fnmatch import fnmatch

from golden.case import Case
from golden.families import (
    active,
    annotate,
    bench,
    build,
    convert,
    old,
    resolve,
    score,
    tools,
    train,
)

FAMILIES = (resolve, score, convert, bench, tools, build, active, train, annotate, old)


def all_cases() -> list[Case]:
    """Every case; names are unique."""
    found = [case for family in FAMILIES for case in family.cases()]
    names = [case.name for case in found]
    assert len(set(names)) == len(names), "two cases have one name"
    return found


def chosen(pattern: str, full: bool) -> list[Case]:
    """The cases that fit a pattern such as `resolve/*`; long ones only if they are wanted."""
    return [c for c in all_cases() if fnmatch(c.name, pattern) and (full or not c.full)]
