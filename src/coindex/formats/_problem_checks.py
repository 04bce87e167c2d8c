"""What every format of problems needs: tables, errors, reasons to refuse.

A format refuses a problem that would not be the same after writing and
reading. The surest way to know is to do both, which is what `changed` does.
What a reader works out by itself is no change: a running number in place of an
id where the format has none, and the group of the pronoun where there was none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from coindex.core.problem import Problem
from coindex.core.source import Source
from coindex.errors import FormatError, InvalidValue

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
    """A piece of a file for an error message: short, on one line."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


@contextmanager
def guarded(line: int, source: Source) -> Iterator[None]:
    """Values that contradict each other are an error of the file, with its line."""
    try:
        yield
    except InvalidValue as error:
        raise source.error(line, " ".join(str(error).split())) from error
    except OverflowError as error:
        raise source.error(line, "expected places within the text, found a huge number") from error
    except RecursionError as error:
        raise source.error(line, "expected plain values, found them nested too deep") from error


def table(
    lines: Iterable[str], source: Source, headers: Sequence[tuple[str, ...]]
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table by tabs, by name; its first line is one of the headers."""
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


def header_of(head: Sequence[str]) -> tuple[str, ...]:
    """The columns of the first line that is not blank."""
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


def changed(problem: Problem, write: Write, read: Read, *, ids: bool = True) -> str | None:
    """What would not be the same after writing and reading; None if all would."""
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
        made = (field == "group" and before is None) or (field == "id" and not ids)
        if before != after and not made:
            return reason
    return None


def _lines(text: str) -> Iterator[str]:
    """The lines of a text as a file would give them: they end at `\\n` alone."""
    *lines, last = text.split("\n")
    for line in lines:
        yield f"{line}\n"
    if last:
        yield last
