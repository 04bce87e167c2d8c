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
from coindex.annotate import projects
from coindex.annotate.exchange import conversion, ezcoref
from coindex.annotate.exchange.import_context import ANNOTATOR_KEY, ASSIGNMENT_KEY, DOCUMENT_KEY
from coindex.annotate.quality.agreement import OPTIONS, agreement
from coindex.annotate.store.database import Database
from coindex.annotate.store.doctor import examine
from coindex.formats.builtin import document_jsonl
from coindex.scoring.scorer import score_pairs
from coindex.types.document import Document
from coindex.types.source import Source
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
    records = conversion.entity_records(document)
    bare = replace(document, entities=())
    assert conversion.annotated_document(bare, json.loads(json.dumps(records))) == document


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
    assert examine(world.database).problems == ()
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


def _twice(told: Any) -> None:
    told["events"][2]["revision"] = 2


def _gap(told: Any) -> None:
    del told["events"][1]


def _same_id(told: Any) -> None:
    told["events"][3]["id"] = told["events"][1]["id"]


def _undo_of_the_first(told: Any) -> None:
    """Something else than the last is undone: the changes are right, the order is not."""
    first = next(each for each in told["events"] if each["kind"] == "document.note")
    back = [{"key": c["key"], "before": c["after"], "after": c["before"]} for c in first["changes"]]
    last = told["events"][-1]
    assert last["kind"] == "mention.note"
    last.update(kind="undo", payload={"event": first["id"]}, changes=back)


def _set(name: str, value: Any, at: int | None = None) -> Any:
    def change(told: Any) -> None:
        (told if at is None else told["events"][at])[name] = value

    return change


def _seeded(record: Any) -> Any:
    """A seed that puts a record as no seed does."""

    def change(told: Any) -> None:
        (seed,) = (each for each in told["events"] if each["kind"] == "seed")
        key = next(iter(seed["payload"]))
        seed["payload"][key] = seed["changes"][0]["after"] = record
        seed["changes"][0]["key"] = key

    return change


def _more(told: Any) -> None:
    """One event more than the entities beside it say."""
    last = told["events"][-1]
    payload = {"mention": "m9", "spans": [[4, 5]], "group": "g1"}
    record = {
        "spans": [[4, 5]],
        "groups": ["g1"],
        "note": "",
        "unsure": False,
        "kind": None,
        "head": None,
        "attrs": [],
    }
    changes = [{"key": "mentions/m9", "before": None, "after": record}]
    event = {**last, "id": "new", "revision": len(told["events"]) + 1, "kind": "mention.add"}
    told["events"].append({**event, "payload": payload, "changes": changes})


