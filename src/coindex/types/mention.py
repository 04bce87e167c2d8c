"""A mention is one or more token spans; an entity is a set of mentions.

A mention of several spans is discontinuous. The same mention may belong to
several entities, which represents plural antecedents. Entities are sets:
they hold their mentions in reading order, and there are no links.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from coindex.errors import InvalidValue
from coindex.types.span import Span

Pairs = tuple[tuple[str, str], ...]
"""Names with values, in the order of the file: hashable, unlike a dict."""


@dataclass(frozen=True, slots=True)
class Mention:
    """The spans of a referring expression, and its annotation.

    spans  one or more, in order, not overlapping
    head   the token that heads the phrase, within the spans
    kind   the corpus's label for it (`person`, `PRON_PER`)
    id     the corpus's id of this mention (brat's `T12`)
    attrs  other annotation of the mention
    """

    spans: tuple[Span, ...]
    head: int | None = None
    kind: str | None = None
    id: str | None = None
    attrs: Pairs = ()

    def __post_init__(self) -> None:
        spans = self.spans
        if type(spans) is not tuple:
            raise InvalidValue(f"a mention's spans must be a tuple, found {spans!r}")
        if not spans:
            raise InvalidValue("a mention needs at least one span, found none")
        if len(spans) > 1 and any(a.end > b.start for a, b in pairwise(spans)):
            raise InvalidValue(f"a mention's spans must be in order and apart, found {spans}")
        if self.head is not None and not any(self.head in span for span in spans):
            raise InvalidValue(f"head {self.head} lies outside the mention's spans {spans}")

    @classmethod
    def at(cls, start: int, end: int) -> Mention:
        """A plain mention of the tokens from `start` up to `end`."""
        return cls((Span(start, end),))

    @property
    def start(self) -> int:
        """The first token."""
        return self.spans[0].start

    @property
    def end(self) -> int:
        """One past the last token."""
        return self.spans[-1].end

    @property
    def cover(self) -> Span:
        """The shortest span that covers the whole mention, gaps included."""
        return self.spans[0] if len(self.spans) == 1 else Span(self.start, self.end)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The index of every token in the mention, without those in gaps."""
        return tuple(token for span in self.spans for token in range(span.start, span.end))

    @property
    def discontinuous(self) -> bool:
        """Whether the mention has more than one span."""
        return len(self.spans) > 1


def reading_order(mention: Mention) -> tuple[int, ...]:
    """The sort key of mentions: by first token, then by last, then by gaps."""
    spans = mention.spans
    if len(spans) == 1:
        return spans[0].start, spans[0].end
    return (
        mention.start,
        mention.end,
        *(border for span in spans for border in (span.start, span.end)),
    )


@dataclass(frozen=True, slots=True)
class Entity:
    """A set of mentions that refer to the same thing, in reading order."""

    mentions: tuple[Mention, ...]
    id: str | None = None
    kind: str | None = None
    attrs: Pairs = ()

    def __post_init__(self) -> None:
        mentions = self.mentions
        if not mentions:
            raise InvalidValue(f"an entity needs at least one mention, found none in {self.id!r}")
        if len(mentions) == 1:
            return
        ordered = tuple(sorted(mentions, key=reading_order))
        for a, b in pairwise(ordered):
            if a.spans == b.spans:
                raise InvalidValue(f"entity {self.id!r} holds the mention {a.spans} twice")
        object.__setattr__(self, "mentions", ordered)

    def __len__(self) -> int:
        return len(self.mentions)

    @property
    def singleton(self) -> bool:
        """Whether the entity is mentioned only once."""
        return len(self.mentions) == 1
