"""Databases for the tests: SQLite always, PostgreSQL where Debian's server is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra [annotate] is not installed")
pytest.importorskip("starlette", reason="the extra [annotate] is not installed")

from sqlalchemy.event import listen

from annotate_help import Bench, Time
from annotate_postgres import started
from coindex.annotate.store.database import Database
from coindex.annotate.store.migrate import migrate


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server of our own, in a temporary folder."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    with started() as address:
        if address is None:
            pytest.skip("no PostgreSQL server: apt-get install postgresql")
        yield address


@pytest.fixture
def postgres_url(postgres_server: str, request: pytest.FixtureRequest) -> str:
    """An empty database of that server."""
    import psycopg

    name = f"t{abs(hash(request.node.nodeid)) % 10**12}"
    with psycopg.connect(f"{postgres_server}/postgres", autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}"')
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{postgres_server}/{name}"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, of both kinds."""
    if request.param == "sqlite":
        return str(tmp_path / "coindex.db")
    found: str = request.getfixturevalue("postgres_url")
    return found


@pytest.fixture(autouse=True, scope="session")
def quick_passwords() -> Iterator[None]:
    """Hashes that cost nothing: one test asks for the real ones."""
    from argon2 import PasswordHasher

    from coindex.annotate.people import accounts

    real = accounts._hasher
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    accounts._hasher = lambda: cheap  # type: ignore[assignment]
    yield
    accounts._hasher = real


def quick(database: Database) -> Database:
    """A database that does not wait for the disk."""
    if database.sqlite:
        listen(database.engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous=OFF"))
    return database


@pytest.fixture
def time() -> Time:
    """A clock that the test moves."""
    return Time()


@pytest.fixture
def database(url: str, time: Time) -> Iterator[Database]:
    """An empty database at this version."""
    made = quick(Database(url, time))
    migrate(made, None)
    yield made
    made.close()


@pytest.fixture
def light(tmp_path: Path, time: Time) -> Iterator[Database]:
    """The same, SQLite alone."""
    made = quick(Database(str(tmp_path / "light.db"), time))
    migrate(made, None)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One that the tests of a file share."""
    made = quick(Database(str(tmp_path_factory.mktemp("shared") / "shared.db"), Time()))
    migrate(made, None)
    yield made
    made.close()


@pytest.fixture
def bench(light: Database) -> Bench:
    """A project with a document, a person, and a sheet."""
    return Bench(light)


@pytest.fixture
def benches(database: Database) -> Bench:
    """The same on both kinds of database."""
    return Bench(database)
