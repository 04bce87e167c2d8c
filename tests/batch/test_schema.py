"""What `coindex resolve` prints follows the published JSON Schema, and the order of its keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from coindex.cli import cli
from coindex.transform.resolved_entities import as_json, json_schema
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema")


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def in_order(values: dict[str, Any], properties: dict[str, Any]) -> bool:
    return list(values) == [name for name in properties if name in values]


def check(values: dict[str, Any], validator: Any) -> None:
    """The values are valid, and all keys come in the order of the schema."""
    validator.validate(values)
    schema = validator.schema
    assert in_order(values, schema["properties"])
    for turn in values.get("turns", ()):
        assert in_order(turn, schema["$defs"]["turn"]["properties"])
    for entity in values["entities"]:
        assert in_order(entity, schema["$defs"]["entity"]["properties"])
        for mention in entity["mentions"]:
            assert in_order(mention, schema["$defs"]["mention"]["properties"])


def test_real_output_follows_the_schema(exported: Path, tmp_path: Path, validator: Any) -> None:
    rows = tmp_path / "rows.jsonl"
    texts = ["Ann: I met Bob .\nBob: You did ?", "", "<p>Ann met <b>Bob</b> . She liked him .</p>"]
    rows.write_text(
        "".join(json.dumps({"text": text, "n": [1, None]}) + "\n" for text in texts), "utf-8"
    )
    args = ["resolve", str(rows), "--model", str(exported), "--scheme", "every", "--explain"]
    for extra in ([], ["--singletons"]):
        found = CliRunner().invoke(cli, [*args, *extra, "--json"])
        assert found.exit_code == 0, found.output
        for values in json.loads(found.stdout):
            check(values, validator)
    assert any("turns" in values for values in json.loads(found.stdout))
    assert any(values["entities"] for values in json.loads(found.stdout))


def test_the_shipped_model_follows_the_schema(tmp_path: Path, validator: Any) -> None:
    text = "Ann Lee told her brother that he was late. “I know,” said Tom. She left with him."
    file = tmp_path / "a.txt"
    file.write_text(text, encoding="utf-8")
    found = CliRunner().invoke(cli, ["resolve", str(file), "--to", "jsonl", "--singletons"])
    assert found.exit_code == 0, found.output
    values = json.loads(found.stdout)
    assert values["entities"]
    check(values, validator)


def test_parts_and_discontinuous_mentions_are_in_the_schema(validator: Any) -> None:
    broken = Mention((Span(0, 1), Span(2, 3)))
    document = Document.of(
        "d", [["take", "it", "off", "now"]], [Entity((broken, Mention((Span(3, 4),))))], part=2
    )
    values = as_json(document)
    assert values["part"] == 2
    assert values["entities"][0]["mentions"][0]["parts"] == [[0, 4], [8, 11]]
    check(values, validator)


@pytest.mark.parametrize(
    "change",
    [
        {"id": 3}, {"entities": None}, {"other": 1}, {"turns": []}, {"part": -1},
        {"entities": [{"number": 0, "name": "x", "mentions": []}]},
    ],
)  # fmt: skip
def test_the_schema_refuses_what_is_something_else(change: dict[str, Any], validator: Any) -> None:
    values = {"id": "a", "text": "", "entities": []}
    assert validator.is_valid(values)
    assert not validator.is_valid(values | change)
