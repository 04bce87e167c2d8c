"""The page of `coindex bench --html` in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench_samples import problem
from coindex import io
from coindex.benchmarks.builtin import gap
from coindex.evaluate import report
from coindex.evaluate.results import BenchmarkResult, BenchRun, SystemResult
from coindex.types.decision import Decision, match_decisions

pytestmark = pytest.mark.browser

ITEMS = tuple(
    problem(f"p{n}", (n % 2,) if n % 5 else (), group="feminine" if n % 3 else "masculine")
    for n in range(30)
)


def cell(system: str, *decisions: Decision) -> SystemResult:
    matched = match_decisions(ITEMS, decisions)
    figures = gap.score(matched, 100, 1)
    return SystemResult(
        "gap", "development", system, "resolver", "given", "snippet", matched, figures, "gap|x"
    )


def run() -> BenchRun:
    first = cell("first", *(Decision(each.id, (0,)) for each in ITEMS))
    some = cell(
        "<some> & few", *(Decision(each.id, (1,) if each.id > "p2" else ()) for each in ITEMS)
    )
    table = BenchmarkResult("gap", "development", gap, ITEMS, (first, some))  # type: ignore[arg-type]
    return BenchRun((table,), (), 100, 1)


@pytest.fixture(params=["light", "dark"])
def page(
    chromium: Any, browsers: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Any]:
    """The page; afterwards nothing may have gone wrong or online."""
    path = tmp_path / "page.html"
    io.write_text(path, [report.page(run())])
    context = chromium.new_context(
        viewport={"width": 1200, "height": 800}, color_scheme=request.param
    )
    found, wrong = context.new_page(), []
    found.on("console", lambda message: wrong.append(f"console: {message.text}"))
    found.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    found.on("request", lambda request: wrong.append(request.url))
    found.goto(path.as_uri())
    yield found
    browsers.tidy()
    assert [line for line in wrong if line not in ("data:,", path.as_uri())] == []


def colour(page: Any, selector: str, name: str) -> str:
    script = "([one, name]) => getComputedStyle(document.querySelector(one))[name]"
    found: str = page.evaluate(script, [selector, name])
    return found


def test_the_figure_can_be_read_and_heard(page: Any) -> None:
    figure = page.get_by_role("img", name="Precision and recall on gap development, by gender")
    assert figure.is_visible()
    assert page.locator("figure.pr circle").count() == 4
    assert page.locator("figure.pr text", has_text="<some> & few").is_visible()
    description = page.locator("figure.pr desc").text_content()
    assert "first: overall precision 40.0, recall 50.0" in description
    # the numbers stand on white discs, in light and in dark
    assert colour(page, "figure.pr circle + g text", "fill") == "rgb(0, 0, 0)"
    ink, paper = (
        colour(page, "figure.pr > svg > text", "fill"),
        colour(page, "html", "background-color"),
    )
    assert ink != paper


def test_hard_items_are_marked(page: Any) -> None:
    items = page.locator("section.hard li")
    assert items.count() > 0
    assert page.locator("section.hard li mark").first.inner_text() == "she"
    assert "solid" in colour(page, "section.hard b.right", "textDecorationStyle")
    assert "dotted" in colour(page, "section.hard b:not(.right)", "textDecorationStyle")
    assert colour(page, "section.hard mark", "backgroundColor") != "rgb(255, 255, 0)", "our style"


def test_nothing_is_wider_than_the_page(page: Any) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 1200
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
