"""How a page of the app looks: without violations of axe, in its window, light and dark."""

from __future__ import annotations

import os
from typing import Any

import pytest

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
SHOTS = os.environ.get("COINDEX_SHOTS")


def shot(page: Any, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/annotate-{name}.png")


def violations(page: Any) -> list[tuple[str, str]]:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python"
    )
    found = axe.Axe().run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"][:300]) for each in found]


def check_looks(page: Any, name: str) -> None:
    """No violation and nothing too wide, light and dark."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(f"() => document.documentElement.dataset.theme === '{scheme}'")
        shot(page, f"{name}-{page.viewport_size['width']}-{scheme}")
        assert violations(page) == [], scheme
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
