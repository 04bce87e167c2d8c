"""The packages that coindex needs, and those of its extras, with the versions that are installed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

_LINE = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?\s*(?:(>=|==)\s*([\w.]+))?\s*(?:;\s*(.*))?$")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")
_PYTHON = re.compile(r"python_version\s*(<|>=)\s*['\"](\d+)\.(\d+)['\"]")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A package that is needed.

    least   the least version, or the only one if it is `exact`
    found   the installed version, "" if there is none
    """

    package: str
    least: str
    exact: bool
    found: str

    @property
    def satisfied(self) -> bool:
        """Whether the package is installed, in a version that will do."""
        if not self.found:
            return False
        if not self.least:
            return True
        found, least = _numbers(self.found), _numbers(self.least)
        return found == least if self.exact else found >= least

    def __str__(self) -> str:
        if self.satisfied:
            return f"{self.package} {self.found}"
        wanted = f"{'==' if self.exact else '>='}{self.least}" if self.least else ""
        return f"{self.package}{wanted} ({f'found {self.found}' if self.found else 'missing'})"


def installed_requirements() -> dict[str, tuple[Requirement, ...]]:
    """The packages of each extra, and under "" those that coindex always needs.

    Empty where coindex is not installed as a package but runs from its source.
    """
    try:
        return parse_requirements(requires("coindex") or [])
    except PackageNotFoundError:
        return {}


def parse_requirements(lines: Iterable[str]) -> dict[str, tuple[Requirement, ...]]:
    """The lines of a package's metadata, sorted by extra; those of other Pythons are left out."""
    found: dict[str, list[Requirement]] = {"": []}
    for line in lines:
        match = _LINE.match(line.strip())
        if match is None:
            raise ValueError(f"expected a requirement such as 'click>=8.1', found {line!r}")
        package, sign, least, marker = match.groups(default="")
        extra = _EXTRA.search(marker)
        if _applies(marker):
            owner = found.setdefault(extra[1] if extra else "", [])
            owner.append(Requirement(package, least, sign == "==", installed_version(package)))
    return {extra: tuple(rows) for extra, rows in found.items()}


def installed_version(package: str) -> str:
    """The version of an installed package, or ""."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _applies(marker: str) -> bool:
    """Whether a marker's condition on the version of Python holds, if it has one."""
    match = _PYTHON.search(marker)
    if match is None:
        return True
    least = (int(match[2]), int(match[3]))
    return sys.version_info[:2] < least if match[1] == "<" else sys.version_info[:2] >= least


def _numbers(text: str) -> tuple[int, ...]:
    """The release of a version: (2, 13, 0) of 2.13.0+cpu and of 2.13.0rc1."""
    release = re.match(r"\d+(?:\.\d+)*", text)
    numbers = [int(part) for part in release[0].split(".")] if release else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
