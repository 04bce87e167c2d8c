"""Installed, and read without a connection: nothing stale, nothing lost, nothing left behind."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

from annotate_looks import check_looks

pytestmark = pytest.mark.browser

TEXT = b"Ann told Bea that she had seen her brother."
GONE = ("net::ERR", "Failed to load resource", "No connection", "Failed to fetch")
COPIES = "async () => (await (await caches.open('coindex-pages')).keys()).map((one) => new URL(one.url).pathname).sort()"


def opened(annotator: Any, **options: Any) -> tuple[Any, Any, int]:
    one, sheet = annotator("Ann", TEXT, service_workers="allow", **options)
    one.allowed = GONE
    page = one.sheet(sheet)
    page.evaluate("async () => { await navigator.serviceWorker.ready; }")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    return one, page, sheet


def copied(page: Any) -> None:
    page.wait_for_selector('#save[data-status="saved"]')
    page.evaluate("async () => { await coindexCopy(); }")


def mentions(page: Any) -> int:
    return int(page.evaluate("coindex.editor.state.mentions.size"))


@pytest.mark.parametrize("width", [390, 1280])
def test_a_document_is_read_without_a_server_and_unsent_work_is_there(
    annotator: Any, app: Any, width: int
) -> None:
    one, page, sheet = opened(annotator, viewport={"width": width, "height": 800})
    page.keyboard.press("+")
    copied(page)
    app.kill()
    for key in ("ArrowRight", "ArrowRight", "+"):
        page.keyboard.press(key)
    page.wait_for_selector('#save[data-status="offline"]')
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.get_by_text("You are offline.").wait_for()
    assert page.locator("#save").inner_text().startswith("offline")
    assert "one change of yours that is not sent yet" in page.locator("#banner").inner_text()
    assert mentions(page) == 2, "the copy, and what is not sent yet"
    page.keyboard.press("+")
    assert "You can read this, not change it." in page.locator("#said").text_content()
    assert mentions(page) == 2
    check_looks(page, "offline")
    page.goto(app.url)
    page.get_by_role("heading", name="You are offline").wait_for()
    check_looks(page, "offline-list")
    page.get_by_role("link", name="file").click()
    page.wait_for_selector("body[data-ready]")
    app.start()
    page.wait_for_selector('#save[data-status="saved"]')
    page.get_by_text("You are offline.").wait_for(state="detached")
    page.wait_for_function("() => globalThis.coindex?.editor.editable")
    assert mentions(page) == 2
    state = one.call("GET", f"/api/sheets/{sheet}")["state"]
    assert len(state["mentions"]) == 2, "sent when there was a connection"


def test_nothing_stale_is_shown_with_a_connection(annotator: Any, app: Any) -> None:
    one, page, sheet = opened(annotator)
    page.keyboard.press("+")
    copied(page)
    other = one.sheet(sheet, one.tab())
    for key in ("ArrowRight", "ArrowRight", "+"):
        other.keyboard.press(key)
    other.wait_for_selector('#save[data-status="saved"]')
    page = one.sheet(sheet)
    assert mentions(page) == 2
    assert page.get_by_text("You are offline.").count() == 0
    stored = page.evaluate(
        "async () => (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map((one) => one.url)))).flat()"
    )
    assert not [url for url in stored if "/api/" in url], "answers of the API are never stored"


def test_logging_out_deletes_the_copies_and_no_unsent_work(annotator: Any, app: Any) -> None:
    _, page, sheet = opened(annotator)
    copied(page)
    assert page.evaluate(COPIES) == [f"/offline/copies/{sheet}", f"/sheets/{sheet}"]
    page.evaluate("localStorage.setItem('coindex.outbox/77/1/x', '{}')")
    page.goto(app.url)
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login*")
    assert page.evaluate(COPIES) == []
    assert page.evaluate("localStorage.getItem('coindex.outbox/77/1/x')") == "{}"
    app.kill()
    page.goto(f"{app.url}/sheets/{sheet}")
    page.get_by_role("heading", name="You are offline").wait_for()
    assert page.get_by_role("link", name="file").count() == 0


def test_the_app_can_be_installed(app: Any, boss: Any) -> None:
    page = boss.page
    page.goto(app.url)
    path = page.locator('link[rel="manifest"]').get_attribute("href")
    with urllib.request.urlopen(app.url + path) as answer:
        assert answer.headers["Content-Type"].startswith("application/manifest+json")
        manifest = json.load(answer)
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    for icon in manifest["icons"]:
        with urllib.request.urlopen(app.url + icon["src"]) as answer:
            assert answer.headers["Content-Type"] == icon["type"]
    session = page.context.new_cdp_session(page)
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [each["errorId"] for each in errors if each["errorId"] != "in-incognito"] == []
    assert session.send("Page.getAppManifest")["errors"] == []
