"""A document as the features see it: its own tokens with tags, names and a tree.

A parser cuts texts its own way. Each token of the document takes the labels of the
parser's token it stands on; of several, of the one that governs the others. All
features are made from views, so they never depend on gold annotation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from coindex.core.document import Document
from coindex.parsing.parse import Parse
from coindex.parsing.parser import Parser

OUTSIDE = "O"
BATCH = 16


@dataclass(frozen=True, slots=True)
class View:
    """Columns parallel to a document's tokens.

    tags       Penn Treebank tags
    names      the type of the named entity a token is in, or `O`
    deps       the relation to the governor
    heads      the governing token; a root governs itself
    sentences  the number of each token's sentence
    """

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    names: tuple[str, ...]
    deps: tuple[str, ...]
    heads: tuple[int, ...]
    sentences: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.tokens)


def views(documents: Iterable[Document], parser: Parser) -> Iterator[View]:
    """The view of each document, in order; parses come from the cache where it has them."""
    rest = iter(documents)
    while some := list(islice(rest, BATCH)):
        parses = parser.batch([document.text for document in some])
        yield from map(view, some, parses)


def view(document: Document, parse: Parse) -> View:
    """A parse laid over a document's tokens."""
    places = [_standing_on(parse, *at) for at in zip(document.starts, document.ends, strict=True)]
    token_of = _owners(places, len(parse))
    named = [OUTSIDE] * len(parse)
    for start, end, label in parse.entities:
        named[start:end] = [label] * (end - start)
    heads = [_head(at, place, parse, token_of) for at, place in enumerate(places)]
    numbers = _sentence_numbers(document)
    return View(
        document.tokens,
        tuple("XX" if at is None else parse.tags[at] for at in places),
        tuple(OUTSIDE if at is None else named[at] for at in places),
        tuple("dep" if at is None else parse.deps[at] for at in places),
        tuple(heads),
        tuple(numbers),
    )


def _standing_on(parse: Parse, start: int, end: int) -> int | None:
    """The parser's token for some characters: of several, the one nearest to the root."""
    if start == end:
        return None
    first = max(0, bisect_right(parse.starts, start) - 1)
    inside = []
    for at in range(first, len(parse)):
        if parse.starts[at] >= end:
            break
        if parse.ends[at] > start:
            inside.append(at)
    for at in inside:
        if parse.heads[at] not in inside or parse.heads[at] == at:
            return at
    return inside[0] if inside else None


def _owners(places: list[int | None], size: int) -> list[int | None]:
    """For each of the parser's tokens, the document's first token that stands on it."""
    found: list[int | None] = [None] * size
    for token, place in enumerate(places):
        if place is not None and found[place] is None:
            found[place] = token
    return found


def _head(token: int, place: int | None, parse: Parse, token_of: list[int | None]) -> int:
    """The document's token that governs this one; itself for a root."""
    if place is None:
        return token
    seen = 0
    at = parse.heads[place]
    while token_of[at] is None and parse.heads[at] != at and seen < len(parse):
        at, seen = parse.heads[at], seen + 1
    found = token_of[at]
    return token if found is None else found


def _sentence_numbers(document: Document) -> Iterator[int]:
    for number, span in enumerate(document.sentence_spans()):
        for _ in range(len(span)):
            yield number
