"""A person's data: exported whole, and erased so that no name is left."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import MetaData, select

from annotate_web import PASSWORD, Client, World
from coindex.annotate.store.database import Database
from coindex.annotate.store.doctor import examine


def everything(database: Database) -> str:
    """All rows of all tables."""
    with database.read() as connection:
        tables = MetaData()
        tables.reflect(connection)
        rows: dict[str, Any] = {
            name: [list(map(str, row)) for row in connection.execute(select(table))]
            for name, table in tables.tables.items()
        }
    return json.dumps(rows, ensure_ascii=False).lower()


def annotated(database: Database) -> World:
    world = World(database)
    world.fill(1)
    with database.write() as connection:
        id = world.services.accounts.add(connection, "Zoe Quill", PASSWORD, False)
    world["manager"].post(f"/api/projects/{world.project}/members", {"user": id, "role": "annotator"})  # fmt: skip
    zoe = world["Zoe Quill"]
    sheet = zoe.post(f"/api/projects/{world.project}/next")["sheet"]
    zoe.act(sheet, "document.note", text="a thought")
    zoe.post("/api/me/tokens", {"name": "script"})
    zoe.ok("PATCH", "/api/me", {"shown_name": "Zoe Q"})
    world.anybody().ask("POST", "/api/login", {"name": "zoe quill", "password": "wrong"})
    return world


def test_the_export_has_all_of_a_person(light: Database) -> None:
    world = annotated(light)
    found = world["Zoe Quill"].get("/api/me/export")
    assert found["account"]["name"] == "Zoe Quill"
    assert found["projects"][0]["name"] == "one"
    assert found["assignments"][0]["events"][0]["payload"] == {"text": "a thought"}
    assert found["tokens"][0]["name"] == "script"
    assert "login" in [each["action"] for each in found["log"]]
    text = json.dumps(found)
    assert 'password":' not in text.replace("password changed", "")
    assert "digest" not in text
    user = found["account"]["id"]
    assert world["administrator"].get(f"/api/users/{user}/export")["account"] == found["account"]
    assert world["administrator"].ask("GET", "/api/users/999/export").status_code == 404


def test_nothing_names_an_erased_person_and_their_work_remains(database: Database) -> None:
    world = annotated(database)
    zoe = world["Zoe Quill"]
    wrong = zoe.ask("POST", "/api/me/erase", {"password": "wrong"})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (403, "credentials")
    assert "zoe" in everything(database)
    zoe.post("/api/me/erase", {"password": PASSWORD})
    assert "zoe" not in everything(database)
    assert zoe.ask("GET", "/api/me").status_code == 401
    login = {"name": "Zoe Quill", "password": PASSWORD}
    assert Client(world.app).ask("POST", "/api/login", login).status_code == 401
    (row,) = world["manager"].get(f"/api/projects/{world.project}/sheets?all=1")["sheets"]
    assert row["name_of_user"] == f"erased person {row['user']}"
    assert world["manager"].get(f"/api/sheets/{row['id']}")["state"]["document"]["note"] == "a thought"  # fmt: skip
    assert examine(database).problems == ()


def test_an_administrator_erases_others_but_never_the_last_administrator(light: Database) -> None:
    world = annotated(light)
    boss, user = world["administrator"], world["Zoe Quill"].id
    assert boss.post(f"/api/users/{user}/erase")["name"] == f"erased person {user}"
    assert "zoe" not in everything(light)
    assert boss.ask("POST", f"/api/users/{boss.id}/erase").status_code == 409
    last = boss.ask("POST", "/api/me/erase", {"password": PASSWORD})
    assert (last.status_code, last.json()["error"]["code"]) == (409, "last")
    token = boss.post("/api/me/tokens", {"name": "t"})["token"]
    header = {"Authorization": f"Bearer {token}"}
    refused = world.anybody().ask("POST", f"/api/users/{world['second'].id}/erase", headers=header)
    assert refused.status_code == 403  # not for tokens
