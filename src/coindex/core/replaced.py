"""A document's text with names in the place of pronouns, and the way back.

    Ann lost her keys. She found them.  →  Ann lost Ann's keys. Ann found Ann's keys.

What changes:
- Third-person pronouns become the name of their entity (see `naming`): possessive
  ones with `'s`, with a bare `'` where a plural pronoun stands for a word in s
  (`the boys'`, but `James's`). The apostrophe is the one the text uses.
- A description is taken up with `the` (`a boy ... he` gives `the boy`), and a
  possessive pronoun inside it is replaced too (`her keys` gives `Ann's keys`).
- A pronoun that means several entities becomes their list: `Ann and Bo's`.
- First and second person change only where the speaker is known and the entity has
  a name; `I'm` is then `Ann is`.
- With `nominals`, `the singer` becomes the name too, unless it is indefinite, stands
  next to the name, follows a form of `be`, or is not all of its phrase.

What stays: names; reflexives, relatives and demonstratives; pronouns of entities that
have no name (`every man ... his`); a pronoun inside a mention of its own entity (`the
man who lost his hat`); everything that is no mention. Of mentions that overlap only
the outermost is replaced, so nothing is replaced twice. Verbs are made to agree only
where the table `verb_after_name` says how: `they are` may become `Ann are`. Without
part-of-speech tags it is a guess whether `her` is possessive (see `coindex.core.her`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from coindex.core._substitute import Change, changes
from coindex.core.document import Document
from coindex.core.span import Chars
from coindex.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the new text and the stretch of the old one it stands for.

    kept  whether the two are the same characters
    """

    text: str
    old: Chars
    new: Chars
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Replaced:
    """The new text; its pieces, joined, are the text, and their old ranges the old text."""

    text: str
    pieces: tuple[Piece, ...] = ()

    def to_old(self, offset: int) -> int:
        """Where a place of the new text was; within a replacement, where that begins."""
        return self._place(offset, len(self.text), old=True)

    def to_new(self, offset: int) -> int:
        """Where a place of the old text is now; within what was replaced, where that begins."""
        length = self.pieces[-1].old.end if self.pieces else 0
        return self._place(offset, length, old=False)

    def old_range(self, chars: Chars) -> Chars:
        """The old characters that a range of the new text stands for, replacements whole."""
        start = self.to_old(chars.start)
        return Chars(start, max(start, self._end(chars, old=True)))

    def new_range(self, chars: Chars) -> Chars:
        """Where a range of the old text is now, replacements whole."""
        start = self.to_new(chars.start)
        return Chars(start, max(start, self._end(chars, old=False)))

    def _place(self, offset: int, length: int, *, old: bool) -> int:
        if not 0 <= offset <= length:
            raise InvalidValue(f"an offset must lie within 0 and {length}, found {offset}")
        if not self.pieces:
            return 0
        piece = self._piece(offset, old=old)
        source, target = (piece.new, piece.old) if old else (piece.old, piece.new)
        if offset >= source.end:
            return target.end
        return target.start + (offset - source.start if piece.kept else 0)

    def _end(self, chars: Chars, *, old: bool) -> int:
        """The end of a range on the other side: past a replacement that it ends within."""
        end = self.to_old(chars.end) if old else self.to_new(chars.end)
        if not chars or not self.pieces:
            return end
        last = self._piece(chars.end - 1, old=old)
        if last.kept:
            return end
        return last.old.end if old else last.new.end

    def _piece(self, offset: int, *, old: bool) -> Piece:
        """The piece that a place lies in, the last one for the end."""
        at = bisect_right(self.pieces, offset, key=lambda p: (p.new if old else p.old).start)
        return self.pieces[max(0, at - 1)]


def replaced(document: Document, *, nominals: bool = False) -> Replaced:
    """The text of a document with names for pronouns, and for descriptions if asked."""
    return _assembled(document.text, changes(document, nominals))


def _assembled(text: str, edits: Iterable[Change]) -> Replaced:
    """The new text; of changes that overlap, the first and longest is made."""
    pieces: list[Piece] = []
    new: list[str] = []
    at = size = 0
    for change in sorted(edits, key=lambda c: (c.chars.start, -c.chars.end)):
        if change.chars.start < at:
            continue
        for old, words, kept in (
            (Chars(at, change.chars.start), text[at : change.chars.start], True),
            (change.chars, change.text, False),
        ):
            if old:
                pieces.append(Piece(words, old, Chars(size, size + len(words)), kept))
                new.append(words)
                size += len(words)
        at = change.chars.end
    if at < len(text):
        rest = text[at:]
        pieces.append(Piece(rest, Chars(at, len(text)), Chars(size, size + len(rest))))
        new.append(rest)
    return Replaced("".join(new), tuple(pieces))
