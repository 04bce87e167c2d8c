"""Nothing is lost or doubled: dropped answers, no connection, a killed server, two tabs."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

TEXT = b"Ann met Bo in York and she told him that they should leave it there before dawn.\n"


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def status(page: Any, wanted: str) -> None:
    page.wait_for_selector(f'#save[data-status="{wanted}"]')


def marked(page: Any) -> list[str]:
    """The mentions of the editor with their groups' keys."""
    found: list[str] = page.evaluate(
        """() => { const { state, text } = coindex.editor;
            return state.sorted.map(one => `${text.words_of(one.spans)} ${one.groups.map(id => state.groups.get(id).order + 1)}`); }"""
    )
    return found


def stored(one: Any, sheet: int) -> tuple[list[str], list[dict[str, Any]]]:
    """The same from the server, and its events."""
    found = one.call("GET", f"/api/sheets/{sheet}")
    tokens, state = found["document"]["tokens"], found["state"]
    rows = sorted(state["mentions"].values(), key=lambda row: (row["spans"][0][0], -row["spans"][-1][1]))  # fmt: skip
    words = [
        " … ".join(" ".join(tokens[a:b]) for a, b in row["spans"])
        + f" {','.join(str(state['groups'][id]['order'] + 1) for id in row['groups'])}"
        for row in rows
    ]
    events = one.call("GET", f"/api/sheets/{sheet}/events?after=0")["events"]
    return words, events


WORK = "+ ArrowRight ArrowRight + ArrowRight ArrowRight + ArrowRight ArrowRight 1 ArrowRight ArrowRight 2 ArrowRight ArrowRight 1 Shift+2 f z Z"
RESULT = ["Ann 1", "Bo 2", "York 3", "she 1", "him 2", "they 1,2"]


