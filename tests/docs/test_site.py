"""The documentation site: built without a warning, read without a network, searched, accessible."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=[\"']?(?:https?:)?//")
QUESTIONS = {
    "how do I install coindex": ("first-ten-minutes", "faq", "index"),
    "does it work offline": ("faq",),
    "which languages are supported": ("faq",),
    "resolve a folder of files": ("collections", "faq"),
    "replace pronouns by names": ("resolving", "faq"),
    "character offsets": ("json-schema", "faq", "objects"),
    "use with spaCy": ("spacy", "faq"),
    "HTTP API": ("service", "annotate-api", "faq"),
    "convert CoNLL to JSON": ("formats", "faq"),
    "what is a singleton": ("glossary", "schemes", "faq", "metrics", "evaluation"),
    "what does confidence mean": ("confidence",),
    "train on my own data": ("train", "train-on-ten-documents", "faq"),
    "compare two systems significance": ("score-two-systems", "reporting", "faq"),
    "how biased is the model": ("audit", "faq", "default", "base", "models"),
    "annotate with several people": ("annotate-with-three-people", "annotate", "faq"),
    "export annotations": ("annotate-admin", "annotate-with-three-people", "annotate"),
    "build a corpus from Wikipedia": ("building", "build-a-corpus", "sources"),
    "download corpora licence": ("data", "faq"),
    "minimum spans MINA": ("minimum-spans", "papers", "glossary"),
    "notebook pandas data frame": ("notebooks",),
    "how do I score two systems": ("score-two-systems", "reporting"),
    "cpu only": ("faq", "resolving"),
    "speakers in dialogue": ("resolving", "faq"),
    "who said what in a chat": ("faq", "resolving"),
    "licence commercial use": ("licences", "faq"),
    "how to cite": ("faq", "papers"),
    "run on windows": ("faq",),
    "docker container": ("service",),
    "resume after crash": ("collections", "faq"),
    "out of memory": ("faq", "resolve-a-book"),
    "python version": ("first-ten-minutes", "faq"),
    "uninstall": ("faq",),
    "error message missing package": ("check-an-installation", "faq"),
    "report a bug": ("check-an-installation", "faq"),
    "api token authentication": ("service", "annotate-api"),
    "javascript client": ("service", "faq"),
    "model too slow": ("faq", "resolving"),
    "export to excel": ("faq", "notebooks"),
    "inter-annotator agreement": ("faq", "annotate", "annotate-with-three-people"),
    "statistical significance": ("faq", "score-two-systems", "reporting"),
}
"""Questions of newcomers, and the pages of which one must be among the first three hits."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as scripts/docs does it."""
    for name in ("mkdocs", "material"):
        pytest.importorskip(name, reason="needs the dependency group docs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout + done.stderr == "", "not a single warning"
    return folder


def pages(site: Path) -> list[Path]:
    """Those that are opened from a folder: 404.html is for servers."""
    return sorted(path for path in site.rglob("*.html") if path.name != "404.html")


def test_every_page_of_the_documentation_is_there(site: Path) -> None:
    written = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    built = {path.relative_to(site).with_suffix(".md") for path in pages(site)}
    assert written <= built
    assert {Path("models/default.md"), Path("models/base.md"), Path("project/results.md")} <= built


@pytest.mark.parametrize("section", ["tutorials", "how-to", "reference", "explanation", "models"])
def test_the_first_page_of_a_section_names_all_others(section: str) -> None:
    folder = ROOT / "docs" / section
    first = (folder / "index.md").read_text(encoding="utf-8")
    pages = [path.name for path in folder.glob("*.md") if path.name != "index.md"]
    assert [name for name in pages if f"({name}" not in first] == []


def test_no_page_names_another_server(site: Path) -> None:
    for page in pages(site):
        found = OUTSIDE.search(page.read_text(encoding="utf-8"))
        assert found is None, f"{page.name}: {found}"
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert not any(re.search(r"url\([\"']?(https?:)?//", style) for style in styles)


@pytest.fixture
def reader(chromium: Any) -> Iterator[Any]:
    """Pages of a browser without a network, in which nothing may go wrong.

    Axe reads style sheets again, which browsers refuse to it in pages from a folder.
    """
    asked: list[str] = []
    wrong: list[str] = []

    def make(**options: Any) -> Any:
        context = chromium.new_context(offline=True, **options)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("requestfailed", lambda request: failed(request.resource_type, request.url))
        page.on("console", lambda line: noted(line.type, line.text))
        return page

    def failed(kind: str, url: str) -> None:
        if kind != "xhr":
            wrong.append(url)

    def noted(kind: str, text: str) -> None:
        axe = ("XMLHttpRequest" in text and ".css" in text) or "net::ERR_FAILED" in text
        if kind == "error" and not axe:
            wrong.append(text)

    yield make
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    assert wrong == []


@pytest.mark.browser
def test_search_answers_the_questions_of_newcomers(site: Path, reader: Any) -> None:
    page = reader(viewport={"width": 1280, "height": 900})
    page.goto((site / "index.html").as_uri())
    field = page.locator("input.md-search__input")
    field.click()
    missed = {}
    for question, wanted in QUESTIONS.items():
        found = hits(page, field, question)
        if not set(found) & set(wanted):
            missed[question] = found
    assert len(QUESTIONS) == 40
    assert missed == {}


def hits(page: Any, field: Any, question: str) -> list[str]:
    """The first three pages that the search finds, by their names."""
    field.fill("")
    field.press("End")  # search reads the field when a key is released
    page.wait_for_function("() => !document.querySelector('.md-search-result__item')")
    field.fill(question)
    field.press("End")
    page.wait_for_selector(".md-search-result__item")
    items = page.locator(".md-search-result__item")
    links = [items.nth(at).locator("a").first for at in range(min(3, items.count()))]
    paths = [Path(link.get_attribute("href").split("?")[0].split("#")[0]) for link in links]
    return [path.parent.name if path.stem == "index" else path.stem for path in paths]


@pytest.mark.browser
def test_pages_are_accessible_light_and_dark_wide_and_narrow(site: Path, reader: Any) -> None:
    """By axe: each page in one of four ways; all pages with COINDEX_FULL, else one in five."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is missing"
    ).Axe()
    ways = [
        reader(viewport={"width": width, "height": 900}, color_scheme=scheme)
        for width in (1280, 390)
        for scheme in ("light", "dark")
    ]
    found = {}
    for number, path in enumerate(pages(site)[:: 1 if os.environ.get("COINDEX_FULL") else 5]):
        page = ways[number % len(ways)]
        page.goto(path.as_uri())
        if broken := axe.run(page).response["violations"]:
            name = f"{path.relative_to(site)} {number % len(ways)}"
            found[name] = [(each["id"], each["nodes"][0]["html"][:120]) for each in broken]
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{path.name} is wider than its window"
    assert found == {}
