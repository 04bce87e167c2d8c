"""Pronoun mode, logging in, accounts, administration and the leaderboard, on the real app."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

SHOTS = os.environ.get("COINDEX_SHOTS")
HEAD = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
ROWS = [
    "d-1\tAnn met Bea when she left.\tshe\t17\tAnn\t0\tTRUE\tBea\t8\tFALSE\thttp://x/1",
    "d-2\tEve <b>saw</b> Zoe; she ran.\tshe\t20\tEve\t0\tFALSE\tZoe\t15\tTRUE\thttp://x/2",
    "d-3\tIda knew Uma as her aunt's girl.\ther\t16\tIda\t0\tFALSE\tUma\t9\tFALSE\thttp://x/3",
]
GAP = "\n".join([HEAD, *ROWS, ""]).encode()


def shot(page: Any, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/annotate-{name}.png")


def answer(page: Any) -> Any:
    page.wait_for_selector('#save[data-status="saved"]')
    return page.evaluate("coindex.live.session.state.about.answer")


def test_pronouns_are_answered_by_single_keys(app: Any, boss: Any, annotator: Any) -> None:
    one, sheet = annotator("Ann", GAP, "gap", kind="problem")
    page = one.sheet(sheet)
    assert page.locator("mark.pronoun").first.inner_text() in ("she", "her")
    assert page.locator(".choice").count() == 5
    for key, says in (("a", "A"), ("b", "B"), ("n", "N"), ("t", "T"), ("?", "?")):
        page.keyboard.press(key)
        assert answer(page)["choice"] == says
        assert page.locator('.choice[aria-pressed="true"] kbd').inner_text() == says
    page.keyboard.press("z")
    assert answer(page) is None
    page.keyboard.press("a")
    shown = page.locator(".choice").first.locator("span").inner_text()
    assert answer(page)["choice"] == "A"
    found = one.call("GET", f"/api/sheets/{sheet}")
    assert found["state"]["document"]["answer"]["choice"] == "A", "one answer, the last"
    assert found["document"]["candidates"][0]["text"] == shown
    shot(page, "pronoun")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1320, "height": 820})
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: not url.endswith(f"/sheets/{sheet}"))
    page.wait_for_selector("body[data-ready]")
    page.get_by_role("button", name="Neither").click()
    assert answer(page)["choice"] == "N"
    project = found["project"]["id"]
    boss.page.goto(f"{app.url}/projects/{project}/quality")
    boss.page.get_by_role("heading", name="Consensus", exact=True).wait_for()
    assert boss.page.locator("table").last.locator("tbody tr").count() == 3
    assert boss.page.get_by_role("cell", name="too few answers yet").count() == 3


def test_logging_in_and_out(app: Any, annotator: Any) -> None:
    one, sheet = annotator("Ann", b"Ann slept.\n")
    one.allowed = ("401",)
    page = one.page
    page.goto(app.url)
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login*")
    page.goto(f"{app.url}/sheets/{sheet}")
    page.wait_for_url(lambda url: "/login?next=" in url)
    page.get_by_label("Name").fill("Ann")
    page.get_by_label("Password").fill("wrong horse battery")
    shot(page, "login")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("alert").wait_for()
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"**/sheets/{sheet}")
    page.wait_for_selector("body[data-ready]")
    assert page.get_by_role("alert").count() == 0


def test_a_link_works_once_and_elsewhere_is_never_gone_to(app: Any, boss: Any, person: Any) -> None:
    late = person("Late")
    late.allowed = ("404",)
    late.page.goto(app.link)
    late.page.get_by_text("This link has been used or has expired").wait_for()
    late.page.goto(f"{app.url}/login?next=//elsewhere.example/")
    late.page.get_by_label("Name").fill("Boss")
    late.page.get_by_label("Password").fill("correct horse battery")
    late.page.get_by_role("button", name="Log in").click()
    late.page.wait_for_url(app.url + "/")
    assert late.page.get_by_role("button", name="Log out").count() == 1


def test_who_wants_to_appears_on_the_leaderboard(app: Any, annotator: Any) -> None:
    one, sheet = annotator("Ann", b"Ann slept. She woke.\n")
    page = one.sheet(sheet)
    page.keyboard.press("+")
    page.wait_for_selector('#save[data-status="saved"]')
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Cancel").click()
    project = one.call("GET", f"/api/sheets/{sheet}")["project"]["id"]
    page.goto(f"{app.url}/projects/{project}")
    page.get_by_text("Nobody has chosen to appear.").wait_for()
    page.goto(f"{app.url}/account")
    page.get_by_label("Name on leaderboards").fill("<i>Annie</i>")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    page.goto(f"{app.url}/projects/{project}")
    page.get_by_text("<i>Annie</i>").wait_for()
    assert page.locator("i", has_text="Annie").count() == 0  # shown as text, not as markup
    shot(page, "project")
    page.goto(app.url)
    page.get_by_text("Your projects").wait_for()
    shot(page, "home")


def test_administration(app: Any, boss: Any, tmp_path: Path) -> None:
    page = boss.page
    page.goto(f"{app.url}/admin")
    page.get_by_role("heading", name="Audit log").wait_for()
    page.get_by_role("button", name="Back up now").click()
    page.locator("section", has_text="Backups").locator("tbody tr").first.wait_for()
    page.get_by_role("button", name="Create a link").click()
    page.get_by_label("Link", exact=True).wait_for()
    assert "/welcome/" in page.get_by_label("Link", exact=True).input_value()
    shot(page, "admin")
    page.get_by_label("role").select_option("administrator")
    page.get_by_role("button", name="Create a link").click()
    revoke = page.get_by_role("button", name="Revoke the link for administrator")
    revoke.click()
    revoke.wait_for(state="detached")
    page.goto(f"{app.url}/help")
    page.get_by_role("heading", name="Keys").wait_for()


def test_a_webhook_is_tested_and_says_what_came_of_it(app: Any, boss: Any) -> None:
    project = app.api("POST", "/api/projects", {"name": "Hooks", "kind": "document"})["project"]
    page = boss.page
    page.goto(f"{app.url}/projects/{project['id']}/settings")
    page.get_by_label("Address").fill("http://127.0.0.1:9/done")
    page.get_by_role("button", name="Add a webhook").click()
    page.get_by_text("document finished").wait_for()
    page.get_by_role("button", name="Test http://127.0.0.1:9/done").click()
    page.get_by_text("is an address of a private network").wait_for()
    page.get_by_role("button", name="Remove http://127.0.0.1:9/done").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    page.get_by_text("document finished").wait_for(state="detached")
    assert app.api("GET", f"/api/projects/{project['id']}/webhooks")["webhooks"] == []


def test_accounts_are_changed_after_a_question(app: Any, boss: Any, annotator: Any) -> None:
    annotator("Ann", b"Ann slept.")
    page = boss.page
    page.goto(f"{app.url}/admin")
    page.get_by_label("Search accounts").fill("an")
    page.get_by_role("button", name="Disable Ann").click()
    page.get_by_text("Disable the account of Ann?").wait_for()
    page.keyboard.press("Escape")
    assert not {each["name"]: each for each in app.api("GET", "/api/users")["users"]}["Ann"]["disabled"]  # fmt: skip
    page.get_by_role("button", name="Disable Ann").click()
    page.get_by_role("dialog").get_by_role("button", name="Disable").click()
    page.get_by_role("button", name="Enable Ann").click()
    page.get_by_role("button", name="Disable Ann").wait_for()
    page.get_by_label("Search accounts").fill("")
    assert page.get_by_role("row", name="you, administrator").get_by_role("button").count() == 1
    page.get_by_label("Search accounts").fill("nobody has this")
    page.get_by_text("No account has that in its name.").wait_for()


def test_a_manager_gives_and_releases_documents(app: Any, boss: Any, annotator: Any) -> None:
    one, sheet = annotator("Ann", b"Ann slept. She woke.\n")
    project = one.call("GET", f"/api/sheets/{sheet}")["project"]["id"]
    name = one.call("GET", f"/api/sheets/{sheet}")["document"]["name"]
    document = one.call("GET", f"/api/projects/{project}/sheets")["sheets"][0]["document"]
    page, boss.allowed = boss.page, ("409 (Conflict)",)
    page.goto(f"{app.url}/projects/{project}/queue")
    page.get_by_role("button", name="Change the assignment").click()
    page.get_by_role("button", name="Release").click()
    page.locator("dialog").wait_for(state="detached")
    assert one.call("GET", f"/api/sheets/{sheet}")["lease_until"] is None
    page.get_by_label("Assign this document").fill(name)
    page.get_by_label("to whom").select_option("Ann")
    page.get_by_role("button", name="Assign", exact=True).click()
    page.get_by_text("Assigned.").wait_for()
    assert one.call("GET", f"/api/sheets/{sheet}")["lease_until"] is not None
    page.get_by_label("Assign this document").fill("nothing")
    page.get_by_role("button", name="Assign", exact=True).click()
    page.get_by_text("There is no document of that name here.").wait_for()
    app.api("POST", f"/api/documents/{document}/assign", {"name": "Ann", "deadline": 1_000_000})
    page.reload()
    page.get_by_role("cell", name="late: ").wait_for()  # in words, not by its colour alone
    day = page.get_by_label("until (if you like)")
    day.fill("2020-01-01")
    assert day.evaluate("field => field.validity.rangeUnderflow")
    page.goto(f"{app.url}/projects/{project}/documents")
    page.get_by_label(f"Select {name}").check()
    page.get_by_label("Deadline, if any").fill("2020-01-01")
    page.get_by_role("button", name="Assign to").click()
    page.get_by_text("That day has passed: choose a later deadline.").wait_for()
    done = {"id": uuid.uuid4().hex, "base": 0, "kind": "document.done", "payload": {"done": True}}
    one.call("POST", f"/api/sheets/{sheet}/events", {"client": "test", "events": [done]})
    page.get_by_label("Deadline, if any").fill("")
    page.get_by_role("button", name="Assign to").click()
    page.get_by_text("0 documents assigned to Ann. Ann has finished 1 already.").wait_for()


def test_nothing_is_wider_than_a_narrow_window(app: Any, boss: Any, annotator: Any) -> None:
    one, sheet = annotator("Ann", b"Ann slept. She woke.\n")
    project = one.call("GET", f"/api/sheets/{sheet}")["project"]["id"]
    page = boss.page
    page.set_viewport_size({"width": 400, "height": 780})
    own = f"/projects/{project}"
    paths = ("/", own, f"{own}/documents", f"{own}/people", f"{own}/queue", f"{own}/dashboard", f"{own}/export", f"{own}/settings", f"{own}/quality", f"{own}/adjudicate", "/account", "/admin", "/admin/health", "/help")  # fmt: skip
    wide = {}
    for path in paths:
        page.goto(app.url + path)
        page.locator("main h2").first.wait_for()
        page.wait_for_timeout(200)
        wide[path] = page.evaluate("document.documentElement.scrollWidth")
    assert {path: width for path, width in wide.items() if width > 400} == {}
    assert page.locator(".error").count() == 0
