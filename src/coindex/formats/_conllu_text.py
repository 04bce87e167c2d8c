"""The text behind CoNLL-U: where each word stands, and how to write white space.

White space is a space unless MISC says `SpaceAfter=No` or `SpacesAfter=\\n` (with
UDPipe's escapes). A sentence that opens a paragraph (`# newpar`) starts a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from coindex.core.document import Document

_ESCAPES = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
_BACK = {value: f"\\{key}" for key, value in _ESCAPES.items()}


def place(
    rows: list[list[str]], firsts: list[int], comments: list[str], ranges: list[str]
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """The text of a document, and where each of its tokens starts and ends."""
    starts, ends = [0] * len(rows), [0] * len(rows)
    pieces: list[str] = []
    length, index, gap, tail = 0, 0, "", ""
    begins = frozenset(firsts)
    while index < len(rows):
        if index in begins and "# newpar" in comments[index] and length and gap in (" ", ""):
            gap = "\n"
        size, form, misc = _surface(rows, index, ranges[index])
        if "." in rows[index][0]:  # a zero has no characters
            starts[index] = ends[index] = length
            index += 1
            continue
        gap = _spaces(misc, "SpacesBefore") or gap
        pieces += [gap, form]
        length += len(gap)
        _words(rows, index, size, form, length, (starts, ends))
        length += len(form)
        gap = _gap_after(misc)
        tail = _spaces(misc, "SpacesAfter")
        index += size
    return "".join([*pieces, tail]), tuple(starts), tuple(ends)


def _surface(rows: list[list[str]], index: int, range_: str) -> tuple[int, str, str]:
    """How many words are written as one here, that one's form, and its MISC."""
    if not range_:
        return 1, rows[index][1], rows[index][9]
    fields = range_.split("\t")
    first, last = fields[0].split("-")
    wanted, size = int(last[:9]) - int(first[:9]) + 1, 0
    while wanted and index + size < len(rows):
        if size and rows[index + size][0] == "1":
            break
        wanted -= "." not in rows[index + size][0]
        size += 1
    return size, fields[1], fields[9]


def _words(
    rows: list[list[str]], index: int, size: int, form: str, at: int,
    places: tuple[list[int], list[int]],
) -> None:  # fmt: skip
    """Words of a range tile its form if they spell it, and share it if they do not."""
    starts, ends = places
    words = [rows[i][1] if "." not in rows[i][0] else "" for i in range(index, index + size)]
    spelt = "".join(words) == form
    reach = at
    for offset, word in enumerate(words):
        if not word:
            starts[index + offset] = ends[index + offset] = reach
        elif spelt:
            starts[index + offset], ends[index + offset] = reach, reach + len(word)
            reach += len(word)
        else:
            starts[index + offset], ends[index + offset] = at, at + len(form)
            reach = at if offset + 1 < size else at + len(form)


def _gap_after(misc: str) -> str:
    if "SpaceAfter=No" in misc.split("|"):
        return ""
    return _spaces(misc, "SpacesAfter") or " "


def _spaces(misc: str, name: str) -> str:
    items = (item.partition("=") for item in misc.split("|"))
    value = next((value for key, _, value in items if key == name), "")
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), value)


class Spacing:
    """What CoNLL-U needs to say of a text that did not come from CoNLL-U."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._ranges = dict(_shared(document))
        self._spans = list(document.sentence_spans())

    @cached_property
    def misc(self) -> list[str]:
        """White space after each token, where it is not one space."""
        document = self.document
        found = ["_"] * len(document)
        zeros = frozenset(document.zeros)
        surface = [index for index in range(len(document)) if index not in zeros]
        if not surface:
            return found
        inner = {i for first, last in self._ranges.items() for i in range(first, last)}
        for index, after in zip(surface, [*surface[1:], None], strict=True):
            end = document.starts[after] if after is not None else len(document.text)
            gap = document.text[document.ends[index] : end]
            if index in inner or (after is None and not gap):
                continue
            if gap != " " or after is None:
                found[index] = f"SpacesAfter={_escaped(gap)}" if gap else "SpaceAfter=No"
        if surface and document.starts[surface[0]]:
            before = f"SpacesBefore={_escaped(document.text[: document.starts[surface[0]]])}"
            found[surface[0]] = "|".join(filter("_".__ne__, [found[surface[0]], before]))
        return found

    def range_line(self, index: int, id: str) -> Iterator[str]:
        """The line before words that share their characters."""
        last = self._ranges.get(index)
        if last is not None:
            zeros = sum(index < zero <= last for zero in self.document.zeros)
            form = self.document.text[self.document.starts[index] : self.document.ends[index]]
            end = int(id) + last - index - zeros
            misc = self.misc[last]
            yield "\t".join([f"{id}-{end}", form, *["_"] * 7, misc]) + "\n"

    def comments(self, number: int) -> Iterator[str]:
        """The comments every sentence should have, and its speaker."""
        span = self._spans[number]
        text = " ".join(self.document.chars(span).of(self.document.text).split())
        yield f"# sent_id = {' '.join(self.document.id.split())}-{number + 1}"
        speakers = self.document.speakers
        if speakers and speakers[span.start]:
            yield f"# speaker = {speakers[span.start]}"
        yield f"# text = {text}"


def _shared(document: Document) -> Iterator[tuple[int, int]]:
    """Runs of words that stand on the same characters: first and last index."""
    places: Sequence[tuple[int, int]] = list(zip(document.starts, document.ends, strict=True))
    zeros = frozenset(document.zeros)
    borders = frozenset(document.sentences)
    index = 0
    while index < len(places):
        last = index
        for after in range(index + 1, len(places)):
            if after in borders or (after not in zeros and places[after] != places[index]):
                break
            if after not in zeros:
                last = after
        if index not in zeros and last > index:
            yield index, last
        index = last + 1


def _escaped(text: str) -> str:
    return "".join(_BACK.get(char, char) for char in text)
