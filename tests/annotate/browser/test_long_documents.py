"""A document of which only a part is in the page: scrolling, finding, going, coming back."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

pytestmark = pytest.mark.browser

SHOTS = os.environ.get("COINDEX_SHOTS")
SENTENCES = 700
NEEDLES = (40, 333, 690)
BOX = "at => { const { top, bottom } = coindex.editor.view.words[at]?.getBoundingClientRect() ?? {}; return [top, bottom]; }"
PLACE = "at => coindex.editor.view.words[at]?.getBoundingClientRect().top ?? null"


def long_text() -> bytes:
    """Sentences of very different lengths, some after an empty line, three of them with a needle."""
    chance = random.Random(3)
    lines = []
    for number in range(SENTENCES):
        words = [f"word{chance.randrange(900)}" for _ in range(chance.choice((3, 9, 20, 55)))]
        if number in NEEDLES:
            words[1:1] = ["Silver", "Needle"]
        lines.append(f"{'' if number % 9 else chr(10)}It is {' '.join(words)}.")
    return "\n".join(lines).encode()


@pytest.fixture
def opened(annotator: Any) -> tuple[Any, int, Any]:
    one, sheet = annotator("Ann", long_text())
    return one, sheet, one.sheet(sheet)


def shot(page: Any, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/annotate-{name}.png")


def settled(page: Any) -> None:
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def seen(page: Any, token: int) -> bool:
    """Whether a token is in the viewport of the text."""
    top, bottom = page.evaluate(BOX, token)
    pane = page.locator("#pane").bounding_box()
    return top is not None and pane["y"] <= top and bottom <= pane["y"] + pane["height"]


def tokens(page: Any) -> int:
    found: int = page.evaluate("coindex.editor.text.size")
    return found


def test_only_a_part_is_in_the_page_and_nothing_jumps(opened: tuple[Any, int, Any]) -> None:
    _, _, page = opened
    size = tokens(page)
    assert size > 10_000
    assert 100 < page.locator(".t").count() < size / 6
    height = page.evaluate("coindex.editor.pane.scrollHeight")
    page.evaluate("() => { coindex.editor.pane.scrollTop = 1e9; }")
    settled(page)
    assert seen(page, size - 1)
    end = page.evaluate("coindex.editor.pane.scrollHeight")
    assert abs(end - height) < 0.1 * height, (
        "the heights of what was never shown are estimated well"
    )
    for _ in range(
        25
    ):  # upwards over lines that were never shown: what is seen moves as the wheel does
        token = page.evaluate("coindex.editor.view.top")
        before = page.evaluate(PLACE, token)
        page.evaluate("() => { coindex.editor.pane.scrollTop -= 170; }")
        settled(page)
        assert abs(page.evaluate(PLACE, token) - before - 170) < 2
    assert page.locator(".t").count() < size / 6
    assert page.evaluate("coindex.editor.view.parts.size") == 0
    numbers = page.locator(".line.new").evaluate_all(
        "all => all.map(one => Number(one.dataset.number))"
    )
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), "every line, in order"


def test_a_selection_reaches_beyond_what_is_in_the_page(opened: tuple[Any, int, Any]) -> None:
    _, _, page = opened
    page.evaluate("() => { coindex.editor.goto(50); coindex.editor.extendTo(9000); }")
    assert seen(page, 9000)
    assert not page.evaluate("Boolean(coindex.editor.view.words[50])")
    page.evaluate("() => coindex.editor.view.show(4000, true)")
    drawn = page.locator(".t").count()
    assert page.locator(".t.sel").count() == drawn > 100, (
        "words that come into the page are selected"
    )
    page.keyboard.press("+")
    page.wait_for_selector('#save[data-status="saved"]')
    page.evaluate("() => coindex.editor.view.show(2000, true)")
    assert page.locator(".m.cur").count() > 3, "so is the mention that was made of it"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("coindex.editor.cursor") > 50
    assert seen(page, page.evaluate("coindex.editor.cursor")), "a key brings the cursor into view"


def test_find_in_the_text(opened: tuple[Any, int, Any]) -> None:
    _, _, page = opened
    page.keyboard.press("Control+f")
    field = page.get_by_role("searchbox", name="Find in the text")
    field.fill("silver  needle")
    status = page.locator("#finder [role=status]")
    status.get_by_text("1 of 3").wait_for()
    first = page.evaluate("coindex.editor.range")
    assert page.evaluate("([a, b]) => coindex.editor.text.phrase(a, b)", first) == "Silver Needle"
    assert seen(page, first[0])
    assert page.locator(".t.hit.now").all_inner_texts() == ["Silver", "Needle"]
    shot(page, "find")
    for key, says in (
        ("Enter", "2 of 3"),
        ("Enter", "3 of 3"),
        ("Enter", "1 of 3"),
        ("Shift+Enter", "3 of 3"),
    ):
        page.keyboard.press(key)
        assert status.inner_text() == says
        assert seen(page, page.evaluate("coindex.editor.range[0]"))
    last = page.evaluate("coindex.editor.range")
    field.fill("no such words")
    status.get_by_text("not found").wait_for()
    field.fill("NEEDLE")
    status.get_by_text("3 of 3").wait_for()
    page.keyboard.press("Escape")
    assert page.locator("#finder").is_hidden()
    assert page.locator(".t.hit").count() == 0
    page.keyboard.press("+")
    mention = page.evaluate("[...coindex.editor.state.mentions.values()][0].spans[0]")
    assert mention == [last[1] - 1, last[1]], "what was found can be marked"
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Find in the text").click()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Find in the text"


def test_go_to_a_place_and_see_where_one_is(opened: tuple[Any, int, Any]) -> None:
    _, _, page = opened
    size, where = tokens(page), page.locator("#position")
    assert where.get_attribute("title") == f"Sentence 1 of {SENTENCES}, 0 %"
    for typed, token in (
        ("50 %", size // 2),
        ("#9000", 8999),
        ("1", 0),
        (f"{SENTENCES}", None),
        ("99999", None),
    ):
        page.keyboard.press("G")
        page.get_by_role("dialog", name="Go to").get_by_role("textbox").fill(typed)
        page.keyboard.press("Enter")
        cursor = page.evaluate("coindex.editor.cursor")
        assert cursor == (
            page.evaluate("coindex.editor.text.sentences.at(-1)") if token is None else token
        )
        assert seen(page, cursor)
    assert where.get_attribute("title") == f"Sentence {SENTENCES} of {SENTENCES}, 99 %"
    assert page.locator("#said").inner_text() == where.get_attribute("title")
    where.click()
    page.get_by_role("dialog").get_by_role("textbox").fill("somewhere")
    page.get_by_role("button", name="Go", exact=True).click()
    assert "expected a number" in page.locator("#said").inner_text()
    page.keyboard.press("Control+Home")
    assert page.evaluate("coindex.editor.cursor") == 0
    page.keyboard.press("Control+End")
    assert page.evaluate("coindex.editor.cursor") == size - 1
    page.wait_for_function("() => document.getElementById('position').title.endsWith('100 %')")
    page.evaluate("() => { coindex.editor.pane.scrollTop = 0; }")
    page.wait_for_function("() => document.getElementById('position').title.endsWith(', 0 %')")


def test_the_cursor_comes_back(opened: tuple[Any, int, Any]) -> None:
    one, sheet, page = opened
    page.evaluate("() => coindex.editor.goto(7000)")
    page.keyboard.press("ArrowRight")
    page.goto(one.app.url)
    page = one.sheet(sheet)
    assert page.evaluate("coindex.editor.cursor") == 7001
    assert seen(page, 7001)


def test_of_many_groups_only_those_in_view_are_in_the_page(opened: tuple[Any, int, Any]) -> None:
    one, sheet, page = opened
    events = [
        {"id": f"e{n}", "base": 0, "kind": "mention.add",
         "payload": {"mention": f"m{n}", "spans": [[20 * n, 20 * n + 1]], "group": f"g{n}",
                     "new_group": {"id": f"g{n}", "name": f"name {n}"}}}
        for n in range(400)
    ]  # fmt: skip
    one.call("POST", f"/api/sheets/{sheet}/events", {"client": "other", "events": events})
    page = one.sheet(sheet)
    rows = page.locator("#groups > li")
    assert 10 < rows.count() < 150
    assert rows.first.get_attribute("aria-setsize") == "400"
    page.evaluate("() => coindex.editor.choose('m390')")
    row = page.locator("#groups > li.on")
    assert row.locator(".name").inner_text() == "name 390"
    assert row.get_attribute("aria-posinset") == "391"
    pane, box = page.get_by_role("complementary", name="Groups").bounding_box(), row.bounding_box()
    assert pane["y"] <= box["y"] < pane["y"] + pane["height"]
    page.locator("#filter").fill("name 39")
    assert page.locator("#count").inner_text().startswith("11 of 400")
    assert rows.count() == 11
    page.locator("#filter").fill("")
    page.get_by_role("button", name="First").click()
    page.keyboard.press("Escape")
    page.evaluate("() => coindex.editor.choose('m5')")
    assert page.locator("#groups > li.on .name").inner_text() == "name 5"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_long_text_is_accessible(annotator: Any, scheme: Any, width: int) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python"
    )
    one, sheet = annotator(
        "Ann", long_text(), color_scheme=scheme, viewport={"width": width, "height": 820}
    )
    page = one.sheet(sheet)
    page.evaluate("() => coindex.editor.goto(6000)")
    page.keyboard.press("+")
    page.keyboard.press("Control+f")
    page.get_by_role("searchbox", name="Find in the text").fill("word77")
    page.locator(".t.hit.now").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    lines = page.get_by_role("listitem").filter(has=page.locator(".u"))
    place = lines.first.get_attribute("aria-posinset")
    assert int(place) > 50
    lines_in_all = page.evaluate("coindex.editor.view.lines.length")
    assert lines.first.get_attribute("aria-setsize") == str(lines_in_all)
    shot(page, f"long-{scheme}-{width}")
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found] == []
