"""Recipes: TOML files with the settings of a training run, parsed into typed dataclasses.

A recipe is named by its path, or by the name of a shipped one. Its values are checked against
the fields of a dataclass: unknown names are answered with the nearest known one.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from coindex import io
from coindex.errors import InputError, MissingExtra, UnknownName, UsageError

_SCALARS: dict[str, tuple[type, ...]] = {
    "int": (int,), "float": (int, float), "str": (str,), "bool": (bool,),
}  # fmt: skip


def shipped_recipes(folder: Path) -> tuple[str, ...]:
    """The names of the recipes in a folder, sorted."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def read_recipe(
    name: str, changes: Iterable[str], folder: Path, tables: Sequence[str]
) -> tuple[dict[str, Any], str]:
    """The plain values of a recipe with changes applied, and how messages refer to it.

    name     a path, or the name of a recipe in `folder`
    changes  overrides such as `epochs=3` or `train.2.files=["texts"]`
    tables   the names of arrays of tables that a recipe may have, such as `[[train]]`
    """
    known = shipped_recipes(folder)
    if name in known and not Path(name).is_file():
        text, source = io.read_text(folder / f"{name}.toml"), f"recipe {name}"
    elif not Path(name).exists() and not name.endswith(".toml") and Path(name).name == name:
        raise UnknownName("recipe", name, known)
    else:
        text, source = io.read_text(name), name
    values = parse_toml(text, source)
    for change in changes:
        apply_override(values, change, tables)
    return values, source


def starting_point(encoder: str | None, start: str | None) -> dict[str, str]:
    """The settings for an encoder or a model to start from, of which one excludes the other."""
    if encoder is not None and start is not None:
        raise UsageError("expected --encoder or --start, found both")
    if encoder is not None:
        return {"encoder": encoder, "start": ""}
    return {"encoder": "", "start": start} if start is not None else {}


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """The plain values of a TOML text."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        try:
            import tomli as tomllib
        except ImportError as error:
            raise MissingExtra("tomli", "train") from error
    try:
        values: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: expected TOML: {error}") from None
    return values


def apply_override(values: dict[str, Any], text: str, tables: Sequence[str]) -> None:
    """Apply `--set KEY=VALUE`, such as `epochs=3` or `train.2.files=[FILE]`, in place.

    Tables count from 1; the number after the last adds a table.

    A value that is not TOML is taken as a string, so that paths need no quotes.
    """
    path, equals, written = text.partition("=")
    if not equals or not path.strip():
        raise UsageError(f"expected a setting, KEY=VALUE, found {text!r}")
    owner: Any = values
    *above, last = path.strip().split(".")
    for name in above:
        owner = _descend(owner, name, text, tables)
    try:
        value = parse_toml(f"value = {written.strip()}", "value")["value"]
    except InputError:
        value = written.strip()
    if isinstance(owner, list):
        _descend(owner, last, text, tables)
        if not isinstance(value, dict):
            raise UsageError(f"{text}: expected a table such as {{files=[FILE]}}, found {value!r}")
        owner[int(last) - 1] = value
    elif isinstance(owner, dict):
        owner[last] = value
    else:
        raise UsageError(f"{text}: {'.'.join(above)} has no settings of its own")


def _descend(owner: Any, name: str, text: str, tables: Sequence[str]) -> Any:
    """The value of one part of a dotted key."""
    if isinstance(owner, list):
        if not name.isdecimal() or not 1 <= int(name) <= len(owner) + 1:
            raise UsageError(f"{text}: expected a table from 1 to {len(owner) + 1}, found {name!r}")
        if int(name) == len(owner) + 1:
            owner.append({})
        return owner[int(name) - 1]
    if isinstance(owner, dict) and name in tables:
        return owner.setdefault(name, [])
    raise UsageError(f"{text}: expected {' or '.join(tables)} before the dot, found {name!r}")


def tables(
    values: Mapping[str, Any], name: str, source: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of an array of tables `[[name]]`, each with how messages refer to it.

    A string in the setting `files` becomes a list of one.
    """
    rows = values.get(name, [])
    if not isinstance(rows, list | tuple) or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(f"{source}: expected tables [[{name}]], found {rows!r}")
    for number, row in enumerate(rows, 1):
        if isinstance(row.get("files"), str):
            row = {**row, "files": [row["files"]]}
        yield f"{source}: [[{name}]] {number}", dict(row)


def typed(values: Mapping[str, Any], kind: type, where: str) -> dict[str, Any]:
    """The values, checked against the fields of a dataclass.

    Lists become tuples, and integers become floats where the field is a float.
    """
    allowed = {f.name: str(f.type) for f in fields(kind)}
    made: dict[str, Any] = {}
    for name, value in values.items():
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(allowed)}"
            raise InputError(f"{where}: unknown setting {name!r}{hint}")
        expected = allowed[name]
        if expected in _SCALARS:
            if not _is_scalar(value, expected):
                raise InputError(f"{where}: {name} must be {expected}, found {value!r}")
            made[name] = float(value) if expected == "float" else value
            continue
        inner = expected.removeprefix("tuple[").removesuffix(", ...]")
        listed = isinstance(value, list | tuple)
        if not listed or (inner in _SCALARS and not all(_is_scalar(v, inner) for v in value)):
            raise InputError(f"{where}: {name} must be a list of {inner}, found {value!r}")
        made[name] = tuple(value)
    return made


def _is_scalar(value: object, expected: str) -> bool:
    return isinstance(value, _SCALARS[expected]) and (
        expected == "bool" or not isinstance(value, bool)
    )


def check_same_recipe(stored: Any, current: Any, where: str) -> None:
    """Raise an `InputError` that names the settings in which two recipes of one kind differ."""
    names = [f.name for f in fields(current) if getattr(stored, f.name) != getattr(current, f.name)]
    if names:
        raise InputError(
            f"{where} of another recipe ({', '.join(names)} differ);"
            " choose another folder, or --fresh to train anew in this one"
        )
