"""`Mask` and `VisibleText`: which characters of a text are shown, and where they are.

A reader of markup marks the characters that are not shown. `visible` is the text that remains:
hidden characters are left out, so that the two halves of a word around a tag are one word, or are
replaced by a space or by line breaks. Each range of it has its range in the original.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

SHOWN, DECODED, HIDDEN, SPACE, LINE, BLOCK = range(6)
"""How a character is read: as it is, as part of an entity, not at all, or as white space."""

_RUN = re.compile(rb"\x00+|\x01+|[\x02-\x05]+")
_GAPS = ((bytes([BLOCK]), "\n\n"), (bytes([LINE]), "\n"), (bytes([SPACE]), " "))


@dataclass(frozen=True, slots=True)
class VisibleText:
    """The visible characters of a text.

    text     without markup
    masked   as long as the original, with white space for what is hidden
    starts   where each segment of the original begins in `text`
    ends     where it ends
    origins  where it begins in the original
    widths   its length in the original, which is more than 1 for a decoded character
    """

    text: str
    masked: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    origins: tuple[int, ...]
    widths: tuple[int, ...]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The range in the original of a range that begins and ends with visible characters."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, end - 1) - 1
        whole = end == self.ends[last]
        size = self.widths[last] if whole else end - self.starts[last]
        return self.origins[first] + start - self.starts[first], self.origins[last] + size


class Mask:
    """The characters of a text, each with how it is read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.states = bytearray(len(text))
        self.decoded: dict[int, tuple[int, str]] = {}

    def mark(self, start: int, end: int, state: int = HIDDEN) -> None:
        """Read a range in some way."""
        self.states[start:end] = bytes([state]) * (end - start)

    def decode(self, start: int, end: int, char: str) -> None:
        """Read a range as one character."""
        self.mark(start, end, DECODED)
        self.decoded[start] = (end, char)

    def is_shown(self, start: int, end: int) -> bool:
        """Whether nothing of a range has been marked."""
        return not any(self.states[start:end])

    def visible(self) -> VisibleText:
        """What remains."""
        text: list[str] = []
        masked: list[str] = []
        rows: list[tuple[int, int, int, int]] = []
        size = 0
        for start, end, shown, kept in self._segments():
            text.append(shown)
            masked.append((shown if kept else shown.strip(" "))[: end - start].ljust(end - start))
            if kept:
                rows.append((size, size + len(shown), start, end - start))
            size += len(shown)
        columns = tuple(zip(*rows, strict=True)) or ((), (), (), ())
        return VisibleText("".join(text), "".join(masked), *columns)

    def _segments(self) -> list[tuple[int, int, str, bool]]:
        """Ranges of the original, what is read for them, and whether they are visible."""
        segments: list[tuple[int, int, str, bool]] = []
        for match in _RUN.finditer(self.states):
            start, end = match.span()
            state = match[0][0]
            if state == SHOWN:
                segments.append((start, end, self.text[start:end], True))
            elif state == DECODED:
                while start < end:
                    stop, char = self.decoded[start]
                    segments.append((start, stop, char, True))
                    start = stop
            else:
                gap = next((gap for code, gap in _GAPS if code in match[0]), "")
                segments.append((start, end, gap, False))
        return segments
