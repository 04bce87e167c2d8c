"""List the formats, and every other family of plugins, by name."""

from __future__ import annotations

from dataclasses import dataclass

import click

from coindex import formats, plugins
from coindex.cli.common import json_option, print_json, typed_options, warn_deprecated
from coindex.errors import UnknownName
from coindex.models.common.installed_models import find_model, model_names

MODELS = "models"
OLD_NAMES = {"corpora": "builders", "active": "strategies"}


@dataclass(frozen=True, slots=True)
class ListOptions:
    """The options of `coindex list`."""

    family: str | None
    as_json: bool


@click.command(name="list")
@click.argument("family", required=False)
@json_option
@typed_options(ListOptions)
def command(options: ListOptions) -> None:
    """List the plugins there are: formats, metrics, resolvers and so on.

    FAMILY limits the list to one kind; `models` lists the models that are installed, with
    their folders.
    """
    listed = describe_families(options.family)
    if options.as_json:
        print_json(listed)
        return
    for name, rows in listed.items():
        click.echo(f"{name}:")
        width = max(map(len, rows))
        for row, text in rows.items():
            click.echo(f"  {row:{width}}  {text}")


def describe_families(family: str | None) -> dict[str, dict[str, str]]:
    """The plugins of one family, or of all but the commands, which `--help` lists.

    `models` lists what `--model` takes by name.
    """
    if family == MODELS:
        return {MODELS: {name: str(find_model(name)) for name in model_names()}}
    known = plugins.families()
    if family in OLD_NAMES:
        warn_deprecated(f"the family {family}", OLD_NAMES[family])
        family = OLD_NAMES[family]
    if family is not None and family not in known:
        raise UnknownName("family", family, (*known, MODELS))
    chosen = [family] if family else [name for name in known if name != "cli"]
    listed = {name: describe(name) for name in chosen}
    return {name: rows for name, rows in listed.items() if rows}


def describe(family: str) -> dict[str, str]:
    """The plugins of a family with the first lines of their docstrings."""
    rows = {name: plugins.summary(family, name) for name in plugins.names(family)}
    if family == "formats":
        rows = {name: f"{formats.load(name).KIND}: {text}" for name, text in rows.items()}
    return rows
