"""What goes through a builder: passages, parsed passages, and what was dropped."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from coindex.core.mention import Pairs
from coindex.parsing.parse import Parse
from coindex.sources import Page


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a page that may hold an item.

    id      unique within the run and the same in every run: page, number of the passage
    start   where the text begins in the page's text
    end     where what it was made of ends there, if it is not the text itself
    facts   whatever the scan found that the next stage needs
    cuts    where the text is cut for the parser: each piece is parsed on its own, so that a
            sentence in several passages is parsed once, and its parse is the same in all
    """

    id: str
    text: str
    page: str
    title: str = ""
    url: str = ""
    revision: str = ""
    source: str = ""
    start: int = 0
    facts: Pairs = ()
    cuts: tuple[int, ...] = ()
    end: int | None = None

    @property
    def pieces(self) -> tuple[str, ...]:
        """What the parser is given: the text between the cuts."""
        borders = (0, *self.cuts, len(self.text))
        return tuple(self.text[start:end].rstrip() for start, end in pairwise(borders))


def passage(
    page: Page, id: str, text: str, start: int, *, facts: Pairs = (), cuts: tuple[int, ...] = (),
    end: int | None = None,
) -> Passage:  # fmt: skip
    """A passage of a page, with what the page says of itself."""
    told = (page.id, page.title, page.url, page.revision, page.source)
    return Passage(id, text, *told, start, facts, cuts, end)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A passage with its tags, trees and names."""

    passage: Passage
    parse: Parse


@dataclass(frozen=True, slots=True)
class Dropped:
    """What did not become an item: where in the pipeline, why, and a piece of it to look at."""

    id: str
    stage: str
    reason: str
    example: str = ""
