"""Pairs of quotation marks in a text.

Marks are paired paragraph by paragraph: straight or curly, single or double, `` '' and « », one
within another. Apostrophes are told from closing marks by what stands around them. A quotation
that a paragraph leaves open goes on in the next one if that begins with the mark again;
otherwise its mark is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coindex.types.span import Chars

_MARK = re.compile(r"``|''|[\"“”„«»‘’'`]|\n[ \t\r\f\v]*(?=\n)|\n")
_CLOSERS = {
    '"': ('"',), "“": ("”",), "„": ("“", "”"), "«": ("»",), "‘": ("’",), "'": ("'", "’"), "``": ("''",),
}  # fmt: skip
_OPENERS = frozenset({"“", "„", "«", "``"})
_SINGLE = frozenset("‘'")
_ENDS = frozenset(".,!?…;:-–—*_)")
_STOPS = frozenset(".!?…:\"”’»)'*_")
_ELIDED = re.compile(
    r"['‘’](?:tis|twas|twere|twill|em|til|till|cause|bout|round|cos|n|neath|gainst|\d\ds?)\b",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"[.,!?…—]['’](?!\w)")
_BLANK = re.compile(r"\n[ \t\r\f\v]*\n")
_WRAPPED = 55
"""A shorter line that ends a sentence ends its paragraph."""

_DEPTH = 3
"""The largest number of marks within each other."""

_LONGEST = 4_000
"""The longest quotation without a paragraph's end, in characters."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """What stands between two quotation marks.

    chars      the characters between the marks
    outer      the same with the marks
    depth      0, or 1 within another quotation
    paragraph  the number of its paragraph
    continues  whether the quotation before goes on in this one
    """

    chars: Chars
    outer: Chars
    depth: int
    paragraph: int
    continues: bool = False


@dataclass(frozen=True, slots=True)
class _Opened:
    """An open mark, its offset, and the offset of what follows it."""

    mark: str
    outer: int
    inner: int


@dataclass(slots=True)
class _State:
    """The marks that are open at some place of the text."""

    open: list[_Opened]
    paragraph: int = 0
    continues: bool = False


def quotations(text: str, paragraphs: bool = True) -> tuple[list[Quotation], list[int]]:
    """All pairs of quotation marks in the order of their starts, and the ends of paragraphs.

    paragraphs  whether line breaks may separate paragraphs; if not, only blank lines do
    """
    found: list[Quotation] = []
    breaks: list[int] = []
    state = _State([])
    blank = _BLANK.search(text) is not None
    line_start = searched = 0
    for match in _MARK.finditer(text):
        mark, start, end = match[0], match.start(), match.end()
        if mark[0] != "\n":
            _read_mark(text, mark, start, end, state, found)
            continue
        if text.startswith("\n", end) or (
            paragraphs and _ends_paragraph(text, line_start, start, blank)
        ):
            if text[searched:start].strip():
                _break(text, end, state, found)
                breaks.append(start)
            searched = start
        elif not paragraphs and not state.open:
            state.paragraph += 1  # a new sentence, whose speaker may be another one
        line_start = end
    return sorted(found, key=lambda quotation: quotation.outer.start), breaks


def _ends_paragraph(text: str, line_start: int, end: int, blank: bool) -> bool:
    """Whether a single line break ends a paragraph."""
    line = text[line_start:end].rstrip()
    if not line or line[-1] not in _STOPS:
        return False
    following = text[end + 1 : end + 2]
    return not blank or following in _CLOSERS or len(line) < _WRAPPED


def _break(text: str, end: int, state: _State, found: list[Quotation]) -> None:
    """The end of a paragraph: an open quotation goes on in the next one, or never began."""
    state.paragraph += 1
    continued, state.continues = state.continues, False
    if not state.open:
        return
    opened = state.open[0]
    after = end
    while after < len(text) and text[after].isspace():
        after += 1
    if text.startswith(opened.mark, after):
        stop = end
        while stop > opened.inner and text[stop - 1].isspace():
            stop -= 1
        chars, outer = Chars(opened.inner, stop), Chars(opened.outer, stop)
        found.append(Quotation(chars, outer, 0, state.paragraph - 1, continued))
        state.continues = True
    state.open.clear()


def _read_mark(
    text: str, mark: str, start: int, end: int, state: _State, found: list[Quotation]
) -> None:
    if state.open and start - state.open[0].outer > _LONGEST:
        state.open.clear()
    at = _closed(text, mark, start, end, state.open)
    if at is not None:
        opened = state.open[at]
        del state.open[at:]
        chars, outer = Chars(opened.inner, start), Chars(opened.outer, end)
        continues = state.continues and not at
        found.append(Quotation(chars, outer, at, state.paragraph, continues))
        state.continues = state.continues and not continues
    elif mark in _CLOSERS and len(state.open) < _DEPTH and _opens(text, mark, start, end, state):
        state.open.append(_Opened(mark, start, end))


def _closed(text: str, mark: str, start: int, end: int, opened: Sequence[_Opened]) -> int | None:
    """The index of the open mark that a mark closes; single marks within it were apostrophes."""
    for at in range(len(opened) - 1, -1, -1):
        if mark in _CLOSERS[opened[at].mark] and _closes(text, mark, start, end, opened[at]):
            return at
        if opened[at].mark not in _SINGLE or mark in "'’":
            return None
    return None


def _closes(text: str, mark: str, start: int, end: int, opened: _Opened) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if opened.mark not in _SINGLE:
        return True
    if after.isalnum() or start == opened.inner:
        return False
    if before.isspace():  # tokenised text
        return mark == "’" or (text[start - 2 : start - 1] in _ENDS and not after.strip())
    if before in _ENDS:
        return True
    inside = text[opened.inner : start] if start - opened.inner < 60 else "."
    if any(sign in inside for sign in ".!?;\n"):
        return False
    return before != "s" or _CLOSING.search(text, start + 1, start + 300) is None


def _opens(text: str, mark: str, start: int, end: int, state: _State) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if any(mark == opened.mark for opened in state.open):
        return False
    if mark in _OPENERS:
        return True
    if after == "" or not (not before or before.isspace() or before in "([{—–-\"“‘'«/*_>:"):
        return False
    if mark not in _SINGLE:
        return True
    if mark == "'" and state.open and before.isspace() and after.isspace():
        return False
    return not after.isspace() and not _ELIDED.match(text, start)
