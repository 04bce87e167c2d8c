"""Runs resolvers of documents on benchmarks of documents, and scores clusters made elsewhere.

Each text goes the way of a user's text (`coindex.load().resolve`). A resolver that only decides
problems has no entities to score: it is left out, with a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from coindex import formats, io
from coindex.errors import InvalidValue, UsageError
from coindex.evaluate.decision_files import cluster_documents, run_file_name
from coindex.evaluate.document_results import DocumentBenchmarkResult, DocumentSystemResult
from coindex.evaluate.options import SelectedDocuments
from coindex.evaluate.results import BenchRun, signature
from coindex.report.table import pluralize
from coindex.resolvers.cluster_decisions import assign_documents
from coindex.resolvers.protocol import Clusterer
from coindex.resolvers.resolver import Resolver
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress


def run_documents(
    selected: SelectedDocuments,
    clusterers: dict[str, Clusterer | None],
    on_progress: OnProgress = ignore_progress,
) -> DocumentBenchmarkResult:
    """All resolvers on the texts of a benchmark; None is one that resolves no documents."""
    without = [system for system, clusterer in clusterers.items() if clusterer is None]
    if without and len(without) == len(clusterers):
        raise UsageError(
            f"{selected.name}: expected a resolver of documents, found only those of problems:"
            f" {', '.join(without)}"
        )
    results = [
        _system_result(selected, system, clusterer, on_progress)
        for system, clusterer in clusterers.items()
        if clusterer is not None
    ]
    notes = (f"Not run, because they resolve no documents: {', '.join(without)}.",)
    return _result(selected, results, notes if without else ())


def score_clusters(
    selected: SelectedDocuments, paths: dict[str, str], format: str | None
) -> DocumentBenchmarkResult:
    """Files of clusters, by path, each with the name to show."""
    results = [_file_result(selected, path, name, format) for path, name in paths.items()]
    return _result(selected, results)


def save_documents(run: BenchRun, folder: Path) -> Iterator[Path]:
    """Write the resolved documents of every system as JSON lines."""
    for table in run.documents:
        for result in table.results:
            name = run_file_name(table.name, table.split, result.system)
            path = folder / f"{name}.clusters.jsonl"
            io.make_folder(folder)
            found = [outcome.found for outcome in result.outcomes if outcome.found is not None]
            formats.write(path, found, "document-jsonl")
            yield path


def _result(
    selected: SelectedDocuments,
    results: Sequence[DocumentSystemResult],
    notes: tuple[str, ...] = (),
) -> DocumentBenchmarkResult:
    return DocumentBenchmarkResult(
        selected.name,
        selected.split,
        selected.benchmark,
        selected.documents,
        tuple(results),
        notes,
    )


def _system_result(
    selected: SelectedDocuments, system: str, clusterer: Clusterer, on_progress: OnProgress
) -> DocumentSystemResult:
    resolver = Resolver(clusterer)
    words = sum(len(document.text.split()) for document in selected.documents)

    def named(progress: Progress) -> None:
        on_progress(Progress(f"{selected.name}, {system}", min(progress.done, words), words))

    resolved = list(resolver.stream(selected.documents, named))
    ids = [document.id for document in selected.documents]
    if [document.id for document in resolved] != ids:
        raise InvalidValue(f"{system}: expected {len(ids)} resolved documents in their order")
    parts = {"benchmark": selected.name, "split": selected.split, "resolver": system}
    return DocumentSystemResult(
        system,
        "resolver",
        selected.benchmark.outcomes(selected.split, resolved),
        signature(parts, len(ids), resolver.signature),
    )


def _file_result(
    selected: SelectedDocuments, path: str, name: str, format: str | None
) -> DocumentSystemResult:
    texts = {document.id: document.text for document in selected.documents}
    assigned = assign_documents(texts, cluster_documents(path, format), "texts")
    resolved: list[Document | None] = [assigned.documents.get(id) for id in texts]
    missing, extra = resolved.count(None), len(assigned.extra)
    notes = []
    if missing:
        notes.append(f"{missing:,} of {len(texts):,} texts have no document: all is missing.")
    if extra:
        notes.append(f"{pluralize(extra, 'document')} of no text, such as {assigned.extra[0]}.")
    parts = {"benchmark": selected.name, "split": selected.split, "clusters": name}
    return DocumentSystemResult(
        name,
        "clusters",
        selected.benchmark.outcomes(selected.split, resolved),
        signature(parts, len(texts)),
        tuple(notes),
    )
