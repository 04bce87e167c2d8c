"""Chance that depends on a seed and a document's name alone, not on company or order."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from coindex.core.document import Document
from coindex.errors import InvalidValue


def draw(seed: int, key: str, purpose: str = "") -> float:
    """A number from 0 up to 1, the same for the same seed, name and purpose."""
    raw = f"{seed}\n{purpose}\n{key}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "big") / 2**64


def kept_aside(key: str, share: float, seed: int) -> bool:
    """Whether a document belongs to the random share that only serves evaluation.

    Decided by name, so that a pool may grow without a document changing sides.
    """
    if not 0 <= share < 1:
        raise InvalidValue(f"the share kept aside: expected 0 up to 1, found {share}")
    return draw(seed, key, "aside") < share


def divided(
    documents: Iterable[Document], share: float, seed: int
) -> tuple[list[Document], list[Document]]:
    """The documents to choose from, and those kept aside for evaluation."""
    sides: tuple[list[Document], list[Document]] = ([], [])
    for document in documents:
        sides[kept_aside(document.key, share, seed)].append(document)
    return sides
