"""Suggestions of a resolver for a project's documents, made in another process.

They are seen dashed in the editor and count as nothing until accepted. Sheets that are
opened after they are made have them; what somebody has begun is not changed under them.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from threading import Lock
from typing import Any, Protocol

from sqlalchemy import select, update

from coindex.annotate import papers
from coindex.annotate.database import Database
from coindex.annotate.fail import Fail
from coindex.annotate.tables import documents, projects
from coindex.annotate.transfer import suggestions
from coindex.core.document import Document


class Suggester(Protocol):
    """What resolves documents, elsewhere."""

    def suggest(self, resolver: str, texts: Sequence[Document]) -> Future[list[Document]]:
        """The documents with entities, when they are done."""

    def close(self) -> None:
        """End what was started."""


class ProcessSuggester:
    """A process of its own, started when it is first needed."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._lock = Lock()

    def suggest(self, resolver: str, texts: Sequence[Document]) -> Future[list[Document]]:
        """The documents with entities, when they are done."""
        with self._lock:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
            return self._pool.submit(_resolve, resolver, tuple(texts))

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
                self._pool = None


def _resolve(resolver: str, texts: tuple[Document, ...]) -> list[Document]:
    from coindex import resolvers
    from coindex.errors import UsageError

    found = resolvers.load(resolver, resolvers.Settings(singletons=True))
    if not isinstance(found, resolvers.Clusterer):
        raise UsageError(f"{resolver} resolves pronoun problems, not documents")
    return list(found.resolve(texts))


class Suggestions:
    """The suggestions being made, for each project."""

    def __init__(self, database: Database, suggester: Suggester | None = None) -> None:
        self.database = database
        self.suggester: Suggester = suggester or ProcessSuggester()
        self._told: dict[int, dict[str, Any]] = {}

    def told(self, project: int) -> dict[str, Any]:
        """How far they are."""
        return self._told.get(project) or {"state": "never", "resolver": None, "message": ""}

    def change(self, project: int, resolver: str | None) -> None:
        """Another resolver begins; with none, sheets opened from now on have no suggestions."""
        if resolver is not None:
            self.start(project, resolver)
            return
        with self.database.write() as connection:
            own = documents.c.project == project
            connection.execute(update(documents).where(own).values(suggestions=None))

    def start(self, project: int, resolver: str) -> dict[str, Any]:
        """Begin; a project makes one set at a time."""
        from coindex import resolvers

        if resolver not in resolvers.names():
            known = ", ".join(resolvers.names())
            raise Fail(422, "invalid", f"resolver: expected one of {known}")
        if self.told(project)["state"] == "running":
            return self.told(project)
        with self.database.read() as connection:
            own = documents.c.project == project
            rows = connection.execute(select(documents).where(own)).all()
        texts = [replace(papers.document_of(row.body), entities=()) for row in rows]
        self._told[project] = {"state": "running", "resolver": resolver, "message": ""}
        future = self.suggester.suggest(resolver, texts)
        ids = [row.id for row in rows]
        future.add_done_callback(lambda done: self._finish(project, resolver, ids, done))
        return self.told(project)

    def _finish(
        self, project: int, resolver: str, ids: list[int], done: Future[list[Document]]
    ) -> None:
        told = {"state": "ready", "resolver": resolver, "message": ""}
        try:
            made = [suggestions(document, resolver) for document in done.result()]
            with self.database.write() as connection:
                for id, found in zip(ids, made, strict=True):
                    here = documents.c.id == id
                    connection.execute(update(documents).where(here).values(suggestions=found))
                here = projects.c.id == project
                settings = connection.execute(select(projects.c.settings).where(here)).scalar_one()
                values = {"settings": {**settings, "suggestions": resolver}}
                connection.execute(update(projects).where(here).values(**values))
            told["message"] = f"{sum(map(len, made))} suggestions in {len(made)} documents"
        except BaseException as error:
            told |= {"state": "failed", "message": f"{type(error).__name__}: {error}"[:2000]}
        self._told[project] = told

    def close(self) -> None:
        """End the process."""
        self.suggester.close()
