"""Text made readable for a parser, with the way back to the original offsets.

Benchmarks hold things that no parser was trained on, and each would break the
tokens or the tree around it:

    Andr*s, *lvaro   a lost letter (GAP has `*` for each letter with an accent): `e`, `E`;
                     but one word between two, as in `*so*`, is emphasis and stays
    ``so''           TeX quotation marks: one `"` each
    _, [MASK]        a blank in the pronoun's place (WinoGrande): `someone`, which may be a
                     subject, an object or, with 's, a possessor
    runs of spaces   one space (line breaks too), none at the start

Every character of the clean text knows which characters of the original it stands
for, so tokens are reported at their places in the text that was given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BLANK = "someone"

_ODD = re.compile(
    r"(?P<stays>(?<![\w*])\*\w+\*(?![\w*]))|(?P<space>\s+)|(?P<quote>``|'')"
    r"|(?P<blank>\[MASK\]|(?<!\w)_+(?!\w))|(?P<first>(?<![^\W_])\*(?=[a-z]))"
    r"|(?P<lost>(?<=[^\W_])\*|\*(?=[^\W_]))"
)


@dataclass(frozen=True, slots=True)
class Clean:
    """A text for the parser; character `i` stands for `starts[i]:ends[i]` of the original."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def clean(text: str) -> Clean:
    """The text without what would break a parse."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for found in _ODD.finditer(text):
        if found["stays"]:
            continue
        _copy(text, last, found.start(), pieces, starts, ends)
        piece = "" if found.start() == 0 and found["space"] else _instead(found)
        pieces.append(piece)
        starts += [found.start()] * len(piece)
        ends += [found.end()] * len(piece)
        last = found.end()
    _copy(text, last, len(text), pieces, starts, ends)
    return Clean("".join(pieces), tuple(starts), tuple(ends))


def _copy(
    text: str, start: int, end: int, pieces: list[str], starts: list[int], ends: list[int]
) -> None:
    pieces.append(text[start:end])
    starts += range(start, end)
    ends += range(start + 1, end + 1)


def _instead(found: re.Match[str]) -> str:
    stands_for = {"space": " ", "quote": '"', "blank": BLANK, "first": "E", "lost": "e"}
    return stands_for[found.lastgroup or "space"]
