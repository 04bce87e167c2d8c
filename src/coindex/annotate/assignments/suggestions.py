"""Suggestions of a resolver for the documents or problems of a project, made in another process.

Of a document they are mentions with chains, which the editor shows with dashed borders and which
count only when an annotator accepts them; of a problem an answer, which the page shows beside the
choices. Assignments that are opened later get them; those already open do not change. Each item is
stored as soon as it is done, and one that fails is named with its reason.
"""

from __future__ import annotations

import os
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from multiprocessing import get_context
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import select, update

from coindex.annotate.assignments.resolver_choices import check_choice
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange import conversion
from coindex.annotate.exchange.importer import answer_suggestion, suggestion_records
from coindex.annotate.store.database import Database
from coindex.annotate.store.tables import documents, projects
from coindex.errors import CoindexError
from coindex.jobs.child_process import end_with_parent
from coindex.types.decision import Decision, unanswered
from coindex.types.document import Document
from coindex.types.problem import Problem

if TYPE_CHECKING:
    from coindex.resolvers import Clusterer, Decider

MOST_FAILED = 20
"""How many of the items that failed are named."""


class Suggester(Protocol):
    """Something that resolves documents and problems in the background, one after the other."""

    def suggest(self, resolver: str, item: Document | Problem) -> Future[Document | Decision]:
        """Return the future of the document with entities, or of the decision on the problem."""

    def close(self) -> None:
        """Stop the background work."""


class ProcessSuggester:
    """Resolves in a separate process, started when it is first needed."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._lock = Lock()

    def suggest(self, resolver: str, item: Document | Problem) -> Future[Document | Decision]:
        """Return the future of the document with entities, or of the decision on the problem."""
        with self._lock:
            try:
                return self._started().submit(_resolve, resolver, item)
            except BrokenExecutor:  # its process was killed: by the system for its memory, say
                self._pool = None
                return self._started().submit(_resolve, resolver, item)

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                1, get_context("spawn"), initializer=end_with_parent, initargs=(os.getpid(),)
            )
        return self._pool

    def close(self) -> None:
        """Stop the process."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
                self._pool = None


def _resolve(choice: str, item: Document | Problem) -> Document | Decision:
    if isinstance(item, Problem):
        return next(iter(_decider(choice).decide([unanswered(item)])))
    return next(iter(_clusterer(choice).resolve([item])))


@lru_cache(maxsize=1)
def _decider(choice: str) -> Decider:
    """Return a resolver of problems with its model, loaded once for all of a project."""
    from coindex import resolvers

    name, _, model = choice.partition(":")
    return resolvers.decider(name, resolvers.ResolverSettings(model=model or None))


@lru_cache(maxsize=1)
def _clusterer(choice: str) -> Clusterer:
    """Return a resolver of documents with its model, loaded once for all of a project."""
    from coindex import resolvers
    from coindex.errors import UsageError

    name, _, model = choice.partition(":")
    settings = resolvers.ResolverSettings(singletons=True, model=model or None)
    loaded = resolvers.load(name, settings)
    if not isinstance(loaded, resolvers.Clusterer):
        raise UsageError(f"{name} resolves pronoun problems, not documents")
    return loaded


@dataclass(slots=True)
class _Job:
    """The work on one project, and how far it is."""

    resolver: str
    total: int
    item: str = "document"
    state: str = "running"
    message: str = ""
    done: int = 0
    made: int = 0
    failed: list[dict[str, str]] = field(default_factory=list)
    failures: int = 0
    lock: Any = field(default_factory=Lock)

    def as_json(self) -> dict[str, Any]:
        """Return what a manager sees."""
        names = ("state", "resolver", "message", "done", "total", "failed")
        return {name: getattr(self, name) for name in names}