def test_every_third_answer_is_dropped(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    one.allowed = ("net::ERR", "Failed to load resource")
    page = one.sheet(sheet)
    seen = {"asked": 0, "dropped": 0}

    def third(route: Any) -> None:
        seen["asked"] += 1
        if seen["asked"] % 3:
            route.continue_()
            return
        route.fetch()  # it arrives, is stored, and the answer gets lost
        seen["dropped"] += 1
        route.abort()

    page.route("**/events", lambda route: third(route) if route.request.method == "POST" else route.continue_())  # fmt: skip
    for number, key in enumerate(WORK.split()):
        page.keyboard.press(key)
        page.wait_for_timeout(150)
        if number % 4 == 3:  # so that there are five requests at least, however slow all is
            status(page, "saved")
    assert seen["dropped"] >= 2
    assert marked(page) == RESULT
    words, events = stored(one, sheet)
    assert words == RESULT
    ids = [event["id"] for event in events]
    assert len(ids) == len(set(ids)) == 10
    assert page.evaluate("Object.keys(localStorage).filter(k => k.includes('outbox')).length") == 0


def test_work_without_a_connection_survives_a_reload(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    one.allowed = ("net::ERR", "Failed to load resource")
    page = one.sheet(sheet)
    press(page, "+")
    status(page, "saved")
    page.route("**/events", lambda route: route.abort())
    press(page, "ArrowRight ArrowRight +")
    status(page, "offline")
    press(page, "ArrowRight ArrowRight +")
    assert page.locator("#save").inner_text() == "offline (2 waiting)"
    page.unroute("**/events")
    page = one.sheet(sheet)  # before anything was sent again
    assert marked(page) == ["Ann 1", "Bo 2", "York 3"]
    press(page, "z z")  # and what was done before can be undone
    page.wait_for_function("() => coindex.editor.state.mentions.size === 1")
    status(page, "saved")
    assert stored(one, sheet)[0] == ["Ann 1"]


def test_the_server_is_killed_and_comes_back(app: Any, annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    one.allowed = ("net::ERR", "Failed to load resource")
    page = one.sheet(sheet)
    press(page, "+ ArrowRight ArrowRight +")
    app.kill()
    press(page, "ArrowRight ArrowRight + ArrowRight ArrowRight 1")
    status(page, "offline")
    app.start()
    status(page, "saved")
    assert stored(one, sheet)[0] == marked(page) == ["Ann 1", "Bo 2", "York 3", "she 1"]


def test_two_tabs_are_merged_and_conflicts_shown(annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    first, second = one.sheet(sheet), one.sheet(sheet, one.tab())
    press(first, "+ ArrowRight ArrowRight +")
    second.wait_for_function("() => coindex.editor.state.mentions.size === 2")
    # apart: both are kept
    for page in (first, second):
        page.route("**/events*", lambda route: route.abort() if route.request.method == "POST" else route.continue_())  # fmt: skip
    one.allowed = ("net::ERR", "Failed to load resource")
    first.evaluate("coindex.editor.goto(4)")
    press(first, "+")  # York
    second.evaluate("coindex.editor.goto(6)")
    press(second, "1")  # she
    # the same mention, moved to different groups
    first.evaluate("coindex.editor.goto(2)")
    press(first, "1")  # Bo into 1
    second.evaluate("coindex.editor.goto(2)")
    press(second, "+")  # Bo into a group of its own: refused, it is one already
    press(second, "f")  # flagged, though
    for page in (first, second):
        page.unroute("**/events*")
        page.evaluate("coindex.live.outbox.flush()")
        status(page, "saved")
    lost = second.locator(".lost")
    lost.wait_for()
    assert "“Bo”" in lost.inner_text()
    want = ["Ann 1", "Bo 1", "York 3", "she 1"]
    assert marked(second) == want
    first.wait_for_function("() => coindex.editor.state.mentions.size === 4")
    assert marked(first) == want
    assert stored(one, sheet)[0] == want
    second.get_by_role("button", name="Retry").click()
    status(second, "saved")
    assert lost.count() == 0
    state = one.call("GET", f"/api/sheets/{sheet}")["state"]
    assert [row["unsure"] for row in state["mentions"].values() if row["spans"] == [[2, 3]]] == [True]  # fmt: skip


def test_leaving_while_a_save_is_in_flight(app: Any, annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    one.allowed = ("net::ERR", "Failed to load resource")
    page = one.sheet(sheet)
    held: list[Any] = []
    page.route("**/events", lambda route: held.append(route))
    press(page, "+ ArrowRight ArrowRight + ArrowRight ArrowRight +")
    status(page, "saving")
    page.unroute("**/events")
    page.goto(app.url)  # another page: what was held never arrived
    page.wait_for_function("() => !Object.keys(localStorage).some(k => k.includes('outbox'))")
    assert stored(one, sheet)[0] == ["Ann 1", "Bo 2", "York 3"]


def test_logged_out_work_is_kept(app: Any, annotator: Any) -> None:
    one, sheet = annotator("Ann", TEXT)
    one.allowed = ("Failed to load resource",)
    page = one.sheet(sheet)
    cookies = one.context.cookies()
    one.context.clear_cookies()
    press(page, "+ ArrowRight ArrowRight +")
    status(page, "login")
    assert page.get_by_role("link", name="Log in").is_visible()
    one.context.add_cookies(cookies)
    page.evaluate("coindex.live.outbox.flush()")
    status(page, "saved")
    assert stored(one, sheet)[0] == ["Ann 1", "Bo 2"]


def reads(page: Any, number: int) -> None:
    """The document's note, when it is that (the page forbids `wait_for_function`'s eval)."""
    for _ in range(300):
        found = page.evaluate("coindex.editor.state.about.note")
        if found == f"note {number}":
            return
        page.wait_for_timeout(50)
    pytest.fail(f"expected note {number}, found {found}")


def test_undo_beyond_what_is_told_at_once(annotator: Any) -> None:
    """A sheet with 5,200 events: the last is undone at once, and the one before it, after a reload."""
    one, sheet = annotator("Ann", TEXT)
    for at in range(0, 5200, 400):
        events = [{"id": f"e{n}", "base": 0, "kind": "document.note", "payload": {"text": f"note {n}"}, "at": 0}
                  for n in range(at, at + 400)]  # fmt: skip
        one.call("POST", f"/api/sheets/{sheet}/events", {"client": "filler", "events": events})
    page = one.sheet(sheet)
    for number, keys in ((5198, "z"), (5197, "z"), (5198, "Z"), (5197, "z"), (5196, "z")):
        press(page, keys)
        reads(page, number)
    status(page, "saved")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    press(page, "z")
    reads(page, 5195)
    # As if all that was told had been undone: more is asked for, and there is no end before the first.
    page.evaluate("() => { const { session } = coindex.live; session.done.length = session.confirmedDone.length = 1; }")  # fmt: skip
    status(page, "saved")
    for number in (5194, 5193, 5192):
        press(page, "z")
        reads(page, number)
    status(page, "saved")
    found = one.call("GET", f"/api/sheets/{sheet}")
    assert found["state"]["document"]["note"] == "note 5192"
    assert (found["undo_left"], len(found["redo"])) == (5193 - 1000, 7)
