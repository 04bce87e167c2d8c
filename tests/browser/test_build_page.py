"""The page of `coindex build --report` in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coindex import io
from coindex.builders import Dropped
from coindex.builders.pipeline import report
from coindex.builders.pipeline.run import BuildResult
from coindex.builders.pipeline.shard_output import BuildAccount
from coindex.report.render import render
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

pytestmark = pytest.mark.browser

TEXT = "Ann met Bea because she was late"
NAMES = (Candidate("Ann", Chars(0, 3)), Candidate("Bea", Chars(8, 11)))


def built() -> BuildResult:
    account = BuildAccount(40, 90_000, 60, 30, 30)
    for number in range(30):
        reason = ("no pronoun", "<b>a & b</b>")[number % 2]
        account.drop(Dropped(str(number), "scan", reason, "A sentence <i>of</i> its own. " * 9))
    problems = tuple(
        Problem(
            str(n), TEXT + " and later" * n, Chars(20, 23), NAMES, (n % 2,),
            ("feminine", "masculine")[n % 3 == 0], meta=(("pattern", "final"),),
        )
        for n in range(30)
    )  # fmt: skip
    return BuildResult(problems, account, (("builder", "toy"), ("input", "pages 12 sha256:00")))


def test_the_page(chromium: Any, tmp_path: Path) -> None:
    published = (("group feminine, %", 50, "table 2"), ("solvable, %", 82, "section 3"))
    page = tmp_path / "report.html"
    io.write_text(page, [render(report.report_tables(built(), published), "html")])
    view = chromium.new_page(viewport={"width": 1000, "height": 800})
    errors: list[Any] = []
    view.on("console", lambda message: errors.append(message.text))
    view.on("pageerror", lambda error: errors.append(str(error)))
    view.goto(page.as_uri())
    assert not errors
    titles = view.locator("h2").all_inner_texts()
    assert titles == ["Input", "Dropped", "Items", "Length in words"]
    assert view.locator("svg").count() == 3
    assert view.locator("b").filter(has_text="a & b").count() == 0, "text is escaped"
    row = view.locator("tr", has_text="group feminine")
    assert row.locator("td, th").all_inner_texts()[1:] == ["66.67", "50", "table 2"]
    bars = view.locator("svg").nth(1).locator("text.label").all_text_contents()
    assert bars.count("in the paper") == 1
    assert view.evaluate("document.documentElement.scrollWidth") <= 1000
    for bar in view.locator("svg rect.bar").all():
        assert bar.bounding_box()["width"] >= 0
