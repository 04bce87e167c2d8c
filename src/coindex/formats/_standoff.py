"""brat's marks: gathered line by line, then made into the entities of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention, Pairs
from coindex.core.source import Source
from coindex.core.span import Span
from coindex.core.tokenize import sentences, tokens
from coindex.errors import InvalidValue

PLAIN = "Mention"
"""The label of a mention that has none of its own."""

_BODY = re.compile(r"(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)(?:\t(.*))?", re.DOTALL)
_LITBANK = re.compile(r"\S+-\d+")

Place = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Mark:
    """One `T` line: its label, where it stands, and its line in the file."""

    label: str
    place: Place
    line: int


class Marks:
    """The marks of one annotation file, and what is said of them."""

    def __init__(self, text: str, source: Source) -> None:
        self.text = text
        self.source = source
        self.marks: dict[str, Mark] = {}
        self.names: list[tuple[str, str, int]] = []
        self.groups: list[tuple[list[str], int]] = []
        self._alias: dict[str, str] = {}

    def mark(self, key: str, body: str, line: int) -> None:
        """A `T` line."""
        match = _BODY.fullmatch(body)
        if not match:
            raise self.source.error(
                line, f"expected 'Label start end<TAB>text', found {body[:40]!r}"
            )
        pairs = [pair.split() for pair in match[2].split(";")]
        place = tuple(sorted((int(start), int(end)) for start, end in pairs))
        for start, end in place:
            if not start < end <= len(self.text):
                size = f"within the text's {len(self.text)} characters"
                raise self.source.error(line, f"expected start < end {size}, found {start} {end}")
        if key in self.marks:
            raise self.source.error(
                line, f"{key} is marked twice, first on line {self.marks[key].line}"
            )
        found = " ".join(self.text[start:end] for start, end in place)
        if match[3] is not None and _flat(found) != _flat(match[3]):
            message = f"expected {match[3]!r} at {match[2]}, found {found!r}"
            self.source.mistake(line, "offset", message)
        self.marks[key] = Mark(match[1], place, line)

    def same(self, keys: list[str], line: int) -> None:
        """Mentions that are the same."""
        self.groups.append((keys, line))

    def name(self, key: str, id: str, line: int) -> None:
        """The id of a mention's entity."""
        self.names.append((key, id, line))

    def renamed(self, fact: str) -> str:
        """A line about marks, where some have been merged into others."""
        return re.sub(r"T\d+\b", lambda match: self._alias.get(match[0], match[0]), fact)

    def document(self, id: str, meta: Pairs) -> Document:
        """The document with its entities, tokens cut at the borders of mentions."""
        clusters = self._clusters()
        borders = {at for mark in self.marks.values() for span in mark.place for at in span}
        spans = list(tokens(self.text, borders))
        first = {start: index for index, (start, _) in enumerate(spans)}
        last = {end: index + 1 for index, (_, end) in enumerate(spans)}
        mentions = {key: self._mention(key, first, last) for key in self.marks}
        entities = []
        for name, keys in clusters:
            found = {m.spans: m for key in keys if (m := mentions[key])}
            if found:
                entities.append(Entity(tuple(found.values()), name))
        return Document(
            id,
            self.text,
            tuple(self.text[start:end] for start, end in spans),
            tuple(start for start, _ in spans),
            tuple(end for _, end in spans),
            sentences(self.text, spans),
            tuple(entities),
            meta=tuple((key, self.renamed(value)) for key, value in meta),
        )

    def _mention(self, key: str, first: dict[int, int], last: dict[int, int]) -> Mention | None:
        mark = self.marks[key]
        try:
            borders = [(first.get(start, 0), last.get(end, 0)) for start, end in mark.place]
            spans = tuple(Span(start, end) for start, end in borders)
            return Mention(spans, None, None if mark.label == PLAIN else mark.label, key)
        except InvalidValue:
            message = f"expected {key} to begin and end with a word, found only part of one"
            self.source.mistake(mark.line, "offset", message)
            return None

    def _clusters(self) -> list[tuple[str | None, list[str]]]:
        """The entities as lists of marks, with their names."""
        named: dict[str, list[str]] = {}
        for key, id, line in [*self.names, *self._litbank()]:
            named.setdefault(id, []).append(self._known(key, line))
        clusters: list[tuple[str | None, list[str]]] = [*named.items()]
        sets = [set(keys) for keys in named.values()]
        groups = [group for group in self._merged() if not any(group <= keys for keys in sets)]
        clusters += [(None, sorted(group, key=lambda key: int(key[1:]))) for group in groups]
        grouped = {key for _, keys in clusters for key in keys}
        clusters += [(None, [key]) for key in self.marks if key not in grouped]
        return clusters

    def _litbank(self) -> Iterator[tuple[str, str, int]]:
        """Labels that name entities; such a mark is merged into the other on its place."""
        labels = {key for key, mark in self.marks.items() if _LITBANK.fullmatch(mark.label)}
        if not labels or self.names or self.groups:
            return
        typed: dict[Place, str] = {}
        for key, mark in list(self.marks.items()):
            if key in labels:
                continue
            if mark.place in typed:
                message = f"{key} marks the same words as {typed[mark.place]}; kept as one"
                self.source.note(mark.line, "repeated", message)
                self._alias[key] = typed[mark.place]
                del self.marks[key]
            typed.setdefault(mark.place, key)
        for key in sorted(labels, key=lambda key: self.marks[key].line):
            mark = self.marks[key]
            owner = typed.get(mark.place)
            if owner:
                self._alias[key] = owner
                del self.marks[key]
            yield owner or key, mark.label, mark.line

    def _merged(self) -> list[set[str]]:
        """Groups that share a mention become one, unless they are written by `*` whole."""
        groups: list[set[str]] = []
        for keys, line in self.groups:
            new = {self._known(key, line) for key in keys}
            if new:
                groups.append(new)
        if self.names:
            return groups
        parent: dict[str, str] = {}

        def root(key: str) -> str:
            while parent.setdefault(key, key) != key:
                parent[key] = parent[parent[key]]
                key = parent[key]
            return key

        for group in groups:
            first, *others = (root(key) for key in group)
            parent.update(dict.fromkeys(others, first))
        merged: dict[str, set[str]] = {}
        for key in parent:
            merged.setdefault(root(key), set()).add(key)
        return list(merged.values())

    def _known(self, key: str, line: int) -> str:
        key = self._alias.get(key, key)
        if key not in self.marks:
            raise self.source.error(line, f"expected a mention that is marked, found {key!r}")
        return key


