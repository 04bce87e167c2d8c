"""GAP: a table of Wikipedia passages, each with a pronoun and two names.

    ID  Text  Pronoun  Pronoun-offset  A  A-offset  A-coref  B  B-offset  B-coref  URL

Columns are separated by tabs, offsets count characters. A is right, or B, or neither,
or both. If the two `coref` columns are missing or empty, the answer is not known. The
group is the gender of the pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from coindex.formats.phrase_offsets import find_all
from coindex.formats.problem_checks import (
    header_columns,
    not_flat,
    not_two,
    read_table,
    round_trip_change,
    shown,
)
from coindex.text.word_classes import pronoun_gender
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars

KIND = "problem"
SUPPORTS = frozenset({"group", "source"})

_COLUMNS = (
    *("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref"),
    *("B", "B-offset", "B-coref", "URL"),
)
_HEADERS = (_COLUMNS, tuple(name for name in _COLUMNS if "coref" not in name))
_NUMBER = re.compile(r"[0-9]{1,9}")
_ANSWERS = {"TRUE": True, "FALSE": False, "": None}


def sniff(head: Sequence[str]) -> bool:
    """The first line names the columns."""
    return header_columns(head) in _HEADERS


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The passages of a file; a wrong offset is reported as a mistake."""
    for number, row in read_table(lines, source, _HEADERS):
        target = _offsets(row, "Pronoun", number, source)
        if target is None:
            continue
        with source.errors_at(number):
            pronoun = target.of(row["Text"])
            problem = Problem(
                row["ID"],
                row["Text"],
                target,
                tuple(Candidate(row[name], _offsets(row, name, number, source)) for name in "AB"),
                _answer(row, number, source),
                pronoun_gender(pronoun),
                row["URL"] or None,
            )
        yield problem


def _offsets(row: dict[str, str], name: str, number: int, source: Source) -> Chars | None:
    """The stated offsets if the phrase is there, else those of its nearest occurrence."""
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
        actual = shown(text[stated : stated + len(phrase)])
        source.mistake(number, "offset", f"expected {shown(phrase)} at {stated}, found {actual}")
    return min(find_all(text, phrase), key=lambda chars: abs(chars.start - stated), default=None)


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
    return round_trip_change(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """The eleven columns, separated by tabs."""
    yield "\t".join(_COLUMNS) + "\n"
    for problem in items:
        fields = [problem.id, problem.text, problem.pronoun, str(problem.target.start)]
        for index, candidate in enumerate(problem.candidates):
            start = candidate.chars.start if candidate.chars else 0
            coref = "" if problem.answer is None else str(index in problem.answer).upper()
            fields += [candidate.text, str(start), coref]
        yield "\t".join([*fields, problem.source or ""]) + "\n"
