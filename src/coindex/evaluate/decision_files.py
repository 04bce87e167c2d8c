"""Files of decisions: read, written, and scored like those of resolvers.

A benchmark may have a table format of its own (GAP: TRUE and FALSE by tabs, see
`coindex.benchmarks.gap_scorer`); every benchmark has JSON lines, one decision per line:

    {"id": "development-1", "chosen": [1]}

`chosen` holds indices of candidates from 0, `[]` for none of them; `unsaid` and `scores` are
optional. A problem without a line has no decision, and is counted. A broken row of GAP's table is
treated as the official scorer treats it, and reported; a broken JSON line is an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from coindex import formats, io
from coindex.benchmarks.protocol import PredictionTable
from coindex.errors import InvalidValue, UsageError
from coindex.evaluate.options import BenchOptions, SelectedBenchmark
from coindex.evaluate.results import (
    BenchmarkResult,
    BenchRun,
    SystemResult,
    missing_notes,
    signature,
)
from coindex.formats import ConversionLosses
from coindex.formats.json_fields import Fields, read_object_lines, to_line
from coindex.report.table import pluralize
from coindex.resolvers.cluster_decisions import (
    decisions_from_documents,
    document_with_decision,
    documents_from_problems,
)
from coindex.types.decision import Decision, match_decisions
from coindex.types.document import Document
from coindex.types.problem import Problem
from coindex.types.source import Source

_SUFFIXES = {
    ".conll": "conll2012",
    ".gold_conll": "conll2012",
    ".conllu": "corefud",
    ".jsonlines": "jsonlines",
    ".jsonl": "document-jsonl",
    ".txt": "text",
}


@dataclass(frozen=True, slots=True)
class ExternalDecisions:
    """Decisions from a file, with notes on what was wrong with it.

    kind        "predictions" or "clusters"
    candidates  "found" for clusters: they are made without knowing the candidates
    """

    system: str
    kind: str
    decisions: tuple[Decision, ...]
    notes: tuple[str, ...] = ()
    candidates: str = "unknown"


def read_predictions(path: str, system: str, selected: SelectedBenchmark) -> ExternalDecisions:
    """The decisions of a file on the problems of a benchmark."""
    with io.open_lines(path) as lines:
        table = selected.benchmark.PREDICTIONS
        decisions, notes = parse_predictions(lines, lines.name, selected.problems, table)
    return ExternalDecisions(system, "predictions", decisions, notes)


def read_clusters(
    path: str, system: str, problems: Sequence[Problem], format: str | None
) -> ExternalDecisions:
    """The decisions that follow from the clusters of a file, in any document format."""
    result = decisions_from_documents(problems, cluster_documents(path, format))
    extra = len(result.extra)
    notes = (
        (f"{pluralize(extra, 'document')} of no problem, such as {result.extra[0]}.",)
        if extra
        else ()
    )
    return ExternalDecisions(system, "clusters", result.decisions, notes, "found")


def cluster_documents(path: str, format: str | None) -> list[Document]:
    """The documents of a file of clusters, or of a folder of such files."""
    documents = [
        item
        for each in formats.expand_paths([path])
        for item in formats.read(each, format)
        if isinstance(item, Document)
    ]
    if not documents:
        raise UsageError(f"{path}: expected documents with clusters, found problems")
    return documents


def score_external(
    selected: SelectedBenchmark,
    files: Sequence[ExternalDecisions],
    options: BenchOptions | None = None,
) -> BenchRun:
    """Decisions of files, scored on one benchmark."""
    options = options or BenchOptions()
    results = []
    for file in files:
        matched = match_decisions(selected.problems, file.decisions)
        parts = {"benchmark": selected.name, "split": selected.split}
        parts |= {"candidates": file.candidates, file.kind: file.system}
        results.append(
            SystemResult(
                selected.name,
                selected.split,
                file.system,
                file.kind,
                file.candidates,
                "unknown",
                matched,
                selected.benchmark.score(matched, *options.draws),
                signature(parts, len(selected.problems)),
                notes=(*file.notes, *missing_notes(matched)),
            )
        )
    table = BenchmarkResult(
        selected.name, selected.split, selected.benchmark, selected.problems, tuple(results)
    )
    return BenchRun((table,), (), *options.draws)


def parse_predictions(
    lines: Iterable[str], name: str, problems: Sequence[Problem], table: PredictionTable | None
) -> tuple[tuple[Decision, ...], tuple[str, ...]]:
    """Decisions, and notes on broken rows; the first character tells JSON from a table."""
    stream = iter(lines)
    first = next((line for line in stream if line.strip()), "")
    every = chain([first] if first else [], stream)
    if first.lstrip().startswith("{"):
        return tuple(_read_json(every, Source(name), problems)), ()
    if table is None:
        raise Source(name).error(
            1, f'expected lines such as {{"id": "{problems[0].id}", "chosen": [0]}}, found another'
        )
    return _read_table(every, name, problems, table)


def write_decisions(decisions: Iterable[Decision]) -> Iterator[str]:
    """One JSON line for each decision."""
    for decision in decisions:
        fields: dict[str, object] = {"id": decision.id, "chosen": decision.chosen}
        if decision.undecided:
            fields["unsaid"] = decision.undecided
        if decision.scores is not None:
            fields["scores"] = decision.scores
        yield to_line(fields)


def save_run(run: BenchRun, folder: Path) -> list[Path]:
    """Write the decisions of every system as JSON lines, as the benchmark's table, as clusters."""
    io.make_folder(folder)
    return [
        path
        for table in run.tables
        for result in table.results
        for path in _save(result, folder, table.benchmark.PREDICTIONS)
    ]


