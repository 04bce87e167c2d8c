"""Documents written by hand for the outputs: `{1:Ann} lost {1:her} keys`."""

from __future__ import annotations

import re

from coindex import Document, Entity, Mention
from coindex.transform.edit import retokenize
from coindex.types.span import Span

_MARK = re.compile(r"\{(\d(?:\+\d)*):|\}")


def marked(text: str, speaker: str = "", **fields: object) -> Document:
    """A document of a text with mentions in braces, tokenised by rule; all by one speaker."""
    plain, at = "", 0
    open_: list[tuple[str, int]] = []
    found: dict[str, list[tuple[int, int]]] = {}
    for match in _MARK.finditer(text):
        plain += text[at : match.start()]
        at = match.end()
        if match[1]:
            open_.append((match[1], len(plain)))
        else:
            numbers, start = open_.pop()
            for number in numbers.split("+"):
                found.setdefault(number, []).append((start, len(plain)))
    plain += text[at:]
    borders = sorted({border for places in found.values() for place in places for border in place})
    bare = retokenize(Document("d", plain), borders)
    first = {start: index for index, start in enumerate(bare.starts)}
    last = {end: index + 1 for index, end in enumerate(bare.ends)}
    entities = tuple(
        Entity(tuple(Mention((Span(first[a], last[b]),)) for a, b in places), number)
        for number, places in sorted(found.items())
    )
    speakers = (speaker,) * len(bare) if speaker else None
    return Document(
        "d", plain, bare.tokens, bare.starts, bare.ends, bare.sentences, entities,
        speakers=speakers, **fields,  # type: ignore[arg-type]
    )  # fmt: skip
