"""What goes through a builder: passages, parsed passages, and what was dropped."""

from __future__ import annotations

from dataclasses import dataclass

from coindex.core.mention import Pairs
from coindex.parsing.parse import Parse


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a page that may hold an item.

    id      unique within the run and the same in every run: page, number of the passage
    start   where the text begins in the page's text
    facts   whatever the scan found that the next stage needs
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
