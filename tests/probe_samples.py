"""Tiny probes, and documents with the clusters that a test wants."""

from __future__ import annotations

import re
from collections.abc import Sequence

from coindex.benchmarks.probe_format import Probe, read_marked_text
from coindex.transform.edit import retokenize
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

Words = str | tuple[str, int]
"""The words of a mention, or with the number of their occurrence in the text, from 0."""


def probe(marked: str, id: str = "sample-01", half: str = "dev") -> Probe:
    """A probe of a marked text."""
    text, mentions = read_marked_text(marked, Source("sample.txt"))
    return Probe(id, id.rpartition("-")[0], half, text, mentions)


def place(text: str, words: Words) -> tuple[int, int]:
    """The offsets of some words."""
    wanted, number = words if isinstance(words, tuple) else (words, 0)
    found = re.finditer(rf"(?<!\w){re.escape(wanted)}(?!\w)", text)
    return list(found)[number].span()


def resolved(
    text: str,
    *clusters: Sequence[Words],
    id: str = "sample-01",
    speakers: tuple[str, ...] | None = None,
) -> Document:
    """A document of a text with these clusters."""
    places = [[place(text, words) for words in cluster] for cluster in clusters]
    borders = [border for cluster in places for pair in cluster for border in pair]
    plain = retokenize(Document(id, text), borders)
    entities = tuple(
        Entity(
            tuple(
                Mention((Span(plain.starts.index(start), plain.ends.index(end) + 1),))
                for start, end in cluster
            )
        )
        for cluster in places
    )
    return Document(
        id, text, plain.tokens, plain.starts, plain.ends, plain.sentences, entities,
        speakers=speakers,
    )  # fmt: skip