FORGED = {
    "a revision twice": (_twice, "expected revision 3, found 2"),
    "a revision left out": (_gap, "expected revision 2, found 3"),
    "an id twice": (_same_id, "is that of another"),
    "an undo out of order": (_undo_of_the_first, "cannot be applied again"),
    "more than it says": (_more, "not what its events add up to"),
    "a base from the future": (_set("base", 99, 1), "base: not a value of an event"),
    "an id of the server's": (_set("id", "seed-9", 1), "id: not a value of an event"),
    "an id that is too long": (_set("id", "x" * 65, 1), "id: not a value of an event"),
    "a time that is none": (_set("at", "now", 1), "at: not a value of an event"),
    "a client that is none": (_set("client", None, 1), "client: not a value of an event"),
    "changes that are none": (_set("changes", [1], 1), "changes: not a value of an event"),
    "a kind that is none": (_set("kind", "mention.fly", 1), "cannot be applied again"),
    "a payload that is none": (_set("payload", [], 1), "payload: not a value of an event"),
    "somebody without a name": (_set("user", "\0"), "user: not a value of an assignment"),
    "a purpose that is none": (_set("purpose", "boast"), "purpose: not a value of an assignment"),
    "time that runs back": (_set("spent", -1), "spent: not a value of an assignment"),
    "too large a number": (_set("looks", 2**40), "looks: not a value of an assignment"),
    "an order for a document": (_set("order", [0, 1]), "order: not a value of an assignment"),
    "a fact too many": (_set("lease", 5), "missing or unknown: lease"),
    "no events": (_set("events", None), "events: not a value of an assignment"),
    "a seed of nonsense": (_seeded({"spans": [[0, 99]]}), "is not a valid record of suggestions"),
    "a seed out of the text": (
        _seeded({"spans": [[0, 99]], "group": "s1", "resolver": "x", "state": "open"}),
        "is not a valid record of suggestions",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def written(shared: Database) -> list[str]:
    """A project's lines: a document with suggestions, and a sheet with a few events."""
    world = World(shared)
    world.fill(1)
    world.bring([replace(text("work-0"), entities=ENTITIES)], "suggestions")
    client = world["annotator"]
    sheet = client.post(f"/api/projects/{world.project}/next")["sheet"]
    new = {"id": "g1", "name": "Ann"}
    client.act(sheet, "document.note", 1, text="first")
    client.act(sheet, "mention.add", 2, mention="m1", spans=[[0, 1]], group="g1", new_group=new)
    client.act(sheet, "mention.note", 3, mention="m1", text="last")
    exported: str = export(world, world.project, "sheets").text
    return exported.splitlines(keepends=True)


def forge(lines: list[str], change: Any) -> bytes:
    """The same lines with another history."""
    (item,) = document_jsonl.read(lines[1:], Source("x"))
    told = json.loads(dict(item.meta)[ASSIGNMENT_KEY])
    change(told)
    meta = tuple((k, json.dumps(told) if k == ASSIGNMENT_KEY else v) for k, v in item.meta)
    made = "".join(formats.write_lines([replace(item, meta=meta)], "document-jsonl"))
    return (lines[0] + made).encode()


def test_a_history_that_is_true_comes_in(world: World, written: list[str]) -> None:
    told = world["administrator"].upload(world.other, forge(written, lambda told: None)).json()
    assert told["imported"]["events"] == 4


@pytest.mark.parametrize(("change", "reason"), FORGED.values(), ids=FORGED)
def test_a_history_that_cannot_be_true_is_refused(
    world: World, written: list[str], change: Any, reason: str
) -> None:
    answer = world["administrator"].upload(world.other, forge(written, change))
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["count"]) == (422, "history", 1)
    assert reason in error["wrong"][0]["reason"]
    assert "1 of 1 histories are not valid; nothing was imported" in error["message"]
    assert export(world, world.other, "documents").content == b""


def test_forged_histories_are_counted(world: World) -> None:
    busy(world)
    content = export(world, world.project, "sheets").text
    wrong = content.replace('\\"base\\": 1', '\\"base\\": 77')
    answer = world["administrator"].upload(world.other, wrong.encode())
    error = answer.json()["error"]
    assert answer.status_code == 422
    assert error["count"] == len(error["wrong"]) > 1
    assert error["message"].startswith(f"{error['count']} of 7 histories are not valid")


def test_a_manager_cannot_bring_in_work_of_people_who_are_not_members(
    world: World, written: list[str]
) -> None:
    """Others' accounts are not taken into a project by a file that names them."""
    content = forge(written, _set("user", "stranger"))
    error = world["manager"].upload(world.project, content).json()["error"]
    assert "'stranger' has an account but is not a member" in error["message"]
    members = world["manager"].get(f"/api/projects/{world.project}/members")["members"]
    assert "stranger" not in [each["name"] for each in members]
    told = world["manager"].upload(world.project, forge(written, _set("user", "nobody yet")))
    assert told.json()["imported"]["sheets"] == 1
    entries = world["administrator"].get("/api/audit?limit=9")["entries"]
    (entry,) = [each for each in entries if each["action"] == "import"]
    assert entry["detail"]["people"] == ["nobody yet"]


def test_another_text_under_the_same_name_gets_no_history(world: World, written: list[str]) -> None:
    world.bring([text("work-0", ["Other", "words"])])
    told = world["administrator"].upload(world.project, forge(written, lambda told: None)).json()
    assert [each["reason"] for each in told["skipped"]] == [
        "there is a document of that name already", "another text of that name is there",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "about",
    [{"gold": 5}, {"gold": "{}"}, {"training": 1}, {"suggestions": {"mentions/m": {}}},
     {"suggestions": [1]}, {"suggestions": {"suggestions/s": {}}}, {"odd": 1}],
)  # fmt: skip
def test_a_document_that_says_nonsense_of_itself_is_refused(world: World, about: Any) -> None:
    item = replace(text("d"), meta=((DOCUMENT_KEY, json.dumps(about)),))
    content = "".join(formats.write_lines([item], "document-jsonl")).encode()
    assert world["manager"].upload(world.project, content).status_code == 422


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
    (found,) = document_jsonl.read(lines[1:], Source("x"))
    assert [entity.id for entity in found.entities] == ["Ann", "Ann-2", "Ann-2-2", None]


@pytest.mark.data
def test_annotations_of_another_tool_become_sheets(world: World, data: Path) -> None:
    passages = list(islice(ezcoref.read_passages(data / "ezcoref"), 60, 80))
    items = [
        replace(made, meta=((ANNOTATOR_KEY, f"crowd-{number}"),))
        for passage in passages
        for number, made in passage.annotations.items()
    ]
    done = world.bring(items)
    assert (done.counts["documents"], done.counts["sheets"]) == (20, 100)
    found = world["manager"].get(f"/api/projects/{world.project}/agreement")
    expected = agreement({passage.name: passage.annotations for passage in passages})
    assert found["overall"] == pytest.approx(expected["overall"])
    assert examine(world.database).problems == ()
    rule = {"rule": "majority", "least": 5}
    told = world["administrator"].post(f"/api/projects/{world.project}/gold", rule)["documents"]
    assert {each["status"] for each in told} == {"to verify"}
    assert world.bring([items[0]]).counts["sheets"] == 0


@pytest.mark.data
def test_all_of_ezcoref_from_import_to_gold(world: World, data: Path) -> None:
    """Five each of 29 annotators for 170 passages: imported, agreement, the majority verified, exported."""
    passages = list(ezcoref.read_passages(data / "ezcoref"))
    done = world.bring(
        replace(made, meta=((ANNOTATOR_KEY, f"ezcoref-{number}"),))
        for passage in passages
        for number, made in passage.annotations.items()
    )
    assert done.counts == {"documents": 170, "sheets": 850, "events": 850}
    assert done.skipped == []
    base = f"/api/projects/{world.project}"
    found = world["manager"].get(f"{base}/agreement")
    assert (len(found["documents"]), len(found["pairs"]), len(found["annotators"])) == (
        170,
        171,
        29,
    )
    assert found["overall"]["conll"] == pytest.approx(81.66, abs=0.01)
    assert found["overall"]["alpha"] == pytest.approx(0.833, abs=0.001)
    judge = world["adjudicator"]
    rows = judge.post(f"{base}/gold", {"rule": "majority", "least": 3})["documents"]
    assert {each["status"] for each in rows} == {"to verify"}
    for each in rows:
        assert judge.act(each["sheet"], "document.done", 1, done=True)["status"] == "stored"
    lines = export(world, world.project, "gold").text.splitlines(keepends=True)
    majority = {each.key: each for each in document_jsonl.read(lines, Source("x"))}
    assert len(majority) == 170
    golds = [each for each in passages if each.gold is not None]

    def f1(answers: list[Document]) -> float:
        pairs = [(each.gold, answer) for each, answer in zip(golds, answers, strict=True)]
        return score_pairs(pairs, OPTIONS).scores["conll"].f1  # type: ignore[arg-type]

    most = f1([majority[each.annotations[min(each.annotations)].key] for each in golds])
    people = [f1([list(each.annotations.values())[k] for each in golds]) for k in range(5)]
    assert most == pytest.approx(52.78, abs=0.01)
    assert most > max(sum(people) / 5, 49)
    assert examine(world.database).problems == ()


@pytest.mark.parametrize(
    ("format", "name"),
    [("conll2012", "documents.conll"), ("corefud", "documents.conllu"), ("xmi", "documents.zip"),
     ("document-jsonl", "documents.jsonl"), ("brat", "documents.zip"), ("text", "documents.txt")],
)  # fmt: skip
def test_an_exported_file_has_the_suffix_of_its_format(
    world: World, format: str, name: str
) -> None:
    world.fill(1)
    answer = export(world, world.project, "documents", format)
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
