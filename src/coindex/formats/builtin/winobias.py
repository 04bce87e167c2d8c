"""WinoBias: numbered sentences, the pronoun and what it means in square brackets.

    1 [The developer] argued with the designer because [she] did not like it.

Only the right candidate is in brackets. The other candidate is the first different
occupation before the pronoun (or else anywhere), by the word list `occupations`.
Candidates are in the order of the text. The offsets of a second pronoun in brackets
are stored as the metadata `other-pronouns`. The group is the gender of the pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from coindex.formats import phrase_offsets
from coindex.formats.problem_checks import (
    no_answer,
    not_flat,
    not_one_answer,
    not_two,
    round_trip_change,
    shown,
)
from coindex.text.word_classes import is_third_person_pronoun, pronoun_gender
from coindex.text.word_lists import words
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars

KIND = "problem"
SUPPORTS = frozenset({"group", f"meta:{phrase_offsets.OTHER_PRONOUNS}"})

_LINE = re.compile(r"([\w.:-]+) (.*)", re.DOTALL)
_MARK = re.compile(r"\[([^\[\]]+)\]")
_SNIFFED = 3


def sniff(head: Sequence[str]) -> bool:
    """The first lines are numbered and have two brackets, one around a pronoun."""
    first = [line.rstrip("\r\n") for line in head if line.strip()][:_SNIFFED]
    return bool(first) and all(map(_fits, first))


def _fits(line: str) -> bool:
    marks = _MARK.findall(line) if "\t" not in line and _LINE.fullmatch(line) else []
    pronouns = [mark for mark in marks if is_third_person_pronoun(mark)]
    return bool(pronouns) and len(marks) == len(pronouns) + 1


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The sentences of a file, one per line."""
    for number, line in enumerate(lines, 1):
        bare = line.rstrip("\r\n")
        if not bare.strip():
            continue
        source.begin(number)
        match = _LINE.fullmatch(bare)
        if not match:
            raise source.error(number, f"expected a number and a sentence, found {shown(bare)}")
        passage = phrase_offsets.remove_brackets(match[2], number, source, phrases=True)
        with source.errors_at(number):
            problem = _problem(match[1], passage, number, source)
        yield problem


def _problem(
    id: str, passage: phrase_offsets.BracketedPassage, number: int, source: Source
) -> Problem:
    text, target = passage.text, passage.target
    if len(passage.others) != 1:
        message = f"expected one candidate in square brackets, found {len(passage.others)}"
        raise source.error(number, f"{message} in {shown(text)}")
    right = passage.others[0]
    ranges = [right]
    other = _other(text, right, target)
    if other is None:
        source.mistake(
            number, "candidate", f"expected a second occupation, found none in {shown(text)}"
        )
    else:
        ranges = sorted([right, other])
    return Problem(
        id,
        text,
        target,
        tuple(Candidate(chars.of(text), chars) for chars in ranges),
        (ranges.index(right),),
        pronoun_gender(target.of(text)),
        meta=passage.meta,
    )


@cache
def _occupations() -> re.Pattern[str]:
    """Any occupation, the longest first."""
    names = sorted(words("occupations"), key=lambda name: (-len(name), name))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b", re.IGNORECASE)


def _other(text: str, right: Chars, target: Chars) -> Chars | None:
    """The offsets of the other candidate: an occupation that is not the right one."""
    same = {match[0].lower() for match in _occupations().finditer(right.of(text))}
    ranges = [
        phrase_offsets.include_determiner(text, Chars(*match.span()))
        for match in _occupations().finditer(text)
        if match[0].lower() not in same
    ]
    apart = [chars for chars in ranges if chars.end <= right.start or right.end <= chars.start]
    before = [chars for chars in apart if chars.end <= target.start]
    return next(iter(before or apart), None)


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    reason = not_two(problem) or no_answer(problem) or not_one_answer(problem) or not_flat(problem)
    if reason:
        return reason
    if _right(problem) is None:
        return "its answer is not in the text"
    return round_trip_change(problem, write, read)


def _right(problem: Problem) -> Chars | None:
    return problem.candidates[problem.answer[0]].chars if problem.answer else None


def write(items: Iterable[Problem]) -> Iterator[str]:
    """One line per sentence."""
    for problem in items:
        right = _right(problem)
        yield f"{problem.id} {phrase_offsets.add_brackets(problem, [right] if right else [])}\n"
