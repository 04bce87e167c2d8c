"""What managers do by the API: lists in pages, archiving and deleting, people, training, queue."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.exc import DBAPIError

from annotate_help import Time
from annotate_web import World, problem
from coindex.annotate.store.database import Database
from coindex.annotate.store.lifecycle import UNDO, purge
from coindex.annotate.store.tables import assignments, documents, events, projects, records

WEEK = UNDO / 1000


@pytest.fixture
def world(light: Database) -> World:
    return World(light)


@pytest.fixture
def both(database: Database) -> World:
    """On both kinds of database."""
    return World(database)


def names(world: World, query: str = "", project: int | None = None) -> list[str]:
    path = f"/api/projects/{project or world.project}/documents?{query}"
    return [row["name"] for row in world["manager"].get(path)["documents"]]


def finish(world: World, who: str, sheet: int, spans: Any = None) -> None:
    client = world[who]
    if spans is not None:
        new = {"id": "g", "name": ""}
        assert client.act(sheet, "mention.add", mention="m", spans=spans, group="g", new_group=new)["status"] == "stored"  # fmt: skip
    base = client.get(f"/api/sheets/{sheet}")["revision"]
    assert client.act(sheet, "document.done", base, done=True)["status"] == "stored"


def take(world: World, who: str) -> Any:
    return world[who].post(f"/api/projects/{world.project}/next")


def test_documents_come_in_pages_and_are_searched(both: World) -> None:
    both.fill(7)
    found = both["manager"].get(f"/api/projects/{both.project}/documents?limit=3&offset=3")
    assert [row["name"] for row in found["documents"]] == ["work-3", "work-4", "work-5"]
    assert found["total"] == 7
    assert found["documents"][0]["excerpt"].startswith("Ann met Bo in York")
    assert names(both, "search=ORK-4&limit=10") == ["work-4"]
    assert names(both, "search=%25&limit=10") == []  # a percent sign is itself
    both["manager"].ok("PATCH", "/api/documents/1", {"name": "Ärger"})
    assert names(both, "search=%C3%84rg&limit=10") == ["Ärger"]
    assert len(names(both)) == 7  # as in version 0.1: all of them


def test_an_archived_document_is_out_of_the_queue_and_of_the_figures(world: World) -> None:
    world.fill(2)
    manager = world["manager"]
    first = take(world, "annotator")["sheet"]
    finish(world, "annotator", first, [[0, 1]])
    manager.ok("PATCH", "/api/documents/1", {"state": "archived"})
    assert names(world) == ["work-1"]
    assert names(world, "state=archived") == ["work-0"]
    progress = manager.get(f"/api/projects/{world.project}/progress")
    assert (progress["documents"], progress["done"]) == (1, 0)
    second = take(world, "second")["sheet"]
    assert world["second"].get(f"/api/sheets/{second}")["document"]["name"] == "work-1"
    assert world["annotator"].get(f"/api/sheets/{first}")["document"]["name"] == "work-0"
    assert manager.ask("POST", "/api/documents/1/assign", {"name": "second"}).status_code == 409
    manager.ok("PATCH", "/api/documents/1", {"state": "active"})
    assert manager.get(f"/api/projects/{world.project}/progress")["done"] == 1


def test_a_deleted_document_comes_back_within_a_week_and_is_gone_after_it(
    both: World, time: Time
) -> None:
    both.fill(2)
    manager = both["manager"]
    sheet = take(both, "annotator")["sheet"]
    both["annotator"].act(sheet, "mention.add", mention="m", spans=[[0, 1]], group="g", new_group={"id": "g", "name": ""})  # fmt: skip
    state = {"documents": [1], "state": "deleted"}
    manager.post(f"/api/projects/{both.project}/documents/state", state)
    assert both["annotator"].ask("GET", f"/api/sheets/{sheet}").status_code == 404
    assert both["adjudicator"].ask("POST", "/api/documents/1/adjudicate").status_code == 404
    (row,) = manager.get(f"/api/projects/{both.project}/documents?state=deleted")["documents"]
    assert row["until"] == both.database.clock() + UNDO
    time.pass_(WEEK - 10)
    with both.database.write() as connection:
        assert purge(connection, both.database.clock()) == (0, 0)
    manager.ok("PATCH", "/api/documents/1", {"state": "active"})
    assert both["annotator"].get(f"/api/sheets/{sheet}")["state"]["mentions"]["m"]
    manager.ok("PATCH", "/api/documents/1", {"state": "deleted"})
    time.pass_(WEEK + 10)
    with both.database.write() as connection:
        assert purge(connection, both.database.clock()) == (1, 0)
        for table in (events, records, assignments):
            assert connection.execute(select(func.count()).select_from(table)).scalar_one() == 0
    both._clients.clear()  # sessions end after two weeks
    gone = both["manager"].ask("PATCH", "/api/documents/1", {"state": "active"})
    assert gone.status_code == 404
    assert names(both) == ["work-1"]


def test_events_of_documents_that_are_not_deleted_cannot_be_deleted(both: World) -> None:
    both.fill(2)
    sheets = [take(both, name)["sheet"] for name in ("annotator", "second")]
    finish(both, "annotator", sheets[0])
    with pytest.raises(DBAPIError, match="never changed or deleted"), both.database.write() as connection:  # fmt: skip
        connection.execute(delete(events))
    with pytest.raises(DBAPIError, match="never changed or deleted"), both.database.write() as connection:  # fmt: skip
        connection.execute(events.update().values(kind="x"))


def test_a_project_is_archived_deleted_and_restored(world: World, time: Time) -> None:
    world.fill(1)
    manager, path = world["manager"], f"/api/projects/{world.project}"
    manager.post(f"{path}/state", {"state": "archived"})
    assert "one" not in [row["name"] for row in world["annotator"].get("/api/projects")["projects"]]
    found = world["annotator"].get("/api/projects?state=archived")["projects"]
    assert [row["name"] for row in found] == ["one"]
    assert take(world, "annotator")["reason"] == "the project is archived"
    manager.post(f"{path}/state", {"state": "deleted"})
    assert manager.ask("GET", path).status_code == 404
    assert manager.ask("GET", "/api/documents/1").status_code == 404
    assert world["annotator"].get("/api/projects?state=deleted")["projects"] == []
    assert world["annotator"].ask("POST", f"{path}/state", {"state": "active"}).status_code == 403
    assert world["stranger"].ask("POST", f"{path}/state", {"state": "active"}).status_code == 404
    assert len(manager.get("/api/projects?state=deleted")["projects"]) == 1
    manager.post(f"{path}/state", {"state": "active"})
    assert take(world, "annotator")["sheet"]
    manager.post(f"{path}/state", {"state": "deleted"})
    time.pass_(WEEK + 1)
    with world.database.write() as connection:
        assert purge(connection, world.database.clock()) == (1, 1)
        left = connection.execute(select(projects.c.name)).scalars().all()
        assert sorted(left) == ["three", "two"]
        assert connection.execute(select(func.count()).select_from(documents)).scalar_one() == 0


def test_a_document_is_renamed_but_not_to_a_name_that_is_taken(world: World) -> None:
    world.fill(2)
    manager = world["manager"]
    assert manager.ok("PATCH", "/api/documents/1", {"name": " A letter "})["name"] == "A letter"
    assert manager.ask("PATCH", "/api/documents/2", {"name": "A letter"}).status_code == 409
    assert manager.ask("PATCH", "/api/documents/2", {"name": "a\nb"}).status_code == 422
    assert manager.ask("PATCH", "/api/documents/2", {"training": True}).status_code == 409
    assert manager.get("/api/documents/1")["document"]["text"].startswith("Ann met Bo")
    skipped = world.bring([problem("x")], project=world.problems).skipped
    assert skipped == []
    found = manager.get("/api/documents/3")["document"]
    assert (found["candidates"], found["target"]) == (["Ann", "Bea"], [17, 20])


def test_an_import_says_that_a_deleted_document_has_the_name(world: World) -> None:
    world.fill(1)
    world["manager"].ok("PATCH", "/api/documents/1", {"state": "deleted"})
    world.fill(2)
    assert names(world) == ["work-1"]
    again = world["manager"].upload(world.project, b"Ann slept.", format="text", name="work-0.txt")
    assert again.json()["skipped"][0]["reason"] == "there is a deleted document of that name already"  # fmt: skip


def test_one_document_per_line(world: World) -> None:
    content = b"Ann slept.\n\n  Bea left.  \n"
    told = world["manager"].upload(world.project, content, name="Notes.txt", split="lines").json()
    assert told["imported"]["documents"] == 2
    assert names(world) == ["Notes-1", "Notes-3"]
    assert world["manager"].get("/api/documents/2")["document"]["text"] == "Bea left."


def test_people_are_added_by_name_and_join_by_a_link(world: World, time: Time) -> None:
    manager, path = world["manager"], f"/api/projects/{world.project}"
    members = manager.post(f"{path}/members", {"name": "STRANGER", "role": "annotator"})["members"]
    assert ("stranger", "annotator") in [(row["name"], row["role"]) for row in members]
    assert manager.ask("POST", f"{path}/members", {"name": "nobody", "role": "annotator"}).status_code == 404  # fmt: skip
    assert manager.ask("POST", f"{path}/members", {"role": "annotator"}).status_code == 422
    link = manager.post(f"{path}/invitations", {"role": "adjudicator", "days": 2})["link"]
    token = link.rpartition("/")[2]
    assert world["stranger"].get(f"/api/welcome/{token}")["project"] == "one"
    assert world["stranger"].post(f"/api/welcome/{token}/join") == {"project": world.project}
    assert world["stranger"].ask("POST", f"/api/welcome/{token}/join").status_code == 404  # used
    (row,) = manager.get(f"{path}/invitations")["invitations"]
    assert (row["state"], row["by"], row["used_by"]) == ("used", "manager", "stranger")
    lower = manager.post(f"{path}/invitations", {"role": "annotator"})["link"].rpartition("/")[2]
    answer = world["stranger"].ask("POST", f"/api/welcome/{lower}/join")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "member")
    assert world.anybody().ask("POST", f"/api/welcome/{lower}/join").status_code == 401
    # expired and revoked ones do not work
    time.pass_(8 * 86_400)
    states = [row["state"] for row in world["manager"].get(f"{path}/invitations")["invitations"]]
    assert sorted(states) == ["expired", "used"]


def test_a_link_is_revoked_by_managers_of_its_project_only(world: World) -> None:
    manager, path = world["manager"], f"/api/projects/{world.project}"
    token = manager.post(f"{path}/invitations", {"role": "annotator"})["link"].rpartition("/")[2]
    (row,) = manager.get(f"{path}/invitations")["invitations"]
    elsewhere = f"/api/projects/{world.problems}/invitations/{row['id']}"
    assert manager.ask("DELETE", elsewhere).status_code == 404
    assert manager.ask("DELETE", f"{path}/invitations/{'%' * 16}").status_code == 404
    manager.ok("DELETE", f"{path}/invitations/{row['id']}")
    assert world.anybody().ask("GET", f"/api/welcome/{token}").status_code == 404
    made = world["administrator"].post("/api/invitations", {"administrator": True})["link"]
    token = made.rpartition("/")[2]
    assert world["stranger"].ask("POST", f"/api/welcome/{token}/join").status_code == 409


def test_the_training_gate(world: World) -> None:
    world.fill(1, "training")
    world.fill(1)
    manager, path = world["manager"], f"/api/projects/{world.project}"
    manager.ok("PATCH", path, {"settings": {"training_score": 90}})
    training = take(world, "annotator")["sheet"]
    finish(world, "annotator", training, [[1, 2]])
    told = take(world, "annotator")
    assert (told["sheet"], told["reason"]) == (None, "training")
    assert "asks for 90" in told["message"]
    result = manager.get(f"{path}/training")
    (own,) = [row for row in result["people"] if row["name"] == "annotator"]
    assert (own["done"], own["of"], own["passed"]) == (1, 1, False)
    assert own["score"] < 90
    mistakes = own["documents"][0]["mistakes"]
    assert "you missed “Ann”" in mistakes
    assert "“met” should not be marked" in mistakes
    # the document is corrected
    client = world["annotator"]
    client.act(training, "document.done", client.get(f"/api/sheets/{training}")["revision"], done=False)  # fmt: skip
    for mention, spans, group in (("a", [[0, 1]], "x"), ("b", [[6, 7]], "x"), ("c", [[2, 3]], "y")):
        base = client.get(f"/api/sheets/{training}")["revision"]
        known = client.get(f"/api/sheets/{training}")["state"]["groups"]
        new = {} if group in known else {"new_group": {"id": group, "name": ""}}
        client.act(training, "mention.add", base, mention=mention, spans=spans, group=group, **new)
    base = client.get(f"/api/sheets/{training}")["revision"]
    client.act(training, "mention.remove", base, mentions=["m"])
    client.act(training, "document.done", base + 1, done=True)
    assert take(world, "annotator")["sheet"] not in (None, training)
    # and somebody else is let pass
    finish(world, "second", take(world, "second")["sheet"])
    assert take(world, "second")["reason"] == "training"
    manager.post(f"{path}/training/{world['second'].id}", {"passed": True})
    assert take(world, "second")["sheet"]
    manager.post(f"{path}/members", {"user": world["second"].id, "role": "adjudicator"})
    rows = manager.get(f"{path}/training")["people"]
    assert [row["let_pass"] is not None for row in rows if row["name"] == "second"] == [True]
    assert manager.ask("POST", f"{path}/training/99", {"passed": True}).status_code == 404


def test_assignments_by_name_with_a_deadline_are_given_to_somebody_else(world: World) -> None:
    world.fill(2)
    manager, now = world["manager"], world.database.clock()
    sheet = manager.post("/api/documents/2/assign", {"name": "Annotator", "deadline": now - 5})
    late = manager.get(f"/api/projects/{world.project}/sheets?all=1&status=late")
    assert [row["id"] for row in late["sheets"]] == [sheet["sheet"]]
    assert take(world, "annotator")["sheet"] == sheet["sheet"]  # what is assigned comes first
    assert manager.ask("POST", "/api/documents/2/assign", {"name": "stranger"}).status_code == 422
    assert manager.ask("POST", "/api/documents/2/assign", {}).status_code == 422
    user = world["annotator"].id
    new = manager.ok("PATCH", f"/api/documents/2/assign/{user}", {"name": "second"})["sheet"]
    assert new != sheet["sheet"]
    assert world["annotator"].get(f"/api/sheets/{sheet['sheet']}")["lease_until"] is None
    assert world["second"].get(f"/api/sheets/{new}")["deadline"] == now - 5
    again = manager.ask("PATCH", f"/api/documents/2/assign/{world['second'].id}", {"name": "second"})  # fmt: skip
    assert again.status_code == 422
    finish(world, "second", new)
    done = manager.ask("PATCH", f"/api/documents/2/assign/{world['second'].id}", {"name": "annotator"})  # fmt: skip
    assert done.status_code == 409
    again = manager.ask("POST", "/api/documents/2/assign", {"name": "second"})
    assert again.status_code == 409, "they would not get it again"
    assert again.json()["error"]["message"].startswith("second has finished this document already")
    found = manager.get(f"/api/projects/{world.project}/sheets?all=1&search=SECOND&limit=10")
    assert [row["name_of_user"] for row in found["sheets"]] == ["second"]


def test_gold_asks_for_as_many_annotators_as_the_project(world: World) -> None:
    world.fill(1)
    for who in ("annotator", "second"):
        finish(world, who, take(world, who)["sheet"], [[0, 1]])
    rows = world["adjudicator"].post(f"/api/projects/{world.project}/gold", {"rule": "paper"})
    assert [row["status"] for row in rows["documents"]] == ["to verify"]


def test_the_dashboard_counts_days_times_and_agreement(both: World, time: Time) -> None:
    both.fill(2)
    for day, spans in enumerate(([[0, 1]], [[2, 3]])):
        for who in ("annotator", "second"):
            sheet = take(both, who)["sheet"]
            both[who].post(f"/api/sheets/{sheet}/beat")
            time.pass_(60)
            finish(both, who, sheet, spans if who == "second" else [[0, 1]])
        time.pass_(86_400 - 120 - day)
    found = both["manager"].get(f"/api/projects/{both.project}/dashboard")
    assert [row["total"] for row in found["by_day"]] == [2, 4]
    assert (found["done"], found["wanted"], found["open"]) == (4, 4, 0)
    assert found["time"]["median"] == 60
    assert [row["documents"] for row in found["time"]["by_annotator"]] == [2, 2]
    assert [row["agreement"] for row in found["agreement"]] == [100, 0]


def test_imported_work_has_no_time(both: World) -> None:
    both.fill(1)
    finish(both, "annotator", take(both, "annotator")["sheet"], [[0, 1]])
    manager, own = both["manager"], f"/api/projects/{both.project}"
    found = manager.get(f"{own}/dashboard")["time"]
    assert (found["median"], found["by_annotator"][0]["documents"]) == (None, 1)


def test_the_consensus_shows_texts_and_raters(world: World) -> None:
    world.bring([problem("p-1")], project=world.problems)
    client = world["annotator"]
    sheet = client.post(f"/api/projects/{world.problems}/next")["sheet"]
    shown = client.get(f"/api/sheets/{sheet}")["document"]["candidates"]
    choice = next(each["label"] for each in shown if each["text"] == "Bea")
    client.act(sheet, "answer", choice=choice)
    (item,) = world["manager"].get(f"/api/projects/{world.problems}/consensus")["items"]
    assert item["text"].startswith("Ann met Bea")
    assert item["candidates"] == ["Ann", "Bea"]
    assert item["sheets"] == [{"id": sheet, "by": "annotator", "judgement": "B"}]
    found = world["manager"].get(f"/api/projects/{world.problems}/dashboard")
    assert (found["done"], found["agreement"]) == (1, [])
