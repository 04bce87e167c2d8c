"""Adjudication: answers with badges, lit up in the text; a whole version as a start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotate_looks import PHONE, WIDE, check_looks

pytestmark = pytest.mark.browser

TEXT = b"Ann told Bea that she had seen her brother in York. They left early."
ONE = [[[0, 1], [4, 5]], [[2, 3]], [[7, 9]]]
TWO = [[[0, 1]], [[2, 3], [4, 5]], [[7, 8]]]


def finished(one: Any, base: str, chains: list[list[list[int]]]) -> None:
    """Annotate the next document by events."""
    sheet = one.call("POST", f"{base}/next", {})["sheet"]
    events: list[dict[str, Any]] = []
    for number, chain in enumerate(chains):
        for at, span in enumerate(chain):
            new = {} if at else {"new_group": {"id": f"g{number}", "name": ""}}
            payload = {"mention": f"m{len(events)}", "spans": [span], "group": f"g{number}", **new}
            events.append({"id": f"{one.name}-{len(events)}", "base": 0, "kind": "mention.add", "payload": payload, "at": 0})  # fmt: skip
    events.append({"id": f"{one.name}-done", "base": 0, "kind": "document.done", "payload": {"done": True}, "at": 0})  # fmt: skip
    one.call("POST", f"/api/sheets/{sheet}/events", {"client": "t", "events": events})


@pytest.fixture
def adjudication(app: Any, boss: Any, person: Callable[..., Any]) -> Callable[..., Any]:
    """The page of somebody who adjudicates."""

    def make(**options: Any) -> Any:
        project = app.api("POST", "/api/projects", {"name": "P", "kind": "document"})["project"]["id"]  # fmt: skip
        base = f"/api/projects/{project}"
        app.api("POST", f"{base}/import?format=text&name=file", TEXT)
        people = {}
        for name, role in (("Ann", "annotator"), ("Bob", "annotator"), ("Jo", "adjudicator")):
            people[name] = person(name, **(options if name == "Jo" else {}))
            people[name].register(app.url + app.api("POST", f"{base}/invitations", {"role": role})["link"])  # fmt: skip
        finished(people["Ann"], base, ONE)
        finished(people["Bob"], base, TWO)
        page = people["Jo"].page
        page.goto(f"{app.url}/projects/{project}/adjudicate")
        page.get_by_role("button", name="Adjudicate").click()
        page.wait_for_selector("body[data-ready]")
        return page

    return make


def go_to(page: Any, words: str) -> None:
    for _ in range(8):
        if page.locator("#review .about").inner_text() == f"“{words}”":
            return
        page.keyboard.press(".")
    raise AssertionError(words)


def groups(page: Any) -> list[list[str]]:
    page.wait_for_selector('#save[data-status="saved"]')
    found: list[list[str]] = page.evaluate(
        "() => { const { state } = coindex.editor; return state.numbered().map((one) => state.chain(one.id).map((each) => each.spans.join(';'))).filter((one) => one.length).sort(); }"
    )
    return found


@pytest.mark.parametrize("window", [WIDE, PHONE], ids=["wide", "phone"])
def test_answers_have_badges_and_light_up_in_the_text(
    adjudication: Callable[..., Any], window: dict[str, Any]
) -> None:
    page = adjudication(**window)
    go_to(page, "she")
    answers = page.locator(".answers button")
    assert answers.count() == 3
    for number, name in ((0, "Ann"), (1, "Bea")):
        answer = answers.filter(has=page.locator("b", has_text=name)).first
        assert answer.locator(".n").inner_text() in ("1", "2"), number
        assert "'" not in answer.inner_text()
        answer.focus()
        lit = page.locator("#text .m.diff").all_inner_texts()
        assert [text.startswith(name) for text in lit] == [True]
    check_looks(page, "adjudicate")
    page.get_by_role("button", name="Next", exact=False).first.focus()
    assert page.locator("#text .m.diff").count() == 0


def test_a_whole_version_is_a_start_and_one_undo_takes_it_back(
    adjudication: Callable[..., Any],
) -> None:
    page = adjudication()
    agreed = groups(page)
    versions = []
    for letter in ("A", "B"):
        before = page.evaluate("coindex.editor.session.done.length")
        page.keyboard.press("Alt+v")  # by keyboard alone
        page.get_by_role("button", name=f"annotator {letter}", exact=True).focus()
        page.keyboard.press("Enter")
        page.get_by_text("Replace the text's marks by the whole version").wait_for()
        page.keyboard.press("Enter")
        page.wait_for_function(
            "before => document.getElementById('said').textContent.includes('disagreement') && coindex.editor.session.done.length > before",
            arg=before,
        )
        page.wait_for_function("() => !coindex.live.outbox.waiting")
        versions.append(groups(page))
    wanted = [sorted([["{},{}".format(*span) for span in chain] for chain in each]) for each in (ONE, TWO)]  # fmt: skip
    assert sorted(versions) == sorted(wanted)
    page.keyboard.press("z")
    page.wait_for_function("() => !coindex.live.outbox.waiting")
    assert groups(page) == versions[0]
    page.keyboard.press("z")
    assert groups(page) == agreed
    page.get_by_role("button", name="Start from one version").click()  # by mouse alone
    page.get_by_role("button", name="annotator A", exact=True).click()
    page.get_by_role("button", name="Replace").click()
    page.wait_for_function("() => coindex.editor.session.undone.length === 0")
    assert groups(page) == versions[0]
    assert page.get_by_text("as in the text now").count() >= 1
