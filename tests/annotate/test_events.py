"""Events: stored once, merged or refused, undone and redone, never changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select, text, update
from sqlalchemy.event import listen
from sqlalchemy.exc import DBAPIError

from annotate_help import Bench, event
from annotate_web import World
from coindex.annotate.store import undo
from coindex.annotate.store.database import Database
from coindex.annotate.store.doctor import examine
from coindex.annotate.store.events import state_json
from coindex.annotate.store.tables import assignments, events, records
from coindex.annotate.web import assignment_routes

NEW = {"id": "g1", "name": "Ann"}


def state(bench: Bench) -> dict[str, Any]:
    with bench.database.read() as connection:
        found: dict[str, Any] = json.loads(state_json(connection, bench.sheet))
        return found


def add(bench: Bench, id: str, start: int, end: int, group: str = "g1", **more: Any) -> Any:
    return bench.do("mention.add", mention=id, spans=[[start, end]], group=group, **more)


def test_an_action_is_stored_and_answered_with_what_it_changed(benches: Bench) -> None:
    result = add(benches, "m1", 0, 1, new_group=NEW)
    assert result["status"] == "stored"
    assert result["revision"] == 1
    assert [change["key"] for change in result["changes"]] == ["groups/g1", "mentions/m1"]
    assert state(benches)["mentions"]["m1"]["groups"] == ["g1"]
    assert state(benches)["groups"]["g1"] == {"name": "Ann", "order": 0, "kind": None, "attrs": []}


def test_an_event_that_comes_again_happens_once(benches: Bench) -> None:
    given = event("mention.add", 0, mention="m1", spans=[[0, 1]], group="g1", new_group=NEW)
    first, again = benches.send([given])[0], benches.send([given])[0]
    assert again == {**first, "status": "known"}
    with benches.database.read() as connection:
        assert connection.execute(select(func.count()).select_from(events)).scalar() == 1


def test_an_id_cannot_be_used_for_something_else(benches: Bench) -> None:
    assert benches.send([event("document.note", 0, "e1", text="a")])[0]["status"] == "stored"
    other = benches.send([event("document.note", 0, "e1", text="b")])[0]
    assert other["status"] == "invalid"
    benches.sheet = benches.assign(benches.text("d2"), benches.user)
    assert benches.send([event("document.note", 0, "e1", text="a")])[0]["status"] == "invalid"


def test_the_database_refuses_to_change_or_delete_events(benches: Bench) -> None:
    benches.do("document.note", text="a")
    for statement in ("UPDATE events SET kind = 'x'", "DELETE FROM events"):
        with (
            pytest.raises(DBAPIError, match="never changed or deleted"),
            benches.database.write() as connection,
        ):
            connection.execute(text(statement))


def test_two_tabs_that_touch_different_records_are_merged(benches: Bench) -> None:
    add(benches, "m1", 0, 1, new_group=NEW)
    one = benches.do("mention.note", base=1, client="a", mention="m1", text="sure")
    two = benches.do(
        "mention.add", base=1, client="b", mention="m2", spans=[[6, 7]], group="g1"
    )  # fmt: skip
    assert one["status"] == two["status"] == "stored"
    assert two["merged"] is True
    assert state(benches)["mentions"]["m1"]["note"] == "sure"


def test_two_tabs_that_touch_the_same_record_conflict(benches: Bench) -> None:
    add(benches, "m1", 0, 1, new_group=NEW)
    benches.do("mention.resize", base=1, client="a", mention="m1", spans=[[0, 2]])
    late = benches.do("mention.note", base=1, client="b", mention="m1", text="mine")
    assert late["status"] == "conflict"
    assert late["keys"] == ["mentions/m1"]
    assert [each["kind"] for each in late["theirs"]] == ["mention.resize"]
    assert state(benches)["mentions"]["m1"]["note"] == ""
    again = benches.do("mention.note", base=2, client="b", mention="m1", text="mine")
    assert again["status"] == "stored"


def test_what_another_tab_took_away_is_a_conflict_not_a_mistake(benches: Bench) -> None:
    add(benches, "m1", 0, 1, new_group=NEW)
    benches.do("mention.remove", base=1, client="a", mentions=["m1"])
    late = benches.do("mention.flag", base=1, client="b", mention="m1", unsure=True)
    assert late["status"] == "conflict"


def test_a_tab_does_not_conflict_with_itself(bench: Bench) -> None:
    queue = [
        event("mention.add", 0, mention="m1", spans=[[0, 1]], group="g1", new_group=NEW),
        event("mention.resize", 0, mention="m1", spans=[[0, 2]]),
        event("mention.note", 0, mention="m1", text="x"),
    ]
    assert [each["status"] for each in bench.send(queue)] == ["stored"] * 3


def test_what_follows_a_refused_event_is_skipped(bench: Bench) -> None:
    queue = [
        event("group.add", 0, group="g1", name=""),
        event("mention.add", 0, mention="m1", spans=[[0, 99]], group="g1"),
        event("document.flag", 0, unsure=True),
    ]
    assert [each["status"] for each in bench.send(queue)] == ["stored", "invalid", "skipped"]
    assert state(bench)["document"]["unsure"] is False


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("mention.add", {"mention": "m1", "spans": [[6, 7]], "group": "g1"}),
        ("mention.add", {"mention": "m2", "spans": [[0, 1]], "group": "g1"}),
        ("mention.add", {"mention": "m2", "spans": [[6, 7]], "group": "nowhere"}),
        ("mention.add", {"mention": "m2", "spans": [[7, 6]], "group": "g1"}),
        ("mention.add", {"mention": "m2", "spans": [[6, 7], [6, 8]], "group": "g1"}),
        ("mention.add", {"mention": "m2", "spans": [[True, 7]], "group": "g1"}),
        ("mention.add", {"mention": "m2", "spans": [], "group": "g1"}),
        ("mention.add", {"mention": "../x", "spans": [[6, 7]], "group": "g1"}),
        ("mention.add", {"mention": "m2", "spans": [[6, 7]], "group": "g1", "extra": 1}),
        ("mention.remove", {"mentions": ["m1", "m1"]}),
        ("mention.remove", {"mentions": []}),
        ("mention.leave", {"mentions": ["m1"], "group": "g1"}),
        ("mention.note", {"mention": "m1", "text": "x" * 2001}),
        ("mention.note", {"mention": "m1", "text": "\0"}),
        ("mention.flag", {"mention": "m1", "unsure": "yes"}),
        ("group.remove", {"group": "g1"}),
        ("group.merge", {"from": ["g1"], "into": "g1"}),
        ("group.split", {"mentions": ["m1"], "from": "g1"}),
        ("suggestion.accept", {"suggestion": "s1", "mention": "m2", "group": "g1"}),
        ("answer", {"choice": "A"}),
        ("seed", {"groups/x": None}),
        ("nothing", {}),
        ("undo", {"event": "never"}),
    ],
)
def test_what_cannot_be_done_is_not_stored(bench: Bench, kind: str, payload: Any) -> None:
    add(bench, "m1", 0, 1, new_group=NEW)
    given = event(kind, 1)
    result = bench.send([type(given)(given.id, 1, kind, payload)])[0]
    assert result["status"] in ("invalid", "conflict")
    assert examine(bench.database).events == 1


def test_undo_and_redo_go_back_and_forth_over_everything(benches: Bench) -> None:
    seen = [state(benches)]
    steps: list[tuple[str, dict[str, Any]]] = [
        ("mention.add", {"mention": "m1", "spans": [[0, 1]], "group": "g1", "new_group": NEW}),
        ("mention.add", {"mention": "m2", "spans": [[2, 3]], "group": "g2", "new_group": {"id": "g2"}}),
        ("mention.also", {"mentions": ["m1"], "group": "g2"}),
        ("group.merge", {"from_": ["g2"], "into": "g1"}),
        ("group.split", {"mentions": ["m2"], "from_": "g1", "new_group": {"id": "g3", "name": "Bo"}}),
        ("mention.resize", {"mention": "m1", "spans": [[0, 2]]}),
        ("mention.remove", {"mentions": ["m1", "m2"]}),
        ("document.done", {"done": True}),
    ]  # fmt: skip
    done = []
    for number, (kind, payload) in enumerate(steps):
        given = event(kind, number, **payload)
        assert benches.send([given])[0]["status"] == "stored", kind
        done.append(given.id)
        seen.append(state(benches))
    for back, id in enumerate(reversed(done)):
        assert benches.do("undo", base=len(done) + back, event=id)["status"] == "stored"
        assert state(benches) == seen[-2 - back]
    for number, id in enumerate(done):
        assert benches.do("redo", base=2 * len(done) + number, event=id)["status"] == "stored"
        assert state(benches) == seen[number + 1]
    assert examine(benches.database).problems == ()


def test_only_the_last_can_be_undone_and_a_new_action_forgets_redo(bench: Bench) -> None:
    bench.send(
        [event("document.note", 0, "e1", text="a"), event("document.note", 0, "e2", text="b")]
    )
    assert bench.do("undo", base=2, event="e1")["status"] == "conflict"
    assert bench.do("undo", base=2, event="e2")["status"] == "stored"
    assert bench.do("document.flag", base=3, unsure=True)["status"] == "stored"
    assert bench.do("redo", base=4, event="e2")["status"] == "conflict"


def test_the_doctor_sees_and_mends_a_projection_that_was_changed(benches: Bench) -> None:
    add(benches, "m1", 0, 1, new_group=NEW)
    assert examine(benches.database).problems == ()
    with benches.database.write() as connection:
        connection.execute(update(records).values(value={"name": "forged"}))
        connection.execute(update(assignments).values(revision=7))
    health = examine(benches.database)
    assert len(health.problems) == 2
    assert examine(benches.database, repair=True).repaired == 1
    assert examine(benches.database).problems == ()
    assert state(benches)["groups"]["g1"]["name"] == "Ann"


def test_a_suggestion_for_a_mention_that_is_there_adds_a_group(bench: Bench) -> None:
    add(bench, "m1", 0, 1, new_group=NEW)
    told = {"spans": [[0, 1]], "group": "s", "resolver": "r", "state": "open"}
    with bench.database.write() as connection:
        bench.events.seed(connection, bench.sheet, bench.user, {"suggestions/s1": told})
    new = {"id": "g2", "name": ""}
    result = bench.do(
        "suggestion.accept", base=2, suggestion="s1", mention="m9", group="g2", new_group=new
    )
    assert result["status"] == "stored"
    assert state(bench)["mentions"] == {
        "m1": {**state(bench)["mentions"]["m1"], "groups": ["g1", "g2"]}
    }
    assert bench.do("undo", base=3, event=result["id"])["status"] == "stored"
    assert state(bench)["suggestions"]["s1"]["state"] == "open"
    assert examine(bench.database).problems == ()


def test_more_steps_than_are_told_at_once(light: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment_routes, "MAX_STEPS", 3)
    world = World(light)
    world.fill(1)
    client = world["annotator"]
    sheet = client.post(f"/api/projects/{world.project}/next")["sheet"]
    ids = [client.act(sheet, "document.note", n, text=str(n))["id"] for n in range(8)]
    told = client.get(f"/api/sheets/{sheet}")
    assert (told["undo"], told["undo_left"], told["redo_left"]) == (ids[-3:], 5, 0)
    for number, id in enumerate(reversed(ids)):
        assert client.act(sheet, "undo", 8 + number, event=id)["status"] == "stored"
    told = client.get(f"/api/sheets/{sheet}")
    assert (told["undo"], told["undo_left"]) == ([], 0)
    assert (told["redo"], told["redo_left"]) == ([ids[2], ids[1], ids[0]], 5)
    page = client.get(f"/api/sheets/{sheet}/events?after=4&limit=2")
    assert [each["id"] for each in page["events"]] == ids[4:6]
    assert page["revision"] == 16


@given(st.lists(st.sampled_from(["do", "undo", "redo", "seed"]), max_size=40))
def test_the_last_step_is_found_from_the_end(steps: list[str]) -> None:
    """What is read backwards is what all events add up to."""
    found = undo.UndoStacks()
    log: list[tuple[str, str, Any]] = []
    for number, step in enumerate(steps):
        stack = found.undo if step == "undo" else found.redo
        if step in ("undo", "redo") and not stack:
            continue
        payload = {"event": next(reversed(stack))} if step in ("undo", "redo") else {}
        log.append((f"e{number}", "document.note" if step == "do" else step, payload))
        found.push(*log[-1])
        for kind, own in (("undo", found.undo), ("redo", found.redo)):
            assert undo.top_of_stack(kind, reversed(log)) == next(reversed(own), None)


def test_undo_of_a_long_history_reads_its_end_alone(bench: Bench) -> None:
    ids = [f"e{number}" for number in range(400)]
    bench.send([event("document.note", id=id, text=id) for id in ids])
    read: list[int] = []
    listen(bench.database.engine, "after_cursor_execute", lambda *told: read.append(1) if "LIMIT" in told[2] else None)  # fmt: skip
    assert bench.do("undo", event=ids[-1])["status"] == "stored"
    assert len(read) == 1
    for id in reversed(ids[:-1]):
        assert bench.do("undo", event=id)["status"] == "stored"
    for id in ids:
        assert bench.do("redo", event=id)["status"] == "stored"
    assert bench.do("redo", event=ids[0])["status"] == "conflict"
    assert examine(bench.database).problems == ()