def file_name(id: str) -> str:
    """An id as the name of a file: no folders, not too long, not hidden."""
    safe = "".join(char if char.isalnum() or char in "-_.," else "_" for char in id)
    return safe.encode("utf-8", "ignore")[:200].decode("utf-8", "ignore").strip(".") or "_"


def _flat(text: str) -> str:
    """A text as brat quotes it: white space is one space."""
    return " ".join(text.split())


def numbered(document: Document) -> dict[Mention, str]:
    """A `T` number for each mention: its own where it has one, else a free one."""
    mentions = list(dict.fromkeys(document.mentions))
    own = [m.id for m in mentions if m.id and re.fullmatch(r"T\d+", m.id)]
    taken = set(own)
    free = (f"T{number}" for number in range(1, 10**9))
    ids: dict[Mention, str] = {}
    used: set[str] = set()
    for mention in mentions:
        if mention.id in taken and mention.id not in used:
            ids[mention] = mention.id
        else:
            ids[mention] = next(id for id in free if id not in taken)
        used.add(ids[mention])
    return ids


def line_of_mention(document: Document, mention: Mention, id: str) -> str:
    """The `T` line of a mention."""
    places = [document.chars(span) for span in mention.spans]
    label = "_".join((mention.kind or PLAIN).split()) or PLAIN
    where = ";".join(f"{place.start} {place.end}" for place in places)
    words = _flat(" ".join(place.of(document.text) for place in places))
    return f"{id}\t{label} {where}\t{words}"
