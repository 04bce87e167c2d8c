"""Suggestions of a resolver for a project's documents, made in another process.

The editor shows them with dashed borders; they count only when an annotator accepts them.
Assignments that are opened later get them; those already open do not change.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from threading import Lock
from typing import Any, Protocol

from sqlalchemy import select, update

from coindex.annotate.errors import ApiError
from coindex.annotate.exchange import conversion
from coindex.annotate.exchange.importer import suggestion_records
from coindex.annotate.store.database import Database
from coindex.annotate.store.tables import documents, projects
from coindex.jobs.child_process import end_with_parent
from coindex.types.document import Document


class Suggester(Protocol):
    """Something that resolves documents in the background."""

    def suggest(self, resolver: str, texts: Sequence[Document]) -> Future[list[Document]]:
        """Return the future of the documents with entities."""

    def close(self) -> None:
        """Stop the background work."""


class ProcessSuggester:
    """Resolves in a separate process, started when it is first needed."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._lock = Lock()

    def suggest(self, resolver: str, texts: Sequence[Document]) -> Future[list[Document]]:
        """Return the future of the documents with entities."""
        with self._lock:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    1, get_context("spawn"), initializer=end_with_parent, initargs=(os.getpid(),)
                )
            return self._pool.submit(_resolve, resolver, tuple(texts))

    def close(self) -> None:
        """Stop the process."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
                self._pool = None


def _resolve(resolver: str, texts: tuple[Document, ...]) -> list[Document]:
    from coindex import resolvers
    from coindex.errors import UsageError

    loaded = resolvers.load(resolver, resolvers.ResolverSettings(singletons=True))
    if not isinstance(loaded, resolvers.Clusterer):
        raise UsageError(f"{resolver} resolves pronoun problems, not documents")
    return list(loaded.resolve(texts))


class SuggestionJobs:
    """The background jobs that make suggestions, one for each project."""

    def __init__(self, database: Database, suggester: Suggester | None = None) -> None:
        self.database = database
        self.suggester: Suggester = suggester or ProcessSuggester()
        self._status: dict[int, dict[str, Any]] = {}

    def status(self, project: int) -> dict[str, Any]:
        """Return the state of a project's job."""
        return self._status.get(project) or {"state": "never", "resolver": None, "message": ""}

    def change(self, project: int, resolver: str | None) -> None:
        """Start another resolver; with None, later assignments have no suggestions."""
        if resolver is not None:
            self.start(project, resolver)
            return
        with self.database.write() as connection:
            own = documents.c.project == project
            connection.execute(update(documents).where(own).values(suggestions=None))

    def start(self, project: int, resolver: str) -> dict[str, Any]:
        """Start a job; a project has one at a time."""
        from coindex import resolvers

        if resolver not in resolvers.names():
            known = ", ".join(resolvers.names())
            raise ApiError(422, "invalid", f"resolver: expected one of {known}")
        if self.status(project)["state"] == "running":
            return self.status(project)
        with self.database.read() as connection:
            own = documents.c.project == project
            rows = connection.execute(select(documents).where(own)).all()
        texts = [replace(conversion.parse_document(row.body), entities=()) for row in rows]
        self._status[project] = {"state": "running", "resolver": resolver, "message": ""}
        future = self.suggester.suggest(resolver, texts)
        ids = [row.id for row in rows]
        future.add_done_callback(lambda done: self._finish(project, resolver, ids, done))
        return self.status(project)

    def _finish(
        self, project: int, resolver: str, ids: list[int], done: Future[list[Document]]
    ) -> None:
        status = {"state": "ready", "resolver": resolver, "message": ""}
        try:
            made = [suggestion_records(document, resolver) for document in done.result()]
            with self.database.write() as connection:
                for id, records in zip(ids, made, strict=True):
                    statement = update(documents).where(documents.c.id == id)
                    connection.execute(statement.values(suggestions=records))
                own = projects.c.id == project
                settings = connection.execute(select(projects.c.settings).where(own)).scalar_one()
                values = {"settings": {**settings, "suggestions": resolver}}
                connection.execute(update(projects).where(own).values(**values))
            status["message"] = f"{sum(map(len, made))} suggestions in {len(made)} documents"
        except BaseException as error:
            status |= {"state": "failed", "message": f"{type(error).__name__}: {error}"[:2000]}
        self._status[project] = status

    def close(self) -> None:
        """Stop the process."""
        self.suggester.close()
