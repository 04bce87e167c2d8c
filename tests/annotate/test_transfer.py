"""Import and export: every format, all history, and the identity when both are done."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from annotate_web import ENTITIES, World, problem, text
from coindex import formats
from coindex.annotate import ezcoref, papers, projects
from coindex.annotate.agreement import agreement
from coindex.annotate.arrivals import BY
from coindex.annotate.database import Database
from coindex.annotate.doctor import examine
from coindex.core.document import Document
from coindex.core.source import Source
from strategies import documents


@pytest.fixture
def world(light: Database) -> World:
    return World(light)


def export(world: World, project: int, which: str, format: str = "") -> Any:
    more = f"&format={format}" if format else ""
    path = f"/api/projects/{project}/export?which={which}{more}"
    answer = world["administrator"].ask("GET", path)
    assert answer.status_code == 200, answer.text
    return answer


@given(document=documents())
@hypothesis_settings(max_examples=200)
def test_any_document_can_be_a_sheet_and_be_itself_again(document: Document) -> None:
    records = papers.records_of(document)
    bare = replace(document, entities=())
    assert papers.made(bare, json.loads(json.dumps(records))) == document


@pytest.mark.parametrize("format", formats.names("document"))
def test_documents_go_out_and_in_again_in_every_format(world: World, format: str) -> None:
    given = [replace(text(f"d{number}"), entities=ENTITIES, part=0) for number in range(3)]
    world.bring(given)
    first = export(world, world.project, "documents", format)
    other = projects.create(world.database, format, "document", {})
    told = world["administrator"].upload(other, first.content, format=format, name=f"x.{format}")
    assert told.status_code == 200, told.text
    assert told.json()["imported"]["documents"] >= 1
    assert export(world, other, "documents", format).content == first.content


@pytest.mark.parametrize("format", formats.names("problem"))
def test_problems_go_out_and_in_again_in_every_format(world: World, format: str) -> None:
    world.bring([replace(problem("p-1"), answer=(0,))], project=world.problems)
    first = export(world, world.problems, "documents", format)
    if json.loads(first.headers["x-coindex-lost"])["refused"]:
        return  # the format cannot hold this problem, and says so
    other = projects.create(world.database, format, "problem", {})
    told = world["administrator"].upload(other, first.content, format=format, name="x")
    assert told.json()["imported"]["documents"] == 1
    assert export(world, other, "documents", format).content == first.content


def busy(world: World) -> None:
    """Two annotators, an adjudicator, undone work, suggestions, training, notes."""
    world.fill(2)
    world.fill(1, "training")
    world.bring([replace(text("work-0"), entities=ENTITIES)], "suggestions")
    for name in ("annotator", "second"):
        client = world[name]
        for _ in range(3):
            sheet = client.post(f"/api/projects/{world.project}/next")["sheet"]
            base = client.get(f"/api/sheets/{sheet}")["revision"]
            new = {"id": "g1", "name": "Ann"}
            client.act(
                sheet, "mention.add", base, mention="m1", spans=[[0, 1]], group="g1", new_group=new
            )
            told = client.act(sheet, "mention.note", base + 1, mention="m1", text="é🙂 <b>")
            client.act(sheet, "undo", base + 2, event=told["id"])
            client.act(sheet, "document.done", base + 3, done=True)
    sheet = world["adjudicator"].post("/api/documents/1/adjudicate")["sheet"]
    world["adjudicator"].act(sheet, "document.done", 1, done=True)


def test_all_work_with_its_history_comes_back_the_same(world: World) -> None:
    busy(world)
    first = export(world, world.project, "sheets")
    other = projects.create(world.database, "copy", "document", {})
    told = world["administrator"].upload(other, first.content, name="all.jsonl").json()
    assert told["imported"]["sheets"] == 7
    assert told["imported"]["events"] > 20
    assert told["skipped"] == []
    assert export(world, other, "sheets").content == first.content
    assert export(world, other, "gold").content == export(world, world.project, "gold").content
    assert examine(world.database).wrong == ()
    again = world["administrator"].upload(other, first.content, name="all.jsonl").json()
    assert again["imported"]["sheets"] == 0
    assert len(again["skipped"]) == 10


def test_a_copy_of_a_history_stands_in_no_ones_way(world: World) -> None:
    """Both have events of the same ids; undoing one must not look at the other."""
    world.fill(1)
    client = world["annotator"]
    sheet = client.post(f"/api/projects/{world.project}/next")["sheet"]
    told = client.act(sheet, "document.note", 0, text="once")
    other = projects.create(world.database, "copy", "document", {})
    world["administrator"].upload(other, export(world, world.project, "sheets").content)
    assert client.act(sheet, "undo", 1, event=told["id"])["status"] == "stored"
    assert client.get(f"/api/sheets/{sheet}")["revision"] == 2


def test_judgements_with_their_history_come_back_the_same(world: World) -> None:
    world.bring([problem("p-1"), problem("p-2")], project=world.problems)
    client = world["annotator"]
    for choice in "A?":
        sheet = client.post(f"/api/projects/{world.problems}/next")["sheet"]
        client.act(sheet, "answer", choice=choice)
    first = export(world, world.problems, "sheets")
    other = projects.create(world.database, "copy", "problem", {})
    assert world["administrator"].upload(other, first.content).json()["imported"]["sheets"] == 2
    assert export(world, other, "sheets").content == first.content


def test_a_history_that_was_tampered_with_is_refused(world: World) -> None:
    busy(world)
    content = export(world, world.project, "sheets").content
    forged = content.replace(b'\\"text\\": \\"\xc3\xa9', b'\\"text\\": \\"forged \xc3\xa9')
    assert forged != content
    other = projects.create(world.database, "copy", "document", {})
    answer = world["administrator"].upload(other, forged)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "history")
    assert export(world, other, "documents").content == b""


def test_what_does_not_fit_is_said(world: World) -> None:
    world.fill(1)
    done = world.bring([text("work-0"), text("nowhere")], "suggestions")
    assert [each["name"] for each in done.skipped] == ["nowhere"]
    done = world.bring([text("work-0"), Document("empty", "")])
    assert [each["reason"] for each in done.skipped] == [
        "there is a document of that name already", "it has no words",
    ]  # fmt: skip
    answer = world["manager"].upload(world.problems, b"Ann slept.", format="text")
    assert answer.json()["error"]["code"] == "kind"
    assert world["manager"].upload(world.project, b"x", format="nonsense").status_code == 422


def test_gold_is_what_was_adjudicated_and_the_rest_is_counted(world: World) -> None:
    busy(world)
    answer = export(world, world.project, "gold")
    assert answer.content.count(b"\n") == 1
    assert json.loads(answer.headers["x-coindex-lost"])["left_out"] == {"no gold yet": 1}


def test_groups_of_one_name_become_entities_of_two(world: World) -> None:
    world.fill(1)
    client = world["annotator"]
    sheet = client.post(f"/api/projects/{world.project}/next")["sheet"]
    for number, name in enumerate(("Ann", "Ann", "Ann-2", "")):
        new = {"id": f"g{number}", "name": name}
        spans = [[number, number + 1]]
        client.act(
            sheet,
            "mention.add",
            number,
            mention=f"m{number}",
            spans=spans,
            group=f"g{number}",
            new_group=new,
        )
    lines = export(world, world.project, "sheets").text.splitlines()
    (found,) = formats.load("document-jsonl").read(lines[1:], Source("x"))
    assert [entity.id for entity in found.entities] == ["Ann", "Ann-2", "Ann-2-2", None]


@pytest.mark.data
def test_annotations_of_another_tool_become_sheets(world: World, data: Path) -> None:
    passages = list(islice(ezcoref.read(data / "ezcoref"), 60, 80))
    items = [
        replace(made, meta=((BY, f"crowd-{number}"),))
        for passage in passages
        for number, made in passage.made.items()
    ]
    done = world.bring(items)
    assert (done.counts["documents"], done.counts["sheets"]) == (20, 100)
    found = world["manager"].get(f"/api/projects/{world.project}/agreement")
    expected = agreement({passage.name: passage.made for passage in passages})
    assert found["overall"] == pytest.approx(expected["overall"])
    assert examine(world.database).wrong == ()
    rule = {"rule": "majority", "least": 5}
    told = world["administrator"].post(f"/api/projects/{world.project}/gold", rule)["documents"]
    assert {each["status"] for each in told} == {"to verify"}
    assert world.bring([items[0]]).counts["sheets"] == 0
