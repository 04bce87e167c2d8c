"""A recipe as the command line gives it: a file or a shipped name, with settings changed.

Recipes of other kinds (`coindex.pronoun.options`) are read the same way, from a folder of
their own and with tables of other names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from coindex import io
from coindex.errors import InputError, UnknownName, UsageError
from coindex.training.config import Recipe, parse, recipe

SHIPPED = Path(__file__).parent / "recipes"
TABLES = ("train", "dev")


def shipped(folder: Path = SHIPPED) -> tuple[str, ...]:
    """The names of the recipes that come with coindex."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def load(name: str, changes: Iterable[str] = (), encoder: str | None = None) -> Recipe:
    """A recipe with changes such as `epochs=3` or `train.2.files=["texts"]`."""
    values, source = read(name, changes, SHIPPED, TABLES)
    if encoder is not None:
        values["encoder"] = encoder
    return recipe(values, source)


def read(
    name: str, changes: Iterable[str], folder: Path, tables: Sequence[str]
) -> tuple[dict[str, Any], str]:
    """The plain values of a recipe, changed, and what to call it.

    folder  of the shipped recipes
    tables  the names of those that a recipe may have several of, `[[train]]`
    """
    text, source = _find(name, folder)
    values = parse(text, source)
    for each in changes:
        change(values, each, tables)
    return values, source


def change(values: dict[str, Any], text: str, tables: Sequence[str]) -> None:
    """Set one value. Tables are counted from 1; one past the last is a new one."""
    path, equals, written = text.partition("=")
    if not equals or not path.strip():
        raise UsageError(f"expected a setting, KEY=VALUE, found {text!r}")
    at: Any = values
    *above, last = path.strip().split(".")
    for name in above:
        at = _inside(at, name, text, tables)
    found = value(written)
    if isinstance(at, list):
        _inside(at, last, text, tables)
        if not isinstance(found, dict):
            raise UsageError(f"{text}: expected a table such as {{files=[FILE]}}, found {found!r}")
        at[int(last) - 1] = found
    elif isinstance(at, dict):
        at[last] = found
    else:
        raise UsageError(f"{text}: {'.'.join(above)} has no settings of its own")


def value(text: str) -> Any:
    """A value as TOML writes it; anything else is a string, so that paths need no quotes."""
    try:
        return parse(f"value = {text.strip()}", "value")["value"]
    except InputError:
        return text.strip()


def _find(name: str, folder: Path) -> tuple[str, str]:
    """The text of a recipe and what to call it: a path, or a shipped name."""
    known = shipped(folder)
    if name in known and not Path(name).is_file():
        return io.read_text(folder / f"{name}.toml"), f"recipe {name}"
    if not Path(name).exists() and not name.endswith(".toml") and Path(name).name == name:
        raise UnknownName("recipe", name, known)
    return io.read_text(name), name


def _inside(at: Any, name: str, text: str, tables: Sequence[str]) -> Any:
    if isinstance(at, list):
        if not name.isdecimal() or not 1 <= int(name) <= len(at) + 1:
            raise UsageError(f"{text}: expected a table from 1 to {len(at) + 1}, found {name!r}")
        if int(name) == len(at) + 1:
            at.append({})
        return at[int(name) - 1]
    if isinstance(at, dict) and name in tables:
        return at.setdefault(name, [])
    raise UsageError(f"{text}: expected {' or '.join(tables)} before the dot, found {name!r}")
