"""Servers of a database; the scope of tokens, a second factor, links for a new password."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Tokens of earlier versions may do everything, as before; nobody has a second factor."""
    op.create_table(
        "servers", sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("started", sa.BigInteger, nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
    )  # fmt: skip
    op.add_column("rankings", sa.Column("server", sa.String(32), nullable=True))
    scope = sa.Column("scope", sa.String(20), nullable=False, server_default="all")
    op.add_column("tokens", scope)
    op.add_column("users", sa.Column("totp", sa.String(64), nullable=True))
    op.add_column("users", sa.Column("totp_step", sa.BigInteger, nullable=True))
    op.create_table(
        "resets", sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("user", sa.Integer, sa.ForeignKey("users.id"), nullable=False, index=True),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
    )  # fmt: skip
