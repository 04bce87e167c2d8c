"""The characters of a text that are not white space, to find a place in another copy of it.

Treebanks' brackets and quotes count as the one character that they stand for, so
that a text and its tokenised copy have the same letters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from coindex.core.span import Chars

_ESCAPES = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"',
}  # fmt: skip
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPES)))


@dataclass(frozen=True, slots=True)
class Letters:
    """The characters of a text that are not white space, and where each begins."""

    text: str
    offsets: tuple[int, ...]

    def range(self, chars: Chars) -> tuple[int, int]:
        """A place in the text, counted in these characters."""
        return bisect_left(self.offsets, chars.start), bisect_left(self.offsets, chars.end)


def letters(text: str) -> Letters:
    """A text without white space; `-LRB-` counts as the one bracket it stands for."""
    places = [at for at, char in enumerate(text) if not char.isspace()]
    bare = "".join(text[at] for at in places)
    if not _ESCAPE.search(bare):
        return Letters(bare, tuple(places))
    found, offsets, done = [], [], 0
    for match in _ESCAPE.finditer(bare):
        found += [bare[done : match.start()], _ESCAPES[match.group()]]
        offsets += places[done : match.start() + 1]
        done = match.end()
    return Letters("".join([*found, bare[done:]]), (*offsets, *places[done:]))
