"""Chains by mouse alone, by touch alone on a phone, and by keyboard alone: the same annotation."""

from __future__ import annotations

from typing import Any

import pytest

from annotate_hands import Mouse, Touch, word
from annotate_looks import PHONE

pytestmark = pytest.mark.browser

TEXT = b"Ann told Bea that she had seen her brother in York. They left early."
SUGGESTED = b"""{"coindex": "document", "version": 1, "id": "file", "text": "Ann told Bea that she had seen her brother in York. They left early.", "tokens": ["Ann", "told", "Bea", "that", "she", "had", "seen", "her", "brother", "in", "York", ".", "They", "left", "early", "."], "starts": [0, 4, 9, 13, 18, 22, 26, 31, 35, 43, 46, 50, 52, 57, 62, 67], "ends": [3, 8, 12, 17, 21, 25, 30, 34, 42, 45, 50, 51, 56, 61, 67, 68], "sentences": [0, 12], "entities": [{"mentions": [{"spans": [[0, 1]]}, {"spans": [[4, 5]]}]}, {"mentions": [{"spans": [[2, 3]]}]}]}"""  # fmt: skip


def by_pointer(hand: Mouse) -> None:
    hand.tap(0)
    hand.press("New group")
    hand.tap(2)
    hand.press("New group")
    hand.tap(4)
    hand.press("put into group 2, Bea")
    hand.select(7, 8)
    hand.press("New group")
    nested(hand)
    hand.press("put into group 1, Ann")
    hand.tap(4)
    hand.press("put into group 1, Ann")
    hand.tap(12)
    hand.press("put into group 1, Ann")
    hand.press("Also in…")
    hand.pick("Bea")
    hand.press("Unsure")
    hand.press("Comment")
    hand.write("both of them")
    hand.tap(10)
    hand.press("New group")
    hand.press("Remove")


def nested(hand: Mouse) -> None:
    """A word inside a mention, by dragging over it."""
    box = word(hand.page, 7)
    y = box["y"] + box["height"] / 2
    hand.drag((box["x"] + 0.3 * box["width"], y), (box["x"] + 0.95 * box["width"], y))


def annotation(page: Any) -> Any:
    """Groups as sets of spans, and what is said about mentions: the same however it was made."""
    page.wait_for_selector('#save[data-status="saved"]')
    return page.evaluate(
        """() => {
          const { state } = coindex.live.session;
          const groups = [...state.groups.values()].map((group) => state.chain(group.id).map((one) => one.spans.join(";"))).filter((chain) => chain.length).sort();
          const said = [...state.mentions.values()].filter((one) => one.note || one.unsure).map((one) => [one.spans.join(";"), one.note, one.unsure]);
          return { groups, said };
        }"""
    )


EXPECTED = {
    "groups": [["0,1", "4,5", "7,8", "12,13"], ["2,3", "12,13"], ["7,9"]],
    "said": [["12,13", "both of them", True]],
}


