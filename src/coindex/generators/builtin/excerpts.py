"""Excerpts: a document in pieces of a few sentences, as short as the texts that people resolve.

Documents of corpora are long, and a model that has seen only those is unsure of the little that
a message or a headline says. Each copy cuts the whole document, at other sentences. Entities of
which an excerpt has no mention are left out of it, and those of one mention too where the corpus
has no singletons.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from coindex.generators.protocol import Generated, Make, Variant
from coindex.transform.edit import excerpt
from coindex.types.document import Document
from coindex.types.span import Span

UNIT = "excerpts"
OPTIONS: Mapping[str, tuple[str, ...]] = {"singletons": ("auto", "keep", "drop")}

_SENTENCES = (2, 9)
"""How few and how many sentences an excerpt has."""
_MIN_MENTIONS = 3


def generator(documents: Sequence[Document], singletons: str = "auto") -> Make:
    """Cuts a document into short ones."""
    alone = sum(entity.singleton for document in documents for entity in document.entities)
    keep = singletons == "keep" or (singletons == "auto" and alone > 0)

    def make(document: Document, rng: random.Random) -> Generated:
        generated = Generated(reason="")
        for span in _pieces(document, rng):
            new = excerpt(document, span, singletons=keep)
            if len(new.mentions) < _MIN_MENTIONS:
                generated.refused[f"fewer than {_MIN_MENTIONS} mentions"] += 1
            else:
                generated.variants.append(Variant(new, f"words {span.start} to {span.end}"))
        return generated

    return make


def _pieces(document: Document, rng: random.Random) -> Iterator[Span]:
    sentences = list(document.sentence_spans())
    first = 0
    while first < len(sentences):
        last = min(first + rng.randint(*_SENTENCES), len(sentences)) - 1
        yield Span(sentences[first].start, sentences[last].end)
        first = last + 1
