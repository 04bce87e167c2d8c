"""New passwords, the second factor, tokens, the audit log and health, as people see them."""

from __future__ import annotations

import time
from typing import Any

import pyotp
import pytest

pytestmark = pytest.mark.browser

PASSWORD = "correct horse battery"
NEW = "quite another passphrase"


def check_accessible(page: Any) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python"
    )
    found = axe.Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []


def test_an_administrator_sends_a_link_for_a_new_password(app: Any, boss: Any, annotator: Any, person: Any) -> None:  # fmt: skip
    annotator("Ann", b"Ann slept.")
    page = boss.page
    page.goto(f"{app.url}/admin")
    page.get_by_role("row", name="Ann").get_by_role("button", name="New password").click()
    link = page.get_by_label("Link", exact=True)
    link.wait_for()
    other = person("Ann again")
    other.allowed = ("422", "404")
    other.page.goto(link.input_value())
    other.page.get_by_label("New password").fill("ann1234567")
    other.page.get_by_label("Repeat the password").fill("ann1234567")
    other.page.get_by_role("button", name="Set the password").click()
    other.page.get_by_text("this password is easily guessed").wait_for()
    check_accessible(other.page)
    other.page.get_by_label("New password").fill(NEW)
    other.page.get_by_label("Repeat the password").fill(NEW)
    other.page.get_by_role("button", name="Set the password").click()
    other.page.wait_for_url(f"{app.url}/login")
    other.page.get_by_label("Name").fill("Ann")
    other.page.get_by_label("Password", exact=True).fill(NEW)
    other.page.get_by_role("button", name="Log in").click()
    other.page.wait_for_url(f"{app.url}/")
    other.page.goto(link.input_value())
    other.page.get_by_text("This link has been used or has expired").wait_for()


def test_a_second_factor_is_turned_on_and_asked_for(app: Any, boss: Any) -> None:
    page = boss.page
    boss.allowed = ("401",)
    page.goto(f"{app.url}/account")
    section = page.locator("section", has=page.get_by_role("heading", name="Second factor"))
    secret = section.locator("code").inner_text().replace(" ", "")
    phone = pyotp.TOTP(secret)
    check_accessible(page)
    section.get_by_label("Your password").fill(PASSWORD)
    section.get_by_label("Code that it shows").fill(phone.at(int(time.time()) - 30))
    section.get_by_role("button", name="Turn it on").click()
    page.get_by_text("logging in also takes the code").wait_for()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url(f"{app.url}/login")
    page.get_by_label("Name").fill("Boss")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    assert not page.get_by_label("Code of your authenticator").is_visible()
    page.get_by_role("button", name="Log in").click()
    code = page.get_by_label("Code of your authenticator")
    code.wait_for()
    code.fill("000000")
    page.keyboard.press("Enter")
    page.get_by_text("the code is wrong").wait_for()
    code.fill(phone.now())
    page.keyboard.press("Enter")
    page.wait_for_url(f"{app.url}/")


def test_a_token_gets_a_scope_and_an_end(app: Any, boss: Any) -> None:
    page = boss.page
    page.goto(f"{app.url}/account")
    page.get_by_label("What for").fill("numbers")
    page.get_by_label("It may").select_option("read")
    page.get_by_label("Days until it expires").fill("7")
    page.get_by_role("button", name="Create a token").click()
    page.get_by_text("Copy it now").wait_for()
    (made,) = (e for e in boss.call("GET", "/api/me/tokens")["tokens"] if e["name"] == "numbers")
    assert made["scope"] == "read"
    assert made["expires"] - made["created"] == 7 * 86_400_000
    page.get_by_role("row", name="numbers").get_by_text("read", exact=True).wait_for()


def test_the_log_is_read_filtered_and_taken_away(app: Any, boss: Any) -> None:
    page = boss.page
    app.api("POST", "/api/projects", {"name": "Quiz", "kind": "document"})
    page.goto(f"{app.url}/admin")
    page.get_by_text("Boss created the project “Quiz”.").wait_for()
    check_accessible(page)
    page.get_by_label("Action").select_option("account made")
    page.get_by_role("button", name="Filter").click()
    page.get_by_text("Boss created the project “Quiz”.").wait_for(state="detached")
    page.get_by_text("Boss created their account.").wait_for()
    with page.expect_download() as found:
        page.get_by_role("link", name="Export as CSV").click()
    assert "Boss created their account." in found.value.path().read_text("utf-8")
    assert "Quiz" not in found.value.path().read_text("utf-8")


def test_health_and_errors_are_pages_of_the_app(app: Any, boss: Any) -> None:
    page = boss.page
    boss.allowed = ("404",)
    page.goto(f"{app.url}/admin/health")
    page.get_by_role("cell", name="SQLite").wait_for()
    page.get_by_role("cell", name="just now").wait_for()
    page.get_by_text("none yet").wait_for()
    check_accessible(page)
    page.goto(f"{app.url}/projects/77")
    page.get_by_role("heading", name="There is nothing here").wait_for()
    check_accessible(page)
    page.get_by_role("link", name="Your projects").click()
    page.wait_for_url(f"{app.url}/")
