"""Several servers on one database: what one of them works on is not failed by another."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest
from sqlalchemy import select

from annotate_help import Time
from annotate_web import World
from coindex.annotate.store.database import Database
from coindex.annotate.store.servers import SILENCE, ServerPresence
from coindex.annotate.store.tables import servers


class Waiting:
    """A ranker that never ends."""

    def rank(self, *given: Any) -> Future[Any]:
        return Future()

    def close(self) -> None:
        """Nothing to stop."""


def state(world: World) -> str:
    return str(world["manager"].get(f"/api/projects/{world.project}/ranking")["state"])


@pytest.fixture
def ranking(database: Database) -> World:
    """A server that has just begun to rank."""
    world = World(database, ranker=Waiting())
    world.fill(2)
    base = f"/api/projects/{world.project}"
    world["manager"].ok("PATCH", base, {"settings": {"strategy": "random"}})
    world.services.presence.enter()
    world["manager"].post(f"{base}/rank")
    assert state(world) == "running"
    return world


def test_another_server_leaves_a_ranking_alone(
    ranking: World, database: Database, time: Time
) -> None:
    other = ServerPresence(database)
    other.enter()
    if database.sqlite:  # one server alone: whoever was here before is gone
        assert state(ranking) == "failed"
        return
    assert state(ranking) == "running"
    time.pass_(SILENCE - 1)
    ranking.services.presence.once()
    time.pass_(SILENCE - 1)
    other.once()
    assert state(ranking) == "running", "its server gave a sign of life"


def test_the_ranking_of_a_killed_server_fails(
    ranking: World, database: Database, time: Time
) -> None:
    time.pass_(SILENCE + 1)
    other = ServerPresence(database)
    other.enter()
    assert state(ranking) == "failed"
    with database.read() as connection:
        assert connection.execute(select(servers.c.id)).scalars().all() == [other.id]


def test_a_server_that_stops_leaves_nothing_running(ranking: World, database: Database) -> None:
    ranking.services.presence.leave()
    assert state(ranking) == "failed"
    with database.read() as connection:
        assert connection.execute(select(servers.c.id)).first() is None


def test_signs_of_life_go_on_after_an_error(light: Database) -> None:
    presence = ServerPresence(light, beat=0.01)
    presence.enter()
    calls: list[int] = []

    def once() -> None:
        calls.append(1)
        if len(calls) > 2:
            presence.stopped.set()
        raise OSError("full")

    presence.once = once  # type: ignore[method-assign]
    presence.run()
    assert len(calls) == 3
