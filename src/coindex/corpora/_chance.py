"""Chance that does not depend on order: a number from a seed and a name.

Two runs with the same seed choose alike, however many workers there are and in whatever
order passages come, because nothing is remembered from one choice to the next.
"""

from __future__ import annotations

import hashlib

_WHOLE = float(1 << 64)


def fraction(seed: int, *names: str) -> float:
    """A number from 0 up to 1, always the same for the same seed and names."""
    text = "\x1f".join((str(seed), *names)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") / _WHOLE
