"""What people stumbled over: words on pages, and comments that were lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

TEXT = b"Ann told Bea that she had seen her brother."


def test_an_administrator_without_a_project_is_shown_how_to_start_one(app: Any, boss: Any) -> None:
    boss.page.goto(app.url)
    boss.page.get_by_text("None yet: start one below.").wait_for()
    assert boss.page.get_by_text("A manager can send you a link").count() == 0


def test_an_import_says_how_many_in_words(app: Any, boss: Any, tmp_path: Path) -> None:
    project = app.api("POST", "/api/projects", {"name": "P", "kind": "document"})["project"]["id"]
    boss.page.goto(f"{app.url}/projects/{project}/documents")
    path = tmp_path / "A letter.txt"
    path.write_bytes(TEXT)
    boss.page.get_by_label("Files", exact=True).first.set_input_files(str(path))
    boss.page.get_by_role("button", name="Import").click()
    boss.page.get_by_text("Imported 1 document.").wait_for()
    boss.page.get_by_role("button", name="A letter", exact=True).wait_for()
    assert boss.page.get_by_text("1 documents").count() == 0
    assert boss.page.get_by_role("button", name="A letter", exact=True).count() == 1


def test_who_has_not_passed_the_training_is_told_so_after_the_last_document(
    app: Any, annotator: Any
) -> None:
    gold = {
        "doc_key": "t",
        "sentences": [["Ann", "saw", "her", "."]],
        "clusters": [[[0, 0], [2, 2]]],
    }
    one, sheet = annotator("Ann", json.dumps(gold).encode(), "jsonlines", purpose="training")
    app.api("PATCH", "/api/projects/1", {"settings": {"training_score": 80}})
    app.api("POST", "/api/projects/1/import?format=text&name=more", TEXT)
    page = one.sheet(sheet)
    page.get_by_role("button", name="Done").click()
    page.locator("dialog").get_by_role("button", name="Done").click()  # though nothing is marked
    page.get_by_role("button", name="Next document").click()
    page.get_by_text("Your training documents agree with gold by 0 of 100").wait_for()
    assert page.get_by_text("are done: thank you").count() == 0


def test_escape_asks_before_it_discards_a_comment(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    page.get_by_role("button", name="Comment", exact=True).click()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.keyboard.type("a thought")
    page.keyboard.press("Escape")
    page.get_by_text("What you have written is not saved").wait_for()
    page.keyboard.press("Escape")
    field = page.get_by_role("textbox", name="Comment (Ctrl Enter saves)")
    assert field.input_value() == "a thought"
    page.keyboard.press("Control+Enter")
    page.wait_for_selector('#save[data-status="saved"]')
    assert page.evaluate("coindex.live.session.state.about.note") == "a thought"
    page.get_by_role("button", name="Comment", exact=True).click()
    page.keyboard.type("another")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Discard").click()
    page.locator("dialog").first.wait_for(state="detached")
    assert page.evaluate("coindex.live.session.state.about.note") == "a thought"


def test_an_undo_says_what_it_undid_and_enter_confirms(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    said = page.locator("#said")
    page.keyboard.press("+")
    page.keyboard.press("z")
    page.wait_for_function("() => document.getElementById('said').textContent.startsWith('undone')")
    assert said.inner_text() == "undone: “Ann” marked"
    page.keyboard.press("Z")
    page.wait_for_function(
        "() => document.getElementById('said').textContent.startsWith('done again')"
    )
    assert said.inner_text() == "done again: “Ann” marked"
    page.keyboard.press("z")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Nothing is marked in this document").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("Done. Continue with the next document?").wait_for()
    assert page.evaluate("coindex.live.session.state.about.done") is True
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")


def test_theme_and_text_size_are_chosen_and_stay(app: Any, boss: Any) -> None:
    page = boss.page
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    size = "getComputedStyle(document.documentElement).fontSize"
    page.goto(f"{app.url}/account")
    page.get_by_label("Theme").select_option("dark")
    page.get_by_label("Text size").select_option("130")
    assert page.evaluate(colour) == "rgb(20, 23, 28)"
    page.goto(app.url)
    assert (page.evaluate(colour), page.evaluate(size)) == ("rgb(20, 23, 28)", "20.8px")
    page.goto(f"{app.url}/account")
    page.get_by_label("Theme").select_option("auto")
    page.emulate_media(color_scheme="light")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"() => {colour} === 'rgb(20, 23, 28)'")


CONLL = b"""#begin document (d); part 000
d\t0\t0\tAnn\tNNP\t*\t-\t-\t-\t-\t*\t-
d\t0\t1\t-LRB-\t-LRB-\t*\t-\t-\t-\t-\t*\t-
d\t0\t2\t30\tCD\t*\t-\t-\t-\t-\t*\t-
d\t0\t3\t-RRB-\t-RRB-\t*\t-\t-\t-\t-\t*\t-
d\t0\t4\t,\t,\t*\t-\t-\t-\t-\t*\t-
d\t0\t5\tslept\tVBD\t*\t-\t-\t-\t-\t*\t-
d\t0\t6\t.\t.\t*\t-\t-\t-\t-\t*\t-

#end document
"""


def test_a_text_of_tokens_is_shown_as_people_write(annotator: Any) -> None:
    one, sheet = annotator("Ann", CONLL, "conll2012")
    page = one.sheet(sheet)
    assert page.locator("#text").inner_text().strip() == "Ann (30), slept."
    page.keyboard.press("+")
    page.wait_for_selector('#save[data-status="saved"]')
    state = one.call("GET", f"/api/sheets/{sheet}")
    assert [each["spans"] for each in state["state"]["mentions"].values()] == [[[0, 1]]]
    assert "-LRB-" in state["document"]["text"]


def test_a_badge_is_never_alone_on_a_line(annotator: Any) -> None:
    words = " ".join("the well-known-" for _ in range(60))
    one, sheet = annotator("Ann", words.encode())
    page = one.sheet(sheet)
    page.evaluate(
        """async () => {
          const { editor } = coindex;
          for (let at = 0; at < editor.text.size; at += 1) {
            editor.goto(at);
            await editor.commands.new();
          }
        }"""
    )
    alone = """() => [...document.querySelectorAll("#text .b")].filter((badge) => {
      const word = badge.previousElementSibling?.matches(".t, .m") ? badge.previousElementSibling : null;
      const box = word && [...word.getClientRects()].at(-1);
      return box && badge.getBoundingClientRect().top > box.bottom;
    }).length"""
    for width in range(620, 1000, 20):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate(alone) == 0, width


def test_an_export_says_what_is_left_out_and_why_there_is_nothing(app: Any, boss: Any) -> None:
    project = app.api("POST", "/api/projects", {"name": "P", "kind": "document"})["project"]["id"]
    app.api("POST", f"/api/projects/{project}/import?format=text&name=file", TEXT)
    page = boss.page
    page.goto(f"{app.url}/projects/{project}/export")
    export = page.locator("section", has=page.get_by_role("heading", name="Export"))
    export.get_by_role("link", name="Export").click()
    page.get_by_text("There is nothing to export.").wait_for()
    page.get_by_text("1 left out: no gold yet").wait_for()
    page.get_by_label("What").select_option("documents")
    with page.expect_download() as found:
        export.get_by_role("link", name="Export").click()
    assert found.value.suggested_filename == "documents.jsonl"
    page.get_by_text("Exported 1 document to documents.jsonl.").wait_for()
