"""Answers that were made elsewhere, from a file of clusters or of decisions.

`AuditQuestions` holds everything that an audit asks, under ids that no other question has:

    gap/test-1, knowref/12, knowref-switched/12     the problems of benchmarks
    roles-03/base, roles-03/typos                   the bundled texts and their variants
    roles-03/typos/2                                a pronoun of one of them, as a problem

Clusters are of documents with these ids (or with the same texts), decisions are JSON lines
`{"id": ..., "chosen": [...]}`. A measurement to which there is no answer is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from coindex import io
from coindex.audit.intervals import Draws
from coindex.audit.subject import document_of, passage_problems
from coindex.audit.templates import Passage
from coindex.benchmarks.protocol import CONSISTENCY
from coindex.errors import InvalidValue
from coindex.evaluate.decision_files import cluster_documents, parse_predictions
from coindex.evaluate.options import SelectedBenchmark, Selection
from coindex.evaluate.results import (
    SystemResult,
    missing_notes,
    signature,
    switched_copies,
    with_switched,
)
from coindex.resolvers.cluster_decisions import decision_from_document, documents_from_problems
from coindex.transform.edit import retokenize
from coindex.types.decision import Decision, match_decisions
from coindex.types.document import Document
from coindex.types.problem import Problem
from coindex.types.progress import OnProgress


@dataclass(slots=True)
class AuditQuestions:
    """A subject that answers nothing and records what it is asked."""

    problems: dict[str, Problem] = field(default_factory=dict)
    passages: dict[str, Passage] = field(default_factory=dict)
    name: str = "questions"
    kind: str = "resolver"
    signature: str = ""

    def benchmarks(
        self, selection: Selection, draws: Draws, on_progress: OnProgress
    ) -> dict[str, SystemResult]:
        """Record the problems of benchmarks, and those with their names exchanged."""
        for selected in selection.selected:
            for prefix, problems in asked_problems(selected).items():
                self.problems |= {f"{prefix}/{each.id}": each for each in problems}
        return {}

    def resolve(self, passages: Sequence[Passage]) -> Iterator[Document | None]:
        """Record texts."""
        for passage in passages:
            self.passages[passage.id] = passage
            yield None

    def documents(self) -> Iterator[Document]:
        """All texts as documents without entities."""
        for id, problem in self.problems.items():
            (document,) = documents_from_problems([problem])
            yield replace(document, id=id)
        for passage in self.passages.values():
            yield retokenize(Document(passage.id, passage.text), ())

    def all_problems(self) -> Iterator[Problem]:
        """All questions as problems without answers."""
        for id, problem in self.problems.items():
            yield replace(problem, id=id, answer=None, meta=())
        for passage in self.passages.values():
            yield from passage_problems(passage)


def asked_problems(selected: SelectedBenchmark) -> dict[str, tuple[Problem, ...]]:
    """The problems of a benchmark, and the switched copies where its papers report consistency."""
    result = {selected.name: selected.problems}
    if any(CONSISTENCY in dict(row.figures) for row in selected.benchmark.PUBLISHED):
        result[f"{selected.name}-switched"] = switched_copies(selected.problems).problems
    return result


@dataclass(frozen=True, slots=True)
class FileSubject:
    """Answers of a file.

    decide    the decision on a problem under the id of an audit, if there is one
    document  the clusters of a passage, if there are any
    """

    name: str
    kind: str
    decide: Callable[[str, Problem], Decision | None]
    document: Callable[[Passage], Document | None]

    @property
    def signature(self) -> str:
        """Nothing is known of what made the file."""
        return f"{self.kind}:{self.name}"

    def benchmarks(
        self, selection: Selection, draws: Draws, on_progress: OnProgress
    ) -> dict[str, SystemResult]:
        """The results on benchmarks to whose problems the file has answers."""
        results = (self._result(selected, draws) for selected in selection.selected)
        return {result.benchmark: result for result in results if result is not None}

    def resolve(self, passages: Sequence[Passage]) -> Iterator[Document | None]:
        """The clusters of texts."""
        return map(self.document, passages)

    def _decisions(self, prefix: str, problems: Sequence[Problem]) -> list[Decision]:
        found = ((each, self.decide(f"{prefix}/{each.id}", each)) for each in problems)
        return [replace(decision, id=each.id) for each, decision in found if decision is not None]

    def _result(self, selected: SelectedBenchmark, draws: Draws) -> SystemResult | None:
        decisions = self._decisions(selected.name, selected.problems)
        if not decisions:
            return None
        matched = match_decisions(selected.problems, decisions)
        candidates = "found" if self.kind == "clusters" else "unknown"
        parts = {"benchmark": selected.name, "split": selected.split}
        parts |= {"candidates": candidates, self.kind: self.name}
        result = SystemResult(
            selected.name, selected.split, self.name, self.kind, candidates, "unknown", matched,
            selected.benchmark.score(matched, draws.resamples, draws.seed),
            signature(parts, len(selected.problems)), notes=missing_notes(matched),
        )  # fmt: skip
        prefix = f"{selected.name}-switched"
        asked = asked_problems(selected).get(prefix, ())
        after = self._decisions(prefix, asked)
        if not after:
            return result
        copies = switched_copies(selected.problems)
        return with_switched(
            result, copies, after, selected.benchmark, (draws.resamples, draws.seed)
        )


def clusters_subject(path: str, name: str, format: str | None) -> FileSubject:
    """The answers of a file of clusters."""
    documents: dict[str, Document] = {}
    for document in cluster_documents(path, format):
        if document.key in documents:
            raise InvalidValue(f"{path}: expected one document for {document.key}, found another")
        documents[document.key] = document

    def decide(id: str, problem: Problem) -> Decision | None:
        return decision_from_document(problem, documents[id]) if id in documents else None

    return FileSubject(name, "clusters", decide, lambda each: documents.get(each.id))


def predictions_subject(path: str, name: str, questions: AuditQuestions) -> FileSubject:
    """The answers of a file of decisions, JSON lines, on these questions."""
    with io.open_lines(path) as lines:
        given, _ = parse_predictions(lines, lines.name, list(questions.all_problems()), None)
    decisions: Mapping[str, Decision] = {decision.id: decision for decision in given}

    def document(passage: Passage) -> Document | None:
        chosen = [decisions.get(problem.id) for problem in passage_problems(passage)]
        return None if not chosen or None in chosen else document_of(passage, filter(None, chosen))

    return FileSubject(name, "predictions", lambda id, problem: decisions.get(id), document)
