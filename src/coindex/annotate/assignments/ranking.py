"""Active learning: documents ranked by a strategy of `coindex.active`, in another process.

A ranking is stored with its scores and is used until the next one is done: nobody waits for
the training of a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Any, Protocol

from sqlalchemy import delete, insert, select, update

from coindex.annotate.errors import ApiError
from coindex.annotate.exchange import conversion
from coindex.annotate.store.database import Database, insert_row
from coindex.annotate.store.tables import documents, projects, rankings, ranks
from coindex.types.document import Document

IMPORT_ORDER = "given"
"""The strategy that leaves documents in the order in which they were imported."""


class Ranker(Protocol):
    """Something that ranks documents in the background; tests replace `WorkerRanker`."""

    def rank(
        self, pool: Sequence[Document], annotated: Sequence[Document], strategy: str, seed: int
    ) -> Future[Any]:
        """Return the future of a `coindex.active.Ranking`."""

    def close(self) -> None:
        """Stop the background work."""


class WorkerRanker:
    """`coindex.active` in a separate process, started when it is first needed.

    setup    how the committee of models is trained; by default as in the Quiz Bowl paper
    """

    def __init__(self, setup: Any = None) -> None:
        self._setup = setup
        self._worker: Any = None
        self._lock = Lock()

    def rank(
        self, pool: Sequence[Document], annotated: Sequence[Document], strategy: str, seed: int
    ) -> Future[Any]:
        """Return the future of a ranking."""
        from coindex import active

        with self._lock:
            if self._worker is None:
                self._worker = active.Worker(self._setup or active.Setup())
            future: Future[Any] = self._worker.rank(pool, annotated, strategy, seed=seed)
        return future

    def close(self) -> None:
        """Stop the process."""
        with self._lock:
            if self._worker is not None:
                self._worker.close()
                self._worker = None


def strategies() -> tuple[str, ...]:
    """Return the strategies that a project may choose."""
    from coindex import active

    return (IMPORT_ORDER, *active.names())


def start_ranking(
    database: Database, ranker: Ranker, project: int, server: str | None = None
) -> str:
    """Start to rank a project's documents, on this server; return the state of the ranking."""
    with database.write() as connection:
        row = connection.execute(select(projects).where(projects.c.id == project)).one()
        strategy = row.settings.get("strategy", IMPORT_ORDER)
        if strategy == IMPORT_ORDER or row.kind != "document":
            raise ApiError(
                409, "given", "this project keeps the order of import: set a strategy first"
            )
        running = (rankings.c.project == project) & (rankings.c.state == "running")
        if connection.execute(select(rankings.c.id).where(running)).first():
            return "running"
        pool, annotated = conversion.ranking_pool(connection, project)
        values = {"strategy": strategy, "message": "", "picks": [], "made": database.clock()}
        values["server"] = server
        id = insert_row(connection, rankings, project=project, state="running", **values)
    try:
        future = ranker.rank(pool, annotated, strategy, int(row.settings.get("seed", 1)))
    except Exception as error:
        _failed(database, id, error)
        raise ApiError(503, "ranking", f"the ranking could not be started: {error}") from error
    future.add_done_callback(lambda done: _finish(database, project, id, done))
    return "running"


def _finish(database: Database, project: int, id: int, done: Future[Any]) -> None:
    try:
        ranking = done.result()
    except BaseException as error:
        _failed(database, id, error)
        return
    with database.write() as connection:
        names = select(documents.c.name, documents.c.id).where(documents.c.project == project)
        ids = {row.name: row.id for row in connection.execute(names)}
        picks = [pick for pick in ranking.picks if pick.document in ids]
        rows = [
            {"document": ids[p.document], "ranking": id, "rank": p.rank, "score": p.score}
            for p in picks
        ]
        connection.execute(delete(ranks).where(ranks.c.document.in_(list(ids.values()))))
        if rows:
            connection.execute(insert(ranks), rows)
        named = [{**row, "name": p.document} for row, p in zip(rows, picks, strict=True)]
        values = {"state": "ready", "picks": named, "made": database.clock()}
        connection.execute(update(rankings).where(rankings.c.id == id).values(**values))


def _failed(database: Database, id: int, error: BaseException) -> None:
    values = {"state": "failed", "message": f"{type(error).__name__}: {error}"[:2000]}
    with database.write() as connection:
        connection.execute(update(rankings).where(rankings.c.id == id).values(**values))


def latest_ranking(database: Database, project: int) -> dict[str, Any]:
    """Return the state of the newest ranking, and the picks of the newest that is ready."""
    own = rankings.c.project == project
    newest = select(rankings).where(own).order_by(rankings.c.id.desc()).limit(1)
    ready = newest.where(rankings.c.state == "ready")
    with database.read() as connection:
        last, usable = connection.execute(newest).first(), connection.execute(ready).first()
    if last is None:
        return {"state": "never", "strategy": None, "made": None, "message": "", "picks": []}
    state = {"state": last.state, "strategy": last.strategy, "message": last.message}
    return {
        **state,
        "made": usable.made if usable else None,
        "picks": usable.picks if usable else [],
    }
