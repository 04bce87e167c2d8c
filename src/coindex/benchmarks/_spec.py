"""What a benchmark states and what its score is made of.

A benchmark is one file with these names:

    TITLE       what it is, one line
    CORPUS      the corpora it needs, by their names in `coindex.data`
    SPLITS      its splits and how many problems each has
    DEFAULT     the split that is run unless another is asked for: never one to report on
    CANDIDATES  "given", or also "found": the resolver looks for candidates itself
    PROTOCOL    what is asked, and what counts as right
    METRICS     the names of its figures, the one to rank by first
    CHANCE      what guessing gives in that figure, and how one knows
    PUBLISHED   rows of papers, each with the table it stands in
    problems(split) -> tuple[Problem, ...]
    score(matched, resamples, seed) -> tuple[Figure, ...], in the order of METRICS
"""

from __future__ import annotations

from dataclasses import dataclass

from coindex.scoring.significance import Interval


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a result, with its 95 % interval where it has one.

    value   in percent, but for ratios and correlations; None where there is none
    of      how many items it was counted over
    """

    name: str
    value: float | None
    interval: Interval | None = None
    of: int | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """A row of a paper's table.

    candidates  "given" or "found"; context: "snippet" or "page"
    figures     by the names in the benchmark's METRICS
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
