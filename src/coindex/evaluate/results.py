"""The results of a run: one `SystemResult` for each system on each benchmark."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from coindex import __version__
from coindex.benchmarks.accuracy import Consistency, consistency
from coindex.benchmarks.figures import accuracy_figure
from coindex.benchmarks.protocol import CONSISTENCY, Benchmark, Figure
from coindex.evaluate.document_results import DocumentBenchmarkResult
from coindex.transform.antecedent_switching import Refused, switch
from coindex.types.decision import Decision, MatchedDecisions, match_decisions
from coindex.types.problem import Problem

SWITCHED = "switched"


@dataclass(frozen=True, slots=True)
class SwitchedResult:
    """Decisions on the problems with their candidates exchanged.

    figures  those of the benchmark, on the copies
    refused  how many problems cannot be switched, by reason
    """

    matched: MatchedDecisions
    figures: tuple[Figure, ...]
    consistency: Consistency
    refused: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system on one benchmark.

    system      a resolver's name, or that of a file
    kind        "resolver", "predictions" or "clusters"
    candidates  "given", "found", or "unknown" for a file of predictions
    context     what the system read, "snippet" or "page"; "unknown" for a file
    notes       irregularities, in words
    """

    benchmark: str
    split: str
    system: str
    kind: str
    candidates: str
    context: str
    matched: MatchedDecisions
    figures: tuple[Figure, ...]
    signature: str
    switched: SwitchedResult | None = None
    notes: tuple[str, ...] = ()

    @property
    def main(self) -> Figure:
        """The figure that ranks systems."""
        return self.figures[0]

    @property
    def all_figures(self) -> tuple[Figure, ...]:
        """The benchmark's figures, and those of the switched copies."""
        if self.switched is None:
            return self.figures
        first = self.switched.figures[0]
        return (
            *self.figures,
            replace(first, name=f"{first.name}, {SWITCHED}"),
            accuracy_figure(CONSISTENCY, self.switched.consistency.share),
        )


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """All systems on one split of one benchmark."""

    name: str
    split: str
    benchmark: Benchmark
    problems: tuple[Problem, ...]
    results: tuple[SystemResult, ...]

    def label(self, result: SystemResult) -> str:
        """The name of a system, with its candidate mode if the system is there twice."""
        twice = Counter(each.system for each in self.results)[result.system] > 1
        return f"{result.system} ({result.candidates})" if twice else result.system


@dataclass(frozen=True, slots=True)
class BenchRun:
    """All benchmarks that were run, and those that were skipped, with the reason.

    tables     the results on benchmarks of problems
    documents  those on benchmarks of documents
    """

    tables: tuple[BenchmarkResult, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    resamples: int = 0
    seed: int = 1
    documents: tuple[DocumentBenchmarkResult, ...] = ()


@dataclass(frozen=True, slots=True)
class SwitchedCopies:
    """The switched copies of problems, and the reasons why some have none."""

    problems: tuple[Problem, ...]
    refused: tuple[tuple[str, int], ...]


def switched_copies(problems: tuple[Problem, ...]) -> SwitchedCopies:
    """Switch every problem that can be switched."""
    copies, refused = [], Counter[str]()
    for problem in problems:
        copy = switch(problem)
        if isinstance(copy, Refused):
            refused[copy.reason] += 1
        else:
            copies.append(copy)
    return SwitchedCopies(tuple(copies), tuple(refused.most_common()))


def missing_notes(matched: MatchedDecisions) -> tuple[str, ...]:
    """The number of problems without a decision, if there are any."""
    missing = len(matched.missing)
    return (f"{missing:,} of {len(matched):,} problems have no decision.",) if missing else ()


def refusal_text(refused: tuple[tuple[str, int], ...]) -> str:
    """The reasons why problems have no switched copy."""
    return "; ".join(f"{number:,} because {reason}" for reason, number in refused)


def with_switched(
    result: SystemResult,
    copies: SwitchedCopies,
    decisions: list[Decision],
    benchmark: Benchmark,
    draws: tuple[int, int],
) -> SystemResult:
    """The result, with the system's decisions on the switched copies."""
    after = match_decisions(copies.problems, decisions)
    switched = SwitchedResult(
        after,
        benchmark.score(after, *draws),
        consistency(result.matched, after),
        copies.refused,
    )
    return replace(result, switched=switched)


def signature(parts: dict[str, str], items: int, system: str = "") -> str:
    """Everything that a number depends on, such as `gap|split:development|...|v:0.1.0`."""
    (_, name), *others = parts.items()
    fields = [name, *(f"{key}:{value}" for key, value in others)]
    known = {*fields, *parts.values()}  # what a resolver's own signature repeats is left out
    fields += [part for part in system.split("|") if part and part not in known]
    return "|".join([*fields, f"items:{items}", f"v:{__version__}"])
