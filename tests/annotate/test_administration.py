"""What administrators need: new passwords, strength, tokens, the second factor, the log, health."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyotp
import pytest
import segno
from sqlalchemy import insert, select

from annotate_help import Time
from annotate_web import PASSWORD, Client, World
from coindex.annotate.errors import ApiError
from coindex.annotate.people import audit_log, resets
from coindex.annotate.people.credentials import check_password, matching_step
from coindex.annotate.store.database import Database
from coindex.annotate.store.tables import audit
from coindex.annotate.store.tables import resets as reset_links
from coindex.annotate.web.app import create_app
from coindex.annotate.web.routing import ServerOptions, Services

NEW = "quite another passphrase"


@pytest.fixture
def world(database: Database, tmp_path: Path) -> World:
    return World(database, tmp_path / "backups")


@pytest.fixture
def one(light: Database, tmp_path: Path) -> World:
    return World(light, tmp_path / "backups")


def bearer(world: World, token: str, method: str, path: str, json: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {token}"}
    return world.anybody().ask(method, path, json, headers=headers)


def test_a_link_sets_a_new_password_once(world: World) -> None:
    person = world["annotator"]
    token = person.post("/api/me/tokens", {"name": "script"})["token"]
    made = world["administrator"].post(f"/api/users/{person.id}/reset")
    link = f"/api{made['link']}"
    anybody = world.anybody()
    assert anybody.get(link) == {"name": "annotator"}
    weak = anybody.ask("POST", link, {"password": "annotator123"})
    assert weak.status_code == 422
    anybody.post(link, {"password": NEW})
    assert anybody.ask("POST", link, {"password": NEW}).status_code == 404, "it works once"
    assert person.ask("GET", "/api/me").status_code == 401, "all sessions have ended"
    assert bearer(world, token, "GET", "/api/me").status_code == 401, "and all tokens"
    old = {"name": "annotator", "password": PASSWORD}
    assert anybody.ask("POST", "/api/login", old).status_code == 401
    assert anybody.post("/api/login", {**old, "password": NEW})["user"]["name"] == "annotator"


def test_a_newer_link_ends_the_older_one_and_all_end_after_a_day(world: World, time: Time) -> None:
    id = world["annotator"].id
    first, second = (world["administrator"].post(f"/api/users/{id}/reset")["link"] for _ in "ab")
    assert world.anybody().ask("GET", f"/api{first}").status_code == 404
    assert world.anybody().ask("GET", f"/api{second}").status_code == 200
    time.pass_(86_401)
    assert world.anybody().ask("POST", f"/api{second}", {"password": NEW}).status_code == 404


def test_no_link_for_nobody_or_a_disabled_account(one: World) -> None:
    boss, id = one["administrator"], one["annotator"].id
    assert boss.ask("POST", "/api/users/999/reset").status_code == 404
    link = boss.post(f"/api/users/{id}/reset")["link"]
    boss.ok("PATCH", f"/api/users/{id}", {"disabled": True})
    assert one.anybody().ask("GET", f"/api{link}").status_code == 404
    answer = boss.ask("POST", f"/api/users/{id}/reset")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "disabled")


def test_only_a_digest_of_a_link_is_stored(one: World) -> None:
    path, _ = resets.make_reset_link(one.database, None, one["annotator"].id)
    with one.database.read() as connection:
        stored = connection.execute(select(reset_links.c.digest)).scalars().all()
    assert path.rpartition("/")[2] not in stored


@pytest.mark.parametrize("password", ["password1234", "qwertyuiop12", "annotator1", "1234567890", "aaaaaaaaaaaaaaa", "short"])  # fmt: skip
def test_weak_passwords_are_refused_with_advice(password: str) -> None:
    with pytest.raises(ApiError) as caught:
        check_password(password, "annotator")
    assert caught.value.status == 422
    assert len(caught.value.message) > 40


def test_the_name_of_its_owner_makes_a_password_weak() -> None:
    check_password("Wilhelmina Oberon", "ann")
    with pytest.raises(ApiError, match="easily guessed"):
        check_password("Wilhelmina Oberon", "Wilhelmina Oberon")


@pytest.mark.parametrize(
    "password",
    [PASSWORD, "".join(chr(33 + n * 37 % 90) for n in range(180)), "ein Satz, den niemand errät"],
)
def test_strong_passwords_pass_however_long(password: str) -> None:
    check_password(password, "annotator")


def test_a_new_password_must_be_strong_everywhere(one: World) -> None:
    body = {"old": PASSWORD, "new": "password1234"}
    answer = one["annotator"].ask("POST", "/api/me/password", body)
    assert "easily guessed" in answer.json()["error"]["message"]
    link = one["manager"].post(f"/api/projects/{one.project}/invitations", {"role": "annotator"})
    body = {"name": "newcomer", "password": "newcomer123"}
    assert one.anybody().ask("POST", f"/api{link['link']}", body).status_code == 422


def test_a_token_cannot_mint_tokens_or_touch_accounts(one: World) -> None:
    boss, id = one["administrator"], one["annotator"].id
    token = boss.post("/api/me/tokens", {"name": "all"})["token"]
    refused = [
        ("POST", "/api/me/tokens", {"name": "more"}), ("DELETE", "/api/me/tokens/1", None),
        ("POST", "/api/me/password", {"old": PASSWORD, "new": NEW}), ("GET", "/api/me/totp", None),
        ("POST", "/api/me/totp/off", {"password": PASSWORD}), ("POST", f"/api/users/{id}/reset", {}),
        ("PATCH", f"/api/users/{id}", {"administrator": True}),
        ("POST", "/api/invitations", {"administrator": True}),
    ]  # fmt: skip
    for method, path, body in refused:
        answer = bearer(one, token, method, path, body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "scope"), path
    assert bearer(one, token, "GET", "/api/users").status_code == 200
    assert bearer(one, token, "POST", "/api/projects", {"name": "n", "kind": "document"}).is_success


def test_the_scope_of_a_token_is_its_limit(one: World) -> None:
    one.fill(2)
    person, base = one["annotator"], f"/api/projects/{one.project}"
    made = {
        scope: person.post("/api/me/tokens", {"name": scope, "scope": scope})["token"]
        for scope in ("read", "annotate", "all")
    }
    assert {each["scope"] for each in person.get("/api/me/tokens")["tokens"]} == set(made)
    for scope, token in made.items():
        assert bearer(one, token, "GET", base).status_code == 200
        changed = bearer(one, token, "PATCH", "/api/me", {"shown_name": "A"}).status_code
        assert changed == (200 if scope == "all" else 403)
        taken = bearer(one, token, "POST", f"{base}/next", {})
        assert taken.status_code == (403 if scope == "read" else 200)
    sheet = person.post(f"{base}/next")["sheet"]
    event = {"id": "e1", "base": 0, "kind": "document.note", "payload": {"text": "x"}}
    body = {"client": "t", "events": [event]}
    path = f"/api/sheets/{sheet}/events"
    assert bearer(one, made["read"], "POST", path, body).status_code == 403
    assert bearer(one, made["annotate"], "POST", path, body).status_code == 200
    assert person.ask("POST", "/api/me/tokens", {"name": "x", "scope": "root"}).status_code == 422


def turned_on(client: Client, time: Time) -> pyotp.TOTP:
    """The authenticator of somebody who has just turned their second factor on."""
    found = client.get("/api/me/totp")
    assert found["on"] is False
    assert found["link"].startswith("otpauth://totp/")
    assert found["image"] == segno.make(found["link"], error="m").svg_data_uri(
        scale=5, border=4, light="white"
    )
    phone = pyotp.TOTP(found["secret"])
    body = {"password": PASSWORD, "secret": found["secret"], "code": phone.at(time.now // 1000)}
    assert client.post("/api/me/totp", body) == {"on": True}
    return phone


def test_a_second_factor_is_asked_for_after_the_password(world: World, time: Time) -> None:
    phone = turned_on(world["annotator"], time)
    entry = {"name": "annotator", "password": PASSWORD}
    anybody = world.anybody()

    def log_in(**more: str) -> tuple[int, str]:
        answer = anybody.ask("POST", "/api/login", {**entry, **more})
        return answer.status_code, answer.json().get("error", {}).get("code", "")

    assert log_in(password="wrong") == (401, "credentials")
    assert log_in() == (401, "code")
    assert log_in(code=phone.at(time.now // 1000)) == (401, "code"), "that code has been used"
    time.pass_(30)
    assert log_in(code="000000") == (401, "code")
    code = phone.at(time.now // 1000)
    assert log_in(code=f"{code[:3]} {code[3:]}") == (200, "")
    assert log_in(code=code) == (401, "code"), "a code works once"
    time.pass_(301)
    for _ in range(5):
        log_in(code="000000")
    assert log_in(code=phone.at(time.now // 1000)) == (429, "slow-down")


def test_a_second_factor_is_turned_off_by_its_owner_or_an_administrator(
    one: World, time: Time
) -> None:
    person = one["annotator"]
    turned_on(person, time)
    assert person.get("/api/me/totp") == {"on": True}, "the secret is never shown again"
    assert person.ask("POST", "/api/me/totp/off", {"password": "wrong"}).status_code == 403
    person.post("/api/me/totp/off", {"password": PASSWORD})
    one.anybody().post("/api/login", {"name": "annotator", "password": PASSWORD})
    turned_on(person, time)
    path = f"/api/users/{person.id}"
    told = one["administrator"].ok("PATCH", path, {"second_factor": False})
    assert told["user"]["second_factor"] is False
    one.anybody().post("/api/login", {"name": "annotator", "password": PASSWORD})


def test_a_second_factor_needs_the_password_and_a_right_code(one: World) -> None:
    person = one["annotator"]
    secret = person.get("/api/me/totp")["secret"]
    body = {"password": PASSWORD, "secret": secret, "code": "000000"}
    assert person.ask("POST", "/api/me/totp", body).status_code == 422
    assert person.ask("POST", "/api/me/totp", {**body, "password": "x"}).status_code == 403
    assert person.ask("POST", "/api/me/totp", {**body, "secret": "short"}).status_code == 422
    assert person.get("/api/me/totp")["on"] is False


def test_the_clock_of_a_phone_may_be_off_by_one_step() -> None:
    secret, now = pyotp.random_base32(), 1_800_000_000_000
    for seconds, found in ((-60, False), (-30, True), (0, True), (30, True), (60, False)):
        code = pyotp.TOTP(secret).at(now // 1000 + seconds)
        assert (matching_step(secret, code, now) is not None) is found


def test_https_is_asked_for_with_https(light: Database) -> None:
    for secure in (False, True):
        options = ServerOptions(hosts=("testserver",), secure=secure)
        headers = Client(create_app(Services(light, options))).http.get("/login").headers
        assert ("strict-transport-security" in headers) is secure
        assert "camera=()" in headers["permissions-policy"]


def entries(world: World, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = world["administrator"].get(f"/api/audit?{query}")["entries"]
    return found


def test_the_log_is_in_words_and_can_be_filtered(world: World, time: Time) -> None:
    world["manager"].ok("PATCH", f"/api/projects/{world.project}", {"settings": {"looks": 1}})
    world.anybody().ask("POST", "/api/login", {"name": "manager", "password": "wrong"})
    time.pass_(100)
    world["manager"].upload(world.project, b"Ann slept.", format="text", name="a.txt")
    words = [each["words"] for each in entries(world, "limit=50")]
    assert "manager imported 1 document into “one”." in words
    assert "manager changed the project “one”: the accuracy checks to 1." in words
    assert "Somebody tried to log in as “manager” with a wrong password or code." in words
    assert {each["user"] for each in entries(world, "person=MANAGER")} == {"manager"}
    assert {each["action"] for each in entries(world, "action=import")} == {"import"}
    assert {each["target"] for each in entries(world, "target=ON&action=import")} == {"one"}
    assert entries(world, "target=%25") == []
    assert [e["action"] for e in entries(world, f"since={time.now}&person=manager")] == ["import"]
    assert not any(e["action"] == "import" for e in entries(world, f"until={time.now}"))
    newest = entries(world, "limit=1")[0]["id"]
    assert all(each["id"] < newest for each in entries(world, f"before={newest}"))


def test_the_log_names_people_and_only_what_was_changed(one: World) -> None:
    manager, path = one["manager"], f"/api/projects/{one.project}"
    manager.ok("PATCH", path, {"settings": {"annotators": 2, "lease_minutes": 5, "seed": 1}})
    manager.ok("PATCH", path, {"settings": {"annotators": 2, "lease_minutes": 5, "seed": 1}})
    one.fill(1)
    manager.post("/api/documents/1/assign", {"name": "annotator"})
    manager.post(f"{path}/members", {"name": "second", "role": "adjudicator"})
    words = [each["words"] for each in entries(one, "limit=50&person=manager")]
    changed = [each for each in words if "changed the project" in each]
    assert changed == ["manager changed the project “one”: the minutes of a reservation to 5."]
    assert "manager assigned “work-0” to annotator." in words
    assert "manager made second an adjudicator of the project “one”." in words
    assert one["manager"].ask("GET", "/api/audit").status_code == 403


def test_a_link_to_no_project_is_listed_and_revoked(one: World) -> None:
    boss = one["administrator"]
    link = boss.post("/api/invitations", {"administrator": True})["link"]
    boss.post(f"/api/projects/{one.project}/invitations", {"role": "annotator"})
    [listed] = boss.get("/api/invitations")["invitations"]
    assert (listed["role"], listed["state"], listed["by"]) == ("administrator", "open", "administrator")  # fmt: skip
    assert "link" not in listed
    assert one["manager"].ask("GET", "/api/invitations").status_code == 403
    assert one["manager"].ask("DELETE", f"/api/invitations/{listed['id']}").status_code == 403
    boss.ok("DELETE", f"/api/invitations/{listed['id']}")
    assert boss.get("/api/invitations")["invitations"] == []
    assert one.anybody().ask("GET", f"/api{link}").status_code == 404
    assert entries(one, "limit=1")[0]["words"] == (
        "administrator revoked an invitation link for an administrator."
    )


def test_every_action_of_the_code_has_a_sentence() -> None:
    import re

    root = Path(audit_log.__file__).parents[2]
    text = "\n".join(path.read_text("utf-8") for path in root.rglob("*.py"))
    calls = re.findall(r"(?:log_action\((?:[^()\"]|\([^()]*\))*|services\.log\(\s*request\.user, )\"([a-z ]+)\"", text)  # fmt: skip
    assert len(set(calls)) > 12
    for action in set(calls) - {"login failed"}:
        assert action in audit_log._SENTENCES, action
        said = audit_log.in_words("Ann", action, "x", {})
        assert said.startswith("Ann ")
        assert said.endswith(".")
    assert audit_log.in_words(None, "of a later version", "x", {}).endswith("of a later version x.")


def test_the_log_is_exported(one: World) -> None:
    with one.database.write() as connection:
        row = {
            "at": 0,
            "user": None,
            "action": "login failed",
            "target": "=1+1",
            "detail": {"a": 1},
        }
        connection.execute(insert(audit), row)
    boss = one["administrator"]
    answer = boss.ask("GET", "/api/audit/export?action=login%20failed")
    assert answer.headers["content-disposition"] == 'attachment; filename="audit.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["target"] for row in rows] == ["'=1+1"], "no formula for a spreadsheet"
    assert rows[0]["time"] == "1970-01-01T00:00:00+00:00"
    lines = boss.ask("GET", "/api/audit/export?format=jsonl").text.splitlines()
    assert len(lines) == len(entries(one, "limit=1000"))
    assert json.loads(lines[-1])["words"]
    assert one["manager"].ask("GET", "/api/audit/export").status_code == 403


def test_health_names_the_database_the_servers_and_the_last_backup(world: World) -> None:
    boss = world["administrator"]
    found = boss.get("/api/status")
    kind = "SQLite" if world.database.sqlite else "PostgreSQL"
    assert found["database"]["kind"] == kind
    assert found["database"]["size"] > 10_000
    assert (found["servers"], found["backup"], found["rankings"]) == ([], None, [])
    world.services.presence.enter()
    made = boss.post("/api/backups")
    world.services.backup_failure = lambda: "the disk is full"
    found = boss.get("/api/status")
    assert found["backup"]["name"] == made["name"]
    assert found["backup_failure"] == "the disk is full"
    assert [each["id"] for each in found["servers"]] == [world.services.presence.id]
    assert world["manager"].ask("GET", "/api/status").status_code == 403


@pytest.mark.parametrize(
    ("name", "path", "status", "title"),
    [("annotator", "/admin", 403, "This is not for you"), ("annotator", "/projects/99", 404, "There is nothing here"),
     ("annotator", "/nowhere", 404, "There is nothing here"), (None, "/nowhere", 404, "There is nothing here")],
)  # fmt: skip
def test_errors_are_pages_of_the_app(one: World, name: str | None, path: str, status: int, title: str) -> None:  # fmt: skip
    client = one[name] if name else one.anybody()
    answer = client.ask("GET", path, headers={"Accept": "text/html"})
    assert answer.status_code == status
    assert answer.text.count(f"{title}<") == 1, "said once, then what to do"
    assert 'href="/static/app.css"' in answer.text


def test_errors_of_the_api_stay_json(one: World) -> None:
    answer = one.anybody().ask("GET", "/api/nowhere", headers={"Accept": "text/html"})
    assert answer.json()["error"]["code"] == "missing"


def test_an_error_page_has_no_markup_of_others(one: World) -> None:
    answer = one.anybody().http.get("/login", headers={"Host": "<b>evil</b>"})
    assert answer.status_code == 400
    assert "<b>" not in answer.text
