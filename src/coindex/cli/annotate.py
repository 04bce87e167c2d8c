"""Annotate chains and pronouns in the browser: a server, its data and its people."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from coindex.cli._annotate import backups_option, database_option, needs, users
from coindex.cli._common import from_option, json_option, print_json, read_all
from coindex.errors import InvalidValue, UsageError


@click.group(name="annotate")
def command() -> None:
    """The annotation app; `docs/annotate-admin.md` goes through it."""


command.add_command(users)


@command.command("init")
@database_option
@backups_option
@json_option
def init(database: str, backups: str | None, as_json: bool) -> None:
    """Make a database, or bring an old one to this version (with a backup before each step)."""
    needs()
    from coindex.annotate.run import first_link, opened

    found = opened(database, _path(backups), make=True)
    link = first_link(found)
    if as_json:
        print_json({"database": found.engine.url.render_as_string(), "link": link})
        return
    click.echo(f"ready: {found.engine.url.render_as_string()}", err=True)
    if link:
        click.echo(link)


def _path(given: str | None) -> Path | None:
    return None if given is None else Path(given)


@command.command("serve")
@database_option
@backups_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8642, show_default=True, type=click.IntRange(1, 65535))
@click.option("--allow-host", "names", multiple=True, metavar="NAME",
              help="Another name the server answers to, such as annotate.example.org.")  # fmt: skip
@click.option("--https", is_flag=True, help="Browsers reach it by https, through a proxy.")
@click.option("--backup-every", default=60.0, show_default=True, type=click.FloatRange(0),
              metavar="MINUTES", help="0 for no backups by time.")  # fmt: skip
@click.option("--keep", default=48, show_default=True, type=click.IntRange(1),
              help="How many backups by time are kept.")  # fmt: skip
def serve(database: str, backups: str | None, **options: Any) -> None:
    """Run the app; the first time it prints a link to make the administrator's account."""
    needs()
    from coindex.annotate.run import Address
    from coindex.annotate.run import serve as run

    address = Address(options["host"], options["port"], options["names"], options["https"])
    run(
        database, address, _path(backups), options["backup_every"], options["keep"],
        lambda line: click.echo(line, err=True),
    )  # fmt: skip


@command.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--project", required=True, metavar="NAME", help="Made where there is none.")
@click.option("--purpose", type=click.Choice(["work", "training", "suggestions", "gold"]),
              default="work", show_default=True,
              help="What the files are to the project.")  # fmt: skip
@database_option
@from_option
@json_option
def bring_in(files: tuple[str, ...], project: str, **options: Any) -> None:
    """Put documents or problems into a project; `--from ezcoref` takes that corpus's folder."""
    needs()
    from coindex.annotate import transfer
    from coindex.annotate.events import Events
    from coindex.annotate.run import opened, project_named
    from coindex.core.document import Document

    found = opened(options["database"])
    given = options["from_format"]
    items = list(_ezcoref(files) if given == "ezcoref" else read_all(files, given))
    if not items:
        raise InvalidValue("expected documents or problems, found none")
    kind = "document" if isinstance(items[0], Document) else "problem"
    row = project_named(found, project, kind)
    done = transfer.bring_in(
        Events(found), row, items, options["purpose"], Path(files[0]).name[:60]
    )
    if options["as_json"]:
        print_json(done.as_json())
        return
    for name, count in done.counts.items():
        click.echo(f"{count} {name}")
    for each in done.skipped:
        click.echo(f"left out: {each['name']}: {each['reason']}", err=True)


def _ezcoref(folders: tuple[str, ...]) -> Any:
    from dataclasses import replace

    from coindex.annotate import ezcoref
    from coindex.annotate.arrivals import BY

    for folder in folders:
        if not (Path(folder) / "annotations").is_dir():
            raise UsageError(f"{folder}: expected the folder of ezcoref with annotations/ in it")
        for passage in ezcoref.read(Path(folder)):
            for number, made in passage.made.items():
                yield replace(made, meta=(*made.meta, (BY, f"ezcoref-{number}")))


@command.command("export")
@click.option("--project", required=True, metavar="NAME")
@click.option("--which", type=click.Choice(["gold", "documents", "sheets", "judgements"]),
              default="gold", show_default=True,
              help="sheets: everybody's work, in the jsonl formats with all history.")  # fmt: skip
@click.option("--to", "to_format", metavar="FORMAT", help="[default: coindex's own jsonl]")
@click.option("-o", "--output", default="-", show_default=True, metavar="FILE")
@database_option
@json_option
def take_out(project: str, which: str, to_format: str | None, output: str, **options: Any) -> None:
    """Write what a project holds in any format."""
    needs()
    from coindex import formats
    from coindex.annotate import outgoing
    from coindex.annotate.run import opened, project_named
    from coindex.cli._common import losses_json

    found = opened(options["database"])
    row = project_named(found, project)
    with found.read() as connection:
        items, left = outgoing.take_out(connection, row.id, which)
    format = to_format or f"{row.kind}-jsonl"
    losses = formats.write(output, items, format)
    if options["as_json"] and output != "-":
        print_json({**losses_json([], losses, output), "left-out": left})
    for line in losses.lines():
        click.echo(line, err=True)
    for reason, count in left.items():
        click.echo(f"left out: {count}: {reason}", err=True)


@command.command("backup")
@database_option
@backups_option
@click.option("--restore", type=click.Path(exists=True), metavar="FILE",
              help="Fill an empty database from a backup instead.")  # fmt: skip
@json_option
def backup(database: str, backups: str | None, restore: str | None, as_json: bool) -> None:
    """Copy the database while the server runs, or restore a copy."""
    needs()
    from coindex.annotate import backup as backing
    from coindex.annotate.database import Database
    from coindex.annotate.run import folder_of, opened

    if restore is not None:
        backing.restore(Path(restore), Database(database))
        opened(database, _path(backups))
        click.echo(f"restored from {restore}", err=True)
        return
    found = opened(database, _path(backups))
    folder = folder_of(found, _path(backups))
    made = backing.back_up(found, folder)
    if as_json:
        print_json({**asdict(made), "folder": str(folder)})
    else:
        click.echo(str(folder / made.name))


@command.command("doctor")
@database_option
@click.option("--repair", is_flag=True, help="Write states that differ from their events anew.")
@json_option
def doctor(database: str, repair: bool, as_json: bool) -> None:
    """Rebuild every state from its events and compare; exits with 1 if anything is wrong."""
    needs()
    from coindex.annotate.doctor import examine
    from coindex.annotate.run import opened

    health = examine(opened(database), repair=repair)
    if as_json:
        print_json(asdict(health))
    else:
        click.echo(f"{health.sheets} sheets, {health.events} events, {len(health.wrong)} wrong")
        for line in health.wrong:
            click.echo(line)
    if health.wrong and not repair:
        raise InvalidValue("the database is not as its events say; --repair writes states anew")
