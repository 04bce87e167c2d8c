"""The page of `coindex show --html` in a real browser."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from coindex import formats, io
from coindex.report.viewer.annotated_text import layout
from coindex.report.viewer.html import page as page_of
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars, Span

pytestmark = pytest.mark.browser

LETTER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "letter.conll"
Open = Callable[..., Any]


@pytest.fixture
def show(chromium: Any, browsers: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens a page of some items; afterwards nothing may have gone wrong or online."""
    wrong: list[str] = []

    def open_(*items: Document | Problem, **options: Any) -> Any:
        path = tmp_path / "page.html"
        io.write_text(path, page_of(map(layout, items)))
        context = chromium.new_context(viewport={"width": 1200, "height": 700}, **options)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))

        def dismiss(dialog: Any) -> None:
            wrong.append("dialog")
            dialog.dismiss()

        page.on("dialog", dismiss)
        page.on("request", lambda request: wrong.append(request.url))
        page.goto(path.as_uri())
        assert wrong.pop(0) == path.as_uri()
        return page

    yield open_
    browsers.tidy()
    assert [line for line in wrong if line != "data:,"] == []


def entity(*spans: tuple[int, int], **fields: Any) -> Entity:
    return Entity(tuple(Mention.at(*span) for span in spans), **fields)


def letter() -> Any:
    return next(iter(formats.read(LETTER)))


def words(page: Any, selector: str) -> list[str]:
    """The words of the marks a selector finds, without their badges."""
    found: list[str] = page.eval_on_selector_all(
        selector,
        """marks => marks.map(mark => {
            const copy = mark.cloneNode(true);
            copy.querySelectorAll('.b').forEach(badge => badge.remove());
            return copy.textContent;
        })""",
    )
    return found


def focused(page: Any) -> str:
    label: str = page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")
    return label


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_text_and_list_show_the_document(show: Open) -> None:
    page = show(letter())
    lines = page.locator(".line")
    assert lines.count() == 8
    assert words(page, ".line")[3] == "Tom called her from the station in Leeds that evening ."
    assert page.title() == "letter part 0 · coindex"
    assert page.locator("#list li").count() == 19
    assert page.locator("#list .name").first.inner_text() == "Tom"
    page.get_by_role("button", name="First mention").click()
    assert page.locator("#list .name").first.inner_text() == "Clara Whitfield"


def test_nested_mentions_have_lines_of_their_own(show: Open) -> None:
    tokens = ["her", "old", "friend", "Ann", "B", "C", "D", "E"]
    spans = [(0, 1), (0, 3), (0, 4), (4, 7), (6, 8)]  # equal starts, equal ends, and crossing
    page = show(Document.of("d", [tokens], [entity(span) for span in spans]))
    boxes = page.eval_on_selector_all(
        ".m",
        """marks => marks.map(mark => {
            const box = mark.getClientRects()[0], style = getComputedStyle(mark);
            return [+mark.dataset.m, box.left, box.right, box.bottom, style.borderBottomWidth];
        })""",
    )
    assert {box[0] for box in boxes} == set(range(5))
    assert all(box[4] != "0px" for box in boxes)
    for one in boxes:
        for two in boxes:
            if one[0] != two[0] and one[1] < two[2] - 1 and two[1] < one[2] - 1:
                assert abs(one[3] - two[3]) >= 2, (one, two)
    assert page.locator(".b").all_inner_texts() == ["1", "2", "3", "4", "5"]


def test_colour_is_never_the_only_cue(show: Open) -> None:
    page = show(letter())
    assert page.locator(".b").count() == 47
    assert all(text.isdigit() for text in page.locator(".b").all_inner_texts())
    lines = page.eval_on_selector_all(
        ".m:not(.s)", "marks => marks.map(mark => getComputedStyle(mark).borderBottomStyle)"
    )
    assert set(lines) == {"solid", "dashed", "dotted", "double"}


