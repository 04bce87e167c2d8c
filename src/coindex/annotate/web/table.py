"""The table of all routes, and the pages over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coindex import __version__
from coindex.annotate.web import (
    account_routes,
    data_routes,
    project_routes,
    quality_routes,
    sheet_routes,
)
from coindex.annotate.web.route import Ask, Route
from coindex.annotate.web.services import Services


def health(services: Services, ask: Ask) -> Any:
    """Whether the server and its database answer."""
    with services.database.read():
        return {"ok": True, "version": __version__}


def describe(services: Services, ask: Ask) -> Any:
    """The OpenAPI description."""
    from coindex.annotate.web.openapi import description

    return description(ROUTES)


ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/health", "public", health, "Whether the server answers"),
    Route("GET", "/api/openapi.json", "public", describe, "This description"),
    *account_routes.ROUTES,
    *project_routes.ROUTES,
    *data_routes.ROUTES,
    *sheet_routes.ROUTES,
    *quality_routes.ROUTES,
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its path, its template, and who may open it."""

    path: str
    template: str
    rule: str


PAGES = (
    Page("/login", "login.html", "public"),
    Page("/welcome/{token}", "welcome.html", "public"),
    Page("/", "home.html", "user"),
    Page("/account", "account.html", "user"),
    Page("/help", "help.html", "user"),
    Page("/admin", "admin.html", "administrator"),
    Page("/projects/{project:int}", "project.html", "annotator"),
    Page("/projects/{project:int}/manage", "manage.html", "manager"),
    Page("/projects/{project:int}/quality", "quality.html", "manager"),
    Page("/projects/{project:int}/adjudicate", "queue.html", "adjudicator"),
    Page("/sheets/{sheet:int}", "editor.html", "reader"),
    Page("/sheets/{sheet:int}/adjudicate", "adjudicate.html", "reader"),
)
