"""Suggestions: the manager's form, chains in the editor, accepting by confidence, answers to pronouns."""

from __future__ import annotations

import os
from typing import Any

import pytest

from coindex import formats
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

pytestmark = pytest.mark.browser

SHOTS = os.environ.get("COINDEX_SHOTS")
HEAD = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
GAP = f"{HEAD}\nd-1\tAnn met Bea when she left.\tshe\t17\tAnn\t0\tTRUE\tBea\t8\tFALSE\thttp://x/1\n"
BARE = Document.of(
    "d",
    [
        ["Ann", "Lee", "lost", "her", "keys", "."],
        ["She", "told", "Bo", "that", "he", "had", "them", "."],
    ],
)


def mention(start: int, end: int, confidence: float, link: float | None = None) -> Mention:
    attrs = [("confidence", str(confidence)), *([] if link is None else [("link", str(link))])]
    return Mention((Span(start, end),), attrs=tuple(attrs))


def resolved() -> Document:
    ann = Entity((mention(0, 2, 0.99), mention(3, 4, 0.98, 0.99), mention(6, 7, 0.99, 0.9)))
    keys = Entity((mention(3, 5, 0.9), mention(12, 13, 0.97, 0.6)))
    bo = Entity((mention(8, 9, 0.999), mention(10, 11, 0.99, 0.99)))
    return Document(BARE.id, BARE.text, BARE.tokens, BARE.starts, BARE.ends, BARE.sentences, entities=(ann, keys, bo))  # fmt: skip


def jsonl(document: Document) -> bytes:
    return "".join(formats.write_lines([document], "document-jsonl")).encode()


def shot(page: Any, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/annotate-{name}.png")


def chains(page: Any) -> set[frozenset[tuple[int, int]]]:
    found = page.evaluate("() => { const { state } = coindex.editor; return state.numbered().map(group => state.chain(group.id).map(one => one.spans[0])).filter(chain => chain.length); }")  # fmt: skip
    return {frozenset((start, end) for start, end in chain) for chain in found}


@pytest.fixture
def opened(annotator: Any) -> Any:
    then = [(jsonl(resolved()), "document-jsonl", "suggestions")]
    one, sheet = annotator("Ann", jsonl(BARE), "document-jsonl", then=then)
    return one.sheet(sheet)


def test_chains_are_numbered_and_light_up_together(opened: Any) -> None:
    page = opened
    assert page.locator(".m.ghost > .b").all_inner_texts() == [
        "?1",
        "?1",
        "?2",
        "?1",
        "?3",
        "?3",
        "?2",
    ]
    page.locator(".t", has_text="She").hover()
    assert page.locator(".m.ghost.over > .b").all_inner_texts() == ["?1"] * 3
    shot(page, "chain-hover")
    page.locator(".t", has_text="told").hover()
    assert page.locator(".m.ghost.over").count() == 0
    page.evaluate("() => coindex.editor.goto(8)")
    page.keyboard.press("n")
    assert page.locator("#target").inner_text().startswith("“Bo” is suggested, almost certain (99 %), in chain 3 of 2 mentions")  # fmt: skip
    assert page.locator(".m.ghost.mate").count() == 1, "the other one of its chain"
    page.keyboard.press("A")
    assert chains(page) == {frozenset({(8, 9), (10, 11)})}
    name = page.get_by_role("button", name="suggestion, chain 2: them, more likely than not (58 %)", include_hidden=True)  # fmt: skip
    assert name.count() == 1


def test_all_that_are_sure_enough_are_accepted_and_undone_at_once(opened: Any) -> None:
    page = opened
    page.keyboard.press("Alt+a")
    dialog = page.get_by_role("dialog", name="Accept suggestions")
    shown = dialog.get_by_role("button").all_inner_texts()
    assert shown == [
        "Almost certain (95 % or more): 4 suggestions", "Very likely (85 % or more): 6 suggestions",
        "Likely (70 % or more): 6 suggestions", "More likely than not (50 % or more): 7 suggestions", "Cancel",
    ]  # fmt: skip
    shot(page, "accept-sure")
    page.keyboard.press("Escape")
    assert chains(page) == set()
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Accept suggestions…").click()
    dialog.get_by_role("button", name="Almost certain").click()
    ann, bo = frozenset({(0, 2), (3, 4)}), frozenset({(8, 9), (10, 11)})
    assert chains(page) == {ann, bo}
    assert page.locator("#said").inner_text() == "4 mentions accepted"
    page.keyboard.press("Alt+a")
    dialog.get_by_role("button", name="Very likely").click()
    assert chains(page) == {ann | {(6, 7)}, bo, frozenset({(3, 5)})}, "into the chain's own group"
    page.keyboard.press("z")
    assert chains(page) == {ann, bo}
    page.keyboard.press("z")
    assert chains(page) == set()
    assert page.locator(".m.ghost").count() == 7
    page.wait_for_selector('#save[data-status="saved"]')


def test_a_manager_chooses_a_model_and_sees_what_it_does(app: Any, boss: Any) -> None:
    project = app.api("POST", "/api/projects", {"name": "Letters", "kind": "document"})["project"]["id"]  # fmt: skip
    page, boss.allowed = boss.page, ("409",)
    page.goto(f"{app.url}/projects/{project}/queue")
    form = page.locator("#suggestions")
    form.get_by_text("There are no suggestions.").wait_for()
    form.get_by_role("button", name="Make suggestions").click()
    form.get_by_role("alert").get_by_text("import some first").wait_for()
    app.api("POST", f"/api/projects/{project}/import?format=text&name=a.txt", b"Ann lost her keys. She was late.")  # fmt: skip
    assert form.get_by_label("Model").locator("option").all_inner_texts()[0] == "default model"
    form.get_by_role("button", name="Make suggestions").click()
    form.get_by_text("The default model is done:").wait_for(timeout=120_000)
    assert "in 1 document" in form.get_by_role("status").inner_text()
    shot(page, "suggestion-form")
    page.reload()
    form.get_by_text("The default model is done:").wait_for()
    assert form.get_by_role("button", name="Make them again").is_visible()
    form.get_by_role("button", name="Remove suggestions").click()
    form.get_by_text("There are no suggestions.").wait_for()


def test_a_model_answers_beside_the_choices(app: Any, boss: Any, annotator: Any) -> None:
    one, first = annotator("Ann", GAP.encode(), "gap", kind="problem")
    project = one.call("GET", f"/api/sheets/{first}")["project"]["id"]
    assert one.sheet(first).locator("#suggested").count() == 0
    page = boss.page
    page.goto(f"{app.url}/projects/{project}/queue")
    form = page.locator("#suggestions")
    form.get_by_label("Model").select_option("substitution")
    form.get_by_role("button", name="Make suggestions").click()
    form.get_by_text("is done: 1 suggestion").wait_for(timeout=120_000)
    told = one.call("GET", f"/api/sheets/{first}")["suggestion"]
    page = one.sheet(first)
    said = page.locator("#suggested").inner_text()
    assert said.startswith(f"A model would answer {told['choice']} ")
    assert said.endswith("decide yourself.")
    assert page.locator('.choice[aria-pressed="true"]').count() == 0
    shot(page, "pronoun-suggested")
