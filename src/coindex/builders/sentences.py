"""Sentences of a page by patterns alone, so that not every sentence has to be parsed.

A paragraph is a line. Headings and list items are not sentences: lines of few words, lines that
begin with a bullet, and lines that do not end like a sentence. A full stop after an initial
(`Joseph C. Ives`) or an abbreviation does not end a sentence. `prose_sentences` returns the
sentences of paragraphs and all others, so that a builder accounts for every line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from coindex.builders.protocol import Dropped
from coindex.builders.sources import Page
from coindex.text.word_lists import labels, words

_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"\s*(?:[*#:;|•–—-]|\d+[.)]\s)")
_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s*$")
_BREAK = re.compile(r"[.!?…]+[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[^\W\d_a-z]|[\"'“‘(\[]*\d)")
_WORD_BEFORE = re.compile(r"([\w.'’-]+)$")
_NEAR = 24  # characters searched for an abbreviation


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: its offset in the page, and the number of its paragraph."""

    start: int
    text: str
    paragraph: int

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return self.start + len(self.text)


def prose_sentences(page: Page) -> tuple[list[Sentence], list[Dropped]]:
    """The sentences of a page's paragraphs, and those outside of them as dropped."""
    inside: list[Sentence] = []
    outside: list[Dropped] = []
    for number, line in enumerate(_LINE.finditer(page.text)):
        reason = not_prose_reason(line[0])
        for first, end in _split(line[0]):
            start, text = line.start() + first, line[0][first:end]
            if reason:
                outside.append(Dropped(f"{page.id}@{start}", "scan", reason, text))
            else:
                inside.append(Sentence(start, text, number))
    return inside, outside


def not_prose_reason(line: str) -> str:
    """Why a line is not a paragraph; empty if it is one."""
    if _BULLET.match(line):
        return "an item of a list"
    if not _END.search(line):
        return "a line without a full stop"
    shortest = int(labels("passage_rules")["heading_words"])
    return "a line of few words" if len(line.split(None, shortest)) < shortest else ""


def _split(line: str) -> Iterator[tuple[int, int]]:
    start = len(line) - len(line.lstrip())
    for match in _BREAK.finditer(line):
        if _continues(line, match):
            continue
        yield start, match.start() + len(match[0].rstrip())
        start = match.end()
    end = len(line.rstrip())
    if start < end:
        yield start, end


def _continues(line: str, match: re.Match[str]) -> bool:
    """Whether a full stop belongs to an initial or an abbreviation."""
    if match[0].rstrip() != ".":
        return False
    at = match.start()
    before = _WORD_BEFORE.search(line[max(0, at - _NEAR) : at])
    if before is None:
        return False
    word = before[1]
    if len(word) == 1:
        return word.isupper() and word != "I"
    if "." in word and len(word.split(".")[-1]) == 1:  # U.S., J.R.
        return True
    return word.lower() in words("abbreviations")
