"""Decisions that were made elsewhere, scored as those of resolvers are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coindex import benchmarks, formats, io
from coindex.bench import predictions
from coindex.bench.cell import Cell, Run, Table, missing_notes, signature
from coindex.bench.options import Options, split_of
from coindex.core.decision import Decision, match
from coindex.core.document import Document
from coindex.core.problem import Problem
from coindex.errors import UsageError
from coindex.pronoun.clusters import decisions_of
from coindex.scoring._words import count


@dataclass(frozen=True, slots=True)
class Given:
    """Decisions that were made elsewhere, of a file.

    kind        "predictions" or "clusters"
    candidates  "found" for clusters: nobody told them the candidates
    """

    system: str
    kind: str
    decisions: tuple[Decision, ...]
    notes: tuple[str, ...] = ()
    candidates: str = "unknown"


def problems_of(name: str, options: Options) -> tuple[Problem, ...]:
    """The problems that files are about."""
    benchmark = benchmarks.load(name)
    return benchmark.problems(split_of(name, benchmark, options.split))


def read_predictions(path: str, called: str, problems: Sequence[Problem], name: str) -> Given:
    """The decisions of a file, on the problems of the benchmark of that name."""
    with io.open_lines(path) as lines:
        found = predictions.read(lines, lines.name, problems, name)
    return Given(called, "predictions", found.decisions, found.notes)


def read_clusters(path: str, called: str, problems: Sequence[Problem], format: str | None) -> Given:
    """What the clusters of a file, in any document format, say of problems."""
    documents = list(_documents(path, format))
    if not documents:
        raise UsageError(f"{path}: expected documents with clusters, found problems")
    told = decisions_of(problems, documents)
    extra = len(told.extra)
    notes = (
        (f"{count(extra, 'document')} of no problem, such as {told.extra[0]}.",) if extra else ()
    )
    return Given(called, "clusters", told.decisions, notes, "found")


def _documents(path: str, format: str | None) -> Iterator[Document]:
    for each in formats.expand([path]):
        yield from (item for item in formats.read(each, format) if isinstance(item, Document))


def score_given(name: str, files: Sequence[Given], options: Options | None = None) -> Run:
    """Decisions of files, scored on one benchmark."""
    options = options or Options()
    benchmark = benchmarks.load(name)
    split = split_of(name, benchmark, options.split)
    problems = benchmark.problems(split)
    cells = []
    for file in files:
        matched = match(problems, file.decisions)
        parts = {"benchmark": name, "split": split, "candidates": file.candidates}
        parts[file.kind] = file.system
        cells.append(
            Cell(
                name,
                split,
                file.system,
                file.kind,
                file.candidates,
                "unknown",
                matched,
                benchmark.score(matched, *options.draws),
                signature(parts, len(problems)),
                notes=(*file.notes, *missing_notes(matched)),
            )
        )
    return Run((Table(name, split, benchmark, problems, tuple(cells)),), (), *options.draws)
