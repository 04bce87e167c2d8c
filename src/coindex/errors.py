"""Every error coindex raises on purpose.

One tree: catch `CoindexError` to catch them all. The command line prints the
message on one line and exits with `exit_code`; nothing else is caught there,
so a traceback always means a bug in coindex.
"""

from __future__ import annotations

from collections.abc import Iterable


class CoindexError(Exception):
    """The root of all errors raised on purpose."""

    exit_code = 1


class InvalidValue(CoindexError, ValueError):
    """An object was built from values that contradict each other."""


class InputError(CoindexError):
    """A path cannot be read or written: missing, a folder, not permitted."""


class FormatError(CoindexError):
    """A file does not say what its format allows.

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
    """A name that nothing answers to; the message lists those that exist."""

    exit_code = 2

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.what, self.name, self.known = what, name, tuple(sorted(known))
        super().__init__(f"unknown {what} {name!r}; expected one of: {', '.join(self.known)}")

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, tuple[str, ...]]]:
        return type(self), (self.what, self.name, self.known)


class UsageError(CoindexError):
    """Options or arguments that do not go together."""

    exit_code = 2


class MissingExtra(CoindexError):
    """An optional dependency is not installed."""

    exit_code = 2

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"this needs {package}; install it with: pip install 'coindex[{extra}]'")

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return type(self), (self.package, self.extra)
