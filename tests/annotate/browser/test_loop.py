"""The whole loop: two annotators, an adjudicator and a manager, from import to exported gold."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coindex import formats
from coindex.types.document import Document

pytestmark = pytest.mark.browser

LETTER = Path(__file__).resolve().parents[3] / "docs" / "examples" / "letter.conll"
SHOTS = os.environ.get("COINDEX_SHOTS")


def shot(page: Any, name: str) -> None:
    """A picture for the guide, where COINDEX_SHOTS names a folder."""
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/annotate-{name}.png")


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def saved(page: Any) -> None:
    page.wait_for_selector('#save[data-status="saved"]')


def select(page: Any, words: str) -> None:
    """Go to the next place of these words with the keyboard's own means."""
    page.evaluate(
        """words => {
            const { editor } = coindex, wanted = words.split(" ");
            const at = editor.text.words.findIndex((_, at) => wanted.every((word, n) => editor.text.words[at + n] === word)
                && !editor.state.at([[at, at + wanted.length]]));
            editor.selectRange(at, at + wanted.length - 1);
        }""",
        words,
    )


def test_from_import_to_exported_gold(
    app: Any, boss: Any, person: Callable[..., Any], tmp_path: Path
) -> None:
    # the manager makes a project and imports a text, by the page
    page = boss.page
    page.goto(app.url)
    page.get_by_label("Name", exact=True).fill("Letters")
    page.get_by_role("button", name="New project").click()
    page.wait_for_url("**/documents")
    project = int(page.url.split("/")[-2])
    page.get_by_label("Files", exact=True).first.set_input_files(LETTER)
    page.get_by_label("These are").select_option("work")
    page.get_by_role("button", name="Import").click()
    page.get_by_text("Imported 1 document").wait_for()
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Annotators per document").fill("2")
    page.get_by_role("button", name="Save settings").click()
    page.get_by_text("Saved.").wait_for()
    shot(page, "settings")
    page.get_by_role("link", name="People").click()
    links: list[str] = []
    for role in ("annotator", "annotator", "adjudicator"):
        page.get_by_label("Invite as").select_option(role)
        page.get_by_role("button", name="Create a link").click()
        field = page.get_by_label("Link", exact=True)
        field.wait_for()
        page.wait_for_function(
            "old => document.querySelector('[aria-label=Link]').value !== old",
            arg=links[-1] if links else "",
        )
        links.append(field.input_value())

    # two annotators, who differ on one mention and on one group
    for name, link in zip(("Ann", "Bob"), links, strict=False):
        one = person(name)
        one.register(link)
        one.page.goto(f"{app.url}/projects/{project}")
        one.page.get_by_role("button", name="Next document").click()
        one.page.wait_for_selector("body[data-ready]")
        editor = one.page
        assert "the next in the order of import" in editor.locator("#banner").inner_text()
        for words, key in (("Clara Whitfield", "+"), ("who", "1"), ("Tom", "+"), ("her", "1")):
            select(editor, words)
            press(editor, key)
        select(editor, "him")
        press(editor, "2" if name == "Ann" else "1")
        if name == "Ann":
            select(editor, "Monday")
            press(editor, "+")
        saved(editor)
        editor.get_by_role("button", name="Done").click()
        editor.get_by_role("button", name="Next document").click()
        editor.wait_for_url(f"**/projects/{project}")
        editor.get_by_text("done", exact=True).first.wait_for()
        shot(editor, f"project-{name}")

    # the manager sees the agreement
    page.goto(f"{app.url}/projects/{project}/quality")
    page.get_by_text("Between annotators").wait_for()
    assert page.locator(".matrix tbody tr").count() == 2
    shot(page, "agreement")

    # the adjudicator decides
    judge = person("Judge")
    judge.register(links[2])
    view = judge.page
    view.goto(f"{app.url}/projects/{project}/adjudicate")
    view.get_by_role("button", name="Adjudicate").click()
    view.wait_for_selector("body[data-ready]")
    shot(view, "adjudicate")
    assert "Ann" not in view.locator("#review").inner_text(), "names are hidden"
    for _ in range(20):
        if view.get_by_text("All decided.").count():
            break
        press(view, "Alt+1")
        view.wait_for_timeout(100)
    assert view.get_by_text("All decided.").is_visible()
    view.get_by_role("button", name="Show who they are").click()
    view.get_by_role("button", name="Show names").click()
    view.get_by_text("Ann", exact=False).first.wait_for()
    saved(view)
    view.get_by_role("button", name="Done").click()
    view.wait_for_url("**/adjudicate")
    view.get_by_text("done", exact=True).first.wait_for()

    # the manager exports gold
    page.goto(f"{app.url}/projects/{project}/queue")
    page.get_by_text("adjudication").first.wait_for()
    shot(page, "manage")
    page.get_by_role("link", name="Export").click()
    export = page.locator("section", has=page.get_by_role("heading", name="Export"))
    export.wait_for()
    export.locator("select").first.select_option("gold")
    export.locator("select").last.select_option("conll2012")
    with page.expect_download() as found:
        export.get_by_role("link", name="Export").click()
    path = tmp_path / "gold.conll"
    found.value.save_as(path)
    (gold,) = formats.read(path, format="conll2012")
    assert isinstance(gold, Document)
    texts = [[" ".join(gold.tokens[m.start : m.end]) for m in e.mentions] for e in gold.entities]
    assert ["Clara Whitfield", "who", "her"] in [chain[:3] for chain in texts]
    assert sum(len(chain) for chain in texts) >= 5


