"""Projects of INCEpTION, brat, Label Studio and Prodigy: everybody's work under their name."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import pytest

from annotate_web import World
from coindex import formats
from coindex.annotate.exchange.conversion import parse_document
from coindex.annotate.exchange.tool_projects import NAMES
from coindex.annotate.store.database import Database
from coindex.annotate.store.tables import documents
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

WORDS = ["Ann", "told", "Bea", "that", "she", "left", "."]
ONE = (Entity((Mention.at(0, 1), Mention.at(4, 5))),)
TWO = (Entity((Mention.at(2, 3), Mention.at(4, 5))),)


def text(entities: Any = ()) -> Document:
    return Document.of("letter", [WORDS], entities)


def written(document: Document, format: str) -> str:
    return "".join(formats.write_lines([document], format))


def zipped(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture
def world(light: Database) -> World:
    return World(light)


def chains(world: World, sheet: int) -> list[list[str]]:
    """The words of the groups of an assignment."""
    found = world["administrator"].get(f"/api/sheets/{sheet}")
    tokens = found["document"]["tokens"]
    groups: dict[str, list[str]] = {}
    for mention in found["state"]["mentions"].values():
        for group in mention["groups"]:
            ((start, end),) = mention["spans"]
            groups.setdefault(group, []).append(" ".join(tokens[start:end]))
    return sorted(sorted(each) for each in groups.values())


def imported(world: World, content: bytes, format: str, name: str) -> dict[str, list[list[str]]]:
    """Who marked what, after an import."""
    answer = world["administrator"].upload(world.project, content, format=format, name=name)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["skipped"] == []
    rows = world["administrator"].get(f"/api/projects/{world.project}/sheets?all=1")["sheets"]
    assert {row["name_of_user"] for row in rows} == set(told["people"])
    assert all(row["status"] == "done" for row in rows)
    return {row["name_of_user"]: chains(world, row["id"]) for row in rows}


BOTH = {"ann": [["Ann", "she"]], "bob": [["Bea", "she"]]}


@pytest.mark.parametrize("format", ["webanno-tsv", "xmi"])
def test_inception(world: World, format: str) -> None:
    suffix = {"webanno-tsv": "tsv", "xmi": "xmi"}[format]
    inner = zipped({"TypeSystem.xml": "<x/>", f"bob.{suffix}": written(text(TWO), format)})
    content = zipped({
        "exportedproject.json": "{}", "source/letter.txt": "Ann told Bea that she left .",
        f"annotation/letter.txt/ann.{suffix}": written(text(ONE), format),
        "annotation/letter.txt/bob.zip": inner,
        f"annotation/letter.txt/INITIAL_CAS.{suffix}": written(text(), format),
        f"curation/letter.txt/CURATION_USER.{suffix}": written(text(ONE), format),
        "annotation_ser/letter.txt/ann.ser": b"\0\1", ".DS_Store": b"\0",
    })  # fmt: skip
    assert imported(world, content, "inception-project", "export.zip") == BOTH
    with world.database.read() as connection:
        (row,) = connection.execute(documents.select()).all()
    assert row.name == "letter"
    assert [len(entity.mentions) for entity in parse_document(row.gold).entities] == [2]


def test_brat(world: World) -> None:
    plain = "Ann told Bea that she left."
    first = "T1\tperson 0 3\tAnn\nT2\tperson 18 21\tshe\n*\tCoref T1 T2\n"
    # half a word: everybody's tokens have this border
    second = "T1\tperson 9 12\tBea\nT2\tperson 18 21\tshe\nT3\tpart 22 24\tle\n*\tCoref T1 T2\n"
    content = zipped({
        "corpus/ann/letter.txt": plain, "corpus/ann/letter.ann": first,
        "corpus/bob/letter.txt": plain, "corpus/bob/letter.ann": second,
    })  # fmt: skip
    found = imported(world, content, "brat-project", "brat.zip")
    assert found == {"ann": [["Ann", "she"]], "bob": [["Bea", "she"], ["le"]]}


def test_brat_without_folders_is_refused(world: World) -> None:
    content = zipped({"letter.txt": "Ann slept.", "letter.ann": "T1\tperson 0 3\tAnn\n"})
    answer = world["administrator"].upload(world.project, content, format="brat-project", name="b.zip")  # fmt: skip
    assert answer.status_code == 422
    assert "a folder for each annotator" in answer.json()["error"]["message"]


def test_label_studio(world: World) -> None:
    (one,) = json.loads(written(text(ONE), "label-studio"))
    (two,) = json.loads(written(text(TWO), "label-studio"))
    first, second = one["annotations"][0], two["annotations"][0]
    task = {**one, "id": 7, "annotations": [
        {**first, "completed_by": {"id": 1, "email": "ann@example.org"}},
        {**second, "completed_by": 5},
        {**second, "completed_by": 6, "was_cancelled": True},
        {**first, "completed_by": 8, "ground_truth": True},
    ]}  # fmt: skip
    content = json.dumps([task]).encode()
    found = imported(world, content, "label-studio-project", "export.json")
    assert found == {"ann@example.org": BOTH["ann"], "annotator 5": BOTH["bob"]}
    (row,) = world["administrator"].get(f"/api/projects/{world.project}/documents")["documents"]
    assert (row["name"], row["gold"]) == ("letter", True)


def test_prodigy(world: World) -> None:
    lines = []
    for name, entities in (("ann", ONE), ("bob", TWO)):
        task = json.loads(written(text(entities), "prodigy"))
        task.pop("doc_key", None)
        lines.append(json.dumps({**task, "_input_hash": 12, "_annotator_id": name}))
    lines.append(json.dumps({**json.loads(lines[0]), "_annotator_id": "eve", "answer": "reject"}))
    content = "\n".join(lines).encode()
    assert imported(world, content, "prodigy-project", "out.jsonl") == BOTH
    (row,) = world["administrator"].get(f"/api/projects/{world.project}/documents")["documents"]
    assert row["name"] == "out-1"


def test_a_manager_does_not_bring_in_work_of_people_who_are_not_members(world: World) -> None:
    (one,) = json.loads(written(text(ONE), "label-studio"))
    one["annotations"][0]["completed_by"] = "stranger"
    answer = world["manager"].upload(world.project, json.dumps([one]).encode(), format="label-studio-project", name="x.json")  # fmt: skip
    assert answer.status_code == 422
    assert "is not a member of this project" in answer.json()["error"]["message"]


@pytest.mark.parametrize("format", NAMES)
@pytest.mark.parametrize("content", [b"", b"not JSON {", zipped({"a/b/c.txt": "x"}), b"PK\x03\x04broken"])  # fmt: skip
def test_what_is_no_project_has_a_reason(world: World, format: str, content: bytes) -> None:
    answer = world["manager"].upload(world.project, content, format=format, name="x.zip")
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["message"]


def test_paths_that_lead_out_of_the_archive_are_refused(world: World) -> None:
    content = zipped({"../annotation/d/ann.tsv": "x", "annotation/d/ann.tsv": "x"})
    answer = world["manager"].upload(world.project, content, format="inception-project", name="x.zip")  # fmt: skip
    assert "leads out of the archive" in answer.json()["error"]["message"]


def test_a_text_that_differs_is_skipped_with_a_reason(world: World) -> None:
    (one,) = json.loads(written(text(ONE), "label-studio"))
    other = replace(Document.of("letter", [["Quite", "another", "text", "."]]))
    (two,) = json.loads(written(other, "label-studio"))
    one["annotations"][0]["completed_by"] = "ann"
    two["annotations"][0]["completed_by"] = "bob"
    answer = world["administrator"].upload(world.project, json.dumps([one, two]).encode(), format="label-studio-project", name="x.json")  # fmt: skip
    assert answer.json()["skipped"] == [{"name": "letter", "reason": "another text of that name is there"}]  # fmt: skip
