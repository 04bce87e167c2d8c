"""A text in which some characters were replaced, and a mapping of offsets to the old text and back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from coindex.errors import InvalidValue
from coindex.types.span import Chars


class Change(NamedTuple):
    """Some characters of the text and their replacement."""

    chars: Chars
    text: str


@dataclass(frozen=True, slots=True)
class TextSegment:
    """A range of the new text and the corresponding range of the old text.

    unchanged  whether the two are the same characters
    """

    text: str
    old: Chars
    new: Chars
    unchanged: bool = True


@dataclass(frozen=True, slots=True)
class ReplacedText:
    """The new text, and its segments, which cover both the new and the old text."""

    text: str
    segments: tuple[TextSegment, ...] = ()

    def to_old(self, offset: int) -> int:
        """The old offset of an offset in the new text; in a replacement, that of its start."""
        return self._map_offset(offset, len(self.text), old=True)

    def to_new(self, offset: int) -> int:
        """The new offset of an offset in the old text; in a replaced range, that of its start."""
        length = self.segments[-1].old.end if self.segments else 0
        return self._map_offset(offset, length, old=False)

    def old_range(self, chars: Chars) -> Chars:
        """The old range of a range of the new text; replacements count as a whole."""
        start = self.to_old(chars.start)
        return Chars(start, max(start, self._end(chars, old=True)))

    def new_range(self, chars: Chars) -> Chars:
        """The new range of a range of the old text; replacements count as a whole."""
        start = self.to_new(chars.start)
        return Chars(start, max(start, self._end(chars, old=False)))

    def _map_offset(self, offset: int, length: int, *, old: bool) -> int:
        if not 0 <= offset <= length:
            raise InvalidValue(f"an offset must lie within 0 and {length}, found {offset}")
        if not self.segments:
            return 0
        segment = self._segment(offset, old=old)
        source, target = (segment.new, segment.old) if old else (segment.old, segment.new)
        if offset >= source.end:
            return target.end
        return target.start + (offset - source.start if segment.unchanged else 0)

    def _end(self, chars: Chars, *, old: bool) -> int:
        """The end of a range in the other text, extended to the end of a replacement."""
        end = self.to_old(chars.end) if old else self.to_new(chars.end)
        if not chars or not self.segments:
            return end
        last = self._segment(chars.end - 1, old=old)
        if last.unchanged:
            return end
        return last.old.end if old else last.new.end

    def _segment(self, offset: int, *, old: bool) -> TextSegment:
        """The segment that contains an offset; the last segment for the end of the text."""
        at = bisect_right(self.segments, offset, key=lambda p: (p.new if old else p.old).start)
        return self.segments[max(0, at - 1)]


def replace_text(text: str, edits: Iterable[Change]) -> ReplacedText:
    """The new text; of overlapping changes, the first and longest is applied."""
    segments: list[TextSegment] = []
    new: list[str] = []
    at = size = 0
    for change in sorted(edits, key=lambda c: (c.chars.start, -c.chars.end)):
        if change.chars.start < at:
            continue
        for old, new_text, unchanged in (
            (Chars(at, change.chars.start), text[at : change.chars.start], True),
            (change.chars, change.text, False),
        ):
            if old:
                end = size + len(new_text)
                segments.append(TextSegment(new_text, old, Chars(size, end), unchanged))
                new.append(new_text)
                size = end
        at = change.chars.end
    if at < len(text):
        rest = text[at:]
        segments.append(TextSegment(rest, Chars(at, len(text)), Chars(size, size + len(rest))))
        new.append(rest)
    return ReplacedText("".join(new), tuple(segments))
