"""The server's disk is full while somebody annotates: the page says so, and saves when there is room."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.browser

FULL = {"error": {"code": "storage", "message": "the disk is full or cannot be written"}}


def test_work_waits_with_a_clear_message_and_is_saved_when_there_is_room(annotator: Any) -> None:
    one, sheet = annotator("Ann", b"Ann slept. She woke.\n")
    one.allowed = ("503",)
    page = one.sheet(sheet)
    page.keyboard.press("+")
    page.wait_for_selector('#save[data-status="saved"]')
    page.route(
        "**/events", lambda route: route.fulfill(status=503, content_type="application/json", body=json.dumps(FULL))
    )  # fmt: skip
    page.keyboard.press("ArrowRight")
    page.keyboard.press("+")
    page.get_by_text("The server has no room left to save your work.").wait_for()
    assert page.locator("#save").inner_text() == "not saved (1 waiting)"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("1")  # the work goes on
    assert page.locator("#save").inner_text() == "not saved (2 waiting)"
    assert len(one.call("GET", f"/api/sheets/{sheet}")["state"]["mentions"]) == 1
    page.unroute("**/events")
    page.wait_for_selector('#save[data-status="saved"]', timeout=60_000)
    assert page.get_by_text("The server has no room").count() == 0
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.evaluate("coindex.editor.state.mentions.size") == 3
