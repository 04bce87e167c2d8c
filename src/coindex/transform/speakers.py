"""Speakers and addressees of the tokens of a document.

`with_speakers` recognises them in the text (see `coindex.text.speakers`). It sets `speakers`
and these layers, each with one label for each token, or "":

    addressee      who is spoken to
    speaker-label  whom a label names: `Ann` in `Ann: hi`, in `From: Ann`, in a signature, in
                   `said Ann`; `?3` where the unknown speaker of quotation 3 is meant (`she said`)
    quotation      the number of the quotation
    turn           the kind of the turn

A layer that would be empty is left out. A document that has speakers keeps them, and gets the
addressees that the order of its turns shows. Sentences that coindex has split also end where a
labelled turn or a mail begins.

A file of speakers has a line for each turn, with columns separated by tabs: the first character,
the one after the last, the speaker, and, if known, the addressee and the id of the document. A
line without an id is for every document; empty lines and lines that begin with `#` are skipped.
A turn may lie within another one, which it interrupts; turns that overlap otherwise are an error.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from coindex.errors import FormatError
from coindex.text.speakers import Turn, find_turns, with_addressees
from coindex.text.tokenizer import sentence_starts
from coindex.transform.naming import NOBODY
from coindex.types.document import Document, Layer, join
from coindex.types.span import Chars

LAYERS = ("addressee", "speaker-label", "quotation", "turn")
"""The layers that are set."""

_COLUMNS = ("speakers", "addressee", "quotation", "turn")
_BEGINS = frozenset({"turn", "script", "question", "answer", "mail"})


def with_speakers(document: Document, visible: str | None = None) -> Document:
    """The document with the speakers and addressees that its text shows.

    visible   the text without its markup, of the same length; by default the text itself
    """
    if document.speakers is not None:
        return _with_addressees(document)
    joined = join(document.tokens, document.sentences)[0] == document.text
    paragraphs = not joined or len(document.sentences) < 2
    turns = find_turns(document.text if visible is None else visible, paragraphs=paragraphs)
    return with_turns(document, turns) if turns else document


def with_turns(document: Document, turns: Iterable[Turn]) -> Document:
    """The document with the speakers of turns; an inner turn overrides the one around it."""
    count = len(document)
    columns = {name: [""] * count for name in ("speakers", *LAYERS)}
    named: list[tuple[Chars, str]] = []
    every = list(turns)
    for turn in every:
        low, high = _tokens(document, turn.chars)
        number = str(turn.number or "")
        values = (turn.speaker, turn.addressee, number, turn.kind)
        for name, value in zip(_COLUMNS, values, strict=True):
            columns[name][low:high] = [value] * (high - low)
        if turn.label is not None:
            named.append((turn.label, turn.speaker or (number and f"?{number}")))
        named += turn.names
    for chars, label in named:
        low, high = _tokens(document, chars)
        columns["speaker-label"][low:high] = [label] * (high - low)
    speakers = tuple(columns.pop("speakers"))
    layers = [(name, tuple(column)) for name, column in columns.items() if any(column)]
    return replace(
        document,
        speakers=speakers,
        layers=_merged(document.layers, layers),
        sentences=_sentences(document, every),
    )


def _sentences(document: Document, turns: Sequence[Turn]) -> tuple[int, ...]:
    """The document's sentences; if coindex has split them, also the lines where turns begin."""
    starts = [(turn.label or turn.chars).start for turn in turns if turn.kind in _BEGINS]
    spans = list(zip(document.starts, document.ends, strict=True))
    if not starts or document.sentences != sentence_starts(document.text, spans):
        return document.sentences
    lines = (document.text.rfind("\n", 0, start) + 1 for start in starts)
    firsts = {bisect_left(document.starts, line) for line in lines}
    return tuple(sorted({*document.sentences, *firsts} - {len(document)}))


def _tokens(document: Document, chars: Chars) -> tuple[int, int]:
    """The tokens that begin in a range of characters."""
    return bisect_left(document.starts, chars.start), bisect_left(document.starts, chars.end)


def _merged(old: Sequence[Layer], new: Sequence[Layer]) -> tuple[Layer, ...]:
    """The layers, with those of the document where both have one."""
    names = {name for name, _ in old}
    return (*old, *(layer for layer in new if layer[0] not in names))


