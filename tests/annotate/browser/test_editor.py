"""The chain editor on the real app: by keyboard alone, by mouse, with hostile text."""

from __future__ import annotations

import dataclasses
import os
import random
from pathlib import Path
from typing import Any

import pytest

from coindex import formats
from coindex.types.document import Document

pytestmark = pytest.mark.browser

TEXT = b"Ann met Bo in York , and she told my best friend that they should leave.\n"
LETTER = Path(__file__).resolve().parents[3] / "docs" / "examples" / "letter.conll"
SHOTS = os.environ.get("COINDEX_SHOTS")


def read_one(path: Path) -> Document:
    document = next(iter(formats.read(path)))
    assert isinstance(document, Document)
    return document


def shot(page: Any, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/annotate-{name}.png")


def press(page: Any, *keys: str) -> int:
    """Press keys written apart by blanks; says how many."""
    every = [key for some in keys for key in some.split()]
    for key in every:
        page.keyboard.press(key)
    return len(every)


def saved(page: Any) -> None:
    page.wait_for_selector('#save[data-status="saved"]')


def jsonl(*documents: Document) -> bytes:
    return "".join(formats.write_lines(documents, "document-jsonl")).encode()


def chains(page: Any) -> set[frozenset[tuple[int, int]]]:
    found = page.evaluate(
        """() => { const { state } = coindex.editor;
            return state.numbered().map(group => state.chain(group.id).map(one => one.spans[0])).filter(chain => chain.length); }"""
    )
    return {frozenset((start, end) for start, end in chain) for chain in found}


def target(page: Any) -> str:
    found: str = page.locator("#target").inner_text()
    return found


def word(page: Any, text: str, nth: int = 0) -> Any:
    return page.locator(".t", has_text=text).nth(nth)


# ---- the keyboard alone


def reach(here: tuple[int, int] | None, at: int) -> list[str]:
    """The arrows from a chosen mention (or from the first word) to a word."""
    if here is None:
        return ["ArrowRight"] * at
    start, end = here
    if at >= end:
        return ["ArrowRight"] * (at - end + 1)
    back = ["ArrowLeft"] * (start - at if at < start else 1)
    if at < start:
        return back
    return min([*back, *["ArrowRight"] * (at - start + 1)],
               ["ArrowRight", *["ArrowLeft"] * (end - at)], key=len)  # fmt: skip


def way(page: Any, here: tuple[int, int] | None, span: tuple[int, int]) -> list[str]:
    """The fewest keys to select a phrase: word by word, or by the likely mentions."""
    start, end = span
    best = reach(here, start) + ["Shift+ArrowRight"] * (end - start - 1)
    free = page.evaluate("coindex.editor.hints.filter(one => !coindex.editor.state.at([one]))")
    after = [tuple(one) for one in free if here is None or (one[0], -one[1]) > (here[0], -here[1])]
    for presses, (a, b) in enumerate(after[:12], 1):
        if a == start:
            off = end - b
            turn = ["Shift+ArrowRight"] * off if off > 0 else ["Shift+ArrowLeft"] * -off
            best = min(best, ["Space"] * presses + turn, key=len)
    return best


def test_a_quiz_bowl_document_by_keyboard_alone(data: Path, annotator: Any) -> None:
    gold = read_one(data / "quizbowl" / "quizbowl20.gold_conll")
    one, sheet = annotator("Ann", jsonl(dataclasses.replace(gold, entities=())), "document-jsonl")
    page = one.sheet(sheet)
    page.wait_for_function("() => coindex.editor.hints.length")
    owner = {(m.start, m.end): n for n, e in enumerate(gold.entities) for m in e.mentions}
    keys: dict[int, str] = {}
    here: tuple[int, int] | None = None
    pressed = 0
    for span in sorted(owner, key=lambda pair: (pair[0], -pair[1])):
        pressed += press(page, *way(page, here, span))
        entity = owner[span]
        if entity not in keys:
            keys[entity] = "123456789qwertyuio"[len(keys)] if len(keys) < 18 else ""
            pressed += press(page, "+")
        elif keys[entity]:
            pressed += press(page, keys[entity])
        else:
            number = str(list(keys).index(entity) + 1)
            pressed += press(page, "g", *number, "Enter")
        here = span
    saved(page)
    assert chains(page) == {frozenset((m.start, m.end) for m in e.mentions) for e in gold.entities}
    per = pressed / len(owner)
    print(f"\nquiz bowl by keyboard: {len(owner)} mentions, {len(gold.entities)} groups, {len(gold)} words, {pressed} keys, {per:.2f} keys per mention")  # fmt: skip
    assert per < 6
    shot(page, "keyboard")


def test_a_key_moves_shift_adds_and_everything_is_undone_after_a_reload(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    empty = page.evaluate("coindex.editor.state.json()")
    press(page, "+", "ArrowRight ArrowRight", "+")
    press(page, "1")
    assert target(page) == "“Bo” in 1 Ann"
    press(page, "2 Shift+1")
    assert "2 Bo and 1 Ann" in target(page)
    press(page, "Shift+1")
    assert target(page) == "“Bo” in 2 Bo"
    press(page, "]")
    assert target(page).startswith("“Bo in”")
    press(page, "} f")
    assert "(unsure)" in target(page)
    press(page, "c")
    page.keyboard.type("1q+zx <b>")
    press(page, "Control+Enter")
    assert "✎ 1q+zx <b>" in target(page)
    press(page, "l")
    page.keyboard.type("Beau")
    press(page, "Enter")
    assert "2 Beau" in target(page)
    saved(page)
    steps = len(page.evaluate("coindex.live.session.done"))
    page = one.sheet(sheet)
    assert "Beau" in page.locator("#groups").inner_text()
    for _ in range(steps):
        press(page, "z")
    page.wait_for_function("() => !coindex.live.session.done.length")
    saved(page)
    assert page.evaluate("coindex.editor.state.json()") == empty
    assert page.locator("#undo").is_disabled()
    page = one.sheet(sheet)
    for _ in range(steps):
        press(page, "Control+Shift+Z")
    page.wait_for_function("() => !coindex.live.session.undone.length")
    assert "Beau" in page.locator("#groups").inner_text()
    saved(page)


def test_nested_mentions_are_seen_and_reached(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    friend, my = word(page, "friend"), word(page, "my")
    page.mouse.move(*centre(my))
    page.mouse.down()
    page.mouse.move(*centre(friend), steps=4)
    page.mouse.up()
    assert target(page).startswith("“my best friend”")
    press(page, "+")
    my.dblclick()
    assert target(page).startswith("“my”"), "words inside a mention can be selected"
    press(page, "+")
    assert page.locator(".m .m").count() == 1
    levels = page.eval_on_selector_all(".m", "all => all.map(e => getComputedStyle(e).paddingBottom)")  # fmt: skip
    assert len(set(levels)) == 2, "two lines at two depths"
    press(page, "Escape")
    my.click()
    assert target(page).startswith("“my” in 2")
    page.wait_for_timeout(600)
    my.click()
    assert target(page).startswith("“my best friend” in 1")
    press(page, "Alt+ArrowDown")
    assert target(page).startswith("“my” in 2")
    press(page, "Alt+ArrowUp")
    assert target(page).startswith("“my best friend” in 1")
    press(page, "{")
    assert target(page).startswith("“best friend” in 1")
    assert page.locator(".m .m").count() == 0


def test_borders_are_dragged(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    word(page, "best").dblclick()
    press(page, "+ f")
    for grip, to, words in (
        (".grip.end", "friend", "best friend"),
        (".grip.start", "my", "my best friend"),
        (".grip.end", "my", "my"),
    ):
        page.mouse.move(*centre(page.locator(grip)))
        page.mouse.down()
        page.mouse.move(*centre(word(page, to)), steps=5)
        page.mouse.up()
        assert target(page).startswith(f"“{words}” in 1"), words
    assert "(unsure)" in target(page), "it is the same mention"
    assert page.evaluate("coindex.editor.state.mentions.size") == 1
    saved(page)


def centre(locator: Any) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_selection_is_trimmed_before_it_is_kept(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    page.mouse.move(*centre(word(page, "York")))
    page.mouse.down()
    page.mouse.move(*centre(word(page, ",")), steps=3)
    page.mouse.up()
    assert page.locator(".t.sel").all_inner_texts() == ["York"]
    press(page, "+")
    assert target(page).startswith("“York” in 1")


def test_several_are_chosen_split_and_merged(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    press(page, "+ ArrowRight ArrowRight 1 ArrowRight ArrowRight 1")
    assert chains(page) == {frozenset({(0, 1), (2, 3), (4, 5)})}
    word(page, "Bo").click()
    word(page, "York").click(modifiers=["Control"])
    assert page.locator(".m.many").count() == 2
    press(page, "+")  # fused by mistake: out into a group of their own, in one step
    assert chains(page) == {frozenset({(0, 1)}), frozenset({(2, 3), (4, 5)})}
    press(page, "m")
    page.get_by_role("combobox").fill("ann")
    press(page, "Enter")
    assert chains(page) == {frozenset({(0, 1), (2, 3), (4, 5)})}
    press(page, "z")
    assert chains(page) == {frozenset({(0, 1)}), frozenset({(2, 3), (4, 5)})}
    assert page.get_by_role("button", name="group 2, Bo").get_attribute("aria-expanded") == "true"
    page.get_by_role("button", name="remove York").click()
    assert chains(page) == {frozenset({(0, 1)}), frozenset({(2, 3)})}
    saved(page)


def test_beyond_eighteen_groups(annotator: Any) -> None:
    words = [f"word{n}" for n in range(24)]
    one, sheet = annotator("Ann", jsonl(Document.of("d", [words])), "document-jsonl")
    page = one.sheet(sheet)
    for _ in range(20):
        press(page, "+ ArrowRight")
    badges = page.locator("#text .b").all_inner_texts()
    assert badges == [*"123456789QWERTYUIO", "19", "20"]
    looks = page.eval_on_selector_all("#text .m", "all => all.map(e => e.className.match(/c\\d p\\d/)[0])")  # fmt: skip
    assert len(set(looks)) == 20, "no two look the same"
    press(page, "g 2 0 Enter")
    assert target(page) == "“word20” in 20 word19"
    press(page, "ArrowRight g")
    page.keyboard.type("word18")
    press(page, "Enter")
    assert target(page) == "“word21” in 19 word18"
    press(page, "g 2 0 Shift+Enter")
    assert target(page) == "“word21” in 19 word18 and 20 word19"
    press(page, "/")
    page.keyboard.type("word19")
    assert page.locator("#groups > li:visible .name").all_inner_texts() == ["word19"]
    assert page.locator("#count").inner_text().startswith("1 of 20")
    press(page, "Enter j")
    assert target(page) == "“word20” in 20 word19", "a walk along the chain"
    saved(page)


def test_suggestions_are_accepted_by_key_and_never_answers(annotator: Any) -> None:
    letter = read_one(LETTER)
    bare = dataclasses.replace(letter, entities=())
    one, sheet = annotator("Ann", jsonl(bare), "document-jsonl", then=[(jsonl(letter), "document-jsonl", "suggestions")])  # fmt: skip
    page = one.sheet(sheet)
    assert page.locator(".m.ghost").count() > 20
    assert page.evaluate("coindex.editor.state.mentions.size") == 0
    assert page.locator("#count").inner_text() == "0 · 0 mentions"
    press(page, "n a a")
    assert page.evaluate("coindex.editor.state.mentions.size") == 2
    assert page.evaluate("coindex.editor.state.groups.size") == 1, "the chain of the resolver"
    shot(page, "suggestions")
    press(page, "A d")
    saved(page)
    press(page, "h")
    assert page.locator(".m.ghost").count() == 0
    rejected = page.evaluate("[...coindex.editor.state.suggestions.values()].filter(s => s.state === 'rejected').length")  # fmt: skip
    assert rejected == 1


KEYS = [
    *("n", "p", "j", "ArrowRight", "ArrowLeft", "Shift+ArrowRight", "Shift+ArrowLeft", "ArrowDown"),
    *("Space", "+", "1", "2", "3", "q", "Shift+1", "Shift+2", "[", "]", "{", "}", "x", "f", "s"),
    *("z", "z", "Z", "Alt+ArrowUp", "Alt+ArrowDown", "Escape", "a", "d", "A", "h", "F"),
]
PICTURE = """() => ["text", "groups"].map(id => document.getElementById(id).innerHTML)"""


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_drawn_bit_by_bit_is_what_is_drawn_at_once(annotator: Any, seed: int) -> None:
    letter = read_one(LETTER)
    bare = dataclasses.replace(letter, entities=())
    one, sheet = annotator("Ann", jsonl(bare), "document-jsonl", then=[(jsonl(letter), "document-jsonl", "suggestions")])  # fmt: skip
    page = one.sheet(sheet)
    page.wait_for_function("() => coindex.editor.hints.length")
    chance = random.Random(seed)
    for step in range(300):
        press(page, chance.choice(KEYS))
        if step % 50 == 49:
            press(page, "Escape")
            parts = page.evaluate(PICTURE)
            page.evaluate(
                "() => { const { view, list, state, paint } = coindex.editor; view.drawAll(); list.update([...state.groups.keys()]); coindex.editor.paint(); }"
            )
            assert page.evaluate(PICTURE) == parts
    saved(page)
    assert page.evaluate("coindex.editor.state.mentions.size") > 3
    here = page.evaluate("coindex.editor.state.json()")
    assert one.call("GET", f"/api/sheets/{sheet}")["state"] == here
    page = one.sheet(sheet)
    assert page.evaluate("coindex.editor.state.json()") == here
    assert page.locator(".lost").count() == 0


HOSTILE = '<script>alert(1)</script> <img src=x onerror=alert(2)> "><b>bold</b> \u202e &amp;'


def test_hostile_text_names_and_notes_are_only_text(app: Any, annotator: Any) -> None:
    document = Document.of(HOSTILE, [HOSTILE.split()])
    one, sheet = annotator("<b>Ann</b>", jsonl(document), "document-jsonl")
    page = one.sheet(sheet)
    press(page, "+ c")
    page.keyboard.type(HOSTILE)
    press(page, "Control+Enter l")
    page.keyboard.type(HOSTILE)
    press(page, "Enter C")
    page.keyboard.type(HOSTILE)
    press(page, "Control+Enter")
    saved(page)
    page = one.sheet(sheet)
    press(page, "n")
    for place in ("#groups", "#target"):
        assert "<script>alert(1)</script>" in page.locator(place).inner_text()
    assert HOSTILE.split()[1] in page.locator("#text").inner_text()
    page.goto(f"{app.url}/projects/{project_of(one, sheet)}")
    page.get_by_text("Your documents").wait_for()
    assert page.locator("img, b b").count() == 0
    assert "<b>Ann</b>" in page.locator("header").inner_text()
    scripts = page.locator("script").evaluate_all(
        "all => all.map((one) => one.getAttribute('src'))"
    )
    assert scripts == ["/static/look.js", "/static/pages/project.js"]


def test_others_may_read_but_not_change(boss: Any, annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    press(one.sheet(sheet), "+")
    saved(one.page)
    page = boss.sheet(sheet)
    assert page.get_by_text("You are reading the work of someone else").is_visible()
    press(page, "ArrowRight ArrowRight 1 x z")
    assert chains(page) == {frozenset({(0, 1)})}
    assert page.locator("#said").inner_text() == "You can read this, not change it."
    assert page.locator(".gone, .acts button").count() == 0


def project_of(one: Any, sheet: int) -> int:
    found: int = one.call("GET", f"/api/sheets/{sheet}")["project"]["id"]
    return found


def test_typing_fires_no_key_and_keys_can_be_changed(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    press(page, "/")
    page.keyboard.type("1q+zx?")
    assert page.locator("#filter").input_value() == "1q+zx?"
    assert page.evaluate("coindex.editor.state.mentions.size") == 0
    press(page, "Escape ?")
    shot(page, "keys")
    page.get_by_role("button", name="change the key of: put into a new group").click()
    press(page, "#")
    page.get_by_role("button", name="Close").click()
    press(page, "+")
    assert page.evaluate("coindex.editor.state.mentions.size") == 0
    press(page, "#")
    assert page.evaluate("coindex.editor.state.mentions.size") == 1
    saved(page)
    page.evaluate("() => localStorage.clear()")  # another computer: the server remembers
    page = one.sheet(sheet)
    page.wait_for_function("() => coindex.editor.keymap.command('#') === 'new'")


def test_what_a_screen_reader_gets(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    press(page, "+ ArrowRight ArrowRight 1")
    assert page.get_by_role("button", name="group 1, Ann, 2 mentions").is_visible()
    assert page.get_by_role("list", name="its mentions").get_by_role("button").count() == 4
    assert page.get_by_role("button", name="Bo: group 1", include_hidden=True).count() == 1
    assert page.locator("#said[role=status]").inner_text() == "“Bo” marked: group 1"
    page.get_by_role("list", name="its mentions").get_by_role("button").first.focus()
    press(page, "Enter")
    assert target(page) == "“Ann” in 1 Ann"
    names = page.eval_on_selector_all("button", "all => all.every(b => (b.ariaLabel || b.textContent).trim())")  # fmt: skip
    assert names


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_looks_light_dark_and_narrow(annotator: Any, scheme: str) -> None:
    letter = read_one(LETTER)
    one, sheet = annotator("Ann", jsonl(letter), "document-jsonl", color_scheme=scheme, purpose="training")  # fmt: skip
    page = one.sheet(sheet)
    for start, end, key in (
        (0, 9, "+"),
        (3, 4, "1"),
        (5, 8, "+"),
        (11, 14, "+"),
        (11, 12, "1"),
        (17, 19, "2"),
    ):
        page.evaluate("([a, b]) => coindex.editor.selectRange(a, b - 1)", [start, end])
        press(page, key)
    saved(page)
    press(page, "n j")
    shot(page, f"editor-{scheme}")
    page.get_by_role("button", name="Check accuracy").click()
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("heading", name="Accuracy").wait_for()
    first = page.locator("#review").inner_text()
    press(page, ".")
    assert page.locator("#review").inner_text() != first
    assert page.get_by_role("button", name="Check accuracy (2 left)").is_visible()
    shot(page, f"accuracy-{scheme}")
    page.set_viewport_size({"width": 400, "height": 780})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    shot(page, f"narrow-{scheme}")
