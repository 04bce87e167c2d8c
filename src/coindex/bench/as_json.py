"""A run for machines: every figure with its interval, unrounded, and the papers' rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from coindex import __version__
from coindex.bench.cell import Cell, Run, Table
from coindex.benchmarks._spec import Figure


def run_json(run: Run) -> dict[str, Any]:
    """Everything of a run, for machines."""
    return {
        "version": __version__,
        "resamples": run.resamples,
        "seed": run.seed,
        "benchmarks": [table_json(table) for table in run.tables],
        "skipped": [{"name": name, "reason": reason} for name, reason in run.skipped],
    }


def table_json(table: Table) -> dict[str, Any]:
    """One benchmark with all its rows, unrounded."""
    benchmark = table.benchmark
    return {
        "name": table.name,
        "title": benchmark.TITLE,
        "split": table.split,
        "items": len(table.problems),
        "metrics": list(benchmark.METRICS),
        "protocol": " ".join(benchmark.PROTOCOL.split()),
        "chance": {"value": benchmark.CHANCE.value, "why": benchmark.CHANCE.why},
        "systems": [_system_json(cell) for cell in table.cells],
        "published": [
            {
                "system": row.system,
                "source": row.source,
                "candidates": row.candidates,
                "context": row.context,
                "figures": dict(row.figures),
                "note": row.note,
            }
            for row in benchmark.PUBLISHED
            if row.split == table.split
        ],
    }


def _system_json(cell: Cell) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": cell.system,
        "kind": cell.kind,
        "candidates": cell.candidates,
        "context": cell.context,
        "signature": cell.signature,
        "missing": len(cell.matched.missing),
        "figures": _figures_json(cell.figures),
        "notes": list(cell.notes),
    }
    if cell.switched:
        told = cell.switched.consistency
        found["switched"] = {
            "copies": len(cell.switched.matched),
            "refused": dict(cell.switched.refused),
            "figures": _figures_json(cell.switched.figures),
            "consistency": {
                "value": told.value,
                **{
                    name: getattr(told, name)
                    for name in ("changed", "same", "half", "undecided", "unpaired")
                },
            },
        }
    return found


def _figures_json(figures: Sequence[Figure]) -> dict[str, Any]:
    return {
        figure.name: {
            "value": figure.value,
            "interval": [figure.interval.low, figure.interval.high] if figure.interval else None,
            "of": figure.of,
            "unit": figure.unit,
        }
        for figure in figures
    }
