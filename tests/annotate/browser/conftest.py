"""The real app in a real browser, or a visible skip."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "correct horse battery"


class App:
    """A server of its own, which can be killed and started again on the same data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.link = ""
        self.token = ""
        self.start()

    def start(self) -> None:
        log = self.folder / "log"
        command = [sys.executable, "-m", "coindex", "annotate", "serve", "--port", str(self.port)]
        with log.open("w") as out:
            self.process = subprocess.Popen(
                [*command, "--database", str(self.folder / "app.db"), "--backup-every", "0"],
                stdout=out, stderr=out, cwd=self.folder, env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )  # fmt: skip
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{self.url}/api/health", timeout=2).close()
                break
            except (urllib.error.URLError, OSError):
                assert self.process.poll() is None, log.read_text()
                time.sleep(0.1)
        else:
            pytest.fail(f"the server did not start: {log.read_text()}")
        said = log.read_text()
        if "/welcome/" in said:
            self.link = self.url + "/welcome/" + said.split("/welcome/")[1].split()[0]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """As the administrator's token."""
        raw = isinstance(body, bytes)
        data = body if raw or body is None else json.dumps(body).encode()
        kind = "application/octet-stream" if raw else "application/json"
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            pytest.fail(f"{method} {path}: {error.code} {error.read()[:500]!r}")
        return json.loads(text) if text[:1] in (b"{", b"[") else text


class Person:
    """Someone with a browser of their own; nothing may go wrong in it or leave this machine."""

    def __init__(self, app: App, chromium: Any, name: str, **options: Any) -> None:
        self.app, self.name = app, name
        options.setdefault("viewport", {"width": 1320, "height": 820})
        options.setdefault("service_workers", "block")  # routes of a test do not see its requests
        self.context = chromium.new_context(**options)
        self.problems: list[str] = []
        self.allowed: tuple[str, ...] = ()
        self.page = self.tab()

    def tab(self) -> Any:
        page = self.context.new_page()
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self._note("error", str(error)))
        page.on("request", lambda request: self._asked(request.url))
        return page

    def _note(self, kind: str, text: str) -> None:
        if not any(part in text for part in (*self.allowed, "blocked by Playwright")):
            self.problems.append(f"{kind}: {text}")

    def _asked(self, url: str) -> None:
        if not url.startswith((self.app.url, "data:", "blob:")):
            self.problems.append(f"asked for {url}")

    def register(self, link: str) -> None:
        self.page.goto(link)
        self.page.get_by_label("Your name").fill(self.name)
        self.page.get_by_label("Password", exact=False).first.fill(PASSWORD)
        self.page.get_by_label("Repeat the password").fill(PASSWORD)
        self.page.get_by_role("button", name="Create the account").click()
        self.page.wait_for_url(lambda url: "/welcome/" not in url)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """A request of this person's own session, from within a page."""
        return self.page.evaluate(
            "async ([method, path, body]) => (await import('/static/api.js')).call(method, path, body ?? undefined)",
            [method, path, body],
        )

    def sheet(self, number: int, page: Any = None) -> Any:
        page = page or self.page
        page.goto(f"{self.app.url}/sheets/{number}")
        page.wait_for_selector("body[data-ready]")
        return page


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    pytest.importorskip("uvicorn", reason="the extra [annotate] is not installed")
    made = App(tmp_path)
    yield made
    made.kill()


@pytest.fixture
def person(app: App, chromium: Any, browsers: Any) -> Iterator[Callable[..., Person]]:
    people: list[Person] = []

    def make(name: str, **options: Any) -> Person:
        people.append(Person(app, chromium, name, **options))
        return people[-1]

    yield make
    browsers.tidy()
    assert {one.name: one.problems for one in people if one.problems} == {}


@pytest.fixture
def boss(app: App, person: Callable[..., Person]) -> Person:
    """The administrator, made by the one-time link; `app.api` speaks for them from now on."""
    made = person("Boss")
    made.register(app.link)
    app.token = made.call("POST", "/api/me/tokens", {"name": "tests"})["token"]
    return made


Start = Callable[..., tuple[Person, int]]


@pytest.fixture
def annotator(app: App, boss: Person, person: Callable[..., Person]) -> Start:
    """An annotator with a sheet of a document: `annotator("Ann", content, format)`."""

    def make(name: str, content: bytes, format: str = "text", **options: Any) -> tuple[Person, int]:
        project = app.api("POST", "/api/projects", {"name": f"Project of {name}", "kind": options.pop("kind", "document")})["project"]["id"]  # fmt: skip
        purpose = options.pop("purpose", "work")
        found = app.api("POST", f"/api/projects/{project}/import?format={format}&purpose={purpose}&name=file", content)  # fmt: skip
        assert found["imported"]["documents"], found
        for also in options.pop("then", ()):
            app.api("POST", f"/api/projects/{project}/import?format={also[1]}&purpose={also[2]}&name=more", also[0])  # fmt: skip
        link = app.api("POST", f"/api/projects/{project}/invitations", {"role": "annotator"})["link"]  # fmt: skip
        one = person(name, **options)
        one.register(app.url + link)
        sheet = one.call("POST", f"/api/projects/{project}/next", {})["sheet"]
        return one, sheet

    return make
