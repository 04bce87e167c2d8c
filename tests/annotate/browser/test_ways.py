"""Every key has a button and every button a key; the whole loop by each way gives the same gold."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from annotate_hands import Keyboard, Mouse, Touch
from annotate_looks import PHONE, WIDE, check_looks

pytestmark = pytest.mark.browser

TEXT = b"Ann told Bea that she had seen her brother in York. They left early."
COMMANDS = "async () => (await import('/static/core/keymap.js')).COMMANDS"
SPY = """async () => {
  globalThis.calls = [];
  for (const { id } of (await import('/static/core/keymap.js')).COMMANDS) coindex.editor.commands[id] = () => calls.push(id);
}"""
KINDS = "async () => (await import('/static/core/event_words.js')).EVENT_KINDS"


def for_playwright(key: str) -> str:
    return key.replace("Ctrl+", "Control+")


def test_every_key_has_a_menu_item_that_does_the_same(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    commands = page.evaluate(COMMANDS)
    page.evaluate(SPY)
    assert len(commands) > 50
    for each in commands:
        for key in each["keys"]:
            page.keyboard.press(for_playwright(key))
            assert page.evaluate("calls.pop()") == each["id"], key
    for each in commands:
        page.get_by_role("button", name="More", exact=True).click()
        page.get_by_role("button", name="All actions").click()
        page.locator(f'dialog [data-command="{each["id"]}"]').click()
        assert page.evaluate("calls.pop()") == each["id"]
    keys = [key for each in commands for key in each["keys"]]
    assert len(keys) == len(set(keys)), "no key means two things"


SUGGESTED = {
    "coindex": "document", "version": 1, "id": "file", "text": TEXT.decode(), "tokens": [],
    "entities": [{"mentions": [{"spans": [[12, 13]]}]}],
}  # fmt: skip


def suggested() -> bytes:
    """A suggestion of "They"."""
    text, tokens, starts, at = TEXT.decode(), [], [], 0
    for word in text.replace(".", " .").split():
        at = text.index(word, at)
        tokens.append(word)
        starts.append(at)
        at += len(word)
    ends = [start + len(word) for start, word in zip(starts, tokens, strict=True)]
    values = {"tokens": tokens, "starts": starts, "ends": ends, "sentences": [0, 12]}
    return json.dumps({**SUGGESTED, **values}).encode()


def test_every_button_has_a_key(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT, then=[(suggested(), "document-jsonl", "suggestions")])
    page = one.sheet(sheet)
    known = {each["id"]: each["keys"] for each in page.evaluate(COMMANDS)} | {"group": ["1"]}
    hand = Mouse(page)
    seen: set[str] = set()

    def buttons() -> None:
        for button in page.locator(".toolbar button").all():
            command = button.get_attribute("data-command")
            assert known.get(command or ""), button.inner_text()
            seen.add(str(command))

    hand.tap(0)
    buttons()
    hand.press("New group")
    buttons()
    hand.tap(2)
    hand.press("New group")
    buttons()
    hand.press("Choose several")
    hand.tap(0)
    buttons()
    hand.press("Choose several")
    hand.tap(12)
    buttons()
    assert {"accept", "dismiss", "new", "also-find", "remove", "pick", "group"} <= seen
    for button in page.locator("header button").all():
        command = button.get_attribute("data-command")
        menu = button.get_attribute("id") in ("more", "help")  # opened by Tab and Enter
        assert menu or known.get(command or ""), button.inner_text()


def test_the_menus_look_well(annotator: Any) -> None:
    for number, window in enumerate((PHONE, WIDE)):
        one, sheet = annotator(f"Ann {number}", TEXT, **window)
        page = one.sheet(sheet)
        page.get_by_role("button", name="Help", exact=True).click()
        check_looks(page, "menu-help")
        page.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="More", exact=True).click()
        page.get_by_role("button", name="All actions").click()
        check_looks(page, "menu-actions")


def test_every_kind_of_event_has_words(annotator: Any) -> None:
    from coindex.annotate.store.actions import ACTIONS

    one, sheet = annotator("Ann", TEXT)
    assert set(one.sheet(sheet).evaluate(KINDS)) == {*ACTIONS, "undo", "redo"}


GOLD = [[[0, 1], [4, 5], [7, 8], [12, 13]], [[2, 3], [12, 13]], [[7, 9]]]
MENTIONS = 6


def annotate(hand: Any, she: str, brother: bool) -> None:
    """Mark the text; annotators differ on whom "she" means, and on a mention."""
    hand.mark(0, 0, None)
    hand.mark(2, 2, None)
    hand.mark(4, 4, she)
    if brother:
        hand.mark(7, 8, None)
    hand.mark(7, 7, "1, Ann")
    hand.mark(12, 12, "1, Ann")
    hand.also("Bea")


@pytest.mark.parametrize("way", [Mouse, Keyboard, Touch], ids=["mouse", "keyboard", "touch"])
def test_the_whole_loop_gives_the_same_gold(
    app: Any, boss: Any, person: Callable[..., Any], way: type[Mouse]
) -> None:
    project = app.api("POST", "/api/projects", {"name": "Loop", "kind": "document", "settings": {"annotators": 2}})["project"]["id"]  # fmt: skip
    base = f"/api/projects/{project}"
    app.api("POST", f"{base}/import?format=text&name=file", TEXT)
    spent, actions = 0.0, 0
    for name, she, brother in (("Ann", "1, Ann", True), ("Bob", "2, Bea", False)):
        one = person(name, **way.options)
        one.register(app.url + app.api("POST", f"{base}/invitations", {"role": "annotator"})["link"])  # fmt: skip
        page = one.page
        hand = way(page)
        page.wait_for_url(f"**/projects/{project}")
        hand.activate("button", "Next document")
        page.wait_for_selector("body[data-ready]")
        before, started = hand.actions, time.perf_counter()
        annotate(hand, she, brother)
        if brother:
            spent, actions = time.perf_counter() - started, hand.actions - before
        page.wait_for_selector('#save[data-status="saved"]')
        hand.done()
        page.get_by_text("All your documents are done").wait_for()
    judge = person("Judge", **way.options)
    judge.register(app.url + app.api("POST", f"{base}/invitations", {"role": "adjudicator"})["link"])  # fmt: skip
    decide(way(judge.page), project)
    content = app.api("GET", f"{base}/export?which=gold&format=document-jsonl")
    gold = content if isinstance(content, dict) else json.loads(content)
    found = [[mention["spans"][0] for mention in each["mentions"]] for each in gold["entities"]]
    assert sorted(found) == GOLD
    print(f"{way.__name__}: {actions / MENTIONS:.1f} actions, {spent / MENTIONS:.2f} s a mention")


WANTED = {"“she”": "Ann", "“Bea”": "Bea", "“her brother”": "A group of its own"}


def decide(hand: Any, project: int) -> None:
    """Adjudicate: Ann is right on "she", and on the mention."""
    page = hand.page
    page.wait_for_url(f"**/projects/{project}")
    hand.activate("link", "Adjudicate")
    page.wait_for_url("**/adjudicate")
    hand.activate("button", "Adjudicate")
    page.wait_for_selector("body[data-ready]")
    for _ in range(6):
        if page.get_by_text("All decided.").count():
            break
        about = page.locator("#review .about").inner_text()
        answers = page.locator(".answers button").all_inner_texts()
        wanted = WANTED.get(about, "")
        number = next(at for at, text in enumerate(answers, 1) if wanted in text.split("Alt")[0])
        hand.answer(number)
        page.wait_for_function(
            "about => document.querySelector('#review .about').textContent !== about || document.querySelector('#review .good')", arg=about
        )  # fmt: skip
    page.wait_for_selector('#save[data-status="saved"]')
    hand.finish()
    page.wait_for_url(f"**/projects/{project}/adjudicate")
    page.get_by_text("done", exact=True).wait_for()
