"""docs/tutorials/annotate-with-three-people.md, done by three browsers, step by step as it stands.

Every numbered step of the page is read and carried out; one that is not understood fails.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from coindex import formats
from coindex.types.document import Document

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "tutorials" / "annotate-with-three-people.md"
SECTION = re.compile(r"^## \d+\. (.+)$", re.MULTILINE)
STEP = re.compile(r"^\d+\. (.+)\.$", re.MULTILINE)
SELECT = """words => {
    const { editor } = coindex, wanted = words.split(" ");
    const at = editor.text.words.findIndex((_, at) =>
        wanted.every((word, n) => editor.text.words[at + n] === word)
        && !editor.state.at([[at, at + wanted.length]]));
    editor.selectRange(at, at + wanted.length - 1);
}"""
LINK = (
    "old => ![undefined, '', ...old].includes(document.querySelector('[aria-label=Link]')?.value)"
)


class Reader:
    """Does what the steps of a section say, in one person's browser."""

    def __init__(self, page: Any, url: str, links: dict[str, str]) -> None:
        self.page, self.url, self.links = page, url, links
        self.steps: list[tuple[str, Callable[..., None]]] = [
            (r"Enter `(.+)` in \*\*(.+)\*\*", self.enter),
            (r"Choose `(.+)` in \*\*(.+)\*\*", self.choose),
            (r"Upload `(.+)`", self.upload),
            (r"Wait for \"(.+)\"", self.wait),
            (r"Send the link to (\w+)", self.send),
            (r"Open the project \*\*(.+)\*\*", self.open_project),
            (r"Open \*\*(.+)\*\*", self.follow),
            (r"Click \*\*Done\*\*", self.done),
            (r"Click \*\*(.+)\*\*", self.click),
            (r"Select \"(.+)\" and press `(.)`", self.mark),
            (r"Press `(.+)` until \"(.+)\" is shown", self.press_until),
        ]

    def do(self, step: str) -> None:
        for pattern, action in self.steps:
            if match := re.fullmatch(pattern, step):
                action(*match.groups())
                return
        pytest.fail(f"a step that nobody can follow: {step}")

    def labelled(self, label: str) -> Any:
        """The field with this label, or else the first whose label begins so."""
        begins = self.page.get_by_label(re.compile(f"^{re.escape(label)}"))
        begins.first.wait_for()
        exact = self.page.get_by_label(label, exact=True)
        return exact.first if exact.count() else begins.first

    def enter(self, value: str, label: str) -> None:
        self.labelled(label).fill(value)

    def choose(self, value: str, label: str) -> None:
        self.labelled(label).select_option(value)

    def upload(self, path: str) -> None:
        self.page.locator("input[type=file]").first.wait_for(state="attached")
        self.page.set_input_files("input[type=file]", ROOT / path)

    def wait(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for()

    def send(self, name: str) -> None:
        self.page.wait_for_function(LINK, arg=list(self.links.values()))
        self.links[name] = self.page.get_by_label("Link", exact=True).input_value()

    def open_project(self, name: str) -> None:
        self.page.goto(self.url)
        self.page.get_by_role("link", name=name).first.click()

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def click(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def mark(self, words: str, key: str) -> None:
        self.page.wait_for_selector("body[data-ready]")
        self.page.evaluate(SELECT, words)
        self.page.keyboard.press(key)

    def press_until(self, key: str, text: str) -> None:
        self.page.wait_for_selector("body[data-ready]")
        for _ in range(30):
            if self.page.get_by_text(text).count():
                return
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(100)
        pytest.fail(f"{text} was never shown")

    def done(self) -> None:
        self.page.wait_for_selector('#save[data-status="saved"]')
        self.page.get_by_role("button", name="Done").click()
        self.page.wait_for_function(
            "() => /adjudicate$/.test(location.pathname) && !/sheets/.test(location.pathname)"
            " || [...document.querySelectorAll('button')].some(b => b.textContent === 'Next document')"
        )


def sections() -> Iterator[tuple[str, list[str]]]:
    """The numbered sections of the page, with their steps."""
    _, *parts = SECTION.split(PAGE.read_text(encoding="utf-8"))
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        yield title, STEP.findall(body)


def test_three_people_reach_the_result(
    app: Any, person: Callable[..., Any], tmp_path: Path
) -> None:
    links: dict[str, str] = {}
    sam = person("Sam")
    sam.page.goto(app.link)
    followed = 0
    for title, steps in sections():
        one = sam
        if ": " in title:  # such as "Annotate: Ann"
            one = person(title.split(": ")[1])
            one.register(links[one.name])
        reader = Reader(one.page, app.url, links)
        for step in steps:
            reader.do(step)
            followed += 1
    assert followed > 30
    assert sorted(links) == ["Ann", "Bob", "Jo"]
    exported(app, tmp_path)


def exported(app: Any, folder: Path) -> None:
    """The commands of the last section, and what they leave behind."""
    (script,) = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    database = str(app.folder / "app.db")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PATH": path, "COINDEX_ANNOTATE_DATABASE": database},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (gold,) = formats.read(folder / "gold.conll")
    assert isinstance(gold, Document)
    chains = [[gold.text_of(mention) for mention in entity.mentions] for entity in gold.entities]
    assert ["Clara Whitfield", "who", "her"] in [chain[:3] for chain in chains]
    assert any("Tom" in chain for chain in chains)
    _, *work = formats.read(folder / "everything.jsonl")  # the first is the document itself
    people = [re.findall(r'"user": "(\w+)"', str(item.meta)) for item in work]
    assert sorted(names[-1] for names in people) == ["Ann", "Bob", "Jo"]
