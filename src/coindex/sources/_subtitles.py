"""A line of subtitles without what is not said."""

from __future__ import annotations

import re
from functools import cache

from coindex.core.words import words

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|\{\\[^{}]*\}")
_SOUND = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
_SONG = re.compile(r"[♪♫]")
_SPEAKER = re.compile(r"^[A-Z][A-Z.'’ ]{1,30}(?:\s?#?\d+)?\s?:\s+")
_DASH = re.compile(r"^(?:[-–—]\s*)+(?=\S)")
_SPACE = re.compile(r"\s+")
_BEFORE = re.compile(r"\s+(?=[.,!?;:%)\]…])|\s+(?=(?:['’](?:s|re|ve|ll|d|m)|n['’]t)\b)")
_AFTER = re.compile(r"(?<=[(\[$£])\s+")


@cache
def _credits() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(words("subtitle_credits")))), re.IGNORECASE)


def clean(line: str) -> str:
    """What is said, or nothing."""
    if _SONG.search(line) or _credits().search(line):
        return ""
    line = _SOUND.sub(" ", _TAG.sub(" ", line)).strip()
    line = _SPEAKER.sub("", _DASH.sub("", line))
    line = _SPACE.sub(" ", line).strip()
    return line if any(char.isalnum() for char in line) else ""


def joined(tokens: list[str]) -> str:
    """Tokens as a sentence: no blank before what closes or after what opens."""
    return _AFTER.sub("", _BEFORE.sub("", " ".join(tokens)))
