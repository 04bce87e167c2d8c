"""`Source`: the file that a reader reads, and the problems found in it.

A reader receives a `Source` with the lines of a file, and reports problems to it. By default
the first problem raises `FormatError`. With `collect` the source records each problem after
which reading can continue, so that `coindex check` lists them all. It also maps the tokens of
the current item to lines of the file, so that a problem with token 412 can name its line.

With `lenient` the problems that `REPAIRS` names are repaired, and recorded as notes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from coindex.errors import FormatError, InvalidValue

REPAIRS = {
    "unbalanced": "the bracket is left out",
    "brackets": "the cell is read as empty",
    "crossing": "the later mention is left out",
    "end": "the document ends here",
}
"""The rules whose violations a lenient source repairs, and how."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in a file: the rule it violates, its line, what was expected and found."""

    rule: str
    source: str
    line: int | None
    message: str

    def __str__(self) -> str:
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        return f"{where}: {self.message} [{self.rule}]"


class Source:
    """An input file while it is read.

    name      the file's name in messages
    collect   record problems instead of raising at the first
    response  whether the file is a system's output: predictions are read where the file
              holds them beside the gold annotation
    clusters  the field to read clusters from, in formats that have several
    chosen    whether the reader has used `clusters`
    field     the field that the reader has chosen itself, once it is known
    unnamed   whether the documents have no ids of their own
    lenient   repair the problems that can be repaired, and record them
    format    the format of the file, once it is known
    findings  the problems recorded so far
    """

    def __init__(
        self,
        name: str = "<input>",
        *,
        collect: bool = False,
        response: bool = False,
        clusters: str | None = None,
        lenient: bool = False,
    ) -> None:
        self.name = name
        self.collect = collect
        self.lenient = lenient
        self.response = response
        self.clusters = clusters
        self.chosen = False
        self.field: str | None = None
        self.unnamed = False
        self.format: str | None = None
        self.findings: list[Finding] = []
        self._first_line = 1
        self._tokens: list[int] = []
        self._lines: list[int] = []

    def error(self, line: int | None, message: str) -> FormatError:
        """The error to raise where reading cannot continue."""
        return FormatError(self.name, line, message)

    @contextmanager
    def errors_at(self, line: int) -> Iterator[None]:
        """Report values that contradict each other as an error at a line of the file."""
        try:
            yield
        except InvalidValue as error:
            raise self.error(line, " ".join(str(error).split())) from error
        except OverflowError as error:
            message = "expected places within the text, found a huge number"
            raise self.error(line, message) from error
        except RecursionError as error:
            message = "expected plain values, found them nested too deep"
            raise self.error(line, message) from error

    def mistake(self, line: int | None, rule: str, message: str) -> None:
        """Report a problem after which reading can continue.

        It is raised, or recorded with `collect`, or with `lenient` if `REPAIRS` names its rule.
        """
        if self.lenient and rule in REPAIRS:
            message = f"{message}; {REPAIRS[rule]}"
        elif not self.collect:
            raise self.error(line, message)
        self.findings.append(Finding(rule, self.name, line, message))

    def note(self, line: int | None, rule: str, message: str) -> None:
        """Report an irregularity that the reader has corrected: recorded, never raised."""
        self.findings.append(Finding(rule, self.name, line, message))

    def note_once(self, line: int | None, rule: str, message: str) -> None:
        """Report an irregularity of the whole file: recorded at its first occurrence."""
        if all(finding.rule != rule for finding in self.findings):
            self.note(line, rule, message)

    def begin(self, line: int) -> None:
        """Begin a new item, at its first line."""
        self._first_line = line
        self._tokens, self._lines = [], []

    def anchor(self, token: int, line: int) -> None:
        """Declare that the tokens from `token` on are on the lines from `line` on, one per line."""
        self._tokens.append(token)
        self._lines.append(line)

    def line_of(self, token: int | None) -> int:
        """The line of a token of the current item, or the first line of the item for None."""
        at = -1 if token is None else bisect_right(self._tokens, token) - 1
        if token is None or at < 0:
            return self._first_line
        return self._lines[at] + token - self._tokens[at]
