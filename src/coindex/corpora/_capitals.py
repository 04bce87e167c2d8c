"""Runs of words with capitals: where a person's name can stand, by patterns alone.

    When asked about [Adams]' report, [Joseph C. Ives] of the University of Utah left.

A run after an article names no person, nor does one that holds a word of `not_people`
(`Adams County`), nor a word without small letters (`NASA`), nor one in quotation marks
(the title of a film). These rules belong to the
builders themselves, not to their scans only, so that nothing is scanned out that the
full rules would take.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from coindex.core.words import labels, words

_CAPITAL = r"(?:[A-Z]\.|(?:TITLES)\.|(?!\d)[^\Wa-z_]\w*(?:[-'’](?!s\b)\w+)*)"

_BEFORE = re.compile(r"(?<!\w)(\w+)\s+\Z")
_OF = re.compile(r"(?<!\w)([A-Z]\w+) of (?:the )?\Z")
_OPEN = frozenset('"“‘')
_CLOSE = frozenset('"”’')


@dataclass(frozen=True, slots=True)
class Run:
    """Words with capitals, side by side, that may be a person's name."""

    start: int
    end: int
    words: frozenset[str]


@cache
def _pattern() -> re.Pattern[str]:
    particles = "|".join(sorted(words("name_particles")))
    titles = sorted(words("abbreviations") & words("titles"))  # Capt. Ramon
    capital = _CAPITAL.replace("TITLES", "|".join(map(str.capitalize, titles)))
    within = rf"(?:[ ](?:(?:{particles})[ ]){{0,2}}{capital})"
    return re.compile(rf"(?:\b(?P<the>[Tt]he|[Aa]n?)[ ])?(?P<run>(?<![\w.-]){capital}{within}*)")


@cache
def _no_names() -> frozenset[str]:
    return (words("not_people") - words("first_names")) | {"the"}


@cache
def _breaks() -> frozenset[str]:
    """Words of the closed classes: with a capital they only begin a sentence."""
    return frozenset(labels("function_words")) - words("first_names")


def runs(text: str) -> list[Run]:
    """The runs of a text that may be names of persons, in order."""
    found = []
    for match in _pattern().finditer(text):
        start, end = match.span("run")
        if _quoted(text, start, end):
            continue
        pieces = match["run"].split()
        article = match["the"] is not None
        while pieces and pieces[0].lower() in _breaks():  # `In London`
            article = pieces[0].lower() in ("the", "a", "an")
            start += len(pieces[0]) + 1
            pieces = pieces[1:]
        kept = frozenset(filter(_is_name_word, pieces))
        if kept and _named_after(text, start):
            continue
        if kept and not article and not _no_names().intersection(map(str.lower, pieces)):
            found.append(Run(start, end, kept))
    return found


def _named_after(text: str, start: int) -> bool:
    """Whether a run ends the name of something else: `University of [Virginia]`."""
    found = _OF.search(text, max(0, start - 30), start)
    return found is not None and found[1].lower() in _no_names()


def _quoted(text: str, start: int, end: int) -> bool:
    """Whether a run fills quotation marks: the title of a film, a word of another language."""
    return text[start - 1 : start] in _OPEN and text[end : end + 2].lstrip(".,!?")[:1] in _CLOSE


@cache
def _lower_breaks(word: str) -> bool:
    return word.lower() in _breaks()


def _is_name_word(word: str) -> bool:
    if len(word) < 2 or not word[0].isupper() or word.isupper() or _lower_breaks(word):
        return False
    return word.isalpha() or not any(map(str.isdigit, word))


def in_place(text: str, start: int) -> bool:
    """Whether what begins at a place stands after a preposition of place."""
    before = _BEFORE.search(text, max(0, start - 12), start)
    return before is not None and before[1].lower() in words("place_prepositions")


def is_name(text: str, start: int, end: int, found: list[Run], longest: int) -> bool:
    """Whether the words at a place are written as a person's name is."""
    pieces = text[start:end].split()
    if not 0 < len(pieces) <= longest or not _is_name_word(pieces[-1]):
        return False
    if not pieces[0][0].isupper() or any(map(str.isdigit, text[start:end])):
        return False
    return any(run.start <= start and end <= run.end for run in found)
