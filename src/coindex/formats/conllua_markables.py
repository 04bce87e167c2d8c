"""The bracket columns of CoNLL-UA: markables with their attributes, and links between them.

    (EntityID=1|MarkableID=m1|Min=3|ElementOf=4     opens a markable
    )                                               closes the one that was opened last
    m1)                                             closes a markable by its id
    @                                               may separate several

Markables with the same id are the parts of one discontinuous mention. Names of attributes are
compared without regard to case. An entity whose id ends in `Pseudo` is not referred to by its
mention: it gets the attribute `referring` with the value `no`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coindex.types.mention import Entity, Mention, Pairs
from coindex.types.source import Source
from coindex.types.span import Span

NON_REFERRING = ("referring", "no")
"""The attribute of an entity that is none: of an expletive, a predicate and so on."""

ELEMENT_OF = "element-of"
"""The attribute of an entity with the ids of plural entities that it is an element of."""

_PIECE = re.compile(r"\(([^()@]*)|([^()@]*)\)|@")


@dataclass
class _Markable:
    """A markable while its column is read."""

    entity: str
    id: str
    attributes: dict[str, str]
    starts: list[int]
    spans: list[Span]


def attributes(text: str) -> dict[str, str]:
    """The attributes of `A=x|B=y`, with their names in lower case."""
    pairs = (item.split("=", 1) for item in text.split("|"))
    return {pair[0].strip().lower(): pair[1].strip() for pair in pairs if len(pair) == 2}


def links(cell: str) -> list[dict[str, str]]:
    """The attributes of each link in a cell of a column such as BRIDGING or SPLIT."""
    given = (attributes(part.strip("() ")) for part in re.split(r"[(@]", cell))
    return [each for each in given if each]


def read_column(
    column: Sequence[str], words: Sequence[int], elements: dict[str, list[str]], source: Source
) -> tuple[Entity, ...]:
    """The entities of a column; `words` are the tokens that Min counts, from 1.

    `elements` has the plural entities of each entity, as other columns give them.
    """
    reader = _ColumnReader(source)
    for token, cell in enumerate(column):
        if cell not in ("_", ""):
            reader.cell(token, cell)
    return reader.entities(words, elements)


class _ColumnReader:
    """Collects markables, token by token."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._open: list[_Markable] = []
        self._markables: dict[str, _Markable] = {}

    def cell(self, token: int, cell: str) -> None:
        """Read the brackets of one token."""
        at = 0
        for match in _PIECE.finditer(cell):
            if match.start() != at:
                break
            at = match.end()
            if match[1] is not None:
                self._begin(token, match[1])
            elif match[2] is not None:
                self._end(token, match[2])
        if at != len(cell):
            message = (
                f"expected brackets such as '(EntityID=1|MarkableID=m1' or ')', found {cell!r}"
            )
            self.source.mistake(self.source.line_of(token), "brackets", message)

    def _begin(self, token: int, text: str) -> None:
        given = attributes(text)
        entity = given.pop("entityid", "")
        id = given.pop("markableid", "") or f"_{len(self._markables) + 1}"
        if not entity:
            message = f"expected EntityID=, found {text!r}"
            self.source.mistake(self.source.line_of(token), "brackets", message)
        markable = self._markables.setdefault(id, _Markable(entity, id, given, [], []))
        markable.starts.append(token)
        self._open.append(markable)

    def _end(self, token: int, id: str) -> None:
        named = [each for each in self._open if each.id == id] if id else self._open
        if not named:
            message = f"'{id})' closes a markable that is not open"
            self.source.mistake(self.source.line_of(token), "unbalanced", message)
            return
        markable = named[-1]
        at = max(i for i, each in enumerate(self._open) if each is markable)
        del self._open[at]
        markable.spans.append(Span(markable.starts.pop(), token + 1))

    def entities(self, words: Sequence[int], elements: dict[str, list[str]]) -> tuple[Entity, ...]:
        """The entities, once every token has been read."""
        for markable in self._open:
            line = self.source.line_of(markable.starts[0])
            message = f"'(' opens markable {markable.id}, which is never closed"
            self.source.mistake(line, "unbalanced", message)
        mentions: dict[str, dict[tuple[Span, ...], Mention]] = {}
        plural = {id: list(sets) for id, sets in elements.items()}
        for markable in self._markables.values():
            spans = tuple(sorted(markable.spans))
            if not spans or not markable.entity:
                continue
            line = self.source.line_of(spans[-1].end - 1)
            plural.setdefault(markable.entity, []).extend(_ids(markable.attributes))
            with self.source.errors_at(line):
                mention = _mention(markable, spans, words)
            known = mentions.setdefault(markable.entity, {})
            if spans in known:
                message = f"entity {markable.entity} holds the mention {markable.id} twice"
                self.source.note(line, "repeated", f"{message}; kept once")
            known.setdefault(spans, mention)
        return tuple(
            Entity(tuple(each.values()), id, attrs=_entity_attrs(id, plural.get(id, [])))
            for id, each in mentions.items()
        )


def _ids(given: dict[str, str]) -> Iterator[str]:
    return (id for id in given.get("elementof", "").split(",") if id)


def _entity_attrs(id: str, sets: list[str]) -> Pairs:
    plural = ((ELEMENT_OF, ",".join(dict.fromkeys(sets))),) if sets else ()
    return (*((NON_REFERRING,) if id.endswith("Pseudo") else ()), *plural)


def _mention(markable: _Markable, spans: tuple[Span, ...], words: Sequence[int]) -> Mention:
    """A mention; its head is the last word of `Min`, if this lies within it."""
    first, _, last = markable.attributes.get("min", "").partition(",")
    number = last or first
    at = int(number[:9]) - 1 if number.isascii() and number.isdigit() else -1
    token = words[at] if 0 <= at < len(words) else -1
    head = token if any(token in span for span in spans) else None
    id = None if markable.id.startswith("_") else markable.id
    attrs = tuple(
        (name, value) for name, value in markable.attributes.items() if name != "elementof"
    )
    return Mention(spans, head, None, id, attrs)
