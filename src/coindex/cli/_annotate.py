"""What `coindex annotate` does with people: list, invite, disable."""

from __future__ import annotations

from typing import Any

import click

from coindex.cli._common import json_option, print_json
from coindex.errors import MissingExtra, UsageError

database_option = click.option(
    "--database", default="coindex-annotate.db", show_default=True, metavar="FILE|URL",
    envvar="COINDEX_ANNOTATE_DATABASE", help="A SQLite file, or postgresql://user@host/name.",
)  # fmt: skip
backups_option = click.option(
    "--backups", type=click.Path(), metavar="FOLDER",
    help="Where backups go.  [default: beside the database]",
)  # fmt: skip


def needs() -> None:
    """An error with the exact install line where the extra is missing."""
    for package in ("sqlalchemy", "alembic", "starlette", "uvicorn", "jinja2", "argon2"):
        try:
            __import__(package)
        except ImportError as error:
            raise MissingExtra(package, "annotate") from error


@click.group(name="users", invoke_without_command=True)
@click.pass_context
def users(context: click.Context) -> None:
    """List accounts, invite people, disable accounts."""
    if context.invoked_subcommand is None:
        raise UsageError("expected one of: list, invite, disable, enable")


@users.command("list")
@database_option
@json_option
def listed(database: str, as_json: bool) -> None:
    """All accounts."""
    rows = _rows(database)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        more = [word for word in ("administrator", "disabled") if row[word]]
        click.echo("\t".join([row["name"], *more]))


def _rows(url: str) -> list[dict[str, Any]]:
    needs()
    from sqlalchemy import select

    from coindex.annotate.run import opened
    from coindex.annotate.tables import users as table

    columns = (table.c.id, table.c.name, table.c.administrator, table.c.disabled, table.c.created)
    with opened(url).read() as connection:
        return [
            dict(row)
            for row in connection.execute(select(*columns).order_by(table.c.name)).mappings()
        ]


@users.command("invite")
@database_option
@click.option("--administrator", is_flag=True, help="For the whole server.")
@click.option("--project", metavar="NAME", help="A project to join.")
@click.option("--role", type=click.Choice(["annotator", "adjudicator", "manager"]),
              default="annotator", show_default=True)  # fmt: skip
@click.option("--days", default=7, show_default=True, type=click.IntRange(1, 365))
def invite(database: str, administrator: bool, project: str | None, role: str, days: int) -> None:
    """Print the path of a one-time link with which somebody makes an account."""
    needs()
    from coindex.annotate.accounts import Accounts
    from coindex.annotate.run import opened, project_named

    if not administrator and project is None:
        raise UsageError("expected --project NAME, or --administrator")
    found = opened(database)
    told: dict[str, Any] = {"administrator": administrator, "days": days}
    if project is not None:
        told |= {"project": project_named(found, project).id, "role": role}
    secret, _ = Accounts(found).invite(None, **told)
    click.echo(f"/welcome/{secret}")


@users.command("disable")
@click.argument("name")
@database_option
def disable(name: str, database: str) -> None:
    """Lock an account; its work stays."""
    _set(name, database, True)


@users.command("enable")
@click.argument("name")
@database_option
def enable(name: str, database: str) -> None:
    """Unlock an account."""
    _set(name, database, False)


def _set(name: str, url: str, disabled: bool) -> None:
    needs()
    from sqlalchemy import delete, select, update

    from coindex.annotate.accounts import note
    from coindex.annotate.run import opened
    from coindex.annotate.tables import sessions
    from coindex.annotate.tables import users as table

    database = opened(url)
    with database.write() as connection:
        row = connection.execute(select(table).where(table.c.name == name)).first()
        if row is None:
            known = connection.execute(select(table.c.name)).scalars().all()
            raise UsageError(
                f"no account {name!r}; expected one of: {', '.join(sorted(known)) or 'none'}"
            )
        connection.execute(update(table).where(table.c.id == row.id).values(disabled=disabled))
        connection.execute(delete(sessions).where(sessions.c.user == row.id))
        note(connection, database.clock(), None, "account changed", name, disabled=disabled)
    click.echo(f"{name} is {'disabled' if disabled else 'enabled'}", err=True)
