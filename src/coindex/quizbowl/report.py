"""Cross-validation as tables, laid out as the paper's Figure 5."""

from __future__ import annotations

from coindex.quizbowl.folds import METRICS, Validation
from coindex.scoring.grid import Cell, Grid

PAPER = ("the paper, on 400 quiz bowl documents", 76.1, 69.6, 72.7)


def grids(found: Validation, folds: int) -> list[Grid]:
    """How mentions were found, and how entities came out."""
    return [_mentions(found), _systems(found, folds)]


def _mentions(found: Validation) -> Grid:
    rows: list[tuple[Cell, ...]] = [(kind, *each.scores) for kind, each in found.detected]
    return Grid("Mentions, exact", ("mentions", "P", "R", "F1"), (*rows, PAPER))


def _systems(found: Validation, folds: int) -> Grid:
    columns = ["system", "mentions"]
    for metric in METRICS[1:-1]:
        columns += [f"{metric} P", f"{metric} R", f"{metric} F1"]
    rows: list[tuple[Cell, ...]] = []
    for row in found.rows:
        scores = row.result.scores
        cells: list[Cell] = [row.system, row.mentions]
        for metric in METRICS[1:-1]:
            each = scores[metric]
            cells += [each.precision, each.recall, each.f1]
        rows.append((*cells, scores["conll"].f1))
    signature = found.rows[0].result.signature if found.rows else ""
    return Grid(f"{folds}-fold cross-validation", (*columns, "conll"), tuple(rows), (signature,))
