"""The active queue: documents ranked by a strategy of `coindex.active`, in another process.

A ranking is stored with its scores, and serves until the next one is done: nobody waits for
a training. What ranks is anything with `rank(...) -> Future`, so that tests need no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Any, Protocol

from sqlalchemy import delete, insert, select, update

from coindex.annotate import papers
from coindex.annotate.database import Database, put
from coindex.annotate.fail import Fail
from coindex.annotate.tables import documents, projects, rankings, ranks
from coindex.core.document import Document

GIVEN = "given"
"""The strategy that keeps the order in which documents were imported."""


class Ranker(Protocol):
    """What puts a pool in order; `coindex.active.Worker` does."""

    def rank(
        self, pool: Sequence[Document], annotated: Sequence[Document], strategy: str, seed: int
    ) -> Future[Any]:
        """A `coindex.active.Ranking`, when it is done."""

    def close(self) -> None:
        """End what was started."""


class WorkerRanker:
    """`coindex.active` in a process of its own, started when it is first needed.

    setup    how the models that vote are made; the Quiz Bowl system's unless told
    """

    def __init__(self, setup: Any = None) -> None:
        self._setup = setup
        self._worker: Any = None
        self._lock = Lock()

    def rank(
        self, pool: Sequence[Document], annotated: Sequence[Document], strategy: str, seed: int
    ) -> Future[Any]:
        """A ranking, when it is done."""
        from coindex import active

        with self._lock:
            if self._worker is None:
                self._worker = active.Worker(self._setup or active.Setup())
            found: Future[Any] = self._worker.rank(pool, annotated, strategy, seed=seed)
        return found

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._worker is not None:
                self._worker.close()
                self._worker = None


def strategies() -> tuple[str, ...]:
    """The strategies a project may choose."""
    from coindex import active

    return (GIVEN, *active.names())


def start(database: Database, ranker: Ranker, project: int) -> str:
    """Begin a ranking of a project's documents; the last one serves until it is done."""
    with database.write() as connection:
        row = connection.execute(select(projects).where(projects.c.id == project)).one()
        strategy = row.settings.get("strategy", GIVEN)
        if strategy == GIVEN or row.kind != "document":
            raise Fail(409, "given", "this project keeps the order of import: set a strategy first")
        running = (rankings.c.project == project) & (rankings.c.state == "running")
        if connection.execute(select(rankings.c.id).where(running)).first():
            return "running"
        pool, annotated = papers.pool(connection, project)
        told = {"strategy": strategy, "message": "", "picks": [], "made": database.clock()}
        id = put(connection, rankings, project=project, state="running", **told)
    try:
        future = ranker.rank(pool, annotated, strategy, int(row.settings.get("seed", 1)))
    except Exception as error:
        _failed(database, id, error)
        raise Fail(503, "ranking", f"the ranking could not be started: {error}") from error
    future.add_done_callback(lambda done: _finish(database, project, id, done))
    return "running"


def forget_running(database: Database) -> None:
    """A server that was killed leaves rankings that will never be done."""
    with database.write() as connection:
        values = {"state": "failed", "message": "the server was stopped meanwhile"}
        old = rankings.c.state == "running"
        connection.execute(update(rankings).where(old).values(**values))


def _finish(database: Database, project: int, id: int, done: Future[Any]) -> None:
    try:
        found = done.result()
    except BaseException as error:
        _failed(database, id, error)
        return
    with database.write() as connection:
        names = select(documents.c.name, documents.c.id).where(documents.c.project == project)
        ids = {row.name: row.id for row in connection.execute(names)}
        picks = [pick for pick in found.picks if pick.document in ids]
        rows = [
            {"document": ids[p.document], "ranking": id, "rank": p.rank, "score": p.score}
            for p in picks
        ]
        connection.execute(delete(ranks).where(ranks.c.document.in_(list(ids.values()))))
        if rows:
            connection.execute(insert(ranks), rows)
        told = [{**row, "name": p.document} for row, p in zip(rows, picks, strict=True)]
        values = {"state": "ready", "picks": told, "made": database.clock()}
        connection.execute(update(rankings).where(rankings.c.id == id).values(**values))


def _failed(database: Database, id: int, error: BaseException) -> None:
    values = {"state": "failed", "message": f"{type(error).__name__}: {error}"[:2000]}
    with database.write() as connection:
        connection.execute(update(rankings).where(rankings.c.id == id).values(**values))


def latest(database: Database, project: int) -> dict[str, Any]:
    """The newest ranking, and the picks of the newest that is ready."""
    own = rankings.c.project == project
    newest = select(rankings).where(own).order_by(rankings.c.id.desc()).limit(1)
    ready = newest.where(rankings.c.state == "ready")
    with database.read() as connection:
        last, good = connection.execute(newest).first(), connection.execute(ready).first()
    if last is None:
        return {"state": "never", "strategy": None, "made": None, "message": "", "picks": []}
    told = {"state": last.state, "strategy": last.strategy, "message": last.message}
    return {**told, "made": good.made if good else None, "picks": good.picks if good else []}
