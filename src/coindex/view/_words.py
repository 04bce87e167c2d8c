"""Words of a text for a terminal: no control characters, repetitions counted."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def visible(text: str) -> str:
    """A text with pictures for control characters, so that it cannot command the terminal."""
    return _CONTROL.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"


def in_a_row(texts: Iterable[str]) -> list[str]:
    """Texts on one line each, with how often each was repeated: `her ×2`, `she`."""
    runs: list[tuple[str, int]] = []
    for text in (visible(" ".join(text.split())) for text in texts):
        if runs and runs[-1][0] == text:
            runs[-1] = (text, runs[-1][1] + 1)
        else:
            runs.append((text, 1))
    return [f"{text} ×{count}" if count > 1 else text for text, count in runs]
