"""The page of `coindex audit --html` in a real browser: both themes, phone and desktop, axe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit_samples import Stereotyped, questions
from coindex import io
from coindex.audit.report import audit_page
from coindex.audit.run import Audit, AuditOptions, run_audit
from coindex.audit.subject import ResolverSubject

pytestmark = pytest.mark.browser

OPTIONS = AuditOptions(corpora=False, resamples=200)


@pytest.fixture(scope="module")
def audit() -> Audit:
    """The audit of a resolver that follows stereotypes, without corpora."""
    subject = ResolverSubject("<some> & few")
    subject._loaded.append(Stereotyped(questions(OPTIONS)))
    return run_audit(subject, OPTIONS)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_and_axe_has_nothing_to_say(
    chromium: Any, browsers: Any, tmp_path: Path, audit: Audit, width: int, theme: str
) -> None:
    base = pytest.importorskip("axe_playwright_python.base", reason="axe-playwright-python")
    script = Path(base.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    path = tmp_path / "audit.html"
    io.write_text(path, [audit_page(audit)])
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=theme)
    page, wrong = context.new_page(), []
    page.on("console", lambda message: wrong.append(f"console: {message.text}"))
    page.on("request", lambda request: wrong.append(request.url))
    page.goto(path.as_uri())
    assert [line for line in wrong if line not in ("data:,", path.as_uri())] == []
    assert page.get_by_role("heading", name="Audit of <some> & few").is_visible()
    assert page.locator(".verdict.fail").first.inner_text() == "fail"
    assert page.locator("figure svg").count() == len(audit.entries)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(script)
    # the sections and scrolling tables of all report pages have the same labels
    rules = "{rules: {'landmark-unique': {enabled: false}}}"
    found = page.evaluate(f"axe.run(document, {rules})")["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:120]) for each in found] == []
    browsers.tidy()
