"""Annotate chains and pronouns in the browser: a server, its data and its people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from coindex.cli import common
from coindex.cli.annotate_users import (
    backups_option,
    database_option,
    full_link,
    needs,
    url_option,
    users,
)
from coindex.errors import InvalidValue, UsageError
from coindex.types.document import Document


@click.group(name="annotate")
def command() -> None:
    """The annotation app; see `docs/how-to/annotate-admin.md`."""


command.add_command(users)


@command.command("init")
@database_option
@backups_option
@url_option
@common.json_option
def init(database: str, backups: Path | None, url: str, as_json: bool) -> None:
    """Create a database, or upgrade an old one (with a backup before each step)."""
    needs()
    from coindex.annotate.people.accounts import Accounts
    from coindex.annotate.web.server import open_database

    db = open_database(database, backups, make=True)
    first = Accounts(db).first_link()
    link = full_link(url, first.path) if first else None
    if as_json:
        common.print_json({"database": db.engine.url.render_as_string(), "link": link})
        return
    click.echo(f"ready: {db.engine.url.render_as_string()}", err=True)
    if link:
        click.echo(link)


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of `coindex annotate serve`."""

    database: str
    backups: Path | None
    host: str
    port: int
    allow_host: tuple[str, ...]
    https: bool
    backup_every: float
    keep: int
    private_webhooks: bool


@command.command("serve")
@database_option
@backups_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8642, show_default=True, type=click.IntRange(1, 65535),
              help="The port to listen on.")  # fmt: skip
@click.option("--allow-host", multiple=True, metavar="NAME",
              help="Another name the server answers to, such as annotate.example.org.")  # fmt: skip
@click.option("--https", is_flag=True, help="Browsers reach it by https, through a proxy.")
@click.option("--backup-every", default=60.0, show_default=True, type=click.FloatRange(0),
              metavar="MINUTES", help="How often to make a backup; 0 for never.")  # fmt: skip
@click.option("--keep", default=48, show_default=True, type=click.IntRange(1),
              help="How many of these backups to keep.")  # fmt: skip
@click.option("--private-webhooks", is_flag=True,
              help="Let projects send webhooks to addresses of private networks.")  # fmt: skip
