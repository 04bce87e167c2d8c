"""GAP: a table of Wikipedia passages, each with a pronoun and two names.

    ID  Text  Pronoun  Pronoun-offset  A  A-offset  A-coref  B  B-offset  B-coref  URL

Columns by tabs, offsets in characters. A is right, or B, or neither, or both;
where the two `coref` columns are missing or empty the answer is not known. The
group is the gender of the pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from coindex.core.problem import Candidate, Problem
from coindex.core.source import Source
from coindex.core.span import Chars
from coindex.formats._problem_checks import (
    changed,
    guarded,
    header_of,
    not_flat,
    not_two,
    shown,
    table,
)
from coindex.formats._problem_places import group_of, places

KIND = "problem"
HOLDS = frozenset({"group", "source"})

_COLUMNS = (
    *("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref"),
    *("B", "B-offset", "B-coref", "URL"),
)
_HEADERS = (_COLUMNS, tuple(name for name in _COLUMNS if "coref" not in name))
_NUMBER = re.compile(r"[0-9]{1,9}")
_ANSWERS = {"TRUE": True, "FALSE": False, "": None}


def sniff(head: Sequence[str]) -> bool:
    """The first line names the columns."""
    return header_of(head) in _HEADERS


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The passages of a file; an offset that is wrong is a mistake."""
    for number, row in table(lines, source, _HEADERS):
        target = _place(row, "Pronoun", number, source)
        if target is None:
            continue
        with guarded(number, source):
            pronoun = target.of(row["Text"])
            problem = Problem(
                row["ID"],
                row["Text"],
                target,
                tuple(Candidate(row[name], _place(row, name, number, source)) for name in "AB"),
                _answer(row, number, source),
                group_of(pronoun),
                row["URL"] or None,
            )
        yield problem


def _place(row: dict[str, str], name: str, number: int, source: Source) -> Chars | None:
    """The stated place if the phrase stands there, else the nearest place where it does."""
    text, phrase, offset = row["Text"], row[name], row[f"{name}-offset"]
    if not phrase:
        source.mistake(number, "offset", f"expected a phrase in the column {name}, found none")
        return None
    if not _NUMBER.fullmatch(offset):
        message = f"expected a number in the column {name}-offset, found {shown(offset)}"
        source.mistake(number, "offset", message)
        stated = 0
    else:
        stated = int(offset)
        if text.startswith(phrase, stated):
            return Chars(stated, stated + len(phrase))
        found = shown(text[stated : stated + len(phrase)])
        source.mistake(number, "offset", f"expected {shown(phrase)} at {stated}, found {found}")
    return min(places(text, phrase), key=lambda place: abs(place.start - stated), default=None)


def _answer(row: dict[str, str], number: int, source: Source) -> tuple[int, ...] | None:
    answers = []
    for name in ("A-coref", "B-coref"):
        value = row.get(name, "").upper()
        if value not in _ANSWERS:
            message = f"expected TRUE or FALSE in the column {name}, found {shown(row[name])}"
            source.mistake(number, "answer", message)
        answers.append(_ANSWERS.get(value))
    if None in answers:
        return None
    return tuple(index for index, right in enumerate(answers) if right)


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    reason = not_two(problem) or not_flat(problem)
    if reason:
        return reason
    if any(candidate.chars is None for candidate in problem.candidates):
        return "a candidate is not in the text"
    return changed(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """The eleven columns, by tabs."""
    yield "\t".join(_COLUMNS) + "\n"
    for problem in items:
        fields = [problem.id, problem.text, problem.pronoun, str(problem.target.start)]
        for index, candidate in enumerate(problem.candidates):
            start = candidate.chars.start if candidate.chars else 0
            fields += [candidate.text, str(start), _told(problem.answer, index)]
        yield "\t".join([*fields, problem.source or ""]) + "\n"


def _told(answer: tuple[int, ...] | None, index: int) -> str:
    return "" if answer is None else str(index in answer).upper()
