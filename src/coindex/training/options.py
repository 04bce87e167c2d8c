"""A recipe as the command line gives it: a file or a shipped name, with settings changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from coindex import io
from coindex.errors import InputError, UnknownName, UsageError
from coindex.training.config import Recipe, parse, recipe

SHIPPED = Path(__file__).parent / "recipes"


def shipped() -> tuple[str, ...]:
    """The names of the recipes that come with coindex."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def find(name: str) -> tuple[str, str]:
    """The text of a recipe and what to call it: a path, or a shipped name."""
    if name in shipped() and not Path(name).is_file():
        return io.read_text(SHIPPED / f"{name}.toml"), f"recipe {name}"
    if not Path(name).exists() and not name.endswith(".toml") and Path(name).name == name:
        raise UnknownName("recipe", name, shipped())
    return io.read_text(name), name


def load(name: str, changes: Iterable[str] = (), encoder: str | None = None) -> Recipe:
    """A recipe with changes such as `epochs=3` or `train.2.files=["texts"]`."""
    text, source = find(name)
    values = parse(text, source)
    for change in changes:
        _change(values, change)
    if encoder is not None:
        values["encoder"] = encoder
    return recipe(values, source)


def _change(values: dict[str, Any], change: str) -> None:
    """Set one value. Tables are counted from 1; one past the last is a new one."""
    path, equals, text = change.partition("=")
    if not equals or not path.strip():
        raise UsageError(f"expected a setting such as epochs=3, found {change!r}")
    at: Any = values
    *above, last = path.strip().split(".")
    for name in above:
        at = _inside(at, name, change)
    if isinstance(at, list):
        _inside(at, last, change)
        at[int(last) - 1] = _value(text)
    elif isinstance(at, dict):
        at[last] = _value(text)
    else:
        raise UsageError(f"{change}: {'.'.join(above)} has no settings of its own")


def _inside(at: Any, name: str, change: str) -> Any:
    if isinstance(at, list):
        if not name.isdecimal() or not 1 <= int(name) <= len(at) + 1:
            raise UsageError(f"{change}: expected a table from 1 to {len(at) + 1}, found {name!r}")
        if int(name) == len(at) + 1:
            at.append({})
        return at[int(name) - 1]
    if isinstance(at, dict) and name in ("train", "dev"):
        return at.setdefault(name, [])
    raise UsageError(f"{change}: expected train or dev before the dot, found {name!r}")


def _value(text: str) -> Any:
    """A value as TOML writes it; anything else is a string, so that paths need no quotes."""
    try:
        return parse(f"value = {text.strip()}", "value")["value"]
    except InputError:
        return text.strip()
