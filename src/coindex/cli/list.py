"""List the formats, and every other kind of plugin, by name."""

from __future__ import annotations

import click

from coindex import formats, plugins
from coindex.cli._common import json_option, print_json
from coindex.errors import UnknownName

GROUPS = (
    "formats", "matching", "metrics", "benchmarks", "corpora", "sources", "resolvers", "active",
)  # fmt: skip


@click.command(name="list")
@click.argument("group", required=False)
@json_option
def command(group: str | None, as_json: bool) -> None:
    """List what there is: formats, metrics, resolvers and so on.

    GROUP limits the list to one kind.
    """
    if group is not None and group not in GROUPS:
        raise UnknownName("group", group, GROUPS)
    found = {name: describe(name) for name in ([group] if group else GROUPS)}
    found = {name: rows for name, rows in found.items() if rows}
    if as_json:
        print_json(found)
        return
    for name, rows in found.items():
        click.echo(f"{name}:")
        width = max(map(len, rows))
        for row, text in rows.items():
            click.echo(f"  {row:{width}}  {text}")


def describe(group: str) -> dict[str, str]:
    """The plugins of a group with the first line of what each says of itself."""
    rows = {}
    for name in plugins.names(group):
        module = plugins.load(group, name)
        text = (module.__doc__ or "").strip().split("\n")[0]
        rows[name] = f"{formats.load(name).KIND}: {text}" if group == "formats" else text
    return rows
