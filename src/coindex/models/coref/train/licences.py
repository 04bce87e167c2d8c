"""The licences of what a model is trained on, for its log, its metadata and its card.

The licence of a corpus is that of `coindex data`. GUM's texts have licences of their own, by genre;
its LICENSE.txt puts essays, fiction, letters, podcasts and wikiHow under CC BY-NC-SA. The other
genres are CC BY, CC BY-SA or, as speeches of governments are, in the public domain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from coindex import datasets

NON_COMMERCIAL = tuple(
    f"GUM_{genre}_" for genre in ("essay", "fiction", "letter", "podcast", "whow")
)
"""How the ids begin of documents whose texts are CC BY-NC-SA."""


def count_origins(origins: Iterable[str]) -> Counter[tuple[str, bool]]:
    """How many items are of which corpus, apart by whether their text is non-commercial.

    origins   of the form CORPUS/DOCUMENT
    """
    parts = (origin.partition("/") for origin in origins)
    return Counter((corpus, document.startswith(NON_COMMERCIAL)) for corpus, _, document in parts)


def licences(counts: Mapping[tuple[str, bool], int]) -> dict[str, str]:
    """The licence of each corpus of the catalogue, and how many texts have a stricter one."""
    known = set(datasets.names())
    result = {}
    for corpus in sorted({name for name, _ in counts} & known):
        strict = counts.get((corpus, True), 0)
        total = strict + counts.get((corpus, False), 0)
        text = str(datasets.load(corpus).licence)
        if strict:
            text += f", of which {strict:,} of {total:,} texts CC-BY-NC-SA"
        result[corpus] = text
    return result


def licence_line(found: Mapping[str, str]) -> str:
    """The licences in one line."""
    return "; ".join(f"{corpus} {licence}" for corpus, licence in found.items())