class SuggestionJobs:
    """The background jobs that make suggestions, one for each project."""

    def __init__(self, database: Database, suggester: Suggester | None = None) -> None:
        self.database = database
        self.suggester: Suggester = suggester or ProcessSuggester()
        self._jobs: dict[int, _Job] = {}

    def status(self, project: int) -> dict[str, Any]:
        """Return the state of a project's job."""
        job = self._jobs.get(project)
        if job is not None:
            return job.as_json()
        return {**_Job("", 0).as_json(), "state": "never", "resolver": None}

    def change(self, project: int, resolver: str | None) -> None:
        """Start another resolver; with None, later assignments have no suggestions."""
        if resolver is not None:
            self.start(project, resolver)
            return
        self._jobs.pop(project, None)  # what it still makes is not stored
        with self.database.write() as connection:
            own = documents.c.project == project
            connection.execute(update(documents).where(own).values(suggestions=None))

    def start(self, project: int, resolver: str) -> dict[str, Any]:
        """Start a job; a project has one at a time."""
        check_choice(resolver)
        if self.status(project)["state"] == "running":
            return self.status(project)
        with self.database.read() as connection:
            own = documents.c.project == project
            rows = connection.execute(select(documents).where(own)).all()
            kind = connection.execute(select(projects.c.kind).where(projects.c.id == project))
            item_kind: str = kind.scalar_one()
        if not rows:
            raise ApiError(409, "empty", "this project has no documents yet: import some first")
        job = self._jobs[project] = _Job(resolver, len(rows), item_kind)
        for row in rows:
            item: Document | Problem = (
                conversion.parse_problem(row.body)
                if item_kind == "problem"
                else replace(conversion.parse_document(row.body), entities=())
            )
            self._submit(project, job, row.id, item)
        return self.status(project)

    def _submit(self, project: int, job: _Job, id: int, item: Document | Problem) -> None:
        def finish(future: Future[Document | Decision]) -> None:
            with job.lock:
                if self._jobs.get(project) is job:
                    self._finish_one(project, job, id, item, future)

        try:
            self.suggester.suggest(job.resolver, item).add_done_callback(finish)
        except Exception as error:
            failed: Future[Document | Decision] = Future()
            failed.add_done_callback(finish)
            failed.set_exception(error)

    def _finish_one(
        self, project: int, job: _Job, id: int, item: Document | Problem,
        future: Future[Document | Decision],
    ) -> None:  # fmt: skip
        try:
            found = future.result()
            records = (
                suggestion_records(found, job.resolver)
                if isinstance(found, Document)
                else answer_suggestion(found, job.resolver)
            )
            with self.database.write() as connection:
                statement = update(documents).where(documents.c.id == id)
                connection.execute(statement.values(suggestions=records))
            job.made += len(records)
        except BaseException as error:
            job.failures += 1
            if len(job.failed) < MOST_FAILED:
                job.failed.append({"name": item.id, "reason": _reason(error)})
        job.done += 1
        if job.done == job.total:
            self._finish(project, job)

    def _finish(self, project: int, job: _Job) -> None:
        """End a job: with what it has made, or with why it has made nothing."""
        good = job.total - job.failures
        if not good:
            job.message, job.state = job.failed[0]["reason"], "failed"
            return
        with self.database.write() as connection:
            own = projects.c.id == project
            settings = connection.execute(select(projects.c.settings).where(own)).scalar_one()
            values = {"settings": {**settings, "suggestions": job.resolver}}
            connection.execute(update(projects).where(own).values(**values))
        job.message = f"{_count(job.made, 'suggestion')} in {_count(good, job.item)}"
        if job.failures:
            job.message += f"; {_count(job.failures, job.item)} failed"
        job.state = "ready"

    def close(self) -> None:
        """Stop the process."""
        self.suggester.close()


def _reason(error: BaseException) -> str:
    """Return why an item failed, for a manager to read."""
    if isinstance(error, BrokenExecutor):
        return "the process that resolves has ended unexpectedly: perhaps it had too little memory"
    text = str(error) if isinstance(error, CoindexError) else f"{type(error).__name__}: {error}"
    return text[:2000]


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"
