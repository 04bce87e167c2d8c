"""Who may do what, for every route and every role: a route without a row here fails."""

from __future__ import annotations

import re
from typing import Any

import pytest

from annotate_web import Client, World
from coindex.annotate.store.database import Database
from coindex.annotate.web.api import ROUTES
from coindex.annotate.web.pages import PAGES
from coindex.annotate.web.routing import Route

NAMES = ("nobody", "stranger", "second", "annotator", "adjudicator", "manager", "administrator")

# The rule of each route, said once more by hand: it must be what the table of routes says.
RULES = {
    "public": "GET /api/health, GET /api/openapi.json, POST /api/login,"
    " GET /api/welcome/{token}, POST /api/welcome/{token}, GET /api/reset/{token},"
    " POST /api/reset/{token}",
    "user": "GET /api/me, POST /api/logout, POST /api/me/password, PATCH /api/me,"
    " GET /api/me/tokens, POST /api/me/tokens, DELETE /api/me/tokens/{token}, GET /api/projects,"
    " GET /api/me/totp, POST /api/me/totp, POST /api/me/totp/off,"
    " POST /api/welcome/{token}/join, GET /api/me/export, POST /api/me/erase",
    "annotator": "GET /api/projects/{project}, GET /api/projects/{project}/progress,"
    " GET /api/projects/{project}/leaderboard, POST /api/projects/{project}/next,"
    " GET /api/projects/{project}/sheets",
    "adjudicator": "POST /api/projects/{project}/gold, GET /api/projects/{project}/adjudication,"
    " POST /api/documents/{document}/adjudicate",
    "manager": "PATCH /api/projects/{project}, GET /api/projects/{project}/members,"
    " POST /api/projects/{project}/members, GET /api/projects/{project}/documents,"
    " POST /api/documents/{document}/assign, DELETE /api/documents/{document}/assign/{user},"
    " POST /api/projects/{project}/rank, GET /api/projects/{project}/ranking,"
    " POST /api/projects/{project}/import, GET /api/projects/{project}/export,"
    " GET /api/projects/{project}/agreement, GET /api/projects/{project}/consensus,"
    " POST /api/projects/{project}/invitations, POST /api/projects/{project}/suggest,"
    " GET /api/projects/{project}/suggest, POST /api/projects/{project}/state,"
    " GET /api/projects/{project}/invitations,"
    " DELETE /api/projects/{project}/invitations/{invitation},"
    " GET /api/projects/{project}/training, POST /api/projects/{project}/training/{user},"
    " POST /api/projects/{project}/documents/state, GET /api/documents/{document},"
    " PATCH /api/documents/{document}, PATCH /api/documents/{document}/assign/{user},"
    " GET /api/projects/{project}/dashboard, GET /api/projects/{project}/webhooks,"
    " POST /api/projects/{project}/webhooks, DELETE /api/projects/{project}/webhooks/{webhook},"
    " POST /api/projects/{project}/webhooks/{webhook}/test",
    "administrator": "GET /api/users, PATCH /api/users/{user}, POST /api/invitations,"
    " GET /api/invitations, DELETE /api/invitations/{invitation},"
    " POST /api/users/{user}/reset, GET /api/audit/export, GET /api/status,"
    " GET /api/users/{user}/export, POST /api/users/{user}/erase,"
    " GET /api/audit, GET /api/backups, POST /api/backups, POST /api/projects",
    "reader": "GET /api/sheets/{sheet}, GET /api/sheets/{sheet}/events,"
    " GET /api/sheets/{sheet}/disagreements, GET /api/sheets/{sheet}/start",
    "owner": "POST /api/sheets/{sheet}/events, POST /api/sheets/{sheet}/beat,"
    " POST /api/sheets/{sheet}/check",
}

# Who gets past the rule; for a sheet it is that of "annotator".
MAY = {
    "public": set(NAMES),
    "user": set(NAMES) - {"nobody"},
    "annotator": {"second", "annotator", "adjudicator", "manager", "administrator"},
    "adjudicator": {"adjudicator", "manager", "administrator"},
    "manager": {"manager", "administrator"},
    "administrator": {"administrator"},
    "reader": {"annotator", "manager", "administrator"},
    "owner": {"annotator"},
}


def key(route: Any) -> str:
    return f"{route.method} {re.sub(':int', '', route.path)}"


def test_every_route_has_the_rule_that_is_written_here() -> None:
    told = {each.strip(): rule for rule, many in RULES.items() for each in many.split(",")}
    assert {key(route): route.rule for route in ROUTES} == told


@pytest.fixture(scope="module")
def world(shared: Database) -> World:
    made = World(shared)
    made.fill(2)
    made["annotator"].post(f"/api/projects/{made.project}/next")
    return made


def path_of(world: World, path: str) -> str:
    values = {
        "project": world.project,
        "document": 1,
        "sheet": 1,
        "user": 2,
        "token": 1,
        "invitation": "0" * 16,
        "webhook": 1,
    }
    return re.sub(r"\{(\w+)(:int)?\}", lambda found: str(values[found[1]]), path)


def client(world: World, name: str) -> Client:
    return world.anybody() if name == "nobody" else world[name]


@pytest.mark.parametrize("route", ROUTES, ids=key)
def test_who_may_use_a_route(world: World, route: Route) -> None:
    for name in NAMES:
        if route.path == "/api/logout" and name != "nobody":
            continue  # it is allowed, and ends the session that the next route needs
        answer = client(world, name).ask(route.method, path_of(world, route.path), {"wrong": 1})
        code = (
            answer.json().get("error", {}).get("code")
            if "json" in answer.headers["content-type"]
            else ""
        )
        stopped = answer.status_code == 401 or code == "forbidden" or "no such" in answer.text
        if "{invitation}" in route.path or "{webhook" in route.path:
            own = ("no such open invitation", "no such webhook")  # of those who may ask
            stopped = stopped and not any(each in answer.text for each in own)
        if "{token}" in route.path or "/tokens/" in route.path or route.path == "/api/login":
            stopped = code in ("forbidden", "login")
        assert stopped == (name not in MAY[route.rule]), (name, answer.status_code, answer.text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_who_may_open_a_page(world: World, page: Any) -> None:
    for name in NAMES:
        answer = client(world, name).ask("GET", path_of(world, page.path))
        if name in MAY[page.rule]:
            assert answer.status_code in (200, 501), (name, answer.text)
        elif name == "nobody":
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/login?next=/")
        else:
            assert answer.status_code in (403, 404)


def test_a_project_of_others_looks_like_none(world: World) -> None:
    there = world["stranger"].ask("GET", f"/api/projects/{world.project}")
    nowhere = world["stranger"].ask("GET", "/api/projects/99999")
    assert (there.status_code, there.json()) == (nowhere.status_code, nowhere.json())
    for forged in ("0", "-1", "999999999999999999999", "1e3", "%00", "..%2f1"):
        assert world["annotator"].ask("GET", f"/api/sheets/{forged}").status_code == 404


def test_what_follows_from_a_role_ends_with_it(light: Database) -> None:
    world = World(light)
    world.fill(1)
    manager, annotator = world["manager"], world["annotator"]
    sheet = annotator.post(f"/api/projects/{world.project}/next")["sheet"]
    assert annotator.ask("GET", f"/api/sheets/{sheet}").status_code == 200
    manager.post(f"/api/projects/{world.project}/members", {"user": annotator.id, "role": None})
    assert annotator.ask("GET", f"/api/sheets/{sheet}").status_code == 404
    assert annotator.ask("POST", f"/api/sheets/{sheet}/beat").status_code == 404
