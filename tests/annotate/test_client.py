"""The Python client against the app itself: every route that a token may use has a method."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx2", reason="the extra [client] is not installed")

from annotate_web import World, problem
from coindex.annotate.client import AnnotateApiError, AnnotateClient
from coindex.annotate.store.database import Database
from coindex.annotate.web.api import ROUTES
from coindex.errors import InvalidValue


class Recorder:
    """The app as an HTTP client, which keeps the routes that were used."""

    def __init__(self, world: World) -> None:
        self.http = world.anybody().http
        self.used: set[tuple[str, str]] = set()

    def request(self, method: str, path: str, **more: Any) -> Any:
        self.used.add((method, re.sub(r"/\d+(?=/|$)", "/#", path)))
        return self.http.request(method, path, **more)

    def close(self) -> None:
        self.http.close()


def client_of(world: World, who: str, scope: str = "all") -> tuple[AnnotateClient, Recorder]:
    token = world[who].post("/api/me/tokens", {"name": "client", "scope": scope})["token"]
    recorder = Recorder(world)
    return AnnotateClient(token=token, http=recorder, retries=0), recorder  # type: ignore[arg-type]


def test_from_a_project_to_gold(light: Database, tmp_path: Any) -> None:
    world = World(light)
    boss, _ = client_of(world, "administrator")
    with boss:
        project = boss.create_project("letters", settings={"annotators": 2})
        assert project.settings is not None
        assert project.settings["annotators"] == 2
        made = boss.import_file(project.id, b"Ann slept.\nShe woke.\n", "a.txt", one_per_line=True)
        assert made.imported["documents"] == 2
        assert [each.name for each in boss.documents(project.id)] == ["a-1", "a-2"]
        for name in ("annotator", "second", "manager"):
            boss.set_member(project.id, name, "manager" if name == "manager" else "annotator")
        for name in ("annotator", "second"):
            one, _ = client_of(world, name, "annotate")
            sheet = one.next_assignment(project.id).sheet
            assert sheet is not None
            payload = {"mention": "m", "spans": [[0, 1]], "group": "g", "new_group": {"id": "g", "name": ""}}  # fmt: skip
            assert one.act(sheet, "mention.add", payload, 0)["status"] == "stored"
            assert one.act(sheet, "document.done", {"done": True}, 1)["status"] == "stored"
        rows = boss.gold_by_rule(project.id, "majority")
        assert [row["status"] for row in rows] == ["to verify", "too few"]
        assert boss.agreement(project.id)["overall"]["conll"] == 100
        exported = boss.export_file(project.id, "documents", "document-jsonl").decode()
        assert exported.count("\n") == 2
        (open_,) = [each for each in boss.assignments(project.id, everybody=True) if each.purpose == "adjudicate"]  # fmt: skip
        assert open_.status == "open"


def test_errors_have_a_status_and_a_code(light: Database) -> None:
    world = World(light)
    one, _ = client_of(world, "annotator", "read")
    with pytest.raises(AnnotateApiError) as caught:
        one.project(99)
    assert (caught.value.status, caught.value.code) == (404, "missing")
    with pytest.raises(AnnotateApiError, match="scope"):
        one.next_assignment(world.project)
    with pytest.raises(InvalidValue):
        AnnotateClient("localhost:1")
    with pytest.raises(AnnotateApiError) as caught:
        AnnotateClient("http://127.0.0.1:9", retries=0, timeout=1).health()
    assert (caught.value.status, caught.value.code) == (0, "unreachable")


ARGUMENTS: dict[str, Any] = {
    "name": "second", "role": "annotator", "kind": "document", "settings": {}, "state": "active",
    "documents": [1], "content": b"Ann slept.", "invitation": "0" * 16, "url": "https://example.org/",
    "resolver": "no such resolver", "events": [], "client": "c", "payload": {}, "base": 0,
    "rule": "majority", "shown_name": None, "old_user": 2, "user": 2, "which": "documents",
}  # fmt: skip


def test_every_route_for_tokens_has_a_method(light: Database) -> None:
    """Each method is called once; what the server refuses has been sent all the same."""
    world = World(light)
    world.fill(1)
    world.bring([problem("p")], project=world.problems)
    boss, recorder = client_of(world, "administrator")
    for name, method in inspect.getmembers(boss, inspect.ismethod):
        if name.startswith("_") or name == "close":
            continue
        needed = [
            each for each in inspect.signature(method).parameters.values()
            if each.default is each.empty and each.kind is not each.VAR_KEYWORD
        ]  # fmt: skip
        values = {each.name: ARGUMENTS.get(each.name, 1) for each in needed}
        try:
            result = method(**values)
            if inspect.isgenerator(result):
                list(result)
        except AnnotateApiError as error:
            assert error.status in (403, 404, 409, 422), (name, error)  # noqa: PT017
    wanted = {
        (route.method, re.sub(r"\{\w+(:int)?\}", "#", route.path).replace("invitations/#", f"invitations/{'0' * 16}"))
        for route in ROUTES
        if not route.session and "{token" not in route.path and route.path not in ("/api/login", "/api/logout")
    }  # fmt: skip
    used = {(m, re.sub(r"#{2,}", "#", p)) for m, p in recorder.used}
    used = {(m, p.replace("/invitations/#", f"/invitations/{'0' * 16}")) for m, p in used}
    assert wanted - used == set()
    assert used - wanted == set()


def test_the_example_of_the_documentation(
    light: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (
        Path(__file__).resolve().parents[2] / "docs" / "reference" / "annotate-api.md"
    ).read_text("utf-8")
    (code,) = re.findall(r"^```\n(from coindex.*?)^```$", page, re.MULTILINE | re.DOTALL)
    world = World(light)
    with light.write() as connection:
        world.services.accounts.add(connection, "ann", "a long enough password", False)
    token = world["administrator"].post("/api/me/tokens", {"name": "t"})["token"]
    real = AnnotateClient.__init__
    monkeypatch.setattr(
        AnnotateClient, "__init__",
        lambda self, url, token: real(self, url, token=token, http=Recorder(world)),  # type: ignore[arg-type]
    )  # fmt: skip
    namespace: dict[str, Any] = {}
    exec(compile(code.replace("cx_...", token), "annotate-api.md", "exec"), namespace)
    assert capsys.readouterr().out == "['open']\n"
    assert namespace["gold"].startswith(b"{")
