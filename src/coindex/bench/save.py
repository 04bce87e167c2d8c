"""What a run leaves behind: decisions, clusters, and passages for others' resolvers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from coindex import formats, io
from coindex.bench import predictions
from coindex.bench.cell import Cell, Run
from coindex.benchmarks._gap_score import write_predictions
from coindex.core.problem import Problem
from coindex.errors import UsageError
from coindex.formats import Losses
from coindex.pronoun.clusters import documents_of, with_decisions

_SUFFIXES = {
    ".conll": "conll2012",
    ".gold_conll": "conll2012",
    ".conllu": "corefud",
    ".jsonlines": "jsonlines",
    ".jsonl": "document-jsonl",
    ".txt": "text",
}


def save(run: Run, folder: Path) -> list[Path]:
    """Write every cell's decisions, as JSON lines and for GAP as its table, and clusters."""
    io.make_folder(folder)
    return [path for table in run.tables for cell in table.cells for path in _save(cell, folder)]


def _save(cell: Cell, folder: Path) -> Iterator[Path]:
    parts = (cell.benchmark, cell.split, cell.system, cell.candidates)
    stem = ".".join(re.sub(r"[^\w.-]+", "_", part) for part in parts)
    path = folder / f"{stem}.decisions.jsonl"
    io.write_text(path, predictions.write(cell.matched.decisions))
    yield path
    if cell.benchmark == "gap":
        path = folder / f"{stem}.tsv"
        io.write_text(path, write_predictions(cell.matched.decisions))
        yield path
    path = folder / f"{stem}.clusters.jsonl"
    formats.write(path, (with_decisions(*pair) for pair in cell.matched), "document-jsonl")
    yield path


def write_documents(problems: Sequence[Problem], path: str, format: str | None) -> Losses:
    """Write passages as documents, in the format that is named or that the ending tells."""
    chosen = format or _SUFFIXES.get(Path(path).suffix)
    known = formats.names("document")
    if chosen is None:
        endings = ", ".join(_SUFFIXES)
        raise UsageError(
            f"{path}: expected a name that ends in {endings},"
            f" or a format (--to) of: {', '.join(known)}"
        )
    if formats.load(chosen).KIND != "document":
        raise UsageError(f"{chosen} holds problems, expected a format of: {', '.join(known)}")
    return formats.write(path, documents_of(problems), chosen)
