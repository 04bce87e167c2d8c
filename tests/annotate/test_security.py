"""Passwords, sessions, CSRF, origins, hosts, limits, tokens, links, headers, hostile texts."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from annotate_help import Time
from annotate_web import PASSWORD, Client, World, text
from coindex.annotate.errors import ApiError
from coindex.annotate.people import accounts
from coindex.annotate.store.database import Database
from coindex.annotate.store.tables import audit, failures, sessions, tokens, users
from coindex.annotate.web.app import CSP

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture
def world(light: Database) -> World:
    return World(light)


def test_passwords_are_argon2id_and_secrets_only_digests(world: World) -> None:
    secret = world["annotator"].http.cookies["coindex_session"]
    token = world["annotator"].post("/api/me/tokens", {"name": "t"})["token"]
    with world.database.read() as connection:
        stored = connection.execute(select(users.c.password)).scalars().all()
        digests = [*connection.execute(select(sessions.c.digest)).scalars()]
        digests += connection.execute(select(tokens.c.digest)).scalars().all()
    assert all(each.startswith("$argon2id$") for each in stored)
    assert secret not in digests
    assert token not in digests
    assert PasswordHasher().type.name == "ID"


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(world: World) -> None:
    answer = world.anybody().ask("POST", "/api/login", {"name": "annotator", "password": PASSWORD})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "path=/" in cookie


def test_without_the_token_or_from_another_site_nothing_is_done(world: World) -> None:
    client = world["annotator"]
    path = f"/api/projects/{world.project}/next"
    for header, code in (
        ({"X-CSRF-Token": ""}, "csrf"),
        ({"X-CSRF-Token": "x" * 43}, "csrf"),
        ({"Origin": "http://evil.example"}, "origin"),
        ({"Origin": "null"}, "origin"),
        ({"Sec-Fetch-Site": "cross-site"}, "origin"),
    ):
        answer = client.ask("POST", path, headers=header)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, code)
    assert client.ask("POST", path, headers={"Origin": "http://testserver"}).status_code == 200


def test_a_login_from_another_site_is_refused(world: World) -> None:
    body = {"name": "annotator", "password": PASSWORD}
    evil = {"Origin": "http://evil.example"}
    assert world.anybody().ask("POST", "/api/login", body, headers=evil).status_code == 403


def test_forms_cannot_reach_the_api(world: World) -> None:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    client = world["annotator"]
    answer = client.ask("POST", f"/api/projects/{world.project}/next", content=b"{}", headers=kind)
    assert answer.status_code == 415


def test_only_this_machine_is_an_allowed_host_by_default(light: Database) -> None:
    from coindex.annotate.web.app import create_app
    from coindex.annotate.web.routing import ServerOptions, Services

    assert ServerOptions().hosts == ("127.0.0.1", "localhost", "[::1]")
    client = Client(create_app(Services(light)))
    assert client.ask("GET", "/api/health").status_code == 400
    local = {"Host": "localhost:8642"}
    assert client.ask("GET", "/api/health", headers=local).status_code == 200


def test_another_host_name_is_refused(world: World) -> None:
    for path in ("/api/health", "/login"):
        answer = world.anybody().ask("GET", path, headers={"Host": "evil.example:8642"})
        assert answer.status_code == 400


def test_every_answer_has_the_headers(world: World) -> None:
    for path in ("/api/health", "/login", "/nowhere", "/static/nothing.js", "/api/me"):
        headers = world.anybody().ask("GET", path).headers
        assert headers["content-security-policy"] == CSP
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_guessing_is_slowed_down_and_then_allowed_again(world: World, time: Time) -> None:
    client = world.anybody()
    wrong = {"name": "annotator", "password": "wrong password"}
    for _ in range(accounts.PER_NAME):
        assert client.ask("POST", "/api/login", wrong).status_code == 401
    right = {"name": "annotator", "password": PASSWORD}
    answer = client.ask("POST", "/api/login", right)
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "300"
    assert client.ask("POST", "/api/login", {**right, "name": "manager"}).status_code == 200
    time.pass_(301)
    assert client.ask("POST", "/api/login", right).status_code == 200


def together(count: int, ask: Any) -> list[int]:
    """The statuses of requests that start at the same moment."""
    gate = threading.Barrier(count)

    def one(number: int) -> int:
        gate.wait()
        return int(ask(number).status_code)

    with ThreadPoolExecutor(count) as pool:
        return sorted(pool.map(one, range(count)))


def test_guesses_that_come_together_are_counted(database: Database) -> None:
    world = World(database)
    clients = [world.anybody() for _ in range(12)]
    wrong = {"name": "annotator", "password": "wrong password"}
    codes = together(12, lambda number: clients[number].ask("POST", "/api/login", wrong))
    assert codes == [401] * accounts.PER_NAME + [429] * (12 - accounts.PER_NAME)
    with world.database.read() as connection:
        actions = connection.execute(select(audit.c.action)).scalars().all()
    assert actions.count("login failed") == accounts.PER_NAME


def test_a_right_password_takes_its_tries_back(world: World) -> None:
    client = world.anybody()
    right, wrong = ({"name": "second", "password": each} for each in (PASSWORD, "wrong"))
    for _ in range(3):
        for _ in range(accounts.PER_NAME - 1):
            assert client.ask("POST", "/api/login", wrong).status_code == 401
        assert client.ask("POST", "/api/login", right).status_code == 200
    with world.database.read() as connection:
        left = connection.execute(select(failures.c.key)).scalars().all()
    assert len(left) == 3 * (accounts.PER_NAME - 1)  # the address's alone


def test_guessing_the_old_password_is_slowed_down(database: Database, time: Time) -> None:
    world = World(database)
    client = world["annotator"]
    wrong = {"old": "a wrong password", "new": "another password"}
    codes = together(9, lambda _: client.ask("POST", "/api/me/password", wrong))
    assert codes == [403] * accounts.PER_NAME + [429] * (9 - accounts.PER_NAME)
    good = {"old": PASSWORD, "new": "another password"}
    assert client.ask("POST", "/api/me/password", good).status_code == 429
    time.pass_(301)
    assert client.ask("POST", "/api/me/password", good).status_code == 200


def test_a_new_password_ends_tokens(world: World) -> None:
    client = world["annotator"]
    token = client.post("/api/me/tokens", {"name": "script"})["token"]
    other = world["second"].post("/api/me/tokens", {"name": "script"})["token"]
    header = {"Authorization": f"Bearer {token}"}
    assert world.anybody().ask("GET", "/api/me", headers=header).status_code == 200
    client.post("/api/me/password", {"old": PASSWORD, "new": "another password"})
    assert world.anybody().ask("GET", "/api/me", headers=header).status_code == 401
    assert client.get("/api/me/tokens")["tokens"] == []
    header = {"Authorization": f"Bearer {other}"}
    assert world.anybody().ask("GET", "/api/me", headers=header).status_code == 200


def test_there_is_one_first_link_at_a_time(light: Database) -> None:
    old, new = accounts.Accounts(light).first_link(), accounts.Accounts(light).first_link()
    assert old is not None
    assert new is not None
    assert (old.replaces, new.replaces) == (False, True)
    people = accounts.Accounts(light)
    with pytest.raises(ApiError, match="may have been used"):
        people.accept(old.path.rpartition("/")[2], "Boss", PASSWORD)
    people.accept(new.path.rpartition("/")[2], "Boss", PASSWORD)
    assert accounts.Accounts(light).first_link() is None


def test_an_address_that_tries_many_names_is_slowed_down(world: World) -> None:
    client = world.anybody()
    codes = [
        client.ask("POST", "/api/login", {"name": f"n{number}", "password": "x"}).status_code
        for number in range(accounts.PER_ADDRESS + 1)
    ]
    assert codes == [401] * accounts.PER_ADDRESS + [429]


def test_a_session_ends_by_itself_by_logout_and_by_a_new_password(world: World, time: Time) -> None:
    one, two = world["annotator"], world.anybody()
    told = two.ok("POST", "/api/login", {"name": "annotator", "password": PASSWORD})
    two.csrf = told["csrf"]
    one.post("/api/me/password", {"old": PASSWORD, "new": "another password"})
    assert two.ask("GET", "/api/me").status_code == 401
    assert one.ask("GET", "/api/me").status_code == 200
    short = {"old": "another password", "new": "short"}
    assert one.ask("POST", "/api/me/password", short).status_code == 422
    time.pass_(15 * 86400)
    assert one.ask("GET", "/api/me").status_code == 401
    three = world["manager"]
    three.post("/api/logout")
    assert three.ask("GET", "/api/me").status_code == 401


def test_a_token_works_without_csrf_until_it_is_ended(world: World, time: Time) -> None:
    made = world["manager"].post("/api/me/tokens", {"name": "script", "days": 2})
    header = {"Authorization": f"Bearer {made['token']}"}
    client = world.anybody()
    path = f"/api/projects/{world.project}/next"
    assert client.ask("POST", path, headers=header).status_code == 200
    assert client.ask("GET", "/api/me", headers={"Authorization": "Bearer x"}).status_code == 401
    other = world["annotator"].ask("DELETE", f"/api/me/tokens/{made['id']}")
    assert other.status_code == 404
    world["manager"].ok("DELETE", f"/api/me/tokens/{made['id']}")
    assert client.ask("GET", "/api/me", headers=header).status_code == 401
    late = world["manager"].post("/api/me/tokens", {"name": "late", "days": 1})
    time.pass_(86401)
    header = {"Authorization": f"Bearer {late['token']}"}
    assert client.ask("GET", "/api/me", headers=header).status_code == 401


def test_the_first_run_makes_one_administrator_by_a_link_that_works_once(light: Database) -> None:
    first = accounts.Accounts(light).first_link()
    assert first
    link = first.path
    world = World.__new__(World)
    from coindex.annotate.web.app import create_app
    from coindex.annotate.web.routing import ServerOptions, Services

    world.app = create_app(Services(light, ServerOptions(hosts=("testserver",))))
    client = world.anybody()
    assert client.get(f"/api{link}")["role"] == "administrator"
    assert (
        client.ask("POST", f"/api{link}", {"name": "root", "password": "short"}).status_code == 422
    )
    told = client.post(f"/api{link}", {"name": "root", "password": PASSWORD})
    assert told["user"]["administrator"] is True
    assert (
        client.ask("POST", f"/api{link}", {"name": "two", "password": PASSWORD}).status_code == 404
    )
    assert accounts.Accounts(light).first_link() is None
    assert client.get("/api/me")["user"]["name"] == "root"


def test_an_invitation_gives_its_role_and_grows_old(world: World, time: Time) -> None:
    path = f"/api/projects/{world.project}/invitations"
    link = world["manager"].post(path, {"role": "adjudicator"})["link"]
    client = world.anybody()
    client.post(f"/api{link}", {"name": "new", "password": PASSWORD})
    assert client.get(f"/api/projects/{world.project}")["project"]["role"] == "adjudicator"
    old = world["manager"].post(path, {"role": "annotator"})["link"]
    time.pass_(8 * 86400)
    assert world.anybody().ask("GET", f"/api{old}").status_code == 404


def test_a_disabled_account_is_out_at_once(world: World) -> None:
    one = world["annotator"]
    world["administrator"].ok("PATCH", f"/api/users/{one.id}", {"disabled": True})
    assert one.ask("GET", "/api/me").status_code == 401
    again = world.anybody().ask("POST", "/api/login", {"name": "annotator", "password": PASSWORD})
    assert again.status_code == 401


def test_bodies_have_a_limit(world: World) -> None:
    big = {"name": "x" * (1 << 20), "password": "x"}
    assert world.anybody().ask("POST", "/api/login", big).status_code == 413


def test_an_upload_needs_the_right_to_send_it(world: World) -> None:
    path = f"/api/projects/{world.project}/import"
    assert world["annotator"].ask("POST", path, content=b"x" * 5_000_000).status_code == 403
    assert world.anybody().ask("POST", path, content=b"x" * 5_000_000).status_code == 401


@pytest.mark.parametrize("name", ["../../evil.txt", "/etc/evil.txt", "..\\evil.txt"])
def test_a_zip_cannot_write_elsewhere(world: World, name: str, tmp_path: Any) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, b"Ann slept.")
    answer = world["manager"].upload(world.project, buffer.getvalue(), format="text")
    assert answer.status_code == 422
    assert "leads out of the archive" in answer.json()["error"]["message"]
    assert not (tmp_path / "evil.txt").exists()


@pytest.mark.parametrize("path", ["/static/../database.py", "/static/%2e%2e/database.py",
                                  "/static/..%2f..%2fdatabase.py", "/static//etc/passwd"])  # fmt: skip
def test_static_files_stay_in_their_folder(world: World, path: str) -> None:
    assert world.anybody().ask("GET", path).status_code == 404


def test_a_damaged_zip_is_answered(world: World) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "Ann slept. " * 200)
    content = bytearray(held.getvalue())
    content[40:50] = b"\xff" * 10  # inside the packed data
    answer = world["manager"].upload(world.project, bytes(content))
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "content",
    [b"", b"\x1f\x8bbroken", b"PK\x03\x04broken", b"\xff\xfe\x00", b'{"coindex": 1}', b"BZhx"],
)
def test_broken_uploads_are_answered(world: World, content: bytes) -> None:
    assert world["manager"].upload(world.project, content).status_code == 422


def test_hostile_texts_come_back_as_they_went_in_and_are_json(world: World) -> None:
    world.bring([text(EVIL, [EVIL.replace(" ", ""), "slept"])])
    client = world["annotator"]
    sheet = client.post(f"/api/projects/{world.project}/next")["sheet"]
    new = {"id": "g", "name": EVIL}
    client.act(sheet, "mention.add", mention="m", spans=[[0, 1]], group="g", new_group=new)
    client.act(sheet, "mention.note", 1, mention="m", text=EVIL)
    answer = client.ask("GET", f"/api/sheets/{sheet}")
    assert answer.headers["content-type"] == "application/json"
    state = answer.json()
    assert state["document"]["name"] == EVIL
    assert state["state"]["groups"]["g"]["name"] == EVIL
    assert state["state"]["mentions"]["m"]["note"] == EVIL


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"1", b"null", b'{"name": NaN}', b"[" * 100_000, b"\xff"]
)
def test_malformed_json_is_answered(world: World, body: bytes) -> None:
    kind = {"Content-Type": "application/json"}
    answer = world.anybody().ask("POST", "/api/login", content=body, headers=kind)
    assert answer.status_code in (400, 422)


def test_an_event_cannot_reach_another_project(world: World) -> None:
    world.fill(1)
    sheet = world["annotator"].post(f"/api/projects/{world.project}/next")["sheet"]
    event = {"id": "e1", "base": 0, "kind": "document.note", "payload": {"text": "x"}}
    body = {"client": "t", "events": [event]}
    for name, code in (("stranger", 404), ("second", 404), ("adjudicator", 404), ("manager", 403)):
        assert world[name].ask("POST", f"/api/sheets/{sheet}/events", body).status_code == code


def test_what_matters_is_in_the_audit_log(world: World) -> None:
    world["manager"].ok("PATCH", f"/api/projects/{world.project}", {"settings": {"looks": 1}})
    world["manager"].upload(world.project, b"Ann slept.", format="text", name="a.txt")
    world.anybody().ask("POST", "/api/login", {"name": "manager", "password": "wrong"})
    entries = world["administrator"].get("/api/audit?limit=50")["entries"]
    assert {"project changed", "import", "login", "login failed"} <= {
        each["action"] for each in entries
    }
    assert [each["id"] for each in entries] == sorted(
        (each["id"] for each in entries), reverse=True
    )
    with world.database.read() as connection:
        details = connection.execute(select(audit.c.detail)).scalars().all()
    assert PASSWORD not in json.dumps(details)