@common.typed_options(ServeOptions)
def serve(options: ServeOptions) -> None:
    """Run the app; the first time it prints a link to create the administrator's account."""
    needs()
    from coindex.annotate.web.server import ServerAddress
    from coindex.annotate.web.server import serve as run

    address = ServerAddress(options.host, options.port, options.allow_host, options.https)
    run(
        options.database, address, options.backups, options.backup_every, options.keep,
        private_webhooks=options.private_webhooks,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The options of `coindex annotate import`."""

    files: tuple[str, ...]
    project: str
    purpose: str
    database: str
    from_format: str | None
    as_json: bool


@command.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--project", required=True, metavar="NAME", help="The project; created if there is none."
)
@click.option("--purpose", type=click.Choice(["work", "training", "suggestions", "gold"]),
              default="work", show_default=True,
              help="What the files are for.")  # fmt: skip
@database_option
@common.from_option
@common.json_option
@common.typed_options(ImportOptions)
def import_(options: ImportOptions) -> None:
    """Import documents or problems into a project; `--from ezcoref` takes that corpus's folder."""
    needs()
    from coindex.annotate.exchange import importer
    from coindex.annotate.projects import project_named
    from coindex.annotate.store.events import EventStore
    from coindex.annotate.web.server import open_database

    db = open_database(options.database)
    files, form = options.files, options.from_format
    items = list(_ezcoref(files) if form == "ezcoref" else common.read_all(files, form))
    if not items:
        raise InvalidValue("expected documents or problems, found none")
    kind = "document" if isinstance(items[0], Document) else "problem"
    row = project_named(db, options.project, kind)
    done = importer.import_items(
        EventStore(db), row, items, options.purpose, Path(files[0]).name[:60]
    )
    if options.as_json:
        common.print_json(done.as_json())
        return
    for name, count in done.counts.items():
        click.echo(f"{count} {name.removesuffix('s') if count == 1 else name}")
    for each in done.skipped:
        click.echo(f"left out: {each['name']}: {each['reason']}", err=True)


def _ezcoref(folders: tuple[str, ...]) -> Iterator[Document]:
    from coindex.annotate.exchange import ezcoref
    from coindex.annotate.exchange.import_context import ANNOTATOR_KEY

    for folder in folders:
        if not (Path(folder) / "annotations").is_dir():
            raise UsageError(f"{folder}: expected the folder of ezcoref with annotations/ in it")
        for passage in ezcoref.read_passages(Path(folder)):
            for number, made in passage.annotations.items():
                yield replace(made, meta=(*made.meta, (ANNOTATOR_KEY, f"ezcoref-{number}")))


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of `coindex annotate export`."""

    project: str
    which: str
    to_format: str | None
    output: str
    database: str
    as_json: bool


@command.command("export")
@click.option("--project", required=True, metavar="NAME", help="The project.")
@click.option("--which", type=click.Choice(["gold", "documents", "sheets", "judgements"]),
              default="gold", show_default=True,
              help="What to write; sheets: the work of every annotator, in the jsonl formats with"
                   " all history.")  # fmt: skip
@click.option(
    "--to", "to_format", metavar="FORMAT", help="The format to write.  [default: coindex's jsonl]"
)
@common.output_option()
@database_option
@common.json_option
@common.typed_options(ExportOptions)
def export(options: ExportOptions) -> None:
    """Write the contents of a project in any format."""
    needs()
    from coindex import formats
    from coindex.annotate.exchange.export import export_items
    from coindex.annotate.projects import project_named
    from coindex.annotate.web.server import open_database

    db = open_database(options.database)
    row = project_named(db, options.project)
    with db.read() as connection:
        items, left = export_items(connection, row.id, options.which)
    losses = formats.write(options.output, items, options.to_format or f"{row.kind}-jsonl")
    if options.as_json and options.output != "-":
        common.print_json({**common.conversion_json([], losses, options.output), "left-out": left})
    for line in losses.lines():
        click.echo(line, err=True)
    for reason, count in left.items():
        click.echo(f"left out: {count}: {reason}", err=True)


@command.command("backup")
@database_option
@backups_option
@click.option("--restore", type=click.Path(exists=True, path_type=Path), metavar="FILE",
              help="Fill an empty database from a backup instead.")  # fmt: skip
@common.json_option
def backup(database: str, backups: Path | None, restore: Path | None, as_json: bool) -> None:
    """Copy the database while the server runs, or restore a copy."""
    needs()
    from coindex.annotate.store import backup as backing
    from coindex.annotate.store.database import Database
    from coindex.annotate.store.restore import restore as restore_backup
    from coindex.annotate.web.server import backup_folder, open_database

    if restore is not None:
        restore_backup(restore, Database(database))
        open_database(database, backups)
        click.echo(f"restored from {restore}", err=True)
        return
    db = open_database(database, backups)
    folder = backup_folder(db, backups)
    made = backing.back_up(db, folder)
    if as_json:
        common.print_json({**asdict(made), "folder": str(folder)})
    else:
        click.echo(str(folder / made.name))


@command.command("doctor")
@database_option
@click.option("--repair", is_flag=True, help="Write states that differ from their events anew.")
@common.json_option
def doctor(database: str, repair: bool, as_json: bool) -> None:
    """Rebuild every state from its events and compare; exits with 1 if anything is wrong."""
    needs()
    from coindex.annotate.store.doctor import examine
    from coindex.annotate.web.server import open_database

    health = examine(open_database(database), repair=repair)
    if as_json:
        common.print_json(health.as_json())
    else:
        click.echo(
            f"{health.assignments} assignments, {health.events} events,"
            f" {len(health.problems)} problems"
        )
        for line in health.problems:
            click.echo(line)
    if health.problems and not repair:
        raise InvalidValue("the database differs from its events; --repair rewrites the states")
