"""How to run benchmarks, and which of them can be run here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coindex import benchmarks, datasets, plugins
from coindex.benchmarks.protocol import Benchmark, DocumentBenchmark
from coindex.errors import InvalidValue, UnknownName, UsageError
from coindex.scoring.significance import RESAMPLES, SEED
from coindex.types.document import Document
from coindex.types.problem import Problem

CANDIDATE_MODES = ("given", "found", "both")


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """Options of a benchmark run.

    split       None for the default split of each benchmark
    candidates  "given", "found" or "both"; None for the mode that each benchmark is meant for
    switched    whether all benchmarks are also run on switched copies
    pipeline    the spaCy pipeline for resolvers that parse
    model       the trained model for resolvers that need one; scheme: one of its schemes
    """

    split: str | None = None
    candidates: str | None = None
    switched: bool = False
    pipeline: str | None = None
    model: str | None = None
    scheme: str | None = None
    resamples: int = RESAMPLES
    seed: int = SEED

    def __post_init__(self) -> None:
        if self.candidates not in (None, *CANDIDATE_MODES):
            known = ", ".join(CANDIDATE_MODES)
            raise InvalidValue(f"expected candidates {known}, found {self.candidates!r}")

    @property
    def draws(self) -> tuple[int, int]:
        """The number of bootstrap resamples and their seed."""
        return self.resamples, self.seed


@dataclass(frozen=True, slots=True)
class SelectedBenchmark:
    """A benchmark whose problems have been read, once for all systems."""

    name: str
    split: str
    benchmark: Benchmark
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class SelectedDocuments:
    """A benchmark of documents with its texts."""

    name: str
    split: str
    benchmark: DocumentBenchmark
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """The benchmarks to run, and those that were skipped, with the reason.

    selected   those of problems
    documents  those of documents
    named      whether they were named; if not, what cannot be run is skipped
    """

    selected: tuple[SelectedBenchmark, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    documents: tuple[SelectedDocuments, ...] = ()
    named: bool = True


def select_benchmark(name: str, options: BenchOptions) -> SelectedBenchmark:
    """One benchmark with the problems of the split that the options name."""
    check_plugin("benchmarks", name)
    benchmark = benchmarks.load(name)
    split = select_split(name, benchmark, options.split)
    return SelectedBenchmark(name, split, benchmark, benchmark.problems(split))


def select_documents(name: str, options: BenchOptions) -> SelectedDocuments:
    """One benchmark of documents with the texts of the split that the options name."""
    check_plugin("benchmarks", name)
    benchmark = benchmarks.load_documents(name)
    split = select_split(name, benchmark, options.split)
    return SelectedDocuments(name, split, benchmark, benchmark.documents(split))


def select_benchmarks(names: Sequence[str], options: BenchOptions) -> Selection:
    """The named benchmarks; without names, all that have their data here and that split."""
    for name in names:
        check_plugin("benchmarks", name)
    selected, documents, skipped = [], [], []
    for name in dict.fromkeys(names or benchmarks.names()):
        try:
            if benchmarks.kind_of(name) == "documents":
                documents.append(select_documents(name, options))
            else:
                selected.append(select_benchmark(name, options))
        except (datasets.CorpusNotFound, UnknownName, UsageError) as error:
            if names:
                raise
            skipped.append((name, str(error)))
    return Selection(tuple(selected), tuple(skipped), tuple(documents), bool(names))


def select_split(name: str, benchmark: Benchmark | DocumentBenchmark, split: str | None) -> str:
    """The named split, or the benchmark's default."""
    if split is None:
        return benchmark.DEFAULT
    if split not in benchmark.SPLITS:
        raise UnknownName(f"split of {name}", split, benchmark.SPLITS)
    return split


def candidate_modes(benchmark: Benchmark, mode: str | None) -> tuple[str, ...]:
    """The modes to run: "given", "found" or both, as requested if the benchmark has them.

    By default, or if it does not have the requested mode: "found" if that is one of its modes
    (GAP's paper asks systems to detect names themselves), else "given".
    """
    modes = tuple(benchmark.CANDIDATES)
    if mode == "both":
        return modes
    if mode in modes:
        return (mode,)
    return ("found",) if "found" in modes else modes[:1]


def check_plugin(family: str, name: str) -> None:
    """Raise an error with the known names if there is no such plugin."""
    names = plugins.names(family)
    if name not in names:
        raise UnknownName(family.rstrip("s"), name, names)


def check_systems(systems: Sequence[str], files: int) -> None:
    """Raise an error unless there is something to run."""
    for system in systems:
        check_plugin("resolvers", system)
    if not systems and not files:
        known = ", ".join(plugins.names("resolvers"))
        raise UsageError(f"expected a resolver (--resolver {known}) or a file of decisions")
