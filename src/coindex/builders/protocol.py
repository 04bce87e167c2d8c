"""The contract of corpus builders, and the values that pass through one.

A builder is a module of `builders/builtin` (or of another package, by the entry points
`coindex.builders`) that has the members of `Builder`. It works in two stages, so that only the
passages that can still become items are parsed:

    scan(page, rules)     -> Iterator[Passage | Dropped]   by patterns on the text
    build(parsed, rules)  -> Iterator[Problem | Dropped]   with tags, trees and names

Nothing is dropped without its stage and reason, so that the report of a run can show that
input = output + dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

from coindex.builders.sources.protocol import Page
from coindex.text.parsing.parse import Parse
from coindex.types.mention import Pairs
from coindex.types.problem import Problem


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a page that may contain an item.

    id          unique within the run and the same in every run: page, number of the passage
    start       offset of the text in the page's text
    metadata    what the scan found and the next stage needs
    boundaries  offsets at which the text is split for the parser: each segment is parsed
                separately, so that a sentence in several passages is parsed once, with the
                same result in all of them
    end         offset in the page's text at which the passage ends, if its text was altered
    """

    id: str
    text: str
    page: str
    title: str = ""
    url: str = ""
    revision: str = ""
    source: str = ""
    start: int = 0
    metadata: Pairs = ()
    boundaries: tuple[int, ...] = ()
    end: int | None = None

    @classmethod
    def from_page(
        cls, page: Page, id: str, text: str, start: int, *, metadata: Pairs = (),
        boundaries: tuple[int, ...] = (), end: int | None = None,
    ) -> Passage:  # fmt: skip
        """A passage with the title, address, revision and source of its page."""
        origin = (page.id, page.title, page.url, page.revision, page.source)
        return cls(id, text, *origin, start, metadata, boundaries, end)

    @property
    def segments(self) -> tuple[str, ...]:
        """The texts that the parser is given: the parts between the boundaries."""
        borders = (0, *self.boundaries, len(self.text))
        return tuple(self.text[start:end].rstrip() for start, end in pairwise(borders))

    @property
    def provenance(self) -> Pairs:
        """The origin of the passage, as metadata of an item; empty values are left out.

        `offset` and `end` delimit the part of the page's text that the item was made from.
        """
        values = (
            ("page", self.page),
            ("title", self.title),
            ("revision", self.revision),
            ("url", self.url),
            ("source", self.source),
            ("offset", str(self.start)),
            ("end", str(self.end or self.start + len(self.text))),
        )
        return tuple((name, value) for name, value in values if value)


@dataclass(frozen=True, slots=True)
class ParsedPassage:
    """A passage with its tags, trees and names."""

    passage: Passage
    parse: Parse


@dataclass(frozen=True, slots=True)
class Dropped:
    """Text that did not become an item: the stage, the reason, and an excerpt as an example."""

    id: str
    stage: str
    reason: str
    example: str = ""


ItemStream = Iterator[Problem | Dropped]
Collect = Callable[[Collection[Problem], Any], ItemStream]
Finish = Callable[[Sequence[Problem], Any], ItemStream]
PublishedFigures = Sequence[tuple[str, float | str, str]]
"""Figures of the paper, each with its name in the report and where it is published."""


class Builder(Protocol):
    """The members of a builder's module.

    `rules` returns the builder's thresholds and word lists, in a class that the builder defines;
    the pipeline passes it to the other functions unchanged.
    """

    ABOUT: str
    """One line on the corpus, with its paper."""
    NEEDS: frozenset[str]
    """What the parser must provide: a subset of `tags`, `tree` and `names`."""

    @property
    def OPTIONS(self) -> Mapping[str, str]:
        """The keyword arguments of `rules` besides the seed, each with its possible values."""
        ...

    @property
    def PUBLISHED(self) -> PublishedFigures:
        """Figures of the paper, which the report shows beside those of a run; may be empty."""
        ...

    @property
    def rules(self) -> Callable[..., Any]:
        """`rules(seed, **options)`: the thresholds and word lists that the stages use."""
        ...

    def scan(self, page: Page, rules: Any, /) -> Iterator[Passage | Dropped]:
        """The passages of a page that may become items, and every other sentence as dropped."""
        ...

    def build(self, parsed: ParsedPassage, rules: Any, /) -> ItemStream:
        """The items of a parsed passage, or the reason why there are none."""
        ...

    @property
    def collect(self) -> Collect | None:
        """`collect(problems, rules)`: which items of a whole run are retained, if not all are.

        The items are on disk. They can be iterated over repeatedly and must not be held in
        memory: `DiskSet` and `SortedRows` store keys on disk.
        """
        ...

    @property
    def finished(self) -> Finish | None:
        """`finished(problems, rules)`: the corpus made from annotated items, if they need
        annotation."""
        ...


DEFAULTS: Mapping[str, Any] = {"OPTIONS": {}, "PUBLISHED": (), "collect": None, "finished": None}
"""The members that builders may leave out."""
