"""Tokens and sentences of plain English text, by rule.

Made for offsets: every character that is not white space belongs to exactly
one token, so nothing is lost. Words keep inner hyphens, dots and apostrophes;
clitics (`'s`, `n't`) are split off as treebanks do; abbreviations keep their
dot. A sentence ends at `.`, `!`, `?` or `…` with any closing quotes, at a blank
line, and at a line break that a capital follows a full stop of any kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from coindex.core.words import words

_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe20-\ufe2f"
)
"""What belongs to the letter before it: combining marks, soft hyphens, joiners."""
_WORD = rf"\w[\w{_MARKS}]*"
_TOKEN = re.compile(
    rf"""
    https?://\S+[\w/]                       # addresses
  | [\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+       # mail
  | (?:[^\W\d_]\.){{2,}}                    # U.S.
  | \d+(?:[.,:/]\d+)*(?:%|st\b|nd\b|rd\b|th\b)?
  | \w+(?=n['’]t\b)                         # do|n't
  | n['’]t\b
  | ['’](?:s|m|d|re|ve|ll)\b                # clitics
  | {_WORD}(?:[-'’.&](?!(?:s|m|d|re|ve|ll|t)\b){_WORD})*
  | \.{{2,}} | -{{2,}} | …
  | [^\w\s]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_STOP = frozenset({".", "!", "?", "…", "...", "?!", "!?"})
_CLOSING = frozenset("\"'”’)]}»")


def tokens(text: str, borders: Iterable[int] = ()) -> Iterator[tuple[int, int]]:
    """Where the tokens of a text stand; a token is cut where a border falls inside it."""
    cuts = sorted(set(borders))
    at = 0
    for start, end in _raw_tokens(text):
        while at < len(cuts) and cuts[at] <= start:
            at += 1
        while at < len(cuts) and cuts[at] < end:
            yield start, cuts[at]
            start = cuts[at]
            at += 1
        yield start, end


def _raw_tokens(text: str) -> Iterator[tuple[int, int]]:
    abbreviations = words("abbreviations")
    last = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if start < last:
            continue
        if text[end : end + 1] == "." and match.group().lower() in abbreviations:
            end += 1
        yield start, end
        last = end


def sentences(text: str, spans: list[tuple[int, int]]) -> tuple[int, ...]:
    """The index of each sentence's first token."""
    firsts = [0] if spans else []
    ended = False
    for index in range(1, len(spans)):
        before, here = text[slice(*spans[index - 1])], text[slice(*spans[index])]
        gap = text[spans[index - 1][1] : spans[index][0]]
        ended = before in _STOP or (ended and before in _CLOSING)
        blank = gap.count("\n") > 1
        closes = here in _CLOSING and not gap.isspace()
        if blank or (ended and gap and not closes and not here[0].islower()):
            firsts.append(index)
            ended = False
    return tuple(firsts)
