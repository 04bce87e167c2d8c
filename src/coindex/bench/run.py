"""Runs resolvers on benchmarks; decisions of files are scored the same way.

    from coindex.bench.run import run
    for table in run(["gap"], ["parallelism", "first"]).tables:
        for cell in table.cells:
            print(cell.system, cell.main.value, cell.signature)

Decisions are kept on disk as they are made (see `_journal`): a run that was
interrupted goes on where it was. No resolver sees an answer. With `switched`, and always on KnowRef, a resolver
also answers the problems with their candidates exchanged, for its consistency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from coindex import benchmarks, plugins, resolvers
from coindex.bench._decide import decide
from coindex.bench._journal import Journal, prune
from coindex.bench.cell import (
    Cell,
    Copies,
    Run,
    Table,
    copies_of,
    missing_notes,
    reasons,
    signature,
    switched_cell,
)
from coindex.bench.options import Options, Watch, chosen, known, ways_of
from coindex.benchmarks import Benchmark
from coindex.benchmarks._spec import CONSISTENCY
from coindex.core.decision import Decision, match
from coindex.core.problem import Problem
from coindex.pronoun.clusters import ClusterDecider
from coindex.resolvers import Decider, Settings


@dataclass(slots=True)
class _Work:
    """What the cells of a run share."""

    options: Options
    watch: Watch
    loaded: dict[tuple[str, str], Decider] = field(default_factory=dict)
    journals: list[Journal] = field(default_factory=list)

    def resolver(self, name: str, way: str) -> Decider:
        """A resolver, loaded once; one of clusters answers through them."""
        if (name, way) not in self.loaded:
            settings = Settings(
                way, self.options.seed, self.options.pipeline,
                model=self.options.model, scheme=self.options.scheme,
            )  # fmt: skip
            self.loaded[name, way] = resolvers.decider(name, settings)
        return self.loaded[name, way]

    def decisions(
        self, facts: dict[str, str], decider: Decider, problems: Sequence[Problem]
    ) -> list[Decision]:
        """All decisions: those of an interrupted run, and the rest made now."""
        label = f"{facts['benchmark']}, {facts['resolver']}"
        journal, found = decide(facts, decider, problems, label, self.watch)
        self.journals.append(journal)
        return list(found.values())


def run(
    names: Sequence[str],
    systems: Sequence[str],
    options: Options | None = None,
    watch: Watch | None = None,
) -> Run:
    """All systems on all benchmarks; without names, on all whose data is here."""
    options = options or Options()
    work = _Work(options, watch or (lambda label, done, total: None))
    prune()
    for system in systems:
        known("resolvers", system)
    tables, skipped = [], []
    for name, split, reason in list(chosen(names, options)):  # all are known before one is run
        if reason is not None:
            skipped.append((name, reason))
        else:
            tables.append(_table(name, split, systems, work))
    for journal in work.journals:
        journal.remove()
    return Run(tuple(tables), tuple(skipped), *options.draws)


def joined(one: Run, two: Run) -> Run:
    """Two runs as one; the cells of a benchmark stand in one table."""
    tables = {(table.name, table.split): table for table in one.tables}
    for table in two.tables:
        before = tables.get((table.name, table.split))
        cells = (*(before.cells if before else ()), *table.cells)
        tables[table.name, table.split] = Table(
            table.name, table.split, table.benchmark, table.problems, cells
        )
    return Run(tuple(tables.values()), (*one.skipped, *two.skipped), two.resamples, two.seed)


def _table(name: str, split: str, systems: Sequence[str], work: _Work) -> Table:
    benchmark = benchmarks.load(name)
    problems = benchmark.problems(split)
    copies = None
    if work.options.switched or _tells_consistency(benchmark):
        copies = copies_of(problems)
    table = Table(name, split, benchmark, problems, ())
    cells: dict[tuple[str, str], Cell] = {}
    for asked in ways_of(benchmark, work.options.candidates):
        for system in dict.fromkeys(systems):
            # clusters are made without being told the candidates, whatever is asked for
            clusters = isinstance(work.resolver(system, asked), ClusterDecider)
            way = "found" if clusters else asked
            if (system, way) not in cells:
                cells[system, way] = _cell(table, system, way, copies, work)
    return Table(name, split, benchmark, problems, tuple(cells.values()))


def _tells_consistency(benchmark: Benchmark) -> bool:
    """Whether papers tell the consistency of systems on this benchmark: KnowRef."""
    return any(CONSISTENCY in dict(row.figures) for row in benchmark.PUBLISHED)


def _context(benchmark: Benchmark, system: str) -> str:
    """What a resolver looks at here: the page only where the benchmark has one."""
    context: str = getattr(plugins.load("resolvers", system), "CONTEXT", "snippet")
    return context if context in benchmark.CONTEXTS else "snippet"


def _cell(table: Table, system: str, way: str, copies: Copies | None, work: _Work) -> Cell:
    decider = work.resolver(system, way)
    facts = {"benchmark": table.name, "split": table.split, "candidates": way, "resolver": system}
    context = _context(table.benchmark, system)
    matched = match(table.problems, work.decisions(facts, decider, table.problems))
    parts = {**facts, "context": context}
    parts["resolver"] = parts.pop("resolver")  # the last, before its own signature
    cell = Cell(
        table.name,
        table.split,
        system,
        "resolver",
        way,
        context,
        matched,
        table.benchmark.score(matched, *work.options.draws),
        signature(parts, len(table.problems), decider.signature),
        notes=missing_notes(matched),
    )
    if copies is None:
        return cell
    if not copies.problems:
        note = f"no problem can be switched: {reasons(copies.refused)}."
        return replace(cell, notes=(*cell.notes, note))
    facts = {**facts, "benchmark": f"{table.name} switched"}
    found = work.decisions(facts, decider, copies.problems)
    return switched_cell(cell, copies, found, table.benchmark, work.options.draws)