@pytest.mark.parametrize("way", [Mouse, Touch], ids=["mouse", "touch"])
def test_a_chain_is_made_without_any_key(annotator: Any, way: type[Mouse]) -> None:
    one, sheet = annotator("Ann", TEXT, **way.options)
    page = one.sheet(sheet)
    hand = way(page)
    by_pointer(hand)
    assert annotation(page) == EXPECTED
    mentions = 6
    print(f"{way.__name__}: {hand.actions / mentions:.1f} actions per mention")
    hand.press("Undo")
    page.wait_for_function("() => coindex.live.session.state.mentions.size === 7")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_same_by_keyboard_shows_no_buttons(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    for key in ("+", "ArrowRight", "ArrowRight", "+", "ArrowRight", "ArrowRight", "2", "ArrowRight", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "+"):  # fmt: skip
        page.keyboard.press(key)
        assert not page.get_by_role("toolbar").is_visible()
    for at, keys in ((7, "1"), (4, "1"), (12, "1 Shift+Digit2 f"), (10, "+ x")):
        page.evaluate("at => coindex.editor.goto(at)", at)
        for key in keys.split():
            page.keyboard.press(key)
    page.evaluate("coindex.editor.goto(12)")
    page.keyboard.press("c")
    page.keyboard.type("both of them")
    page.keyboard.press("Control+Enter")
    assert annotation(page) == EXPECTED


def test_a_long_press_selects_and_drags_over_lines(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT * 3, **PHONE)
    page = one.sheet(sheet)
    hand = Touch(page)
    hand.drag(hand.middle(2), hand.middle(2), hold=600)
    assert page.evaluate("coindex.editor.range") == [2, 3]
    page.get_by_role("toolbar").wait_for()
    below = page.evaluate("coindex.editor.view.vertical(2, 1)")
    assert below > 3
    hand.drag(hand.middle(2), hand.middle(below), hold=600)
    found = page.evaluate("coindex.editor.range")
    assert found[0] == 2
    assert found[1] in (below, below + 1)


def test_a_finger_that_moves_up_scrolls(annotator: Any) -> None:
    one, sheet = annotator("Ann", b"\n".join([TEXT] * 40), **PHONE)
    page = one.sheet(sheet)
    hand = Touch(page)
    x, y = hand.middle(20)
    hand.drag((x, y), (x, y - 150))
    page.wait_for_function("() => document.getElementById('pane').scrollTop > 50")
    assert page.evaluate("coindex.editor.range") is None


@pytest.mark.parametrize("way", [Mouse, Touch], ids=["mouse", "touch"])
def test_handles_move_borders_and_a_group_takes_the_selection(
    annotator: Any, way: type[Mouse]
) -> None:
    one, sheet = annotator("Ann", TEXT, **way.options)
    page = one.sheet(sheet)
    hand = way(page)
    hand.tap(8)
    hand.press("New group")
    grip = page.locator(".grip.start").bounding_box()
    assert grip is not None
    hand.drag((grip["x"], grip["y"] + grip["height"] / 2), hand.middle(7))
    assert annotation(page)["groups"] == [["7,9"]]
    hand.select(0, 1)
    hand.click(page.locator("#groups .head").first)
    assert annotation(page)["groups"] == [["0,2", "7,9"]]


def test_handles_and_badges_stay_on_the_lines_of_their_words(annotator: Any) -> None:
    """Wherever lines break: a window that gets narrower, pixel by pixel, around one mention."""
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    hand = Mouse(page)
    hand.tap(8)
    hand.press("New group")
    page.locator(".grip.start").wait_for(state="attached")
    apart = page.evaluate(
        """() => {
            const text = document.querySelector("#text"), word = coindex.editor.view.words[8], found = [];
            const middle = (one) => { const box = one.getBoundingClientRect(); return box.top + box.height / 2; };
            for (let width = 300; width < 700; width += 3) {
                text.style.width = `${width}px`;
                for (const one of document.querySelectorAll(".grip, .m.cur .b")) {
                    if (Math.abs(middle(one) - middle(word)) > 12) found.push([width, one.className]);
                }
            }
            return found;
        }"""
    )
    assert apart == []


@pytest.mark.parametrize("way", [Mouse, Touch], ids=["mouse", "touch"])
def test_several_mentions_and_suggestions_by_pointer(annotator: Any, way: type[Mouse]) -> None:
    then = [(SUGGESTED, "document-jsonl", "suggestions")]
    one, sheet = annotator("Ann", TEXT, then=then, **way.options)
    page = one.sheet(sheet)
    hand = way(page)
    hand.tap(2)
    hand.press("Dismiss")
    hand.tap(0)
    hand.press("Accept the chain")
    assert annotation(page)["groups"] == [["0,1", "4,5"]]
    hand.tap(0)
    hand.press("Choose several")
    hand.tap(4)
    hand.press("New group")
    assert annotation(page)["groups"] == [["0,1", "4,5"]]
    hand.press("More")
    hand.press("Flag the document as unsure")
    page.wait_for_function("() => coindex.live.session.state.about.unsure")


def test_the_buttons_are_accessible_and_large_enough_for_a_finger(annotator: Any) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python"
    )
    one, sheet = annotator("Ann", TEXT, **PHONE)
    page = one.sheet(sheet)
    hand = Touch(page)
    hand.tap(0)
    hand.press("New group")
    sizes = [
        button.bounding_box() for button in page.get_by_role("toolbar").locator("button").all()
    ]
    assert min(min(box["height"], box["width"]) for box in sizes if box) >= 43
    found = axe.Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []
