"""Shared code of the formats of problems: tables, errors, reasons to refuse a problem.

A format refuses a problem that would not be the same after writing and reading, which
`round_trip_change` tests by doing both. What a reader derives is not a change: a
running number if the format has no ids, and the group of the pronoun if there was none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from coindex.errors import FormatError
from coindex.types.problem import Problem
from coindex.types.source import Source

Read = Callable[[Iterable[str], Source], Iterator[Problem]]
Write = Callable[[Iterable[Problem]], Iterator[str]]

_CHANGES = {
    "text": "its text would be read differently",
    "target": "its pronoun would be found at another place",
    "candidates": "a candidate would be found at another place, or not at all",
    "answer": "its answer would be read differently",
    "source": "its source would be read differently",
    "meta": "its facts would be read differently",
    "id": "its id would be read differently",
    "group": "its group is not that of its pronoun",
}


def shown(text: str) -> str:
    """A part of a file for an error message: short, on one line."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def read_table(
    lines: Iterable[str], source: Source, headers: Sequence[tuple[str, ...]]
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a tab-separated table, by column name; its first line is a known header."""
    names: tuple[str, ...] = ()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        fields = tuple(line.rstrip("\r\n").split("\t"))
        if not names:
            if fields not in headers:
                expected = " ".join(headers[0])
                raise source.error(
                    number, f"expected the columns {expected}, found {shown(' '.join(fields))}"
                )
            names = fields
            continue
        source.begin(number)
        if len(fields) != len(names):
            message = f"expected {len(names)} columns, found {len(fields)}"
            source.mistake(number, "columns", message)
            continue
        yield number, dict(zip(names, fields, strict=True))


def header_columns(head: Sequence[str]) -> tuple[str, ...]:
    """The fields of the first line that is not blank."""
    first = next((line for line in head if line.strip()), "")
    return tuple(first.rstrip("\r\n").split("\t"))


def not_two(problem: Problem) -> str | None:
    """A reason to refuse a problem in a format for two candidates."""
    count = len(problem.candidates)
    return None if count == 2 else f"it has {count} candidate{'s'[: count != 1]}, not two"


def not_one_answer(problem: Problem) -> str | None:
    """A reason to refuse a problem in a format for one right candidate, or unknown."""
    if problem.answer is None or len(problem.answer) == 1:
        return None
    return "several candidates are right" if problem.answer else "none of the candidates is right"


def no_answer(problem: Problem) -> str | None:
    """A reason to refuse a problem in a format where the answer must be known."""
    return "its answer is not known" if problem.answer is None else None


def not_flat(problem: Problem) -> str | None:
    """A reason to refuse a problem in a format of lines and columns."""
    values = [problem.id, problem.text, problem.source or ""]
    values += [candidate.text for candidate in problem.candidates]
    values += [value for _, value in problem.meta]
    if any(char in value for value in values for char in "\t\n\r"):
        return "a tab or a line break in it"
    return None


def round_trip_change(
    problem: Problem, write: Write, read: Read, *, ids: bool = True
) -> str | None:
    """What would change by writing and reading; None if nothing would."""
    text = "".join(write([problem]))
    try:
        text.encode("utf-8")
        back = list(read(_lines(text), Source()))
    except UnicodeEncodeError:
        return "it holds half a character (a lone surrogate)"
    except FormatError:
        return "it could not be read again"
    if len(back) != 1:
        return "it would be read as something else"
    for field, reason in _CHANGES.items():
        before, after = getattr(problem, field), getattr(back[0], field)
        derived = (field == "group" and before is None) or (field == "id" and not ids)
        if before != after and not derived:
            return reason
    return None


def _lines(text: str) -> Iterator[str]:
    """The lines of a text as in a file: they end at `\\n` only."""
    *lines, last = text.split("\n")
    for line in lines:
        yield f"{line}\n"
    if last:
        yield last
