"""What a screen reader is told, by Chromium's accessibility tree: order, names, groups, announcements."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest

from annotate_looks import WIDE
from annotate_tour import close_guide, prepare

pytestmark = pytest.mark.browser

LANDMARKS = ("banner", "main", "complementary", "contentinfo", "search")
CONTROLS = (
    "button", "link", "textbox", "searchbox", "combobox", "checkbox", "spinbutton", "radio", "listbox", "slider",
)  # fmt: skip


def nodes(page: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Role, name and properties of all that is told, in the order of reading."""
    session = page.context.new_cdp_session(page)
    found = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    by_id = {each["nodeId"]: each for each in found}
    waiting = [found[0]["nodeId"]]
    while waiting:
        each = by_id.get(waiting.pop())
        if each is None:
            continue
        waiting += reversed(each.get("childIds", ()))
        if not each["ignored"]:
            values = {one["name"]: one["value"].get("value") for one in each.get("properties", ())}
            yield each["role"]["value"], each.get("name", {}).get("value", ""), values


def problems(page: Any) -> list[str]:
    told = list(nodes(page))
    nameless = [f"{role} without a name" for role, name, _ in told if role in CONTROLS and not name.strip()]  # fmt: skip
    marks = [role for role, _, _ in told if role in LANDMARKS and role != "search"]
    order = [marks.index(role) for role in LANDMARKS if role in marks]
    wrong = [] if order == sorted(order) and marks.count("main") == 1 else [f"landmarks: {marks}"]
    levels = [int(values["level"]) for role, _, values in told if role == "heading"]
    skips = [pair for pair in itertools.pairwise(levels) if pair[1] > pair[0] + 1]
    if levels.count(1) != 1 or skips:
        wrong.append(f"headings: {levels}")
    later = page.locator('[tabindex]:not([tabindex="0"]):not([tabindex="-1"])').count()
    return nameless + wrong + ["a tab order of its own"] * bool(later)


def test_every_page_is_read_in_order_and_every_control_has_a_name(
    app: Any, boss: Any, person: Any
) -> None:
    tour = prepare(app, boss, person, WIDE)
    wrong, seen = {}, 0
    for stop in tour.stops():
        page = stop.open()
        if page.locator("dialog[open]").count():
            continue  # the rest of the page is inert
        seen += 1
        if found := problems(page):
            wrong[stop.name] = found
    assert seen > 20
    assert wrong == {}


def test_an_open_dialog_is_all_that_is_read(app: Any, boss: Any, person: Any) -> None:
    tour = prepare(app, boss, person, WIDE)
    (more,) = (stop for stop in tour.stops() if stop.name == "editor-more")
    told = list(nodes(more.open()))
    controls = [name for role, name, _ in told if role in CONTROLS]
    assert ("dialog", "More") in [(role, name) for role, name, _ in told]
    assert controls[0] == "Next likely mention"
    assert controls[-1] == "Close"
    assert "Done" not in controls


def test_mentions_and_actions_say_their_group(app: Any, boss: Any, person: Any) -> None:
    tour = prepare(app, boss, person, WIDE)
    page = tour.ann.sheet(tour.sheet)
    close_guide(page)
    told = list(nodes(page))
    names = [name for role, name, _ in told if role == "button"]
    order = [
        names.index(wanted)
        for wanted in ("Undo", "Done", "Clara Whitfield: group 1", "her: group 1", "her brother Tom: group 2", "him: group 2", "Key", "group 1, Clara Whitfield, 3 mentions")
    ]  # fmt: skip
    assert order == sorted(order)
    page.locator("#pane").focus()
    page.keyboard.press("n")
    assert live(page, "target") == ("polite", "“Clara Whitfield” in 1 Clara Whitfield")
    page.keyboard.press("2")
    page.wait_for_selector('#save[data-status="saved"]')
    kind, said = live(page, "said")
    assert kind == "polite"
    assert "group 2" in said
    assert "Clara Whitfield: group 2" in [name for role, name, _ in nodes(page) if role == "button"]


def live(page: Any, name: str) -> tuple[str, str]:
    """How, and what, a live region announces."""
    one = page.locator(f"#{name}")
    return one.get_attribute("aria-live"), " ".join(one.inner_text().split())


def test_the_candidates_of_a_pronoun_are_told_apart_from_their_names(
    app: Any, boss: Any, person: Any
) -> None:
    tour = prepare(app, boss, person, WIDE)
    page = tour.ann.sheet(tour.item)
    passage = page.locator(".passage").aria_snapshot()
    assert re.findall(r"mark: (?:Ann|Bea) ?, candidate [AB]", passage), passage
    names = [name for role, name, _ in nodes(page) if role == "button"]
    answers = [name for name in names if re.match(r"[ABNT?] ", name)]
    assert {name[2:] for name in answers[:2]} == {"Ann", "Bea"}
    assert answers[2:] == ["N Neither", "T Both", "? Not sure"]
