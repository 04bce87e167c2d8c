"""The offsets of a phrase in a passage, by a rule that readers and writers share.

Some corpora give the pronoun and the candidates by their words only. A phrase is
searched for as written, then ignoring case, always at word boundaries and with any
white space between its words; then without its determiner. The pronoun is the first
occurrence after the candidates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coindex.formats.problem_checks import shown
from coindex.text.word_classes import determiners, is_third_person_pronoun
from coindex.types.mention import Pairs
from coindex.types.problem import Problem
from coindex.types.source import Source
from coindex.types.span import Chars

_WORD_BEFORE = re.compile(r"(\w+)\s+\Z")


def find_all(text: str, phrase: str) -> list[Chars]:
    """The offsets of every occurrence of a phrase: as written, or else ignoring case."""
    return _occurrences(text, phrase, 0) or _occurrences(text, phrase, re.IGNORECASE)


def _occurrences(text: str, phrase: str, flags: int) -> list[Chars]:
    words = phrase.split()
    if not words:
        return []
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
    return [Chars(*match.span()) for match in re.finditer(pattern, text, flags)]


def find(text: str, phrase: str) -> Chars | None:
    """The first occurrence of a phrase, with or without its determiner."""
    occurrences = find_all(text, phrase)
    if occurrences:
        return occurrences[0]
    words = phrase.split()
    if len(words) < 2 or words[0].lower() not in determiners():
        return None
    occurrences = find_all(text, " ".join(words[1:]))
    return include_determiner(text, occurrences[0]) if occurrences else None


def include_determiner(text: str, chars: Chars) -> Chars:
    """Some offsets, extended by the determiner before them if there is one."""
    before = _WORD_BEFORE.search(text[max(0, chars.start - 40) : chars.start])
    if before and before[1].lower() in determiners():
        return Chars(chars.start - len(before[0]), chars.end)
    return chars


def find_pronoun(text: str, pronoun: str, others: Sequence[Chars | None]) -> Chars | None:
    """The first occurrence of the pronoun after the candidates, or after most of them."""
    taken = [chars for chars in others if chars is not None]
    occurrences = find_all(text, pronoun)
    free = [
        chars
        for chars in occurrences
        if not any(chars.start < other.end and other.start < chars.end for other in taken)
    ]
    for end in sorted((chars.end for chars in taken), reverse=True):
        for chars in free:
            if chars.start >= end:
                return chars
    return next(iter(free or occurrences), None)


OTHER_PRONOUNS = "other-pronouns"
"""The key in `meta` for the offsets of further bracketed pronouns."""

_MARK = re.compile(r"\[([^\[\]]*)\]")
_RANGES = re.compile(r"[0-9]{1,9}-[0-9]{1,9}( [0-9]{1,9}-[0-9]{1,9})*")


@dataclass(frozen=True, slots=True)
class BracketedPassage:
    """A text without its brackets: the pronoun, other bracketed phrases, metadata."""

    text: str
    target: Chars
    others: tuple[Chars, ...]
    meta: Pairs


def remove_brackets(
    sentence: str, line: int, source: Source, *, phrases: bool = False
) -> BracketedPassage:
    """A sentence without the brackets around its pronouns, and with `phrases` around phrases."""
    marks = list(_MARK.finditer(sentence))
    pronouns = [mark for mark in marks if is_third_person_pronoun(mark[1].strip())]
    if not pronouns and not phrases and len(marks) == 1:
        pronouns = marks
    if not pronouns or not pronouns[0][1].strip():
        raise source.error(
            line, f"expected a pronoun in square brackets, found none in {shown(sentence)}"
        )
    taken = marks if phrases else pronouns
    text, offsets = _without(sentence, taken)
    targets = [offsets[taken.index(mark)] for mark in pronouns]
    others = tuple(chars for chars in offsets if chars not in targets)
    ranges = " ".join(f"{chars.start}-{chars.end}" for chars in targets[1:])
    return BracketedPassage(text, targets[0], others, ((OTHER_PRONOUNS, ranges),) if ranges else ())


def _without(sentence: str, marks: Sequence[re.Match[str]]) -> tuple[str, list[Chars]]:
    """The sentence without some brackets, and the offsets of their contents."""
    parts: list[str] = []
    offsets = []
    at = length = 0
    for mark in marks:
        parts += [sentence[at : mark.start()], mark[1]]
        start = length + mark.start() - at
        length = start + len(mark[1])
        at = mark.end()
        lead = len(mark[1]) - len(mark[1].lstrip())
        offsets.append(Chars(start + lead, start + max(lead, len(mark[1].rstrip()))))
    return "".join([*parts, sentence[at:]]), offsets


def add_brackets(problem: Problem, phrases: Sequence[Chars] = ()) -> str:
    """The text of a problem with brackets around its pronouns, and around phrases."""
    text = problem.text
    for chars in sorted([problem.target, *_others(problem), *phrases], reverse=True):
        text = f"{text[: chars.start]}[{text[chars.start : chars.end]}]{text[chars.end :]}"
    return text


def _others(problem: Problem) -> list[Chars]:
    ranges = problem.meta_value(OTHER_PRONOUNS) or ""
    if not _RANGES.fullmatch(ranges):
        return []
    pairs = (each.split("-") for each in ranges.split(" "))
    return [Chars(int(start), int(end)) for start, end in pairs if int(start) <= int(end)]
