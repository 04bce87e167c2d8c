"""Entities written as brackets in a column, as in CoNLL-2012.

`(1` opens a mention of entity 1, `1)` closes the one opened last, `(1)` is a
mention of one token; several stand side by side, with or without `|` between.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.source import Source
from coindex.core.span import Span

_PIECE = re.compile(r"(\()?([^()|]+)(\))?\|?")
_NOTHING = frozenset({"-", "_", "*", ""})


@lru_cache(maxsize=4096)
def _pieces(cell: str) -> tuple[tuple[str, str, str], ...] | None:
    """The brackets of a cell as (open, entity, close), or None if they make no sense."""
    pieces = []
    at = 0
    for match in _PIECE.finditer(cell):
        if match.start() != at or not (match[1] or match[3]):
            return None
        at = match.end()
        pieces.append((match[1], match[2], match[3]))
    return tuple(pieces) if at == len(cell) and cell[-1] != "|" else None


Spans = dict[str, dict[tuple[int, int], Mention]]


def read_column(column: Sequence[str], source: Source) -> tuple[Entity, ...]:
    """The entities of a document's column, one string a token; mistakes go to the source."""
    open_: defaultdict[str, list[int]] = defaultdict(list)
    found: Spans = {}
    for token, cell in enumerate(column):
        if cell in _NOTHING:
            continue
        for opens, id, closes in _pieces(cell) or _odd_cell(cell, token, source):
            if opens:
                open_[id].append(token)
            if not closes:
                continue
            starts = open_[id]
            if not starts:
                message = f"')' closes entity {id}, which is not open"
                source.mistake(source.line_of(token), "unbalanced", message)
                continue
            _keep(found.setdefault(id, {}), id, starts.pop(), token + 1, source)
    _never_closed(open_, source)
    return tuple(Entity(tuple(mentions.values()), id) for id, mentions in found.items())


def _keep(
    mentions: dict[tuple[int, int], Mention], id: str, start: int, end: int, source: Source
) -> None:
    if (start, end) in mentions:
        message = f"entity {id} holds the mention of tokens {start} to {end - 1} twice; kept once"
        source.note(source.line_of(end - 1), "repeated", message)
    else:
        mentions[start, end] = Mention((Span(start, end),))


def _odd_cell(cell: str, token: int, source: Source) -> tuple[()]:
    message = f"expected brackets such as '(1', '1)' or '(1)|(2', found {cell!r}"
    source.mistake(source.line_of(token), "brackets", message)
    return ()


def _never_closed(open_: dict[str, list[int]], source: Source) -> None:
    for start, id in sorted((start, id) for id, starts in open_.items() for start in starts):
        message = f"'({id}' opens entity {id}, which is never closed"
        source.mistake(source.line_of(start), "unbalanced", message)


def bracket_column(document: Document) -> list[str]:
    """The column for a document: outer mentions open first and close last."""
    opening: list[list[tuple[int, str]]] = [[] for _ in document.tokens]
    closing: list[list[tuple[int, str]]] = [[] for _ in document.tokens]
    for id, entity in zip(entity_ids(document.entities), document.entities, strict=True):
        for mention in entity.mentions:
            start, end = mention.start, mention.end
            if end - start == 1:
                opening[start].append((0, f"({id})"))
            else:
                opening[start].append((start - end, f"({id}"))
                closing[end - 1].append((-start, f"{id})"))
    return [
        "|".join([text for _, text in sorted(opens)] + [text for _, text in sorted(closes)]) or "-"
        for opens, closes in zip(opening, closing, strict=True)
    ]


def entity_ids(entities: Sequence[Entity], forbidden: str = "()|") -> list[str]:
    """A name for each entity that can stand in brackets: its own, or a free number."""
    taken = {entity.id for entity in entities}
    free = (str(number) for number in range(10**9))
    return [
        entity.id
        if entity.id and usable(entity.id, forbidden)
        else next(number for number in free if number not in taken)
        for entity in entities
    ]


def usable(id: str, forbidden: str = "()|") -> bool:
    """Whether an id can stand in brackets."""
    bare = not any(char in forbidden or char.isspace() for char in id)
    return bool(id) and bare


def count_renamed(document: Document, forbidden: str = "()|") -> int:
    """How many entities have an id that cannot be written."""
    return sum(e.id is not None and not usable(e.id, forbidden) for e in document.entities)
