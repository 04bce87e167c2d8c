"""Puts a page's text together from paragraphs and headings."""

from __future__ import annotations

import re

from coindex.sources._page import Section

_EMPTY = re.compile(r"\(\s*(?:[,;:–-]\s*)*\)|\[\s*\]")
_OPEN = re.compile(r"\(\s*(?:[,;]\s*)+")
_CLOSE = re.compile(r"\s*[,;\s]\)")
_BEFORE = re.compile(r"\s+(?=[,.;:!?)](?:\s|$))")
_SPACE = re.compile(r"[ \t\u00a0]{2,}|[\t\u00a0]")
_BRACKETS = re.compile(r"[(\[][\s,;:)\]–-]|[\s,;]\)")
_STOPS = re.compile(r" [,.;:!?)]")


def closed(line: str) -> str:
    """A line without the holes that markup leaves: empty brackets, blanks before commas."""
    if _BRACKETS.search(line):
        line = _CLOSE.sub(")", _OPEN.sub("(", _EMPTY.sub("", line)))
    if "  " in line or "\t" in line or "\u00a0" in line:
        line = _SPACE.sub(" ", line)
    if _STOPS.search(line):
        line = _BEFORE.sub("", line)
    return line.strip()


class Writer:
    """Paragraphs become lines; headings become sections and leave the text.

    A section without text of its own is left out, the opening one too.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._length = 0
        self._title = ""
        self._sections: list[Section] = []
        self._fresh = True

    def heading(self, title: str) -> None:
        """A section begins."""
        self._title, self._fresh = title.strip(), True

    def paragraph(self, text: str) -> None:
        """Text; nothing if it is blank."""
        text = text.strip()
        if not text:
            return
        if self._fresh:
            self._sections.append(Section(self._title, self._length))
            self._fresh = False
        self._lines.append(text)
        self._length += len(text) + 1

    def done(self) -> tuple[str, tuple[Section, ...]]:
        """The text and its sections."""
        return "\n".join(self._lines), tuple(self._sections) or (Section("", 0),)
