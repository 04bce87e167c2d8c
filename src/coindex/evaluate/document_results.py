"""The results of resolvers on benchmarks of documents: figures, tables and JSON.

The first figure, the share of documents that are wholly right, has Wilson's 95 % interval; errors are
counted. All are given for the whole split and for each class of documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coindex.benchmarks.accuracy import Accuracy
from coindex.benchmarks.figures import accuracy_figure
from coindex.benchmarks.protocol import DocumentBenchmark, DocumentOutcome, Figure
from coindex.report.table import Bar, Cell, Note, Table, pluralize, text_notes
from coindex.types.document import Document

OURS = "this run"


@dataclass(frozen=True, slots=True)
class DocumentSystemResult:
    """One system on one benchmark of documents; `kind` is "resolver" or "clusters"."""

    system: str
    kind: str
    outcomes: tuple[DocumentOutcome, ...]
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def groups(self) -> dict[str, tuple[DocumentOutcome, ...]]:
        """The outcomes of each class, in the order of the benchmark."""
        result: dict[str, list[DocumentOutcome]] = {}
        for outcome in self.outcomes:
            result.setdefault(outcome.group, []).append(outcome)
        return {group: tuple(outcomes) for group, outcomes in result.items()}


@dataclass(frozen=True, slots=True)
class DocumentBenchmarkResult:
    """All systems on one split of a benchmark of documents."""

    name: str
    split: str
    benchmark: DocumentBenchmark
    documents: tuple[Document, ...]
    results: tuple[DocumentSystemResult, ...]
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """How the benchmark is called in titles."""
        return f"{self.name}: {self.split}, {pluralize(len(self.documents), 'document')}"

    def figures(self, outcomes: Sequence[DocumentOutcome]) -> tuple[Figure, ...]:
        """The figures of some outcomes, in the order of the benchmark's METRICS."""
        first, *counted = self.benchmark.METRICS
        right = Accuracy(sum(outcome.right for outcome in outcomes), len(outcomes))
        sums = dict.fromkeys(counted, 0)
        for outcome in outcomes:
            for name, number in outcome.counts:
                sums[name] += number
        counts = (Figure(name, sums[name], None, len(outcomes), "count") for name in counted)
        return accuracy_figure(first, right), *counts


def document_tables(table: DocumentBenchmarkResult) -> list[Table]:
    """A row for each system, then a table by class for each system."""
    columns = ("system", "from", *_columns(table))
    rows: list[tuple[Cell, ...]] = []
    bars = []
    for result in table.results:
        figures = table.figures(result.outcomes)
        source = OURS if result.kind == "resolver" else result.kind
        rows.append((result.system, source, *_cells(figures)))
        main = figures[0]
        if main.value is not None and main.interval:
            bars.append(Bar(result.system, main.value, main.interval.low, main.interval.high))
    overall = Table(table.title, columns, tuple(rows), _notes(table), bars=tuple(bars))
    return [overall, *(_by_class(table, result) for result in table.results)]


def _by_class(table: DocumentBenchmarkResult, result: DocumentSystemResult) -> Table:
    rows = [
        (group, len(outcomes), *_cells(table.figures(outcomes)))
        for group, outcomes in result.groups.items()
    ]
    title = f"{table.name} {table.split} by class: {result.system}"
    return Table(title, ("class", "n", *_columns(table)), tuple(rows))


def _columns(table: DocumentBenchmarkResult) -> tuple[str, ...]:
    first, *counted = table.benchmark.METRICS
    return (f"{first} %", "95 % interval", *counted)


def _cells(figures: Sequence[Figure]) -> tuple[Cell, ...]:
    first, *counted = figures
    between = first.interval
    shown = None if between is None else f"{between.low:.2f} to {between.high:.2f}"
    return (first.value, shown, *(int(figure.value or 0) for figure in counted))


def _notes(table: DocumentBenchmarkResult) -> tuple[Note, ...]:
    first, *counted = table.benchmark.METRICS
    notes = text_notes(
        f"Intervals: Wilson's. {', '.join(counted)}: how many in all documents.",
        *table.notes,
        *(f"{result.system}: {note}" for result in table.results for note in result.notes),
    )
    signed = (Note("signature", result.signature, result.system) for result in table.results)
    return (Note("caption", f"{first}, with 95 % intervals"), *notes, *signed)


def document_table_json(table: DocumentBenchmarkResult) -> dict[str, Any]:
    """One benchmark with the figures, classes and outcomes of all systems, unrounded."""
    benchmark = table.benchmark
    return {
        "name": table.name,
        "kind": benchmark.KIND,
        "title": benchmark.TITLE,
        "split": table.split,
        "items": len(table.documents),
        "metrics": list(benchmark.METRICS),
        "protocol": " ".join(benchmark.PROTOCOL.split()),
        "systems": [
            {
                "name": result.system,
                "kind": result.kind,
                "signature": result.signature,
                "figures": figures_json(table.figures(result.outcomes)),
                "classes": {
                    group: figures_json(table.figures(outcomes))
                    for group, outcomes in result.groups.items()
                },
                "outcomes": [_outcome_json(outcome) for outcome in result.outcomes],
                "notes": list(result.notes),
            }
            for result in table.results
        ],
        "notes": list(table.notes),
    }


def figures_json(figures: Sequence[Figure]) -> dict[str, Any]:
    """Figures with their intervals, by their names."""
    return {
        figure.name: {
            "value": figure.value,
            "interval": [figure.interval.low, figure.interval.high] if figure.interval else None,
            "of": figure.of,
            "unit": figure.unit,
        }
        for figure in figures
    }


def _outcome_json(outcome: DocumentOutcome) -> dict[str, Any]:
    return {
        "id": outcome.id,
        "class": outcome.group,
        "right": outcome.right,
        **dict(outcome.counts),
        "reasons": list(outcome.reasons),
        "text": outcome.expected.text,
        "expected": _clusters_json(outcome.expected),
        "found": None if outcome.found is None else _clusters_json(outcome.found),
    }


def _clusters_json(document: Document) -> list[list[str]]:
    """The words of the mentions of every entity."""
    return [
        [document.text_of(mention) for mention in entity.mentions] for entity in document.entities
    ]
