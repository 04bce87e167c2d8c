"""Pseudo-random numbers that depend on a seed and a name alone.

Two runs with the same seed give the same draws, whatever the number of workers and the order of
items, because draws share no state. The functions differ in the hash they use, on which recorded
results depend.
"""

from __future__ import annotations

import hashlib

_TWO_64 = float(1 << 64)


def seeded_fraction(seed: int, *names: str) -> float:
    """A number of at least 0 and less than 1, the same for the same seed and names."""
    return _fraction(hashlib.sha256(_encoded("\x1f", str(seed), *names)).digest())


def seeded_draw(seed: int, key: str, purpose: str = "") -> float:
    """Like `seeded_fraction`, by the hash that active learning uses."""
    return _fraction(
        hashlib.blake2b(_encoded("\n", str(seed), purpose, key), digest_size=8).digest()
    )


def seeded_rank(seed: int, name: str) -> bytes:
    """A key by which names are sorted into a random order."""
    return hashlib.sha256(_encoded("\n", str(seed), name)).digest()


def _encoded(separator: str, *parts: str) -> bytes:
    return separator.join(parts).encode("utf-8", "surrogatepass")


def _fraction(digest: bytes) -> float:
    return int.from_bytes(digest[:8], "big") / _TWO_64
