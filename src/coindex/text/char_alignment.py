"""Alignment of two copies of a text by their characters other than white space.

The escapes of treebanks for brackets and quotes count as the one character that they represent,
so that a text and its tokenised copy have the same characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from coindex.types.span import Chars

_ESCAPES = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"',
}  # fmt: skip
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPES)))


@dataclass(frozen=True, slots=True)
class NonspaceText:
    """The characters of a text other than white space, and the offset of each."""

    text: str
    offsets: tuple[int, ...]

    def range(self, chars: Chars) -> tuple[int, int]:
        """A span of the text, counted in these characters."""
        return bisect_left(self.offsets, chars.start), bisect_left(self.offsets, chars.end)


def nonspace_text(text: str) -> NonspaceText:
    """A text without white space; `-LRB-` counts as the one bracket it represents."""
    nonspace = [at for at, char in enumerate(text) if not char.isspace()]
    bare = "".join(text[at] for at in nonspace)
    if not _ESCAPE.search(bare):
        return NonspaceText(bare, tuple(nonspace))
    parts, offsets, done = [], [], 0
    for match in _ESCAPE.finditer(bare):
        parts += [bare[done : match.start()], _ESCAPES[match.group()]]
        offsets += nonspace[done : match.start() + 1]
        done = match.end()
    return NonspaceText("".join([*parts, bare[done:]]), (*offsets, *nonspace[done:]))
