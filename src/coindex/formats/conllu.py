"""The text of CoNLL-U: the offsets of its words, and how to write white space.

Words are separated by a space unless MISC has `SpaceAfter=No` or `SpacesAfter=\\n` (with
UDPipe's escapes). A sentence that begins a paragraph (`# newpar`) starts a new line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from coindex.types.document import Document
from coindex.types.source import Source

_ESCAPES = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
_BACK = {value: f"\\{key}" for key, value in _ESCAPES.items()}


def text_offsets(
    rows: list[list[str]], firsts: list[int], comments: list[str], ranges: list[str]
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """The text of a document, and the starts and ends of its tokens."""
    starts, ends = [0] * len(rows), [0] * len(rows)
    parts: list[str] = []
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
        parts += [gap, form]
        length += len(gap)
        _words(rows, index, size, form, length, (starts, ends))
        length += len(form)
        gap = _gap_after(misc)
        tail = _spaces(misc, "SpacesAfter")
        index += size
    return "".join([*parts, tail]), tuple(starts), tuple(ends)


def _surface(rows: list[list[str]], index: int, range_: str) -> tuple[int, str, str]:
    """The number of words in the surface token here, its form, and its MISC."""
    if not range_:
        return 1, rows[index][1], rows[index][9]
    fields = range_.split("\t")
    first, last = fields[0].split("-")
    remaining, size = int(last[:9]) - int(first[:9]) + 1, 0
    while remaining and index + size < len(rows):
        if size and rows[index + size][0] == "1":
            break
        remaining -= "." not in rows[index + size][0]
        size += 1
    return size, fields[1], fields[9]


def _words(
    rows: list[list[str]], index: int, size: int, form: str, at: int,
    offsets: tuple[list[int], list[int]],
) -> None:  # fmt: skip
    """Set the offsets of the words of a range: parts of its form, or the whole if it differs."""
    starts, ends = offsets
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
    """The CoNLL-U annotation of white space and word ranges, for a text from another format."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._ranges = dict(_shared(document))
        self._spans = list(document.sentence_spans())

    @cached_property
    def misc(self) -> list[str]:
        """The MISC column with the white space after each token, if it is not one space."""
        document = self.document
        misc = ["_"] * len(document)
        zeros = frozenset(document.zeros)
        surface = [index for index in range(len(document)) if index not in zeros]
        if not surface:
            return misc
        inner = {i for first, last in self._ranges.items() for i in range(first, last)}
        for index, after in zip(surface, [*surface[1:], None], strict=True):
            end = document.starts[after] if after is not None else len(document.text)
            gap = document.text[document.ends[index] : end]
            if index in inner or (after is None and not gap):
                continue
            if gap != " " or after is None:
                misc[index] = f"SpacesAfter={_escaped(gap)}" if gap else "SpaceAfter=No"
        if surface and document.starts[surface[0]]:
            before = f"SpacesBefore={_escaped(document.text[: document.starts[surface[0]]])}"
            misc[surface[0]] = "|".join(filter("_".__ne__, [misc[surface[0]], before]))
        return misc

    def range_line(self, index: int, id: str) -> Iterator[str]:
        """The line of a word range, before words that share their characters."""
        last = self._ranges.get(index)
        if last is not None:
            zeros = sum(index < zero <= last for zero in self.document.zeros)
            form = self.document.text[self.document.starts[index] : self.document.ends[index]]
            end = int(id) + last - index - zeros
            misc = self.misc[last]
            yield "\t".join([f"{id}-{end}", form, *["_"] * 7, misc]) + "\n"

    def comments(self, number: int) -> Iterator[str]:
        """The required comments of a sentence, and its speaker."""
        span = self._spans[number]
        text = " ".join(self.document.chars(span).of(self.document.text).split())
        yield f"# sent_id = {' '.join(self.document.id.split())}-{number + 1}"
        speakers = self.document.speakers
        if speakers and speakers[span.start]:
            yield f"# speaker = {speakers[span.start]}"
        yield f"# text = {text}"


def _shared(document: Document) -> Iterator[tuple[int, int]]:
    """Runs of words that share the same characters: first and last index."""
    offsets: Sequence[tuple[int, int]] = list(zip(document.starts, document.ends, strict=True))
    zeros = frozenset(document.zeros)
    borders = frozenset(document.sentences)
    index = 0
    while index < len(offsets):
        last = index
        for after in range(index + 1, len(offsets)):
            if after in borders or (after not in zeros and offsets[after] != offsets[index]):
                break
            if after not in zeros:
                last = after
        if index not in zeros and last > index:
            yield index, last
        index = last + 1


def _escaped(text: str) -> str:
    return "".join(_BACK.get(char, char) for char in text)


ID = re.compile(r"(\d+)(?:-(\d+)|\.(\d+))?")
"""A word's number, a range of words (`3-4`), an empty node (`3.1`)."""


@dataclass
class Sentence:
    """One sentence of the file, with the line number of each row."""

    line: int
    comments: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def read_sentences(lines: Iterable[str], source: Source) -> Iterator[Sentence]:
    """The sentences of a file, with the numbering of their tokens checked."""
    sentence: Sentence | None = None
    number = 0
    for number, line in enumerate(lines, 1):
        bare = line.rstrip("\r\n")
        if not bare.strip():
            if sentence:
                yield _checked(sentence, source)
            sentence = None
            continue
        sentence = sentence or Sentence(number)
        if bare[0] == "#" and not sentence.rows:
            sentence.comments.append(bare)
        else:
            sentence.rows.append(_row(bare, number, source))
            sentence.lines.append(number)
    if sentence:
        yield _checked(sentence, source)


def _checked(sentence: Sentence, source: Source) -> Sentence:
    """Check that words are numbered from 1, empty nodes after them, ranges before them."""
    word, empty = 0, 0
    for row, line in zip(sentence.rows, sentence.lines, strict=True):
        match = ID.fullmatch(row[0])
        if not match:
            raise source.error(line, f"expected a token number, found {row[0]!r}")
        if match[3]:
            empty += 1
            expected = f"{word}.{empty}"
        elif match[2]:
            expected = f"{word + 1}-{max(int(match[2][:9]), word + 2)}"
        else:
            word, empty = word + 1, 0
            expected = str(word)
        if row[0] != expected:
            raise source.error(line, f"expected token {expected}, found {row[0]}")
    if not word and not empty:
        raise source.error(sentence.line, "expected tokens after the comments, found none")
    return sentence


def _row(bare: str, number: int, source: Source) -> list[str]:
    fields = bare.split("\t")
    if len(fields) != 10:
        raise source.error(number, f"expected 10 columns by tabs, found {len(fields)}")
    if not fields[1]:
        raise source.error(number, "expected a word, found an empty column")
    return fields
