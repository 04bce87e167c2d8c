"""The first minutes of an annotator: the guided example, what to mark, and the guidelines."""

from __future__ import annotations

from typing import Any

import pytest

from annotate_looks import PHONE, WIDE, check_looks

pytestmark = pytest.mark.browser

TEXT = b"Ann told Bea that she had seen her brother."
GUIDE = """# Rules

Mark **every** name. Not <b>this</b>, see [our page](https://example.org/rules) and
[nothing](javascript:alert(1)).

| word | mark it |
|---|---|
| it | `no` |
"""
HEAD = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
GAP = f"{HEAD}\nd-1\tAnn met Bea when she left.\tshe\t17\tAnn\t0\tTRUE\tBea\t8\tFALSE\thttp://x/1\n".encode()


def title(page: Any) -> str:
    return str(page.locator(".lesson h2").inner_text())


def test_the_example_is_done_by_keyboard_and_notices_each_step(annotator: Any, app: Any) -> None:
    one, sheet = annotator("Ann", TEXT, **WIDE)
    page = one.sheet(sheet)
    page.get_by_role("link", name="Show me").click()
    page.wait_for_url("**/example?next=*")
    page.wait_for_selector("body[data-ready]")
    assert title(page) == "1 of 6: Mark a mention"
    press = page.keyboard.press
    press("+")  # only the first word
    page.get_by_text("The mention is the whole name").wait_for()
    press("z")
    for key in ("Shift+ArrowRight", "+"):
        press(key)
    page.get_by_text("2 of 6").wait_for()
    go(page, "Ada", last=True)
    press("+")
    page.get_by_text("“Ada” has a group of its own now.").wait_for()
    press("1")
    page.get_by_text("3 of 6").wait_for()
    go(page, "Her")
    for key in ("Shift+ArrowRight", "2"):
        press(key)
    page.get_by_text("4 of 6").wait_for()
    check_looks(page, "example")
    go(page, "Her")
    press("1")
    page.get_by_text("5 of 6").wait_for()
    go(page, "they")
    press("1")
    page.get_by_text("Good, one of them.").wait_for()
    press("Shift+Digit2")
    page.get_by_text("6 of 6").wait_for()
    press("z")
    page.get_by_text("That is all").wait_for()
    press("Enter")  # the button that leads on has the focus
    page.wait_for_url(f"**/sheets/{sheet}")
    page.wait_for_selector("body[data-ready]")
    assert page.get_by_text("New here?").count() == 0, "it has been seen"
    assert one.call("GET", f"/api/sheets/{sheet}")["revision"] == 0, "nothing of it is stored"
    page.get_by_role("button", name="Help").click()
    page.get_by_role("link", name="Guided example").click()
    page.wait_for_url("**/example?next=*")


def go(page: Any, word: str, last: bool = False) -> None:
    """Go to a word with the arrow keys."""
    find = "findLastIndex" if last else "findIndex"
    at = page.evaluate(f"word => coindex.editor.text.words.{find}((one) => one === word)", word)
    page.keyboard.press("Escape")
    while (here := page.evaluate("coindex.editor.cursor")) != at:
        page.keyboard.press("ArrowRight" if here < at else "ArrowLeft")


def test_the_example_on_a_phone_can_be_shown_and_skipped(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT, **PHONE)
    page = one.sheet(sheet)
    check_looks(page, "invitation")
    page.get_by_role("link", name="Show me").tap()
    page.wait_for_selector("body[data-ready]")
    for number in range(1, 7):
        page.get_by_text(f"{number} of 6").wait_for()
        if number == 5:
            check_looks(page, "example")
        page.get_by_role("button", name="Do it for me").tap()
    page.get_by_text("That is all").wait_for()
    page.get_by_role("button", name="Once more").tap()
    page.wait_for_selector("body[data-ready]")
    page.get_by_text("1 of 6").wait_for()
    page.get_by_role("button", name="Skip the example").tap()
    page.wait_for_url(f"**/sheets/{sheet}")


def test_an_invitation_is_declined_once(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    page = one.sheet(sheet)
    page.get_by_role("button", name="Not now").click()
    assert page.get_by_text("New here?").count() == 0
    page = one.sheet(sheet)
    assert page.get_by_text("New here?").count() == 0


def test_the_example_leads_to_pages_of_this_app_only(annotator: Any, app: Any) -> None:
    one, _ = annotator("Ann", TEXT)
    for bad in ("//elsewhere.example/", "https://elsewhere.example/", "/\\elsewhere.example"):
        one.page.goto(f"{app.url}/example?next={bad}")
        one.page.get_by_role("button", name="Skip the example").click()
        one.page.wait_for_url(app.url + "/")
        assert one.page.url == app.url + "/"


@pytest.mark.parametrize("window", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("kind", ["document", "problem"])
def test_guidelines_are_open_at_the_first_visit_and_stay_closed(
    annotator: Any, app: Any, kind: str, window: dict[str, Any]
) -> None:
    content, format = (TEXT, "text") if kind == "document" else (GAP, "gap")
    one, sheet = annotator("Ann", content, format, kind=kind, **window)
    project = one.call("GET", f"/api/sheets/{sheet}")["project"]["id"]
    app.api("PATCH", f"/api/projects/{project}", {"settings": {"guide": GUIDE}})
    page = one.sheet(sheet)
    panel = page.get_by_role("complementary", name="Guidelines")
    panel.wait_for()
    assert panel.locator("strong").inner_text() == "every"
    assert "<b>this</b>" in panel.inner_text()
    assert [link.get_attribute("href") for link in panel.locator("a").all()] == ["https://example.org/rules"]  # fmt: skip
    assert panel.get_by_role("heading", name="What to").count() == 1
    check_looks(page, f"guide-{kind}")
    panel.get_by_role("button", name="Close").click()
    panel.wait_for(state="hidden")
    page = one.sheet(sheet)
    assert not panel.is_visible(), "as it was left"
    if kind == "document":
        page.keyboard.press("b")
        panel.wait_for()
        page.keyboard.press("Escape")
        panel.wait_for(state="hidden")
        page.keyboard.press("+")  # the text has the focus again
        page.wait_for_function("() => coindex.editor.state.mentions.size === 1")
    else:
        page.get_by_role("button", name="Guidelines").click()
        panel.wait_for()
        page.keyboard.press("Escape")
    app.api("PATCH", f"/api/projects/{project}", {"settings": {"guide": GUIDE + "\nMore."}})
    one.sheet(sheet)
    panel.wait_for()  # they have changed


def test_no_page_of_an_annotator_has_words_of_programmers(annotator: Any, app: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    project = one.call("GET", f"/api/sheets/{sheet}")["project"]["id"]
    for path in ("/", f"/projects/{project}", f"/sheets/{sheet}", "/help", "/account", "/example"):
        one.page.goto(app.url + path)
        one.page.locator("main").get_by_text("Loading").wait_for(state="detached")
        text = one.page.locator("body").inner_text().lower()
        assert not [word for word in ("sheet", "looks", "signature", "lease", "0.") if word in text], path  # fmt: skip


def test_the_help_page(annotator: Any, app: Any) -> None:
    for window in (WIDE, PHONE):
        one, _ = annotator(f"Ann {window['viewport']['width']}", TEXT, **window)
        one.page.goto(f"{app.url}/help")
        one.page.get_by_role("link", name="Guided example").wait_for()
        check_looks(one.page, "help")
