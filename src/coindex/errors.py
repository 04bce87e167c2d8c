"""The errors of coindex.

One tree: catch `CoindexError` to catch them all. The command line prints the
message on one line and exits with `exit_code`; nothing else is caught there,
so a traceback always means a bug in coindex.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any


class CoindexError(Exception):
    """The base class of all errors that coindex raises deliberately."""

    exit_code = 1


class InvalidValue(CoindexError, ValueError):
    """The values of an object contradict each other."""


class InputError(CoindexError):
    """A path cannot be read or written: it is missing, a folder, or not permitted."""


class FormatError(CoindexError):
    """A file violates the rules of its format.

    Prints as `dev.conll:412: ')' closes entity 7, which is not open`.
    """

    def __init__(self, source: str, line: int | None, message: str) -> None:
        where = source if line is None else f"{source}:{line}"
        super().__init__(f"{where}: {message}")
        self.source = source
        self.line = line
        self.message = message

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, int | None, str]]:
        return type(self), (self.source, self.line, self.message)


class UnknownName(CoindexError):
    """An unknown name; the message lists the known ones."""

    exit_code = 2

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.what, self.name, self.known = what, name, tuple(sorted(known))
        super().__init__(f"unknown {what} {name!r}; expected one of: {', '.join(self.known)}")

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, tuple[str, ...]]]:
        return type(self), (self.what, self.name, self.known)


class UsageError(CoindexError):
    """Options or arguments that cannot be combined."""

    exit_code = 2


class MissingExtra(CoindexError):
    """An optional dependency is not installed; the message has the line that installs it.

    A clone is named in the line if coindex was installed from one.
    """

    exit_code = 2

    def __init__(self, package: str, extra: str) -> None:
        from coindex.installation import this_installation

        self.package, self.extra = package, extra
        line = this_installation().install_line(extra)
        super().__init__(f"this needs {package}; install it with: {line}")

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return type(self), (self.package, self.extra)


def import_extra(module: str, extra: str, package: str = "") -> Any:
    """Import an optional dependency, or raise `MissingExtra` with the name of its package."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(package or module, extra) from error
