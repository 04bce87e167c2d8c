"""A pronoun recipe as the command line gives it: a file or a shipped name, with changes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from coindex import io
from coindex.errors import UnknownName, UsageError
from coindex.pronoun.recipe import Recipe, recipe
from coindex.training.config import parse
from coindex.training.options import _value as value

SHIPPED = Path(__file__).parent / "recipes"
_TABLES = ("stage", "dev", "member")


def shipped() -> tuple[str, ...]:
    """The names of the recipes that come with coindex."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def load(
    name: str, changes: Iterable[str] = (), encoder: str | None = None, start: str | None = None
) -> Recipe:
    """A recipe with changes such as `seeds=[4]` or `stage.1.epochs=3`.

    encoder, start   one takes the place of the other, whichever the recipe names
    """
    text, source = _find(name)
    values = parse(text, source)
    for change in changes:
        _change(values, change)
    if encoder is not None and start is not None:
        raise UsageError("expected --encoder or --start, found both")
    if encoder is not None:
        values = {**values, "encoder": encoder, "start": ""}
    if start is not None:
        values = {**values, "encoder": "", "start": start}
    return recipe(values, source)


def _find(name: str) -> tuple[str, str]:
    if name in shipped() and not Path(name).is_file():
        return io.read_text(SHIPPED / f"{name}.toml"), f"recipe {name}"
    if not Path(name).exists() and not name.endswith(".toml") and Path(name).name == name:
        raise UnknownName("recipe", name, shipped())
    return io.read_text(name), name


def _change(values: dict[str, Any], change: str) -> None:
    """Set one value. Tables are counted from 1; one past the last is a new one."""
    path, equals, text = change.partition("=")
    names = path.strip().split(".")
    if not equals or not path.strip():
        raise UsageError(f"expected a setting such as seeds=[4], found {change!r}")
    if len(names) == 1:
        values[names[0]] = value(text)
        return
    if len(names) != 3 or names[0] not in _TABLES:
        raise UsageError(f"{change}: expected a setting such as stage.1.epochs, found {path!r}")
    rows = values.setdefault(names[0], [])
    if not names[1].isdecimal() or not 1 <= int(names[1]) <= len(rows) + 1:
        raise UsageError(f"{change}: expected a table from 1 to {len(rows) + 1}")
    if int(names[1]) == len(rows) + 1:
        rows.append({})
    rows[int(names[1]) - 1][names[2]] = value(text)