def test_an_adjudication_is_handed_over(
    app: Any, boss: Any, person: Callable[..., Any], tmp_path: Path
) -> None:
    project = app.api("POST", "/api/projects", {"name": "Letters", "kind": "document"})["project"]["id"]  # fmt: skip
    base = f"/api/projects/{project}"
    app.api("POST", f"{base}/import?format=conll2012&name=letter", LETTER.read_bytes())
    people = {}
    for name, role in (("Ann", "annotator"), ("Bob", "annotator"), ("Jo", "adjudicator"), ("Kim", "adjudicator")):  # fmt: skip
        people[name] = person(name)
        people[name].register(app.url + app.api("POST", f"{base}/invitations", {"role": role})["link"])  # fmt: skip
    for name, start in (("Ann", 0), ("Bob", 1)):
        one = people[name]
        sheet = one.call("POST", f"{base}/next", {})["sheet"]
        new = {"mention": "m", "spans": [[start, start + 1]], "group": "g", "new_group": {"id": "g", "name": ""}}  # fmt: skip
        events = [{"id": f"{name}-1", "base": 0, "kind": "mention.add", "payload": new, "at": 0},
                  {"id": f"{name}-2", "base": 0, "kind": "document.done", "payload": {"done": True}, "at": 0}]  # fmt: skip
        one.call("POST", f"/api/sheets/{sheet}/events", {"client": "t", "events": events})
    jo, kim = people["Jo"].page, people["Kim"].page
    jo.goto(f"{app.url}/projects/{project}/adjudicate")
    jo.get_by_role("button", name="Adjudicate").click()
    jo.wait_for_selector("body[data-ready]")
    press(jo, "Alt+1")
    saved(jo)
    # Kim may look, and take over when a manager has released it; what Jo decided is there.
    kim.goto(f"{app.url}/projects/{project}/adjudicate")
    kim.get_by_text("Jo, until").wait_for()
    kim.get_by_role("button", name="View").click()
    kim.get_by_text("You are reading the work of someone else").wait_for()
    boss.page.goto(f"{app.url}/projects/{project}/adjudicate")
    boss.page.get_by_role("button", name="Release").wait_for()
    shot(boss.page, "queue")
    boss.page.get_by_role("button", name="Release").click()
    boss.page.get_by_role("button", name="Take over").wait_for()
    kim.goto(f"{app.url}/projects/{project}/adjudicate")
    kim.get_by_role("button", name="Take over").click()
    kim.wait_for_selector("body[data-ready]")
    assert kim.get_by_text("You are reading the work of someone else").count() == 0
    press(kim, "Alt+1")
    kim.get_by_text("All decided.").wait_for()
    saved(kim)
    # Jo's page is told at the next action, and loses nothing of it.
    people["Jo"].allowed = ("403",)
    press(jo, "F")
    jo.wait_for_selector('#save[data-status="stuck"]')
    assert "somebody else's" in jo.locator("#banner").inner_text()
    kim.get_by_role("button", name="Done").click()
    kim.wait_for_url("**/adjudicate")
    kim.get_by_text("done", exact=True).first.wait_for()
