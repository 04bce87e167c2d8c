"""Documents and projects are archived and deleted; deadlines, training results, webhooks.

Events are still never changed. They are deleted only with a document or project that has been
deleted: the trigger looks.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_MESSAGE = "events are never changed or deleted"
_DELETED = (
    "EXISTS (SELECT 1 FROM sheets JOIN documents ON documents.id = sheets.document"
    " JOIN projects ON projects.id = documents.project WHERE sheets.id = OLD.sheet"
    " AND (documents.deleted IS NOT NULL OR projects.deleted IS NOT NULL))"
)


def upgrade() -> None:
    """New columns are empty: nothing is archived or deleted, and nothing has a deadline."""
    for table, names in (
        ("projects", ("archived", "deleted")),
        ("documents", ("archived", "deleted")),
        ("sheets", ("deadline",)),
        ("members", ("passed",)),
    ):
        for name in names:
            op.add_column(table, sa.Column(name, sa.BigInteger, nullable=True))
    for name in ("made_by", "used_by"):
        op.add_column("invitations", sa.Column(name, sa.Integer, nullable=True))
    _webhooks()
    if op.get_bind().dialect.name == "postgresql":
        _postgresql()
        return
    op.execute("DROP TRIGGER events_no_delete")
    op.execute(
        f"CREATE TRIGGER events_no_delete BEFORE DELETE ON events WHEN NOT {_DELETED}"
        f" BEGIN SELECT RAISE(ABORT, '{_MESSAGE}'); END"
    )


def _webhooks() -> None:
    op.create_table(
        "webhooks", sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.id"), nullable=False, index=True),
        sa.Column("url", sa.String(500), nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("kinds", sa.JSON, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
    )  # fmt: skip
    op.create_table(
        "deliveries", sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("webhook", sa.Integer, sa.ForeignKey("webhooks.id"), nullable=False, index=True),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("message", sa.String(500), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("due", sa.BigInteger, nullable=False),
    )  # fmt: skip


def _postgresql() -> None:
    op.execute("DROP TRIGGER events_append_only ON events")
    op.execute(
        "CREATE TRIGGER events_append_only BEFORE UPDATE OR TRUNCATE ON events"
        " FOR EACH STATEMENT EXECUTE FUNCTION coindex_append_only()"
    )
    op.execute(
        "CREATE FUNCTION coindex_delete_with_document() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN IF NOT {_DELETED} THEN RAISE EXCEPTION '{_MESSAGE}'; END IF;"
        " RETURN OLD; END $$"
    )
    op.execute(
        "CREATE TRIGGER events_no_delete BEFORE DELETE ON events"
        " FOR EACH ROW EXECUTE FUNCTION coindex_delete_with_document()"
    )
