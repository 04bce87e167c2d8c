"""Runs resolvers on benchmarks.

    from coindex.evaluate.run import run_benchmarks
    for table in run_benchmarks(["gap"], ["parallelism", "first"]).tables:
        for result in table.results:
            print(result.system, result.main.value, result.signature)

Decisions are written to a journal as they are made: an interrupted run resumes. No resolver sees
an answer. With `switched`, and always on benchmarks whose papers report consistency (KnowRef), a
resolver also answers the problems with their candidates exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from coindex import resolvers
from coindex.benchmarks.protocol import CONSISTENCY, Benchmark
from coindex.errors import UsageError
from coindex.evaluate.document_results import DocumentBenchmarkResult
from coindex.evaluate.document_run import run_documents
from coindex.evaluate.journal import Journal, decide, prune
from coindex.evaluate.options import (
    BenchOptions,
    SelectedBenchmark,
    Selection,
    candidate_modes,
    check_plugin,
    select_benchmarks,
)
from coindex.evaluate.results import (
    BenchmarkResult,
    BenchRun,
    SwitchedCopies,
    SystemResult,
    missing_notes,
    refusal_text,
    signature,
    switched_copies,
    with_switched,
)
from coindex.resolvers import Clusterer, Decider, ResolverSettings
from coindex.resolvers.cluster_decisions import ClusterDecider
from coindex.types.decision import Decision, match_decisions
from coindex.types.problem import Problem
from coindex.types.progress import OnProgress, ignore_progress


@dataclass(slots=True)
class _Runner:
    """What the results of a run share: options, loaded resolvers, journals."""

    options: BenchOptions
    on_progress: OnProgress
    loaded: dict[tuple[str, str], Decider | Clusterer] = field(default_factory=dict)
    journals: list[Journal] = field(default_factory=list)

    def load(self, name: str, mode: str) -> Decider | Clusterer:
        """A resolver, loaded once."""
        if (name, mode) not in self.loaded:
            settings = ResolverSettings(
                mode, self.options.seed, self.options.pipeline,
                model=self.options.model, scheme=self.options.scheme,
            )  # fmt: skip
            self.loaded[name, mode] = resolvers.load(name, settings)
        return self.loaded[name, mode]

    def resolver(self, name: str, mode: str) -> Decider:
        """A resolver of problems; a resolver of documents decides through its clusters."""
        resolver = self.load(name, mode)
        return resolver if isinstance(resolver, Decider) else ClusterDecider(resolver)

    def clusterer(self, name: str) -> Clusterer | None:
        """A resolver of documents; None if it only decides problems."""
        loaded = self.loaded.get((name, "given")) or self.load(name, "found")
        return loaded if isinstance(loaded, Clusterer) else None

    def decisions(
        self, settings: dict[str, str], decider: Decider, problems: Sequence[Problem]
    ) -> list[Decision]:
        """All decisions: those of an interrupted run, and the rest made now."""
        task = f"{settings['benchmark']}, {settings['resolver']}"
        journal, decisions = decide(settings, decider, problems, task, self.on_progress)
        self.journals.append(journal)
        return list(decisions.values())


def run_benchmarks(
    names: Sequence[str],
    systems: Sequence[str],
    options: BenchOptions | None = None,
    on_progress: OnProgress = ignore_progress,
) -> BenchRun:
    """Run all systems on the named benchmarks; without names, on all whose data is available."""
    options = options or BenchOptions()
    for system in systems:
        check_plugin("resolvers", system)
    return run_selected(select_benchmarks(names, options), systems, options, on_progress)


def run_selected(
    selection: Selection,
    systems: Sequence[str],
    options: BenchOptions,
    on_progress: OnProgress = ignore_progress,
) -> BenchRun:
    """All systems on benchmarks whose problems have been read."""
    runner = _Runner(options, on_progress)
    prune()
    tables = [_benchmark_result(each, systems, runner) for each in selection.selected]
    documents, skipped = _document_results(selection, systems, runner)
    for journal in runner.journals:
        journal.remove()
    return BenchRun(tuple(tables), (*selection.skipped, *skipped), *options.draws, tuple(documents))


def _document_results(
    selection: Selection, systems: Sequence[str], runner: _Runner
) -> tuple[list[DocumentBenchmarkResult], list[tuple[str, str]]]:
    """The results on benchmarks of documents, and those that none of the systems can do."""
    results, skipped = [], []
    for each in selection.documents:
        clusterers = {system: runner.clusterer(system) for system in systems}
        try:
            results.append(run_documents(each, clusterers, runner.on_progress))
        except UsageError as error:
            if selection.named:
                raise
            skipped.append((each.name, str(error)))
    return results, skipped


def merge_runs(one: BenchRun, two: BenchRun) -> BenchRun:
    """Two runs as one; the results of a benchmark are in one table."""
    tables = {(table.name, table.split): table for table in one.tables}
    for table in two.tables:
        before = tables.get((table.name, table.split))
        results = (*(before.results if before else ()), *table.results)
        tables[table.name, table.split] = replace(table, results=results)
    documents = {(table.name, table.split): table for table in one.documents}
    for each in two.documents:
        first = documents.get((each.name, each.split))
        both = (*(first.results if first else ()), *each.results)
        documents[each.name, each.split] = replace(each, results=both)
    skipped = (*one.skipped, *two.skipped)
    return BenchRun(
        tuple(tables.values()), skipped, two.resamples, two.seed, tuple(documents.values())
    )


def _benchmark_result(
    selected: SelectedBenchmark, systems: Sequence[str], runner: _Runner
) -> BenchmarkResult:
    copies = None
    if runner.options.switched or _reports_consistency(selected.benchmark):
        copies = switched_copies(selected.problems)
    results: dict[tuple[str, str], SystemResult] = {}
    for requested in candidate_modes(selected.benchmark, runner.options.candidates):
        for system in dict.fromkeys(systems):
            # clusters are always made without knowing the candidates
            clusters = isinstance(runner.resolver(system, requested), ClusterDecider)
            mode = "found" if clusters else requested
            if (system, mode) not in results:
                results[system, mode] = _system_result(selected, system, mode, copies, runner)
    return BenchmarkResult(
        selected.name,
        selected.split,
        selected.benchmark,
        selected.problems,
        tuple(results.values()),
    )


def _reports_consistency(benchmark: Benchmark) -> bool:
    """Whether papers report the consistency of systems on this benchmark."""
    return any(CONSISTENCY in dict(row.figures) for row in benchmark.PUBLISHED)


def _context(benchmark: Benchmark, system: str) -> str:
    """What a resolver reads here: the page's address only if the benchmark has one."""
    context = resolvers.plugin(system).CONTEXT
    return context if context in benchmark.CONTEXTS else "snippet"


def _system_result(
    selected: SelectedBenchmark,
    system: str,
    mode: str,
    copies: SwitchedCopies | None,
    runner: _Runner,
) -> SystemResult:
    decider = runner.resolver(system, mode)
    settings = {
        "benchmark": selected.name,
        "split": selected.split,
        "candidates": mode,
        "resolver": system,
    }
    context = _context(selected.benchmark, system)
    matched = match_decisions(
        selected.problems, runner.decisions(settings, decider, selected.problems)
    )
    parts = {**settings, "context": context}
    parts["resolver"] = parts.pop("resolver")  # last, before the resolver's own signature
    result = SystemResult(
        selected.name,
        selected.split,
        system,
        "resolver",
        mode,
        context,
        matched,
        selected.benchmark.score(matched, *runner.options.draws),
        signature(parts, len(selected.problems), decider.signature),
        notes=missing_notes(matched),
    )
    if copies is None:
        return result
    if not copies.problems:
        note = f"no problem can be switched: {refusal_text(copies.refused)}."
        return replace(result, notes=(*result.notes, note))
    settings["benchmark"] = f"{selected.name} switched"
    decisions = runner.decisions(settings, decider, copies.problems)
    return with_switched(result, copies, decisions, selected.benchmark, runner.options.draws)
