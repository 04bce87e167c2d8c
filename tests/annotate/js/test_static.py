"""What the pages load: only their own files, none forgotten, nothing inline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

APP = Path(__file__).resolve().parents[3] / "src" / "coindex" / "annotate" / "web"
STATIC, TEMPLATES = APP / "static", APP / "templates"
PAGES = sorted(TEMPLATES.glob("*.html"))
SCRIPTS = sorted(STATIC.rglob("*.js"))
_IMPORT = re.compile(r'^(?:import|export) .*?from "(\.[^"]+)"', re.MULTILINE)


def imported(path: Path) -> set[Path]:
    """A module with all it imports, whatever the depth."""
    seen: set[Path] = set()
    todo = [path]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            text = one.read_text(encoding="utf-8")
            todo += [(one.parent / name).resolve() for name in _IMPORT.findall(text)]
    return seen


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_has_nothing_inline_and_nothing_from_elsewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", text)
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", text)
    assert "|safe" not in text.replace(" ", "")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_never_makes_elements_from_text(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.startswith("// @ts-check")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text)
    assert len(text.splitlines()) < 400


def test_every_page_has_its_script() -> None:
    made = {page.stem for page in PAGES} - {"base", "adjudicate", "example"}
    assert made <= {path.stem for path in (STATIC / "pages").glob("*.js")}


def test_the_editor_asks_for_all_its_modules_at_once() -> None:
    told = set(re.findall(r'modulepreload" href="/static/([^"]+)"', (TEMPLATES / "editor.html").read_text(encoding="utf-8")))  # fmt: skip
    needed = {str(path.relative_to(STATIC)) for path in imported(STATIC / "pages" / "editor.js")}
    assert told == needed