CONTRAST = """() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgb = (...layers) => {
        for (const colour of layers) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (colour) => {
        const [r, g, b] = colour.map(v => v / 255).map(
            v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const page = getComputedStyle(document.documentElement).backgroundColor;
    const results = {};
    for (const element of document.querySelectorAll(
            '.b b, .n, .name, .many, .quiet, .sum, .line, .sort button, kbd, #singles')) {
        const layers = [];
        for (let at = element; at; at = at.parentElement) layers.unshift(getComputedStyle(at).backgroundColor);
        const back = light(rgb(page, ...layers)), front = light(rgb(page, ...layers, getComputedStyle(element).color));
        const ratio = (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
        const name = element.className + ' ' + element.tagName;
        results[name] = Math.min(results[name] ?? 99, ratio);
    }
    return results;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough_to_read(show: Open, scheme: str) -> None:
    tokens = [f"w{number}" for number in range(24)]
    entities = [entity((number, number + 1), (number + 12, number + 13)) for number in range(10)]
    page = show(Document.of("d", [tokens], [*entities, entity((11, 12))]), color_scheme=scheme)
    for keys in ((), ("n",), ("e", "e", "e")):
        press(page, *keys)
        poor = {name: ratio for name, ratio in page.evaluate(CONTRAST).items() if ratio < 4.5}
        assert not poor


def test_hover_lights_up_the_entity_and_shows_a_card(show: Open) -> None:
    page = show(letter())
    card = page.locator("#card")
    assert card.is_hidden()
    page.locator(".line", has_text="agreed").locator(".m").first.hover()
    assert words(page, ".m.on") == ["their", "The two", "them"]
    assert words(page, ".m.cur") == ["The two"]
    assert page.locator("#list .on .name").all_inner_texts() == ["the two"]
    assert "2 of 3" in card.inner_text()
    assert "tokens" in card.inner_text()
    page.locator("article h2").hover()
    assert card.is_hidden()
    assert words(page, ".m.on") == []


def test_the_card_tells_all_there_is(show: Open) -> None:
    mention = Mention((Span(0, 2),), head=1, kind="nominal", id="T1", attrs=(("case", "nom"),))
    found = Entity((mention, Mention.at(3, 4)), id="E9", kind="person", attrs=(("wiki", "Q1"),))
    page = show(Document.of("d", [["the", "cook", "saw", "herself"]], [found]))
    press(page, "n")
    text = page.locator("#card").inner_text().split()
    for fact in ("0–1", "nominal", "cook", "T1", "nom", "person", "E9", "Q1", "“the"):
        assert fact in text


def test_a_click_pins_and_escape_lets_go(show: Open) -> None:
    page = show(letter())
    tom = page.locator(".line", has_text="Leeds").locator(".m").first
    tom.click()
    assert page.locator('.b[aria-pressed="true"]').count() == 1
    page.locator(".line", has_text="agreed").locator(".m").first.hover()
    assert words(page, ".m.cur") == ["Tom"]
    assert len(words(page, ".m.on")) == 7
    press(page, "j")
    assert words(page, ".m.cur") == ["He"]
    page.locator("article h2").hover()
    press(page, "Escape")
    assert words(page, ".m.on") == []
    assert page.locator('.b[aria-pressed="true"]').count() == 0
    tom.click()
    tom.click()
    assert page.locator('.b[aria-pressed="true"]').count() == 0
    press(page, "Enter")
    assert page.locator('.b[aria-pressed="true"]').count() == 1


def test_an_entity_of_the_list_leads_to_its_mentions(show: Open) -> None:
    page = show(letter())
    row = page.locator("#list button", has_text="the two")
    row.hover()
    assert words(page, ".m.on") == ["their", "The two", "them"]
    row.click()
    assert words(page, ".m.cur") == ["their"]
    assert focused(page).startswith("their: 6, the two, 1 of 3")


def test_keys_move_between_mentions(show: Open) -> None:
    page = show(letter())
    press(page, "n")
    assert focused(page).startswith("who: 1")
    press(page, "n", "n", "p")
    assert focused(page).startswith("the Harbour Museum: 2")
    press(page, "Tab", "Tab")
    assert focused(page).startswith("her: 1")
    press(page, "Shift+Tab")
    assert focused(page).startswith("Clara Whitfield ,")
    press(page, "[")
    assert focused(page).startswith("who: 1")
    press(page, "]")
    assert focused(page).startswith("Clara Whitfield ,")
    press(page, "j", "ArrowDown")
    assert focused(page).startswith("she: 1, Clara Whitfield, 4 of 6")
    press(page, "k", "ArrowUp")
    assert focused(page).startswith("Clara Whitfield ,")
    press(page, "e")
    assert focused(page).startswith("the Harbour Museum: 2")
    press(page, "E", "E")
    assert focused(page).startswith("her brother Tom: 3")
    assert words(page, ".m.cur") == ["her brother Tom"]


def test_typing_in_the_filter_fires_no_key(show: Open) -> None:
    page = show(letter(), Document.of("other", [["x"]]))
    press(page, "/")
    page.keyboard.type("dens?jk[")
    assert page.locator("#filter").input_value() == "dens?jk["
    assert page.title().startswith("letter")
    assert page.locator("#singletons").is_checked()
    assert page.locator("#keys").is_hidden()
    assert page.locator("#nothing").is_visible()
    page.locator("#filter").fill("the BOX")
    assert page.locator("#list li:visible .name").all_inner_texts() == ["the box"]
    assert page.locator("#count").inner_text() == "1 of 19"
    page.locator("#filter").fill("7")
    assert page.locator("#list li:visible .n").all_inner_texts() == ["7"]
    press(page, "Enter")
    assert focused(page).startswith("their grandmother")
    press(page, "/", "Escape")
    assert page.locator("#list li:visible").count() == 19
    assert page.evaluate("document.activeElement === document.body")


def test_singletons_can_be_hidden(show: Open) -> None:
    page = show(letter())
    assert page.locator(".b:visible").count() == 47
    press(page, "s")
    assert page.locator(".b:visible").count() == 37
    assert page.locator("#list li:visible").count() == 9
    assert not page.locator("#singletons").is_checked()
    assert "Monday" in words(page, ".line")[0]
    press(page, "n", "n", "n", "n", "n", "n")  # past Monday
    assert focused(page).startswith("The museum: 2")
    page.get_by_label("Singletons").check()
    assert page.locator(".b:visible").count() == 47


def test_help_lists_the_keys(show: Open) -> None:
    page = show(letter())
    press(page, "?")
    assert page.locator("#keys").is_visible()
    press(page, "n")
    assert words(page, ".m.on") == []
    press(page, "Escape")
    assert page.locator("#keys").is_hidden()


def problem() -> Problem:
    candidates = (Candidate("Ann", Chars(0, 3)), Candidate("Zoe"))
    return Problem("a problem", "Ann says she won", Chars(9, 12), candidates, (0,))


def test_several_texts_and_a_problem(show: Open) -> None:
    page = show(letter(), problem(), Document("empty", ""))
    assert page.locator("#pick option").all_inner_texts() == ["letter part 0", "a problem", "empty"]
    assert page.locator("article:visible").count() == 1
    press(page, "n", "d")
    assert page.locator("article:visible h2").inner_text() == "a problem"
    assert page.locator("#card").is_hidden()
    assert page.locator(".note").inner_text() == "“she” means: Ann (1)"
    assert page.locator("#what").inner_text() == "Candidates"
    assert page.locator("#list").inner_text().split() == [
        "1",
        "Ann",
        "×2",
        "2",
        "Zoe",
        "not",
        "in",
        "the",
        "text",
    ]
    press(page, "n", "n")
    assert "pronoun" in page.locator("#card").inner_text()
    press(page, "d", "n", "e", "j")
    assert page.locator("article:visible h2").inner_text() == "empty"
    press(page, "d")
    assert page.locator("#place").inner_text() == "1 of 3"
    press(page, "D")
    assert page.locator("#place").inner_text() == "3 of 3"
    page.get_by_label("Text", exact=True).select_option("a problem")
    assert page.locator("article:visible h2").inner_text() == "a problem"
    page.get_by_role("button", name="Previous text").click()
    assert page.locator("#place").inner_text() == "1 of 3"


def test_plurals_gaps_and_zeros(show: Open) -> None:
    text = "take it off and leave"
    broken = Mention((Span(0, 1), Span(2, 3)))
    doc = Document("d", text, ("take", "it", "off", "and", "_", "leave"), (0, 5, 8, 12, 16, 16),
                   (4, 7, 11, 15, 16, 21), (0,),
                   (Entity((broken, Mention.at(4, 5))), entity((1, 2), (4, 5))), zeros=(4,))  # fmt: skip
    page = show(doc)
    page.locator(".m", has_text="off").hover()
    assert words(page, ".m.cur") == ["take", "off"]
    assert words(page, ".m.on") == ["take", "off", "∅"]
    assert page.locator(".m", has_text="∅").locator(".b b").all_inner_texts() == ["1", "2"]
    page.locator(".m", has_text="∅").hover()
    assert len(words(page, ".m.on")) == 4


HOSTILE = (
    "<script>alert(1)</script> --> <!-- </script><img/src=x/onerror=alert(2)> ]]> &amp; '\"\u2028\0"
)


def test_a_hostile_text_is_only_text(show: Open) -> None:
    tokens = HOSTILE.split()
    entities = [
        entity((at, at + 1), (at + 4, at + 5), id=HOSTILE + str(at), kind=HOSTILE)
        for at in range(2)
    ]
    page = show(Document.of(HOSTILE, [tokens], entities, meta=((HOSTILE, HOSTILE),)))
    press(page, "n", "n", "/")
    page.keyboard.type("<script>")
    assert words(page, ".line") == [" ".join(tokens).replace("\0", "\ufffd")]
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 1
    assert "<script>alert(1)</script>" in page.locator("#list").inner_text()


def test_any_script_of_the_world_and_odd_line_ends(show: Open) -> None:
    text = "Zoe\u0301 👩‍🚀\r\nשלום עולם\n\n日本\rend \ud800"
    spans = [(0, 4), (5, 8), (10, 14), (15, 19), (21, 23), (24, 27)]
    doc = Document("d", text, tuple(text[a:b] for a, b in spans), tuple(a for a, _ in spans),
                   tuple(b for _, b in spans), (0,), (entity((0, 3), (4, 5)), entity((1, 2), (3, 4))))  # fmt: skip
    page = show(doc)
    assert words(page, ".line") == ["Zoe\u0301 👩‍🚀", "שלום עולם", "", "日本", "end \ufffd"]
    assert words(page, '[data-m="1"]') == ["👩‍🚀"]
    assert words(page, '[data-m="0"]') == ["Zoe\u0301 👩‍🚀", "שלום"]
    directions = page.eval_on_selector_all(
        ".line", "all => all.map(e => getComputedStyle(e).direction)"
    )
    assert directions[:2] == ["ltr", "rtl"]


def large() -> Document:
    chance = random.Random(5)
    spans: set[tuple[int, int]] = set()
    while len(spans) < 3000:
        start = chance.randrange(10_000)
        spans.add((start, min(start + chance.choice((1, 1, 2, 3, 5, 9)), start // 25 * 25 + 25)))
    groups: dict[int, list[tuple[int, int]]] = {}
    for span in sorted(spans):
        groups.setdefault(int(chance.paretovariate(0.7)) % 900, []).append(span)
    tokens = [f"word{number}" for number in range(10_000)]
    sentences = [tokens[at : at + 25] for at in range(0, 10_000, 25)]
    return Document.of("large", sentences, [entity(*found) for found in groups.values()])


def test_a_large_document_opens_and_answers(show: Open) -> None:
    page = show(large())
    assert page.locator(".b").count() == 3000
    press(page, "n", "j", "e", "]", "n")
    assert page.locator("#card").is_visible()
    assert page.locator(".m.cur").count() >= 1
    press(page, "Escape")
    page.locator(".b").nth(1500).scroll_into_view_if_needed()
    page.locator(".b").nth(1500).hover()
    assert page.locator("#card").is_visible()


def test_a_key_brings_the_mention_into_view(show: Open) -> None:
    page = show(large())
    press(page, "p")  # the last one
    box = page.locator(".m.cur").first.bounding_box()
    assert box is not None
    assert 52 <= box["y"] < 700
    press(page, "n")  # round to the first
    assert page.locator(".m.cur").first.bounding_box()["y"] >= 52


def test_how_sure_a_resolver_was_is_shown_on_hover(show: Open) -> None:
    ann = Mention((Span(0, 1),), kind="name", attrs=(("confidence", "0.985"),))
    she = Mention((Span(2, 3),), kind="pronoun", attrs=(("confidence", "0.9"), ("link", "0.85")))
    odd = Mention((Span(3, 4),), attrs=(("confidence", "high"), ("link", "7"), ("checked", "")))
    tokens = ["Ann", "said", "she", "slept"]
    page = show(Document.of("d", [tokens], [Entity((ann, she)), Entity((odd,))]))
    seen = []
    for mark in range(3):
        page.locator(f'[data-m="{mark}"]').hover()
        rows = page.locator("#card dt").all_inner_texts()
        values = page.locator("#card dd").all_inner_texts()
        seen.append(dict(zip(rows, values, strict=True)))
    assert seen[0] == {"tokens": "0", "kind": "name", "confidence": "98.5 %"}
    assert seen[1] == {"tokens": "2", "kind": "pronoun", "confidence": "90 %", "link": "85 %"}
    assert seen[2] == {"tokens": "3", "confidence": "high", "link": "7", "checked": "yes"}
    press(page, "n", "n")
    assert focused(page) == "she: 1, Ann, 2 of 2; confidence 90 %; link 85 %"


def test_narrow_windows_and_print(show: Open) -> None:
    page = show(letter())
    page.set_viewport_size({"width": 380, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    press(page, "n")
    box = page.locator("#card").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 380
    page.emulate_media(media="print")
    assert page.locator("header").is_hidden()
    assert page.locator("#card").is_hidden()
    assert page.locator("#list .name").first.is_visible()


def test_without_scripts_the_text_is_still_marked(show: Open) -> None:
    page = show(letter(), java_script_enabled=False)
    assert page.locator(".line").count() == 8
    assert page.locator(".b").first.is_visible()
