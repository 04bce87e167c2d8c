"""Settings of a model as people type them: `rule=transitive`, `families=tokens,match`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from coindex.errors import UsageError
from coindex.quizbowl.config import Config, config


def changed(changes: Iterable[str]) -> Config:
    """The default settings with some of them changed."""
    kinds = {field.name: str(field.type) for field in fields(Config)}
    values: dict[str, Any] = {}
    for change in changes:
        name, equals, value = change.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise UsageError(f"expected KEY=VALUE, found {change!r}")
        values[name] = _value(kinds.get(name, "str"), value.strip(), change)
    return config(values)


def _value(kind: str, value: str, change: str) -> Any:
    if kind.startswith("tuple"):
        return [each.strip() for each in value.split(",") if each.strip()]
    if kind not in ("int", "float"):
        return value
    try:
        return int(value) if kind == "int" else float(value)
    except ValueError:
        wanted = "a whole number" if kind == "int" else "a number"
        raise UsageError(f"{change}: expected {wanted}, found {value!r}") from None
