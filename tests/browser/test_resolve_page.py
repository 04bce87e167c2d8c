"""The page of `coindex resolve --to html`, with the shipped model, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from coindex.cli import main

pytestmark = pytest.mark.browser

LETTER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "letter.txt"


def test_entities_and_how_sure_they_are(chromium: Any, tmp_path: Path) -> None:
    out = tmp_path / "letter.html"
    main(["resolve", str(LETTER), "--to", "html", "-o", str(out)])
    context = chromium.new_context(viewport={"width": 1200, "height": 700})
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(out.as_uri())
    assert "Clara Whitfield" in page.inner_text("body")
    her = page.locator(".m", has_text=re.compile(r"^her\d*$")).first
    her.hover()
    rows = page.locator("#card dt").all_inner_texts()
    values = page.locator("#card dd").all_inner_texts()
    card = dict(zip(rows, values, strict=True))
    assert card["kind"] == "pronoun"
    assert re.fullmatch(r"\d+(\.\d)? %", card["confidence"])
    assert re.fullmatch(r"\d+(\.\d)? %", card["link"])
    assert [url for url in asked if url != "data:,"] == [out.as_uri()]
