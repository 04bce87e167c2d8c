"""docs/how-to/reviewing.md: a resolver's predictions, reviewed in the app, and the review scored."""

from __future__ import annotations

from pathlib import Path

import pytest

import coindex
from annotate_web import World
from coindex.annotate.store.database import Database
from coindex.formats.builtin import document_jsonl
from coindex.types.document import Document
from coindex.types.source import Source

LETTER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "letter.txt"


@pytest.fixture
def world(light: Database) -> World:
    return World(light)


def clusters(document: Document) -> set[frozenset[tuple[int, int]]]:
    return {frozenset((m.start, m.end) for m in each.mentions) for each in document.entities}


def test_what_a_reviewer_accepts_is_what_was_predicted(world: World) -> None:
    predicted = coindex.load(threads=1).resolve(
        Document("letter", LETTER.read_text(encoding="utf-8"))
    )
    lines = list(document_jsonl.write([predicted]))
    items = list(document_jsonl.read(lines, Source("predicted.jsonl")))
    assert world.bring(items, "work").counts["documents"] == 1
    count = sum(len(entity.mentions) for entity in predicted.entities)
    assert world.bring(items, "suggestions").counts["suggestions"] == count > 10

    client = world["annotator"]
    sheet = client.post(f"/api/projects/{world.project}/next")["sheet"]
    found = client.get(f"/api/sheets/{sheet}")
    assert found["state"]["mentions"] == {}, "predictions are no answers"
    groups: set[str] = set()
    rejected = ""
    for name, suggestion in found["state"]["suggestions"].items():
        base = client.get(f"/api/sheets/{sheet}")["revision"]
        if not rejected:
            rejected = name
            told = client.act(sheet, "suggestion.reject", base, suggestion=name)
        else:
            group = f"g{suggestion['group']}"
            new = {} if group in groups else {"new_group": {"id": group, "name": ""}}
            groups.add(group)
            told = client.act(sheet, "suggestion.accept", base, suggestion=name,
                              mention=f"m{name}", group=group, **new)  # fmt: skip
        assert told["status"] == "stored"
    base = client.get(f"/api/sheets/{sheet}")["revision"]
    client.act(sheet, "document.done", base, done=True)
    path = f"/api/projects/{world.project}/export?which=sheets"
    content = world["manager"].ask("GET", path).text
    reviewed = list(document_jsonl.read(content.splitlines(), Source("reviewed.jsonl")))[-1]
    assert reviewed.tokens == predicted.tokens
    assert sum(map(len, clusters(reviewed))) == count - 1
    assert len(clusters(reviewed) & clusters(predicted)) == len(predicted.entities) - 1
    scores = coindex.score([reviewed], [predicted]).scores
    assert 90 < scores["conll"].f1 < 100
