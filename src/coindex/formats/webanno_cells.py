r"""The cells of WebAnno TSV: escapes, stacked values, and coreference as relations.

GUM's files have no chains. Their mentions are annotations of a span layer, `person[3]` on each
token, and a relation layer connects them: `coref` beside `1-5[3_7]` is a relation from
annotation 3, which is on token 1-5, to annotation 7 of this row. An id of 0, or none at all,
stands for the only annotation of the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coindex.formats.standoff import Range, merged
from coindex.types.source import Source

_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_NAMED = {char: f"\\{name}" for name, char in _CONTROL.items()}
_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_VALUE = re.compile(r"(.*?)(?:\[(\d+)\])?", re.DOTALL)
_TARGET = re.compile(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d+)_(\d+)\])?")
_OTHER = re.compile(r"bridg|split", re.IGNORECASE)
EMPTY = frozenset({"_", ""})


def stacked(cell: str) -> list[str]:
    """The values of a cell, which are separated by bars."""
    return _BAR.sub(lambda match: f"{match[1]}\x00", cell).split("\x00")


def unescaped(text: str) -> str:
    """A text without its backslashes."""
    return _ESCAPED.sub(lambda match: _CONTROL.get(match[1], match[1]), text)


def escaped(text: str) -> str:
    """A text with backslashes before reserved characters."""
    shown = re.sub(r"->|[\\\[\]|_;*]", lambda match: f"\\{match[0]}", text)
    return re.sub("[\t\n\r\b\f]", lambda match: _NAMED[match[0]], shown)


def kind_of_value(value: str) -> str | None:
    """The label of a value such as `person[3]`; None for `*`."""
    label = re.sub(r"\[\d+\]$", "", value)
    return None if label in ("*", *EMPTY) else unescaped(label)


@dataclass(frozen=True, slots=True)
class Row:
    """A token or a part of one: its number, its offsets, its cells, and its line."""

    number: str
    range: Range
    cells: Sequence[str]
    line: int

    def cell(self, column: int) -> str:
        """A cell, or `_` if the row is too short."""
        return self.cells[column] if column < len(self.cells) else "_"


@dataclass(frozen=True, slots=True)
class RelationLayer:
    """A relation layer by its columns, and the first column of the layer that it is based on."""

    base: int
    labels: int
    targets: int


@dataclass(slots=True)
class LinkedMention:
    """An annotation of a span layer, over all its rows."""

    ranges: list[Range]
    kind: str | None
    line: int


def relation_chains(
    rows: Iterable[Row], layer: RelationLayer, source: Source
) -> list[list[LinkedMention]]:
    """The annotations that coreference relations connect, and each of the others alone."""
    mentions: dict[str, LinkedMention] = {}
    on_row: dict[str, str] = {}
    relations: list[tuple[Row, str]] = []
    for row in rows:
        for index, value in enumerate(_values(row.cell(layer.base))):
            match = _VALUE.fullmatch(value)
            id = match[2] if match else None
            key = id or f"{row.number}/{index}"
            mention = mentions.setdefault(key, LinkedMention([], kind_of_value(value), row.line))
            mention.ranges.append(row.range)
            on_row.setdefault(row.number, key)
        labels = _values(row.cell(layer.labels))
        for index, target in enumerate(_values(row.cell(layer.targets))):
            label = labels[index] if index < len(labels) else ""
            if not _OTHER.match(label):
                relations.append((row, target))
    links = [_link(row, target, mentions, on_row, source) for row, target in relations]
    groups = merged(links)
    grouped = {key for group in groups for key in group}
    groups += [[key] for key in mentions if key not in grouped]
    return [[mentions[key] for key in group] for group in groups]


def _values(cell: str) -> list[str]:
    return [] if cell in EMPTY else stacked(cell)


def _link(
    row: Row,
    target: str,
    mentions: dict[str, LinkedMention],
    on_row: dict[str, str],
    source: Source,
) -> tuple[str, str]:
    """The two annotations of a relation."""
    match = _TARGET.fullmatch(target)
    keys: list[str | None] = [None, None]
    if match:
        ends = (match[1], match[2]), (row.number, match[3])
        keys = [on_row.get(at) if id in (None, "0") else id for at, id in ends]
    if keys[0] not in mentions or keys[1] not in mentions or not keys[0] or not keys[1]:
        message = f"expected an annotation such as '1-5' or '1-5[3_7]', found {target!r}"
        raise source.error(row.line, message)
    return keys[0], keys[1]