def run_file_name(*parts: str) -> str:
    """The name of a saved file, without its ending."""
    return ".".join(re.sub(r"[^\w.-]+", "_", part) for part in parts)


def _save(result: SystemResult, folder: Path, table: PredictionTable | None) -> Iterator[Path]:
    stem = run_file_name(result.benchmark, result.split, result.system, result.candidates)
    path = folder / f"{stem}.decisions.jsonl"
    io.write_text(path, write_decisions(result.matched.decisions))
    yield path
    if table is not None:
        path = folder / f"{stem}.tsv"
        io.write_text(path, table.write_predictions(result.matched.decisions))
        yield path
    path = folder / f"{stem}.clusters.jsonl"
    formats.write(
        path, (document_with_decision(*pair) for pair in result.matched), "document-jsonl"
    )
    yield path


def write_documents(problems: Sequence[Problem], path: str, format: str | None) -> ConversionLosses:
    """Write passages as documents, in the named format or that of the file's ending."""
    return write_texts(documents_from_problems(problems), path, format)


def write_texts(documents: Iterable[Document], path: str, format: str | None) -> ConversionLosses:
    """Write documents in the named format or that of the file's ending."""
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
    return formats.write(path, documents, chosen)


def _read_table(
    lines: Iterable[str], name: str, problems: Sequence[Problem], table: PredictionTable
) -> tuple[tuple[Decision, ...], tuple[str, ...]]:
    source = Source(name, collect=True)
    ids = [problem.id for problem in problems]
    decisions = table.read_predictions(lines, source, ids)
    if not decisions:
        first = str(source.findings[0]) if source.findings else name
        other = any(finding.rule == "id" for finding in source.findings)
        ask = ": is the file of another split?" if other else ""
        raise InvalidValue(
            f"{first}; no row is of these {len(ids)} items, {ids[0]} to {ids[-1]}{ask}"
        )
    counts = Counter(finding.rule for finding in source.findings)
    notes = [
        f"{pluralize(number, noun)} {what} (the first: {_first(source, rule)})."
        for rule, number in counts.items()
        for noun, what in [_WRONG[rule]]
    ]
    return tuple(decisions), tuple(notes)


_WRONG = {
    "columns": ("row", "without three columns: longer ones are read, too short ones passed over"),
    "id": ("row", "of unknown items: counted nowhere"),
    "same-id": ("row", "of items that had one: the first counts"),
    "answer": ("value", "other than TRUE or FALSE: nothing is said of that name"),
}
"""How the official scorer treats each mistake."""


def _first(source: Source, rule: str) -> str:
    result = next(finding for finding in source.findings if finding.rule == rule)
    return f"{result.source}:{result.line}: {result.message}"


def _read_json(
    lines: Iterable[str], source: Source, problems: Sequence[Problem]
) -> Iterator[Decision]:
    sizes = {problem.id: len(problem.candidates) for problem in problems}
    seen: dict[str, int] = {}
    for number, result in read_object_lines(lines, source):
        for decision in Fields.build(result, _decision, number, source):
            if decision.id not in sizes:
                message = f"expected the id of one of the {len(sizes)} problems,"
                raise source.error(number, f"{message} found {decision.id!r}")
            if decision.id in seen:
                message = f"expected one decision on {decision.id!r}, found another"
                raise source.error(number, f"{message} after line {seen[decision.id]}")
            seen[decision.id] = number
            _check(decision, sizes[decision.id], number, source)
            yield decision


def _decision(fields: Fields) -> Decision:
    id, chosen = fields.text("id"), fields.optional_ints("chosen")
    if chosen is None:
        raise fields.wrong("chosen", "a list of indices", None)
    scores = fields.take("scores")
    if scores is not None and not _are_numbers(scores):
        raise fields.wrong("scores", "a list of numbers", scores)
    unsaid = fields.ints("unsaid")
    fields.done()
    return Decision(id, chosen, None if scores is None else tuple(map(float, scores)), unsaid)


def _are_numbers(values: object) -> bool:
    return isinstance(values, list) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )


def _check(decision: Decision, size: int, number: int, source: Source) -> None:
    for index in (*decision.chosen[-1:], *decision.undecided[-1:]):
        if index >= size:
            raise source.error(
                number, f"{decision.id}: expected one of {size} candidates, found index {index}"
            )
    if decision.scores is not None and len(decision.scores) != size:
        raise source.error(
            number, f"{decision.id}: expected {size} scores, found {len(decision.scores)}"
        )
