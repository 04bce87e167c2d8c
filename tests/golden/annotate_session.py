"""A session with the annotation app over HTTP: accounts, sheets, events, adjudication.

Starts `coindex annotate serve` in the folder it is run in, on the database `work.db`, does what
two annotators and an adjudicator would do, and prints every answer. Used by a case, and by
`make_v01.py` to make the database of version 0.1. It knows the HTTP API alone.
"""

from __future__ import annotations

import http.cookiejar
import json
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

PASSWORD = "a long enough password"


class Person:
    """Somebody's browser: a jar of cookies and a CSRF token."""

    def __init__(self, base: str, name: str) -> None:
        self.base, self.name, self.csrf = base, name, ""
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar)
        self.events = self.revision = 0

    def ask(self, method: str, path: str, body: Any = None, quiet: bool = False) -> Any:
        """One request; its answer is printed and returned."""
        data = None if body is None and method == "GET" else json.dumps(body or {}).encode()
        headers = {"Content-Type": "application/json", "X-CSRF-Token": self.csrf}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with self.opener.open(request) as answer:
                status, raw = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, raw = error.code, error.read()
        found = _json(raw)
        if not quiet:
            print(f"{self.name}: {method} {path} -> {status}")
            print(json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False))
        return found

    def enter(self, link: str) -> None:
        """Make an account by a link, and log in."""
        self.ask("GET", f"/api{link}")
        self.ask("POST", f"/api{link}", {"name": self.name, "password": PASSWORD}, quiet=True)
        told = self.ask("POST", "/api/login", {"name": self.name, "password": PASSWORD}, quiet=True)
        self.csrf = told["csrf"]

    def act(self, sheet: int, kind: str, base: int | None = None, **payload: Any) -> None:
        """One event on a sheet, with an id that is the same in every run."""
        self.events += 1
        id = f"{self.name}-{sheet}-{self.events}"
        values = {name.rstrip("_"): value for name, value in payload.items()}
        event = {"id": id, "base": self.revision if base is None else base}
        event |= {"kind": kind, "payload": values}
        sent = {"client": "tab", "events": [event]}
        self.revision = self.ask("POST", f"/api/sheets/{sheet}/events", sent)["revision"]


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode("utf-8", "replace")


def start(log: Path) -> tuple[subprocess.Popen[bytes], str]:
    """The server and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    line = [sys.executable, "-m", "coindex", "annotate", "serve", "--database", "work.db"]
    with open(log, "wb") as file:
        server = subprocess.Popen(
            [*line, "--port", str(port), "--backup-every", "0"], stdout=file, stderr=file
        )
    base = f"http://127.0.0.1:{port}"
    for _ in range(1200):
        with suppress(OSError):
            urllib.request.urlopen(f"{base}/api/health").close()
            return server, base
        time.sleep(0.1)
    raise RuntimeError(log.read_text())


def annotate(person: Person, sheet: int, last: int) -> None:
    """Mentions, groups, a note, an undo, two mistakes; annotators differ in one mention."""
    person.revision = 0
    one, two = {"id": "g1", "name": "a"}, {"id": "g2", "name": "b"}
    person.act(sheet, "mention.add", mention="m1", spans=[[0, 1]], group="g1", new_group=one)
    person.act(sheet, "mention.add", mention="m2", spans=[[2, 3]], group="g2", new_group=two)
    person.act(sheet, "mention.add", mention="m3", spans=[[last, last + 1]], group="g1")
    person.act(sheet, "group.rename", group="g1", name="she")
    person.act(sheet, "mention.note", mention="m2", text="is it?")
    person.act(sheet, "mention.add", mention="m4", spans=[[4, 6]], group="g2")
    person.act(sheet, "undo", event=f"{person.name}-{sheet}-{person.events}")
    person.act(sheet, "mention.add", mention="m9", spans=[[900, 901]], group="g2")
    person.act(sheet, "mention.move", 99, mentions=["m1"], group="g2")
    person.act(sheet, "mention.flag", mention="m1", unsure=True)
    person.act(sheet, "document.done", done=True)


def chains(admin: Person, people: list[Person]) -> None:
    """A project of documents: two annotators, agreement, gold by the majority."""
    for number, person in enumerate(people):
        told = person.ask("POST", "/api/projects/1/next")
        sheet = told["sheet"] if isinstance(told.get("sheet"), int) else told["sheet"]["id"]
        person.ask("GET", f"/api/sheets/{sheet}")
        annotate(person, sheet, 5 + number)
        person.ask("GET", f"/api/sheets/{sheet}/events?after=0&limit=100")
    for path in ("progress", "documents", "agreement", "adjudication", "members", "leaderboard"):
        admin.ask("GET", f"/api/projects/1/{path}")
    told = admin.ask("POST", "/api/documents/1/adjudicate")
    sheet = told["sheet"] if isinstance(told.get("sheet"), int) else told["sheet"]["id"]
    admin.revision = admin.ask("GET", f"/api/sheets/{sheet}")["revision"]
    found = admin.ask("GET", f"/api/sheets/{sheet}/disagreements")
    for each in found.get("disagreements", []):
        admin.act(sheet, "decide", disagreement=each["id"], choice="A", note="first")
    admin.act(sheet, "document.done", done=True)
    admin.ask("POST", "/api/projects/1/gold", {"rule": "majority"})


def pronouns(admin: Person, people: list[Person]) -> None:
    """A project of problems: two raters, consensus."""
    for person in people:
        for choice in ("N", "T"):  # A and B depend on the order shown, which is drawn
            told = person.ask("POST", "/api/projects/2/next")
            sheet = told["sheet"] if isinstance(told.get("sheet"), int) else told["sheet"]["id"]
            person.revision = 0
            person.act(sheet, "answer", choice=choice)
            person.act(sheet, "document.done", done=True)
    admin.ask("GET", "/api/projects/2/consensus")


def main() -> None:
    """The whole session; `work.db` has the projects chains (1) and pronouns (2) already."""
    log = Path("server.log")
    server, base = start(log)
    try:
        admin = Person(base, "boss")
        (link,) = re.findall(r"(/welcome/\S+)", log.read_text())
        admin.enter(link)
        admin.ask("GET", "/api/projects")
        people = [Person(base, "ann"), Person(base, "bo")]
        for person in people:
            links = []
            for project in (1, 2):
                told = admin.ask(
                    "POST",
                    f"/api/projects/{project}/invitations",
                    {"role": "annotator"},
                    quiet=True,
                )
                links.append(told["link"] if "link" in told else told["path"])
            person.enter(links[0])
            me = person.ask("GET", "/api/me")
            id = me["user"]["id"] if "user" in me else me["id"]
            admin.ask("POST", "/api/projects/2/members", {"user": id, "role": "annotator"})
        chains(admin, people)
        pronouns(admin, people)
        admin.ask("GET", "/api/audit")
        admin.ask("GET", "/api/openapi.json")
    finally:
        server.terminate()
        server.wait()
        log.unlink()


main()
