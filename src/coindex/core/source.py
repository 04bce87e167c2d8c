"""Where lines come from, and what was found wrong with them.

A reader gets a `Source`, which names the file in errors. By default the first
mistake raises. A source that collects records each mistake the reader can get
past, so that `coindex check` lists them all. It also remembers the line of the
item being read, so that a finding about token 412 can name a line of the file.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from coindex.errors import FormatError


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with a file: which rule, where, what was expected and found."""

    rule: str
    source: str
    line: int | None
    message: str

    def __str__(self) -> str:
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        return f"{where}: {self.message} [{self.rule}]"


class Source:
    """The name of an input, and the findings made while reading it."""

    def __init__(self, name: str = "<input>", *, collect: bool = False) -> None:
        self.name = name
        self.collect = collect
        self.format: str | None = None
        self.findings: list[Finding] = []
        self._first_line = 1
        self._tokens: list[int] = []
        self._lines: list[int] = []

    def error(self, line: int | None, message: str) -> FormatError:
        """An error to raise: the reader cannot go on from here."""
        return FormatError(self.name, line, message)

    def mistake(self, line: int | None, rule: str, message: str) -> None:
        """A mistake the reader can get past: raised, unless this source collects."""
        if not self.collect:
            raise self.error(line, message)
        self.findings.append(Finding(rule, self.name, line, message))

    def note(self, line: int | None, rule: str, message: str) -> None:
        """Something odd that the reader has put right: recorded, never raised."""
        self.findings.append(Finding(rule, self.name, line, message))

    def begin(self, line: int) -> None:
        """An item begins on this line."""
        self._first_line = line
        self._tokens, self._lines = [], []

    def anchor(self, token: int, line: int) -> None:
        """From `token` on, one token stands on each line from `line` on."""
        self._tokens.append(token)
        self._lines.append(line)

    def line_of(self, token: int | None) -> int:
        """The line of a token of the current item; of the item for None."""
        at = -1 if token is None else bisect_right(self._tokens, token) - 1
        if token is None or at < 0:
            return self._first_line
        return self._lines[at] + token - self._tokens[at]
