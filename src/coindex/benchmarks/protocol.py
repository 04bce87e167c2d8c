"""The contracts of benchmarks: what their modules state, and what their scores consist of.

There are two kinds. A `Benchmark` has pronoun problems, which resolvers answer with decisions. A
`DocumentBenchmark` has texts, whose entities resolvers find; its module states `KIND = "documents"`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from coindex.scoring.significance import RESAMPLES, SEED, Interval
from coindex.types.decision import Decision, MatchedDecisions
from coindex.types.document import Document
from coindex.types.problem import Problem
from coindex.types.source import Source

if TYPE_CHECKING:
    from coindex.scoring.contingency import Floats

Kind = Literal["problems", "documents"]

CANDIDATES = ("given", "found")
CONTEXTS = ("snippet", "page")
UNITS = ("percent", "points", "ratio", "correlation", "count")

CONSISTENCY = "consistency"
"""A figure of any benchmark that is run a second time, on switched copies."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a result, with its 95 % interval where it has one.

    value   None if it is undefined, such as zero of zero
    of      the number of items it was computed over
    unit    one of UNITS: a percentage, a difference of two percentages in points, a ratio
            (1 is even), a correlation (-1 to 1), a count
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
    note        where the paper's protocol differs from ours
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
    """The value of the first figure that random guessing gives, and why."""

    value: float
    why: str


@dataclass(frozen=True, slots=True)
class Derived:
    """A figure computed from two others, such as GAP's bias or the gap of WinoBias."""

    first: str
    second: str
    combine: Callable[[Floats, Floats], Floats]


class PredictionTable(Protocol):
    """A benchmark's own file format for decisions."""

    def read_predictions(
        self, lines: Iterable[str], source: Source, ids: Collection[str] | None = None
    ) -> list[Decision]:
        """The decisions of a file."""
        ...

    def write_predictions(self, decisions: Iterable[Decision]) -> Iterator[str]:
        """The lines of a file."""
        ...


class Benchmark(Protocol):
    """The members of a benchmark's module, all of them required.

    TITLE        one line that says what it is
    CORPUS       the corpora it needs, by their names in `coindex.datasets`
    SPLITS       its splits, with the number of problems in each
    DEFAULT      the split that is run unless another is named: one to develop on, if there is one
    CANDIDATES   ("given",), or also "found": the resolver detects candidates itself
    CONTEXTS     ("snippet",), or also "page": the resolver may use the page's address
    PROTOCOL     the task, what counts as correct, and known pitfalls
    METRICS      the names of its figures; the first one ranks systems
    DERIVED      figures that are computed from two of those that `counts` returns
    CHANCE       the first figure of random guessing on DEFAULT
    PUBLISHED    rows of papers, each with the number of its table
    PREDICTIONS  its own format for decisions besides JSON lines, or None
    """

    TITLE: str
    CORPUS: tuple[str, ...]
    SPLITS: Mapping[str, int]
    DEFAULT: str
    CANDIDATES: tuple[str, ...]
    CONTEXTS: tuple[str, ...]
    PROTOCOL: str
    METRICS: tuple[str, ...]
    DERIVED: Mapping[str, Derived]
    CHANCE: Chance
    PUBLISHED: tuple[Published, ...]
    PREDICTIONS: PredictionTable | None

    def problems(self, split: str) -> tuple[Problem, ...]:
        """The problems of a split; an error if they have no answers to score against."""
        ...

    def score(
        self, matched: MatchedDecisions, resamples: int = RESAMPLES, seed: int = SEED
    ) -> tuple[Figure, ...]:
        """The figures of decisions, in the order of METRICS."""
        ...

    def counts(self, matched: MatchedDecisions) -> dict[str, Floats]:
        """For each figure that is a ratio of sums: numerator and denominator of every item.

        Counts are additive, so that figures of resampled items, of several seeds or of two
        systems all come from the same arrays of shape `(items, 2)`.
        """
        ...

    def resampling_unit(self, problem: Problem) -> str:
        """Items with the same unit are resampled together, such as the sentences of a pair."""
        ...


@dataclass(frozen=True, slots=True)
class DocumentOutcome:
    """What one resolved document gets right.

    group     the class of the item
    counts    how many errors of each kind, in the order of the benchmark's METRICS
    reasons   what is wrong, in words
    expected  the text with the entities that should be found
    found     the text with those that were found; None if there is no resolved document
    """

    id: str
    group: str
    right: bool
    counts: tuple[tuple[str, int], ...]
    reasons: tuple[str, ...]
    expected: Document
    found: Document | None


class DocumentBenchmark(Protocol):
    """The members of the module of a benchmark of documents, all of them required.

    KIND         "documents"
    TITLE, CORPUS, SPLITS, DEFAULT, PROTOCOL   as of `Benchmark`
    METRICS      the names of its figures: first the share of documents that are wholly right, which
                 ranks systems, then those that are counted
    """

    KIND: Kind
    TITLE: str
    CORPUS: tuple[str, ...]
    SPLITS: Mapping[str, int]
    DEFAULT: str
    PROTOCOL: str
    METRICS: tuple[str, ...]

    def documents(self, split: str) -> tuple[Document, ...]:
        """The texts of a split, without tokens and entities."""
        ...

    def outcomes(
        self, split: str, resolved: Sequence[Document | None]
    ) -> tuple[DocumentOutcome, ...]:
        """The outcome of each document of a split; None is one that was not resolved."""
        ...
