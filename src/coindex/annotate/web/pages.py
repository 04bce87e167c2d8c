"""Pages: templates without data, rendered by Jinja2; their scripts use the HTTP API."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from coindex import __version__
from coindex.annotate.errors import ApiError
from coindex.annotate.web import request_checks
from coindex.annotate.web.routing import Services

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its path, its template, and who may open it."""

    path: str
    template: str
    rule: str


PAGES = (
    Page("/login", "login.html", "public"),
    Page("/welcome/{token}", "welcome.html", "public"),
    Page("/reset/{token}", "reset.html", "public"),
    Page("/offline", "offline.html", "public"),
    Page("/", "home.html", "user"),
    Page("/account", "account.html", "user"),
    Page("/help", "help.html", "user"),
    Page("/example", "example.html", "user"),
    Page("/admin", "admin.html", "administrator"),
    Page("/admin/health", "health.html", "administrator"),
    Page("/projects/{project:int}", "project.html", "annotator"),
    Page("/projects/{project:int}/manage", "documents.html", "manager"),
    Page("/projects/{project:int}/documents", "documents.html", "manager"),
    Page("/projects/{project:int}/people", "people.html", "manager"),
    Page("/projects/{project:int}/queue", "work.html", "manager"),
    Page("/projects/{project:int}/dashboard", "dashboard.html", "manager"),
    Page("/projects/{project:int}/export", "export.html", "manager"),
    Page("/projects/{project:int}/settings", "settings.html", "manager"),
    Page("/projects/{project:int}/quality", "quality.html", "manager"),
    Page("/projects/{project:int}/adjudicate", "queue.html", "adjudicator"),
    Page("/sheets/{sheet:int}", "editor.html", "reader"),
    Page("/sheets/{sheet:int}/adjudicate", "adjudicate.html", "reader"),
)


def page_routes(services: Services) -> list[Route]:
    """Return a route for each page."""
    return [Route(page.path, _endpoint(services, page)) for page in PAGES]


@cache
def _templates() -> Environment:
    loader = FileSystemLoader(TEMPLATES)
    return Environment(loader=loader, autoescape=select_autoescape(default=True))


TITLES = {
    400: "This request cannot be answered", 403: "This is not for you", 404: "There is nothing here",
    429: "Too many attempts", 500: "Something went wrong", 503: "The server is busy",
}  # fmt: skip


ADVICE = "Perhaps the address is wrong, it has been deleted, or it is not for your account."


def error_page(error: ApiError) -> Response:
    """Return an error as a page of the app."""
    context: dict[str, Any] = {
        "page": "error",
        "params": {},
        "csrf": "",
        "user": None,
        "version": __version__,
    }
    said = error.message[:1].upper() + error.message[1:]
    title = TITLES.get(error.status, "This does not work")
    more = f"{said.rstrip('.')}." if said.rstrip(".") != title else ADVICE
    shown = {"title": title, "message": more}
    html = _templates().get_template("error.html").render({**context, **shown})
    return HTMLResponse(html, error.status, headers={"Cache-Control": "no-store"})


def _endpoint(services: Services, page: Page) -> Any:
    async def respond(request: Request) -> Response:
        try:
            request_checks.check_host(services, request)
            return await run_in_threadpool(_render, services, page, request)
        except ApiError as error:
            if error.status == 401:
                return RedirectResponse(f"/login?next={quote(request.url.path)}", 303)
            return error_page(error)

    return respond


def _render(services: Services, page: Page, request: Request) -> Response:
    person = request_checks.authenticate(services, request)
    params = request_checks.path_parameters(request)
    row = request_checks.authorize(services, person, page.rule, params)
    name = page.template
    if name == "editor.html" and row is not None and row.kind == "problem":
        name = "pronoun.html"
    template = _templates().get_template(name)
    context = {
        "user": person.as_json() if person else None, "csrf": (person.csrf if person else None) or "",
        "page": name.removesuffix(".html"), "params": params, "version": __version__,
    }  # fmt: skip
    headers = {"Cache-Control": "no-store"}
    return HTMLResponse(template.render(context), headers=headers)
