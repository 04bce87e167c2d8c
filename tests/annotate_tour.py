"""A tour of all pages of the app, with something on each of them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

TEXT = (
    b"Clara Whitfield told her brother Tom that she had seen him at the harbour in York.\n"
    b"He did not believe her at first. They walked home together, past the old customs house,"
    b" and he told her what the harbour master had said to him.\n"
)
GUIDELINES = "# Rules\n\nMark **people** and places.\n\n| yes | no |\n|---|---|\n| her brother | it rains |\n"
HEAD = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
GAP = f"{HEAD}\nd-1\tAnn met Bea when she left.\tshe\t17\tAnn\t0\tTRUE\tBea\t8\tFALSE\thttp://x/1\n"


@dataclass(frozen=True, slots=True)
class Stop:
    """A page of the tour: its name, who opens it, where, and what to do there first."""

    name: str
    who: Any
    path: str
    then: Callable[[Any], None] | None = None

    def open(self) -> Any:
        """Go there and wait until all of it is shown."""
        page = self.who.page
        page.goto(self.who.app.url + self.path)
        page.wait_for_load_state("networkidle")
        if "/sheets/" in self.path or self.path == "/example":
            page.wait_for_selector("body[data-ready]")
        else:
            page.locator("main h1, main h2").first.wait_for()
        if self.then is not None:
            self.then(page)
        return page


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"id": uuid.uuid4().hex, "base": 0, "kind": kind, "payload": payload}


def mention(name: str, start: int, end: int, group: str, new: bool = False) -> dict[str, Any]:
    made = {"new_group": {"id": group, "name": ""}} if new else {}
    return event("mention.add", mention=name, spans=[[start, end]], group=group, **made)


def marks(him: str) -> list[dict[str, Any]]:
    """Two groups, and a pronoun on which annotators differ."""
    return [
        mention("m1", 0, 2, "g1", True), mention("m2", 3, 6, "g2", True), mention("m3", 3, 4, "g1"),
        mention("m4", 7, 8, "g1"), mention("m5", 10, 11, him),
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tour:
    """The people and the work that the pages show."""

    boss: Any
    ann: Any
    late: Any
    project: int
    pronouns: int
    sheet: int
    item: int
    adjudication: int

    def stops(self) -> Iterator[Stop]:
        """Every page, and what opens on them."""
        own = f"/projects/{self.project}"
        for name in ("", "/documents", "/people", "/queue", "/dashboard", "/export", "/settings", "/quality", "/adjudicate"):  # fmt: skip
            yield Stop(f"project{name.replace('/', '-')}", self.boss, own + name)
        for name in ("/", "/account", "/help", "/admin", "/admin/health"):
            yield Stop(name.strip("/").replace("/", "-") or "home", self.boss, name)
        yield Stop("login", self.late, "/login")
        yield Stop("pronouns-documents", self.boss, f"/projects/{self.pronouns}/documents")
        yield Stop("pronouns-quality", self.boss, f"/projects/{self.pronouns}/quality")
        yield Stop("annotator", self.ann, own)
        yield Stop("pronoun", self.ann, f"/sheets/{self.item}")
        yield Stop("example", self.ann, "/example")
        yield Stop(
            "adjudication", self.boss, f"/sheets/{self.adjudication}/adjudicate", close_guide
        )
        at = f"/sheets/{self.sheet}"
        yield Stop("editor-guide", self.ann, at)  # guidelines are open at the first visit
        yield Stop("editor", self.ann, at, close_guide)
        yield Stop("editor-toolbar", self.ann, at, select)
        yield Stop("editor-group", self.ann, at, open_group)
        yield Stop("editor-more", self.ann, at, press("More"))
        yield Stop("editor-help", self.ann, at, press("Help"))
        yield Stop("editor-find", self.ann, at, find)


def close_guide(page: Any) -> None:
    if page.locator("#guide").is_visible():
        page.locator("#guide").get_by_role("button", name="Close").click()


def press(name: str) -> Callable[[Any], None]:
    def act(page: Any) -> None:
        close_guide(page)
        page.get_by_role("button", name=name, exact=True).click()
        page.locator("dialog").wait_for()

    return act


def select(page: Any) -> None:
    close_guide(page)
    page.evaluate("coindex.editor.view.words[13].scrollIntoView({ block: 'center' })")
    page.locator(".t", has_text="harbour").first.click()
    page.locator(".toolbar").wait_for()


def open_group(page: Any) -> None:
    close_guide(page)
    page.locator("#groups .head").first.click()


def find(page: Any) -> None:
    close_guide(page)
    page.keyboard.press("Control+f")
    page.keyboard.type("harbour")


def prepare(app: Any, boss: Any, person: Callable[..., Any], window: dict[str, Any]) -> Tour:
    """A project that two have finished and a third works on, and one of pronouns."""
    project = made(app, "Letters", "document", {"annotators": 3, "guide": GUIDELINES})
    base = f"/api/projects/{project}"
    app.api("POST", f"{base}/import?format=text&name=letter", TEXT)
    for name, him in (("Bob", "g1"), ("Cleo", "g2")):
        one = joined(app, person(name), project)
        sheet = one.call("POST", f"{base}/next", {})["sheet"]
        one.call("POST", f"/api/sheets/{sheet}/events", {"client": "t", "events": [*marks(him), event("document.done", done=True)]})  # fmt: skip
    ann = joined(app, person("Ann", **window), project)
    sheet = ann.call("POST", f"{base}/next", {})["sheet"]
    ann.call("POST", f"/api/sheets/{sheet}/events", {"client": "t", "events": marks("g2")})
    pronouns = made(app, "Pronouns", "problem", {})
    app.api("POST", f"/api/projects/{pronouns}/import?format=gap&name=items", GAP.encode())
    app.api("POST", f"/api/projects/{pronouns}/members", {"name": "Ann", "role": "annotator"})
    item = ann.call("POST", f"/api/projects/{pronouns}/next", {})["sheet"]
    document = app.api("GET", f"{base}/documents")["documents"][0]["id"]
    judged = boss.call("POST", f"/api/documents/{document}/adjudicate", {})["sheet"]
    return Tour(boss, ann, person("Late", **window), project, pronouns, sheet, item, judged)


def made(app: Any, name: str, kind: str, settings: dict[str, Any]) -> int:
    body = {"name": name, "kind": kind, "settings": settings}
    return int(app.api("POST", "/api/projects", body)["project"]["id"])


def joined(app: Any, one: Any, project: int) -> Any:
    link = app.api("POST", f"/api/projects/{project}/invitations", {"role": "annotator"})["link"]
    one.register(app.url + link)
    return one
