"""Passages with the names in them, as a tagger would give them; no spaCy needed."""

from __future__ import annotations

import re

from coindex.builders import ParsedPassage, Passage
from coindex.builders.sources import Page
from coindex.text.parsing.parse import Parse

_TOKEN = re.compile(r"\w+(?:-\w+)*|'s|[^\w\s]")


def page(text: str, id: str = "7") -> Page:
    """A page of that text."""
    return Page(id, "A title", text, url="http://example.org/7", revision="12", source="dump")


def parse(text: str, *names: str, tags: dict[str, str] | None = None) -> Parse:
    """The tokens of a text, with every occurrence of the names as a PERSON (`GPE:Paris`).

    Names are tagged as such, other words by `tags`; what is not there has no tag.
    """
    tokens = [found.span() for found in _TOKEN.finditer(text)]
    starts = {start: at for at, (start, _) in enumerate(tokens)}
    ends = {end: at + 1 for at, (_, end) in enumerate(tokens)}
    entities = set()
    for each in names:
        label, _, name = each.rpartition(":")
        for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            entities.add((starts[found.start()], ends[found.end()], label or "PERSON"))
    words = [text[start:end] for start, end in tokens]
    size = len(tokens)
    names_at = {at for first, last, _ in entities for at in range(first, last)}
    told = {"'s": "POS", "to": "TO", **(tags or {})}
    return Parse(
        starts=tuple(start for start, _ in tokens),
        ends=tuple(end for _, end in tokens),
        tags=tuple("NNP" if at in names_at else told.get(w, "") for at, w in enumerate(words)),
        pos=("",) * size,
        deps=("",) * size,
        heads=tuple(range(size)),
        sentences=(0,) * size,
        entities=tuple(sorted(entities)),
    )


def parsed(passage: Passage, *names: str, tags: dict[str, str] | None = None) -> ParsedPassage:
    """A passage with its names."""
    return ParsedPassage(passage, parse(passage.text, *names, tags=tags))
