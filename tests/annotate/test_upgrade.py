"""A project made with the tables of version 0.1 opens with everything in it, and goes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, MetaData, insert, select

from annotate_help import Time
from annotate_web import PASSWORD, Client, text
from coindex.annotate.exchange.conversion import serialise
from coindex.annotate.people.accounts import digest, hash_password
from coindex.annotate.store import backup
from coindex.annotate.store.database import Database
from coindex.annotate.store.doctor import examine
from coindex.annotate.store.migrate import current_version, migrate, versions
from coindex.annotate.store.restore import restore
from coindex.annotate.web.app import create_app
from coindex.annotate.web.routing import ServerOptions, Services

LATER = 4_000_000_000_000


def rows() -> dict[str, list[dict[str, Any]]]:
    """A small project of version 0.1, with an annotation, a token and a ranking that ran."""
    body = serialise(text("d"))
    mention = {"spans": [[0, 1]], "groups": ["g"], "note": "", "unsure": False, "kind": None, "head": None, "attrs": []}  # fmt: skip
    group = {"name": "", "order": 0, "kind": None, "attrs": []}
    payload = {
        "mention": "m",
        "spans": [[0, 1]],
        "group": "g",
        "new_group": {"id": "g", "name": ""},
    }
    changes = [{"key": "groups/g", "before": None, "after": group}, {"key": "mentions/m", "before": None, "after": mention}]  # fmt: skip
    person = {
        "administrator": True,
        "disabled": False,
        "shown_name": "A",
        "keys": None,
        "created": 1,
    }
    return {
        "users": [{"id": 1, "name": "ann", "password": hash_password(PASSWORD, "ann"), **person}],
        "projects": [{"id": 1, "name": "p", "kind": "document", "settings": {"annotators": 2}, "created": 1}],
        "members": [{"project": 1, "user": 1, "role": "manager"}],
        "tokens": [{"id": 1, "user": 1, "name": "t", "digest": digest("cx_old"), "created": 1, "expires": LATER}],
        "documents": [{"id": 1, "project": 1, "name": "d", "position": 0, "training": False, "tokens": 15, "body": body}],
        "sheets": [{"id": 1, "document": 1, "user": 1, "purpose": "annotate", "revision": 1, "done": False, "spent": 5, "looks": 0, "created": 1}],
        "events": [{"seq": 1, "id": "e", "sheet": 1, "revision": 1, "base": 0, "client": "c", "user": 1, "kind": "mention.add", "payload": payload, "changes": changes, "at": 1}],
        "records": [{"sheet": 1, "key": "mentions/m", "value": mention}, {"sheet": 1, "key": "groups/g", "value": group}],
        "rankings": [{"id": 1, "project": 1, "strategy": "random", "state": "running", "message": "", "picks": [], "made": 1}],
    }  # fmt: skip


@pytest.fixture(params=["0002", "0003"])
def version(request: pytest.FixtureRequest) -> str:
    """The tables of version 0.1, and those before managers could archive and delete."""
    return str(request.param)


@pytest.fixture
def old(url: str, time: Time, version: str) -> Database:
    database = Database(url, time)
    migrate(database, None, last=version)
    assert current_version(database) == version
    with database.write() as connection:
        tables = reflected(connection)
        for name, many in rows().items():
            connection.execute(insert(tables.tables[name]), many)
    return database


def reflected(connection: Connection) -> MetaData:
    tables = MetaData()
    tables.reflect(connection)
    return tables


def everything(database: Database) -> dict[str, list[dict[str, Any]]]:
    """The rows of the old tables, with the old columns."""
    with database.read() as connection:
        tables = reflected(connection).tables
        found = {}
        for name, many in rows().items():
            columns = [tables[name].c[column] for column in many[0]]
            found[name] = [dict(row) for row in connection.execute(select(*columns)).mappings()]
    return found


def test_an_old_project_opens_with_everything_in_it(
    old: Database, tmp_path: Path, url: str, version: str
) -> None:
    before = everything(old)
    assert migrate(old, tmp_path / "backups") == versions()[versions().index(version) + 1 :]
    assert everything(old) == before
    assert examine(old).problems == ()
    app = create_app(Services(old, ServerOptions(hosts=("testserver",))))
    client = Client(app, "ann")
    assert client.get("/api/sheets/1")["state"]["mentions"]["m"]["spans"] == [[0, 1]]
    assert client.get("/api/me/tokens")["tokens"][0]["scope"] == "all"
    assert client.get("/api/me/totp")["on"] is False
    header = {"Authorization": "Bearer cx_old"}
    assert Client(app).ask("GET", "/api/projects", headers=header).status_code == 200
    services = Services(old)
    services.presence.enter()
    assert client.get("/api/projects/1/ranking")["state"] == "failed"
    old.close()


def test_it_goes_back_by_its_backup(old: Database, tmp_path: Path, url: str, version: str) -> None:
    """The copy from before the first step has the old tables, which an old coindex opens."""
    before = everything(old)
    migrate(old, tmp_path / "backups")
    first = backup.list_backups(tmp_path / "backups")[-1]
    assert f"before-{versions()[versions().index(version) + 1]}" in first.name
    if old.sqlite:
        other = Database(str(tmp_path / "backups" / first.name))
        assert current_version(other) == version
    else:
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute('DROP DATABASE IF EXISTS "went_back"')
            connection.execute('CREATE DATABASE "went_back"')
        other = Database(f"{url.rpartition('/')[0]}/went_back")
        restore(tmp_path / "backups" / first.name, other)
    assert everything(other) == before
    other.close()
    old.close()
