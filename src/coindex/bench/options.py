"""How to run benchmarks, and which of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from coindex import benchmarks, data, plugins, resolvers
from coindex.benchmarks import Benchmark
from coindex.errors import InvalidValue, UnknownName, UsageError
from coindex.scoring.significance import RESAMPLES, SEED

WAYS = ("given", "found", "both")

Watch = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to run.

    split       None for each benchmark's own default
    candidates  "given", "found" or "both"; None for what each benchmark is meant for
    switched    whether all benchmarks are also run on switched copies
    pipeline    the spaCy pipeline for resolvers that parse
    model       the trained model for resolvers that have one; scheme: one of its schemes
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
        if self.candidates not in (None, *WAYS):
            raise InvalidValue(f"expected candidates {', '.join(WAYS)}, found {self.candidates!r}")

    @property
    def draws(self) -> tuple[int, int]:
        """What a score's interval depends on."""
        return self.resamples, self.seed


def chosen(names: Sequence[str], options: Options) -> Iterator[tuple[str, str, str | None]]:
    """The benchmarks to run with their splits, and why some are not.

    One that was named must be there; of all of them, those without data or without
    that split are passed over.
    """
    for name in names:
        known("benchmarks", name)
    for name in dict.fromkeys(names or benchmarks.names()):
        try:
            benchmark = benchmarks.load(name)
            split = split_of(name, benchmark, options.split)
            benchmark.problems(split)
        except (data.NotHere, UnknownName, UsageError) as error:
            if names:
                raise
            yield name, "", str(error)
        else:
            yield name, split, None


def split_of(name: str, benchmark: Benchmark, asked: str | None) -> str:
    """The split that was asked for, or the one to run by default."""
    if asked is None:
        return benchmark.DEFAULT
    if asked not in benchmark.SPLITS:
        raise UnknownName(f"split of {name}", asked, benchmark.SPLITS)
    return asked


def ways_of(benchmark: Benchmark, asked: str | None) -> tuple[str, ...]:
    """Whether candidates are "given" or "found", or both, as asked where the benchmark has it.

    By default, or where it has not what was asked: found, if that is one of its ways
    (GAP's paper asks systems to find names themselves), else given.
    """
    ways = tuple(benchmark.CANDIDATES)
    if asked == "both":
        return ways
    if asked in ways:
        return (asked,)
    return ("found",) if "found" in ways else ways[:1]


def known(group: str, name: str) -> None:
    """An error with the names there are, if there is no such plugin."""
    names = plugins.names(group)
    if name not in names:
        raise UnknownName(group.rstrip("s"), name, names)


def check_systems(systems: Sequence[str], files: int) -> None:
    """There must be something to run."""
    if not systems and not files:
        known = ", ".join(resolvers.names())
        raise UsageError(f"expected a resolver (--resolver {known}) or a file of decisions")
