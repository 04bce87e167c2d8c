"""What a benchmark states and what its score is made of.

A benchmark is one file with these names:

    TITLE       what it is, one line
    CORPUS      the corpora it needs, by their names in `coindex.data`
    SPLITS      its splits and how many problems each has
    DEFAULT     the split that is run unless another is asked for: one to develop on,
                where there is one
    CANDIDATES  ("given",), or also "found": the resolver looks for candidates itself
    CONTEXTS    ("snippet",), or also "page": the resolver may use the page's address
    PROTOCOL    what is asked, what counts as right, what to beware of
    METRICS     the names of its figures, the one to rank by first
    CHANCE      what guessing gives in that figure on DEFAULT, and how one knows
    PUBLISHED   rows of papers, each with the table it stands in
    problems(split) -> tuple[Problem, ...]
    score(matched, resamples, seed) -> tuple[Figure, ...], in the order of METRICS
"""

from __future__ import annotations

from dataclasses import dataclass

from coindex.scoring.significance import Interval

CANDIDATES = ("given", "found")
CONTEXTS = ("snippet", "page")
UNITS = ("percent", "points", "ratio", "correlation")

CONSISTENCY = "consistency"
"""A figure of any benchmark that takes a second run, on switched copies: see `_figures`."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a result, with its 95 % interval where it has one.

    value   None where there is none, as zero of zero
    of      how many items it was counted over
    unit    one of UNITS: a share in percent, a difference of two such shares in
            points, a ratio (1 is even), a correlation (-1 to 1)
    """

    name: str
    value: float | None
    interval: Interval | None = None
    of: int | None = None
    unit: str = "percent"


@dataclass(frozen=True, slots=True)
class Published:
    """A row of a paper's table.

    candidates  "given" or "found"; context: "snippet" or "page"
    figures     by the names in the benchmark's METRICS, or `CONSISTENCY`
    note        where the paper's protocol is not quite ours
    """

    system: str
    source: str
    split: str
    figures: tuple[tuple[str, float], ...]
    candidates: str = "given"
    context: str = "snippet"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Chance:
    """What guessing gives in the first figure, and why."""

    value: float
    why: str
