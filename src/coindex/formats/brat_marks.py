"""brat's marks: collected line by line, then converted to the entities of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from coindex.errors import InvalidValue
from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention, Pairs
from coindex.types.source import Source
from coindex.types.span import Span

PLAIN = "Mention"
"""The label of a mention without a kind."""

_BODY = re.compile(r"(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)(?:\t(.*))?", re.DOTALL)
_LITBANK = re.compile(r"\S+-\d+")

Offsets = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Mark:
    """One `T` line: its label, its offsets, and its line in the file."""

    label: str
    offsets: Offsets
    line: int


class StandoffMarks:
    """The marks of one annotation file, and the annotation that refers to them.

    names     the id of a mention's entity: the mention, the id, the line
    groups    coreferent mentions, with their line
    triggers  the mark of each event
    """

    def __init__(self, text: str, source: Source) -> None:
        self.text = text
        self.source = source
        self.marks: dict[str, Mark] = {}
        self.names: list[tuple[str, str, int]] = []
        self.groups: list[tuple[list[str], int]] = []
        self.triggers: dict[str, str] = {}
        self._alias: dict[str, str] = {}

    def mark(self, key: str, body: str, line: int) -> None:
        """Add a `T` line."""
        match = _BODY.fullmatch(body)
        if not match:
            raise self.source.error(
                line, f"expected 'Label start end<TAB>text', found {body[:40]!r}"
            )
        pairs = [pair.split() for pair in match[2].split(";")]
        offsets = tuple(sorted((int(start), int(end)) for start, end in pairs))
        for start, end in offsets:
            if not start < end <= len(self.text):
                size = f"within the text's {len(self.text)} characters"
                raise self.source.error(line, f"expected start < end {size}, found {start} {end}")
        if key in self.marks:
            raise self.source.error(
                line, f"{key} is marked twice, first on line {self.marks[key].line}"
            )
        actual = " ".join(self.text[start:end] for start, end in offsets)
        if match[3] is not None and _flat(actual) != _flat(match[3]):
            message = f"expected {match[3]!r} at {match[2]}, found {actual!r}"
            self.source.mistake(line, "offset", message)
        self.marks[key] = Mark(match[1], offsets, line)

    def renamed(self, line: str) -> str:
        """A line that refers to marks, with the ids of merged marks replaced."""
        return re.sub(r"T\d+\b", lambda match: self._alias.get(match[0], match[0]), line)

    def document(self, id: str, meta: Pairs) -> Document:
        """The document with its entities; tokens are split at the borders of mentions."""
        clusters = self._clusters()
        borders = {at for mark in self.marks.values() for span in mark.offsets for at in span}
        spans = list(token_offsets(self.text, borders))
        first = {start: index for index, (start, _) in enumerate(spans)}
        last = {end: index + 1 for index, (_, end) in enumerate(spans)}
        mentions = {key: self._mention(key, first, last) for key in self.marks}
        entities = []
        for name, keys in clusters:
            distinct = {m.spans: m for key in keys if (m := mentions[key])}
            if distinct:
                entities.append(Entity(tuple(distinct.values()), name))
        return Document(
            id,
            self.text,
            tuple(self.text[start:end] for start, end in spans),
            tuple(start for start, _ in spans),
            tuple(end for _, end in spans),
            sentence_starts(self.text, spans),
            tuple(entities),
            meta=tuple((key, self.renamed(value)) for key, value in meta),
        )

    def _mention(self, key: str, first: dict[int, int], last: dict[int, int]) -> Mention | None:
        mark = self.marks[key]
        try:
            borders = [(first.get(start, 0), last.get(end, 0)) for start, end in mark.offsets]
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
        """Marks whose label names an entity, merged into the other mark at their offsets."""
        labels = {key for key, mark in self.marks.items() if _LITBANK.fullmatch(mark.label)}
        if not labels or self.names or self.groups:
            return
        typed: dict[Offsets, str] = {}
        for key, mark in list(self.marks.items()):
            if key in labels:
                continue
            if mark.offsets in typed:
                message = f"{key} marks the same words as {typed[mark.offsets]}; kept as one"
                self.source.note(mark.line, "repeated", message)
                self._alias[key] = typed[mark.offsets]
                del self.marks[key]
            typed.setdefault(mark.offsets, key)
        for key in sorted(labels, key=lambda key: self.marks[key].line):
            mark = self.marks[key]
            owner = typed.get(mark.offsets)
            if owner:
                self._alias[key] = owner
                del self.marks[key]
            yield owner or key, mark.label, mark.line

    def _merged(self) -> list[set[str]]:
        """The groups; those that share a mention are merged, unless entities have ids."""
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
        key = self.triggers.get(key, key)
        key = self._alias.get(key, key)
        if key not in self.marks:
            raise self.source.error(line, f"expected a mention that is marked, found {key!r}")
        return key


def _flat(text: str) -> str:
    """A text as brat quotes it, with single spaces."""
    return " ".join(text.split())


def mention_ids(document: Document) -> dict[Mention, str]:
    """A `T` number for each mention: its id if that is one, else an unused number."""
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


def mention_line(document: Document, mention: Mention, id: str) -> str:
    """The `T` line of a mention."""
    ranges = [document.chars(span) for span in mention.spans]
    label = "_".join((mention.kind or PLAIN).split()) or PLAIN
    where = ";".join(f"{chars.start} {chars.end}" for chars in ranges)
    words = _flat(" ".join(chars.of(document.text) for chars in ranges))
    return f"{id}\t{label} {where}\t{words}"
