"""`coindex annotate users`: list, invite, disable and enable accounts, set new passwords."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from coindex.cli.common import json_option, print_json
from coindex.errors import UsageError, import_extra

database_option = click.option(
    "--database", default="coindex-annotate.db", show_default=True, metavar="FILE|URL",
    envvar="COINDEX_ANNOTATE_DATABASE", help="A SQLite file, or postgresql://user@host/name.",
)  # fmt: skip
backups_option = click.option(
    "--backups", type=click.Path(path_type=Path), metavar="FOLDER",
    help="Where backups go.  [default: beside the database]",
)  # fmt: skip

url_option = click.option(
    "--url", default="http://127.0.0.1:8642", show_default=True, metavar="URL",
    envvar="COINDEX_ANNOTATE_URL", help="The address of the server, for the link.",
)  # fmt: skip


def full_link(url: str, path: str) -> str:
    """Return a link that can be sent to somebody."""
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"--url: expected http://... or https://..., found {url!r}")
    return f"{url.rstrip('/')}{path}"


def needs() -> None:
    """An error with the install command if the extra is missing."""
    for package in (
        "sqlalchemy",
        "alembic",
        "starlette",
        "uvicorn",
        "jinja2",
        "argon2",
        "segno",
        "zxcvbn",
        "pyotp",
    ):
        import_extra(package, "annotate")


@click.group(name="users", invoke_without_command=True)
@click.pass_context
def users(context: click.Context) -> None:
    """List accounts, invite people, disable accounts."""
    if context.invoked_subcommand is None:
        raise UsageError("expected one of: list, invite, reset, disable, enable")


@users.command("list")
@database_option
@json_option
def listed(database: str, as_json: bool) -> None:
    """List all accounts."""
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

    from coindex.annotate.store.tables import users as table
    from coindex.annotate.web.server import open_database

    columns = (table.c.id, table.c.name, table.c.administrator, table.c.disabled, table.c.created)
    with open_database(url).read() as connection:
        return [
            dict(row)
            for row in connection.execute(select(*columns).order_by(table.c.name)).mappings()
        ]


@users.command("invite")
@database_option
@click.option("--administrator", is_flag=True, help="Invite an administrator of the server.")
@click.option("--project", metavar="NAME", help="A project to join.")
@click.option("--role", type=click.Choice(["annotator", "adjudicator", "manager"]),
              default="annotator", show_default=True, help="The role in the project.")  # fmt: skip
@click.option("--days", default=7, show_default=True, type=click.IntRange(1, 365),
              help="How long the link is valid.")  # fmt: skip
@url_option
def invite(
    database: str, administrator: bool, project: str | None, role: str, days: int, url: str
) -> None:
    """Print a one-time link with which somebody creates an account."""
    needs()
    from coindex.annotate.people.accounts import Accounts
    from coindex.annotate.projects import project_named
    from coindex.annotate.web.server import open_database

    if not administrator and project is None:
        raise UsageError("expected --project NAME, or --administrator")
    db = open_database(database)
    joined: dict[str, Any] = {}
    if project is not None:
        joined = {"project": project_named(db, project).id, "role": role}
    secret, _ = Accounts(db).invite(None, administrator=administrator, days=days, **joined)
    click.echo(full_link(url, f"/welcome/{secret}"))


@users.command("reset")
@click.argument("name")
@database_option
@url_option
def reset(name: str, database: str, url: str) -> None:
    """Print a one-time link with which somebody sets a new password, within a day."""
    needs()
    from coindex.annotate.people.resets import make_reset_link
    from coindex.annotate.web.server import open_database

    db = open_database(database)
    with db.read() as connection:
        id = _account(connection, name).id
    path, _ = make_reset_link(db, None, id)
    click.echo(full_link(url, path))


@users.command("disable")
@click.argument("name")
@database_option
def disable(name: str, database: str) -> None:
    """Disable an account; its work is not deleted."""
    _set(name, database, True)


@users.command("enable")
@click.argument("name")
@database_option
def enable(name: str, database: str) -> None:
    """Enable an account."""
    _set(name, database, False)


def _account(connection: Any, name: str) -> Any:
    """The row of an account; an error with the names there are."""
    from sqlalchemy import select

    from coindex.annotate.store.tables import users as table

    row = connection.execute(select(table).where(table.c.name == name)).first()
    if row is None:
        known = connection.execute(select(table.c.name)).scalars().all()
        raise UsageError(
            f"no account {name!r}; expected one of: {', '.join(sorted(known)) or 'none'}"
        )
    return row


def _set(name: str, url: str, disabled: bool) -> None:
    needs()
    from sqlalchemy import delete, update

    from coindex.annotate.people.accounts import log_action
    from coindex.annotate.store.tables import sessions
    from coindex.annotate.store.tables import users as table
    from coindex.annotate.web.server import open_database

    database = open_database(url)
    with database.write() as connection:
        row = _account(connection, name)
        connection.execute(update(table).where(table.c.id == row.id).values(disabled=disabled))
        connection.execute(delete(sessions).where(sessions.c.user == row.id))
        log_action(connection, database.clock(), None, "account changed", name, disabled=disabled)
    click.echo(f"{name} is {'disabled' if disabled else 'enabled'}", err=True)
