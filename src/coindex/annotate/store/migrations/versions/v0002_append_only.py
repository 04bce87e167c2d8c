"""Events are never changed or deleted: the database itself refuses."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

_MESSAGE = "events are never changed or deleted"


def upgrade() -> None:
    """Triggers on the table of events."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION coindex_append_only() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN RAISE EXCEPTION '{_MESSAGE}'; END $$"
        )
        op.execute(
            "CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events"
            " FOR EACH STATEMENT EXECUTE FUNCTION coindex_append_only()"
        )
        return
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER events_no_{verb.lower()} BEFORE {verb} ON events"
            f" BEGIN SELECT RAISE(ABORT, '{_MESSAGE}'); END"
        )
