"""Square brackets around pronouns: taken out of a sentence, and put back.

    Ann said [she] lost [her] key.

The first bracketed pronoun is the one to resolve. Where others are in brackets
too, their places are kept as a fact: `other-pronouns`, as `19-22`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coindex.core.mention import Pairs
from coindex.core.problem import Problem
from coindex.core.source import Source
from coindex.core.span import Chars
from coindex.formats._problem_checks import shown
from coindex.formats._problem_places import is_pronoun

OTHERS = "other-pronouns"
"""The name of the fact that holds the places of further bracketed pronouns."""

_MARK = re.compile(r"\[([^\[\]]*)\]")
_PLACES = re.compile(r"[0-9]{1,9}-[0-9]{1,9}( [0-9]{1,9}-[0-9]{1,9})*")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text without its marks: the pronoun, other marked phrases, facts."""

    text: str
    target: Chars
    others: tuple[Chars, ...]
    facts: Pairs


def unmarked(sentence: str, line: int, source: Source, *, phrases: bool = False) -> Passage:
    """A sentence without the brackets of its pronouns, and of `phrases` if asked for."""
    marks = list(_MARK.finditer(sentence))
    pronouns = [mark for mark in marks if is_pronoun(mark[1].strip())]
    if not pronouns and not phrases and len(marks) == 1:
        pronouns = marks
    if not pronouns or not pronouns[0][1].strip():
        raise source.error(
            line, f"expected a pronoun in square brackets, found none in {shown(sentence)}"
        )
    taken = marks if phrases else pronouns
    text, spots = _without(sentence, taken)
    targets = [spots[taken.index(mark)] for mark in pronouns]
    others = tuple(spot for spot in spots if spot not in targets)
    told = " ".join(f"{spot.start}-{spot.end}" for spot in targets[1:])
    return Passage(text, targets[0], others, ((OTHERS, told),) if told else ())


def _without(sentence: str, marks: Sequence[re.Match[str]]) -> tuple[str, list[Chars]]:
    """The sentence without some brackets, and the places of what was in them."""
    parts: list[str] = []
    spots = []
    at = length = 0
    for mark in marks:
        parts += [sentence[at : mark.start()], mark[1]]
        start = length + mark.start() - at
        length = start + len(mark[1])
        at = mark.end()
        lead = len(mark[1]) - len(mark[1].lstrip())
        spots.append(Chars(start + lead, start + max(lead, len(mark[1].rstrip()))))
    return "".join([*parts, sentence[at:]]), spots


def marked(problem: Problem, phrases: Sequence[Chars] = ()) -> str:
    """The text of a problem with brackets around its pronouns, and around phrases."""
    text = problem.text
    for spot in sorted([problem.target, *_others(problem), *phrases], reverse=True):
        text = f"{text[: spot.start]}[{text[spot.start : spot.end]}]{text[spot.end :]}"
    return text


def _others(problem: Problem) -> list[Chars]:
    told = problem.fact(OTHERS) or ""
    if not _PLACES.fullmatch(told):
        return []
    pairs = (place.split("-") for place in told.split(" "))
    return [Chars(int(start), int(end)) for start, end in pairs if int(start) <= int(end)]
