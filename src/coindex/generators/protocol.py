"""The contract of generators, and what one returns for a document.

A generator is a module of `generators/builtin` (or of another package, by the entry points
`coindex.generators`) that has the members of `Generator`:

    make = generator(documents, **options)   # reads what it needs of the whole corpus: its names
    make(document, rng)                      # the new documents made of one

Everything random is drawn from `rng`, which depends on the seed, the generator, the document and
the number of the copy alone. A change that is not safe is not made, and counted by its reason.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from coindex.errors import UsageError
from coindex.types.document import Document


@dataclass(frozen=True, slots=True)
class Variant:
    """A new document, what was changed in it, in words, and how many changes that are."""

    document: Document
    change: str
    made: int = 1


@dataclass(slots=True)
class Generated:
    """What was made of one document.

    variants   the new documents; none if nothing could be changed
    refused    how many changes were not made, by reason
    reason     why there is no document, where there was nothing to change
    """

    variants: list[Variant] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    reason: str = ""

    @classmethod
    def none(cls, reason: str) -> Generated:
        """Nothing, because the document has nothing to change."""
        return cls(reason=reason)

    @property
    def made(self) -> int:
        """How many changes were made: see `Generator.UNIT`."""
        return sum(variant.made for variant in self.variants)

    @property
    def why_none(self) -> str:
        """Why there is no document."""
        most = self.refused.most_common(1)
        return self.reason or (f"every change refused: {most[0][0]}" if most else "no candidate")


Make = Callable[[Document, random.Random], Generated]


class Generator(Protocol):
    """The members of a generator's module."""

    UNIT: str
    """What one change is about, in the plural: `names`, `sentences`."""

    @property
    def OPTIONS(self) -> Mapping[str, tuple[str, ...]]:
        """The options of `generator`, each with its values; the first is the default."""
        ...

    def generator(self, documents: Sequence[Document], **options: str) -> Make:
        """The function that makes new documents of one of these documents."""
        ...


def check_options(
    name: str, known: Mapping[str, tuple[str, ...]], given: Mapping[str, str]
) -> None:
    """An error that names the first option or value that a generator does not have."""
    for option, value in given.items():
        if option not in known:
            allowed = ", ".join(known) or "none"
            raise UsageError(f"{name}: expected an option of: {allowed}; found {option!r}")
        if value not in known[option]:
            allowed = ", ".join(known[option])
            raise UsageError(f"{name}: {option} must be one of: {allowed}; found {value!r}")