def _with_addressees(document: Document) -> Document:
    if document.speakers is None or document.layer("addressee") is not None:
        return document
    turns, spans = [], []
    at = 0
    for speaker, group in groupby(document.speakers):
        end = at + len(list(group))
        if speaker not in NOBODY:
            turns.append(Turn(Chars(document.starts[at], document.ends[end - 1]), speaker))
            spans.append((at, end))
        at = end
    column = [""] * len(document)
    for turn, (low, high) in zip(with_addressees(document.text, turns), spans, strict=True):
        column[low:high] = [turn.addressee] * (high - low)
    layers = [("addressee", tuple(column))] if any(column) else []
    return replace(document, layers=_merged(document.layers, layers))


def document_turns(document: Document) -> tuple[Turn, ...]:
    """The turns of a document by its speakers and layers; nested quotations divide a turn."""
    empty = ("",) * len(document)
    columns = (
        [name if name not in NOBODY else "" for name in document.speakers or empty],
        *(document.layer(name) or empty for name in _COLUMNS[1:]),
    )
    turns, at = [], 0
    for values, group in groupby(zip(*columns, strict=True)):
        end = at + len(list(group))
        speaker, addressee, number, kind = values
        if speaker or addressee or number:
            chars = Chars(document.starts[at], document.ends[end - 1])
            count = int(number) if number.isdecimal() else 0
            turns.append(Turn(chars, speaker, addressee, kind=kind or "turn", number=count))
        at = end
    return tuple(turns)


@dataclass(frozen=True, slots=True)
class SpeakerFile:
    """The turns of a file of speakers, each with its line and the id of its document."""

    name: str
    rows: tuple[tuple[int, str, Turn], ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the documents, in the order of the file; "" where a line has none."""
        return tuple(dict.fromkeys(id for _, id, _ in self.rows))

    def apply(self, document: Document) -> Document:
        """The document with the speakers of the file, unless it has some."""
        if document.speakers is not None:
            return document
        own = []
        for line, id, turn in self.rows:
            if id not in ("", document.id):
                continue
            if turn.chars.end > len(document.text):
                size = f"{document.id} has {len(document.text)} characters"
                raise FormatError(self.name, line, f"{size}, found the end {turn.chars.end}")
            own.append(turn)
        own.sort(key=lambda turn: (turn.chars.start, -turn.chars.end))
        return with_turns(document, own) if own else document


def read_speakers(lines: Iterable[str], name: str) -> SpeakerFile:
    """A file of speakers; see the module for its columns."""
    rows = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            rows.append((number, *_row(line.rstrip("\r\n").split("\t"), name, number)))
    return checked_turns(name, tuple(rows))


def checked_turns(name: str, rows: tuple[tuple[int, str, Turn], ...]) -> SpeakerFile:
    """Turns with their line and the id of their document; an error if those of one overlap."""
    for id in {id for _, id, _ in rows}:
        _check_overlaps(name, [row for row in rows if row[1] in ("", id)])
    return SpeakerFile(name, rows)


def _check_overlaps(name: str, rows: Sequence[tuple[int, str, Turn]]) -> None:
    """An error if two turns of a document overlap, and neither lies within the other."""
    open_: list[tuple[int, Chars]] = []
    for line, _, turn in sorted(rows, key=lambda row: (row[2].chars.start, -row[2].chars.end)):
        chars = turn.chars
        while open_ and open_[-1][1].end <= chars.start:
            open_.pop()
        if open_ and (open_[-1][1].end < chars.end or open_[-1][1] == chars):
            other, range_ = open_[-1]
            where = f"{chars.start}-{chars.end} and, in line {other}, {range_.start}-{range_.end}"
            raise FormatError(name, line, f"expected turns that do not overlap, found {where}")
        open_.append((line, chars))


def _row(fields: Sequence[str], name: str, number: int) -> tuple[str, Turn]:
    if not 3 <= len(fields) <= 5:
        wanted = "expected 3 to 5 columns (start, end, speaker, addressee, document)"
        raise FormatError(name, number, f"{wanted}, found {len(fields)}")
    start, end, speaker, addressee, id = (*map(str.strip, fields), "", "")[:5]
    if not (start.isdecimal() and end.isdecimal() and int(start) < int(end)):
        raise FormatError(name, number, f"expected start < end, found {start!r} and {end!r}")
    return id, Turn(Chars(int(start), int(end)), speaker, addressee)
