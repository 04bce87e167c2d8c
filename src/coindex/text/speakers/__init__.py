"""Who speaks in a plain text, and to whom: dialogues, scripts, quotations, mails, bylines.

Nothing is guessed that the text does not show: an unknown speaker is "". Offsets are code points
of the text as given. Turns are in the order of their starts; a quotation may lie within
another turn, and turns never cross.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from coindex.text.speakers.addressees import turn_addressee, with_addressees
from coindex.text.speakers.dialogues import dialogue_turns
from coindex.text.speakers.labels import (
    NARRATOR,
    Turn,
    canonical_labels,
    clean_label,
    first_person,
    split_lines,
)
from coindex.text.speakers.mail_parts import byline
from coindex.text.speakers.mails import mail_turns
from coindex.text.speakers.quotations import quotation_turns
from coindex.text.tokenizer import without_bom
from coindex.types.span import Chars

__all__ = ["NARRATOR", "Turn", "find_turns", "turn_addressee", "with_addressees"]


def find_turns(text: str, paragraphs: bool = True) -> tuple[Turn, ...]:
    """The turns of a text.

    paragraphs  False for texts whose line breaks only separate sentences: their labels and
                paragraphs are not recognised, only quotations with a speech tag
    """
    outer: list[Turn] = []
    text = without_bom(text)
    if paragraphs:
        lines = split_lines(text)
        outer = mail_turns(text, lines) or dialogue_turns(text, lines)
        if outer and outer[0].kind != "mail":
            outer = with_addressees(text, _respelled(outer))
    quoted = _uncrossed(quotation_turns(text, outer, paragraphs), outer)
    if not outer and paragraphs:
        outer = _narration(text, quoted)
    return _in_order(text, _respelled([*outer, *quoted]))


def _uncrossed(quoted: Sequence[Turn], outer: Sequence[Turn]) -> list[Turn]:
    """The quotations that lie within one turn, or outside of all."""
    borders = sorted({at for turn in outer for at in (turn.chars.start, turn.chars.end)})
    return [
        turn
        for turn in quoted
        if bisect_right(borders, turn.chars.start) == bisect_left(borders, turn.chars.end)
    ]


def _narration(text: str, quoted: list[Turn]) -> list[Turn]:
    """The turn of whoever says `I` outside quotations: the author of a byline, or a narrator."""
    author = byline(split_lines(text[:2_000]))
    narrates = any(turn.speaker == NARRATOR for turn in quoted)
    if author is None:
        return [Turn(Chars(0, len(text)), NARRATOR, kind="narration")] if narrates else []
    start = author[0].end
    borders = [start, *(at for turn in quoted for at in (turn.chars.start, turn.chars.end))]
    gaps = zip(borders[::2], [*borders[1::2], len(text)], strict=True)
    if not any(first_person(text, low, high) for low, high in gaps if low < high):
        return []
    quoted[:] = [
        replace(turn, speaker=author[1]) if turn.speaker == NARRATOR else turn for turn in quoted
    ]
    return [Turn(Chars(start, len(text)), author[1], label=author[0], kind="byline")]


def _respelled(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with one spelling for each person."""
    names = canonical_labels(label for turn in turns for label in _labels(turn))

    def same(label: str) -> str:
        return names.get(clean_label(label).casefold(), "")

    return [
        replace(
            turn,
            speaker=same(turn.speaker),
            addressee=same(turn.addressee),
            names=tuple((chars, same(label)) for chars, label in turn.names),
        )
        for turn in turns
    ]


def _in_order(text: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns in order; quotations also address whom they name, and nobody addresses himself."""
    speakers = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
    result = []
    for turn in turns:
        addressee = turn.addressee
        if turn.kind == "quotation":
            addressee = turn_addressee(turn.chars.of(text), turn.speaker, speakers) or addressee
        if addressee == turn.speaker:
            addressee = ""
        result.append(replace(turn, addressee=addressee))
    return tuple(sorted(result, key=lambda turn: (turn.chars.start, -turn.chars.end)))


def _labels(turn: Turn) -> Iterator[str]:
    for label in (turn.speaker, turn.addressee, *(name for _, name in turn.names)):
        if clean := clean_label(label):
            yield clean
