"""A pronoun recipe as the command line gives it: a file or a shipped name, with changes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from coindex.errors import UsageError
from coindex.pronoun.recipe import Recipe, recipe
from coindex.training import options

SHIPPED = Path(__file__).parent / "recipes"
TABLES = ("stage", "dev", "member")


def shipped() -> tuple[str, ...]:
    """The names of the recipes that come with coindex."""
    return options.shipped(SHIPPED)


def load(
    name: str, changes: Iterable[str] = (), encoder: str | None = None, start: str | None = None
) -> Recipe:
    """A recipe with changes such as `seeds=[4]` or `stage.1.epochs=3`.

    encoder, start   one takes the place of the other, whichever the recipe names
    """
    values, source = options.read(name, changes, SHIPPED, TABLES)
    if encoder is not None and start is not None:
        raise UsageError("expected --encoder or --start, found both")
    if encoder is not None:
        values = {**values, "encoder": encoder, "start": ""}
    if start is not None:
        values = {**values, "encoder": "", "start": start}
    return recipe(values, source)
