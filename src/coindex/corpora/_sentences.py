"""Sentences of a page by patterns alone, so that a tagger need not see every one.

A paragraph is a line. Headings and items of lists are no sentences: lines of few words,
lines that begin with a bullet, and lines that do not end as a sentence does. A full stop
after an initial (`Joseph C. Ives`) or an abbreviation ends nothing. `parted` gives what
stands in paragraphs and all the rest too, so that a builder accounts for every line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from coindex.core.words import labels, words
from coindex.corpora._items import Dropped
from coindex.sources import Page

_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"\s*(?:[*#:;|•–—-]|\d+[.)]\s)")
_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s*$")
_BREAK = re.compile(r"[.!?…]+[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\W\d_a-z]|[\"'“‘(\[]*\d)")
_WORD_BEFORE = re.compile(r"([\w.'’-]+)$")
_NEAR = 24  # how far to look back for an abbreviation


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: where it begins in the page, and the number of its paragraph."""

    start: int
    text: str
    paragraph: int

    @property
    def end(self) -> int:
        """The place after its last character."""
        return self.start + len(self.text)


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a page's paragraphs, in order."""
    return (each for each, reason in _every(text) if not reason)


def parted(page: Page) -> tuple[list[Sentence], list[Dropped]]:
    """The sentences of a page's paragraphs, and those outside of them, dropped with the reason."""
    inside: list[Sentence] = []
    outside: list[Dropped] = []
    for each, reason in _every(page.text):
        if reason:
            outside.append(Dropped(f"{page.id}@{each.start}", "scan", reason, each.text))
        else:
            inside.append(each)
    return inside, outside


def _every(text: str) -> Iterator[tuple[Sentence, str]]:
    """All sentences of a page, each with the reason why it is none of a paragraph, or nothing."""
    for number, line in enumerate(_LINE.finditer(text)):
        reason = no_prose(line[0])
        for start, end in _cut(line[0]):
            yield Sentence(line.start() + start, line[0][start:end], number), reason


def no_prose(line: str) -> str:
    """Why a line is no paragraph; empty if it is one."""
    if _BULLET.match(line):
        return "an item of a list"
    if not _END.search(line):
        return "a line without a full stop"
    shortest = int(labels("passage_rules")["heading_words"])
    return "a line of few words" if len(line.split(None, shortest)) < shortest else ""


def _cut(line: str) -> Iterator[tuple[int, int]]:
    start = len(line) - len(line.lstrip())
    for found in _BREAK.finditer(line):
        if _goes_on(line, found):
            continue
        yield start, found.start() + len(found[0].rstrip())
        start = found.end()
    end = len(line.rstrip())
    if start < end:
        yield start, end


def _goes_on(line: str, found: re.Match[str]) -> bool:
    """Whether a full stop belongs to an initial or an abbreviation."""
    if found[0].rstrip() != ".":
        return False
    at = found.start()
    before = _WORD_BEFORE.search(line[max(0, at - _NEAR) : at])
    if before is None:
        return False
    word = before[1]
    if len(word) == 1:
        return word.isupper() and word != "I"
    if "." in word and len(word.split(".")[-1]) == 1:  # U.S., J.R.
        return True
    return word.lower() in words("abbreviations")
