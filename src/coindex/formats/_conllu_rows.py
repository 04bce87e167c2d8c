"""The lines of CoNLL-U: comments, then ten columns a token, then a blank line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from coindex.core.source import Source

ID = re.compile(r"(\d+)(?:-(\d+)|\.(\d+))?")
"""A word's number, a range of words (`3-4`), an empty node (`3.1`)."""


@dataclass
class Sentence:
    """One sentence as it stands in the file, with the line of each row."""

    line: int
    comments: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def sentences(lines: Iterable[str], source: Source) -> Iterator[Sentence]:
    """The sentences of a file, each whole and rightly numbered."""
    sentence: Sentence | None = None
    number = 0
    for number, line in enumerate(lines, 1):
        bare = line.rstrip("\r\n")
        if not bare.strip():
            if sentence:
                yield _whole(sentence, source)
            sentence = None
            continue
        sentence = sentence or Sentence(number)
        if bare[0] == "#" and not sentence.rows:
            sentence.comments.append(bare)
        else:
            sentence.rows.append(_row(bare, number, source))
            sentence.lines.append(number)
    if sentence:
        yield _whole(sentence, source)


def _whole(sentence: Sentence, source: Source) -> Sentence:
    """Words are numbered from 1, empty nodes within, ranges before their words."""
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
