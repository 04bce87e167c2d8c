"""Pages of reference that name everything of a kind: variables, extras, the parts of the schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from coindex.transform.resolved_entities import json_schema

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"


def page(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text(encoding="utf-8")


def variables() -> Iterator[str]:
    """The environment variables that the source reads."""
    for path in (ROOT / "src").rglob("*.py"):
        yield from re.findall(r"\"(COINDEX_[A-Z_]+)\"", path.read_text(encoding="utf-8"))


def test_every_environment_variable_is_listed() -> None:
    found = set(variables())
    assert len(found) >= 5
    for name in found:
        assert f"`{name}`" in page("configuration")


def test_every_extra_is_listed() -> None:
    table = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = table.split("[project.optional-dependencies]")[1].split("\n[")[0]
    extras = re.findall(r"^([a-z]+) = ", table, re.MULTILINE)
    assert len(extras) > 10
    for name in extras:
        assert f"`{name}`" in page("configuration").split("## Extras")[1].split("\n## ")[0]


def test_every_key_of_the_schema_is_explained() -> None:
    schema = json_schema()
    keys = set(schema["properties"])
    for part in ("entity", "mention", "turn"):
        keys |= set(schema["$defs"][part]["properties"])
    for key in keys:
        assert f"`{key}`" in page("json-schema"), key
