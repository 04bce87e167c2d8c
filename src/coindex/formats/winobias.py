"""WinoBias: numbered sentences, the pronoun and what it means in square brackets.

    1 [The developer] argued with the designer because [she] did not like it.

Only the right candidate is in brackets. The other one is the first occupation
before the pronoun that is not it (or the first at all), by the word list
`occupations`. Candidates are in the order of the text. A second pronoun in
brackets is kept as the fact `other-pronouns`. The group is the gender of the
pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from coindex.core.problem import Candidate, Problem
from coindex.core.source import Source
from coindex.core.span import Chars
from coindex.core.words import words
from coindex.formats._problem_checks import (
    changed,
    guarded,
    no_answer,
    not_flat,
    not_one_answer,
    not_two,
    shown,
)
from coindex.formats._problem_marks import OTHERS, Passage, marked, unmarked
from coindex.formats._problem_places import group_of, is_pronoun, with_determiner

KIND = "problem"
HOLDS = frozenset({"group", f"meta:{OTHERS}"})

_LINE = re.compile(r"([\w.:-]+) (.*)", re.DOTALL)
_MARK = re.compile(r"\[([^\[\]]+)\]")
_SNIFFED = 3


def sniff(head: Sequence[str]) -> bool:
    """The first lines are numbered and have two brackets, one around a pronoun."""
    first = [line.rstrip("\r\n") for line in head if line.strip()][:_SNIFFED]
    return bool(first) and all(map(_fits, first))


def _fits(line: str) -> bool:
    marks = _MARK.findall(line) if "\t" not in line and _LINE.fullmatch(line) else []
    pronouns = [mark for mark in marks if is_pronoun(mark)]
    return bool(pronouns) and len(marks) == len(pronouns) + 1


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The sentences of a file, one a line."""
    for number, line in enumerate(lines, 1):
        bare = line.rstrip("\r\n")
        if not bare.strip():
            continue
        source.begin(number)
        match = _LINE.fullmatch(bare)
        if not match:
            raise source.error(number, f"expected a number and a sentence, found {shown(bare)}")
        passage = unmarked(match[2], number, source, phrases=True)
        with guarded(number, source):
            problem = _problem(match[1], passage, number, source)
        yield problem


def _problem(id: str, passage: Passage, number: int, source: Source) -> Problem:
    text, target = passage.text, passage.target
    if len(passage.others) != 1:
        message = f"expected one candidate in square brackets, found {len(passage.others)}"
        raise source.error(number, f"{message} in {shown(text)}")
    right = passage.others[0]
    spots = [right]
    other = _other(text, right, target)
    if other is None:
        source.mistake(
            number, "candidate", f"expected a second occupation, found none in {shown(text)}"
        )
    else:
        spots = sorted([right, other])
    return Problem(
        id,
        text,
        target,
        tuple(Candidate(spot.of(text), spot) for spot in spots),
        (spots.index(right),),
        group_of(target.of(text)),
        meta=passage.facts,
    )


@cache
def _occupations() -> re.Pattern[str]:
    """Any occupation, the longest first."""
    names = sorted(words("occupations"), key=lambda name: (-len(name), name))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b", re.IGNORECASE)


def _other(text: str, right: Chars, target: Chars) -> Chars | None:
    """The place of the other candidate: an occupation that is not the right one."""
    same = {match[0].lower() for match in _occupations().finditer(right.of(text))}
    spots = [
        with_determiner(text, Chars(*match.span()))
        for match in _occupations().finditer(text)
        if match[0].lower() not in same
    ]
    apart = [spot for spot in spots if spot.end <= right.start or right.end <= spot.start]
    before = [spot for spot in apart if spot.end <= target.start]
    return next(iter(before or apart), None)


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    reason = not_two(problem) or no_answer(problem) or not_one_answer(problem) or not_flat(problem)
    if reason:
        return reason
    if _right(problem) is None:
        return "its answer is not in the text"
    return changed(problem, write, read)


def _right(problem: Problem) -> Chars | None:
    return problem.candidates[problem.answer[0]].chars if problem.answer else None


def write(items: Iterable[Problem]) -> Iterator[str]:
    """One line a sentence."""
    for problem in items:
        right = _right(problem)
        yield f"{problem.id} {marked(problem, [right] if right else [])}\n"
