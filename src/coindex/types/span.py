"""Two half-open ranges that a type checker refuses to mix.

`Span` counts tokens of a document, `Chars` counts Unicode code points of the
original text. `Span(2, 4)` is the third and the fourth token. A span is never
empty; a `Chars` may be, because a zero (an empty token) has no characters.
"""

from __future__ import annotations

from dataclasses import dataclass

from coindex.errors import InvalidValue


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Tokens `start` up to but not including `end`."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InvalidValue(f"a span needs 0 <= start < end, found {self.start}, {self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def __contains__(self, token: int) -> bool:
        return self.start <= token < self.end

    def covers(self, other: Span) -> bool:
        """Whether `other` lies within this span (or is equal to it)."""
        return self.start <= other.start and other.end <= self.end

    def crosses(self, other: Span) -> bool:
        """Whether the two overlap and neither lies within the other."""
        return (
            self.start < other.start < self.end < other.end
            or other.start < self.start < other.end < self.end
        )


@dataclass(frozen=True, slots=True, order=True)
class Chars:
    """Code points `start` up to but not including `end` of the original text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise InvalidValue(
                f"a character range needs 0 <= start <= end, found {self.start}, {self.end}"
            )

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The characters themselves."""
        return text[self.start : self.end]
