"""The first tables, as in version 0.1; names of constraints follow the tables' convention."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _id(name: str = "id") -> sa.Column[int]:
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=True)


def _column(name: str, type: Any, *, null: bool = False, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, type, nullable=null, **more)


def _text(name: str, length: int, *, null: bool = False, **more: Any) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=null, **more)


def _time(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=null)


def _reference(name: str, table: str, *, null: bool = False, **more: Any) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.ForeignKey(f"{table}.id"), nullable=null, **more)


def upgrade() -> None:
    """Create all tables."""
    _accounts()
    _annotations()


def _accounts() -> None:
    op.create_table(
        "users", _id(), _text("name", 100, unique=True), _text("password", 200),
        _column("administrator", sa.Boolean), _column("disabled", sa.Boolean),
        _text("shown_name", 100, null=True), _column("keys", sa.JSON, null=True),
        _time("created"),
    )  # fmt: skip
    op.create_table(
        "projects", _id(), _text("name", 100, unique=True), _text("kind", 10),
        _column("settings", sa.JSON), _time("created"),
    )  # fmt: skip
    op.create_table(
        "members", _reference("project", "projects", primary_key=True),
        _reference("user", "users", primary_key=True), _text("role", 20),
    )  # fmt: skip
    op.create_table(
        "sessions", _text("digest", 64, primary_key=True), _reference("user", "users", index=True),
        _text("csrf", 64), _time("created"), _time("expires"),
    )  # fmt: skip
    op.create_table(
        "tokens", _id(), _reference("user", "users", index=True), _text("name", 100),
        _text("digest", 64, unique=True), _time("created"), _time("expires"),
    )  # fmt: skip
    op.create_table(
        "invitations", _text("digest", 64, primary_key=True),
        _column("administrator", sa.Boolean), _reference("project", "projects", null=True),
        _text("role", 20, null=True), _time("created"), _time("expires"), _time("used", null=True),
    )  # fmt: skip
    op.create_table("failures", _id(), _text("key", 200, index=True), _time("at"))
    op.create_table(
        "audit", _id(), _time("at"), _reference("user", "users", null=True), _text("action", 60),
        _text("target", 200), _column("detail", sa.JSON),
    )  # fmt: skip


def _annotations() -> None:
    op.create_table(
        "documents", _id(), _reference("project", "projects"), _text("name", 500),
        _column("position", sa.Integer), _column("training", sa.Boolean),
        _column("tokens", sa.Integer), _column("body", sa.Text), _column("gold", sa.Text, null=True),
        _column("suggestions", sa.JSON, null=True), sa.UniqueConstraint("project", "name"),
    )  # fmt: skip
    op.create_index("ix_documents_project_position", "documents", ["project", "position"])
    op.create_table(
        "sheets", _id(), _reference("document", "documents"),
        _reference("user", "users", index=True), _text("purpose", 10),
        _column("revision", sa.Integer), _column("done", sa.Boolean),
        _column("order", sa.JSON, null=True), _time("lease", null=True), _time("seen", null=True),
        _time("spent"), _column("looks", sa.Integer), _column("why", sa.JSON, null=True),
        _time("created"), sa.UniqueConstraint("document", "user", "purpose"),
    )  # fmt: skip
    op.create_table(
        "events", _id("seq"), _text("id", 64, index=True), _reference("sheet", "sheets"),
        _column("revision", sa.Integer), _column("base", sa.Integer), _text("client", 64),
        _reference("user", "users"), _text("kind", 30), _column("payload", sa.JSON),
        _column("changes", sa.JSON), _time("at"), _time("told", null=True),
        sa.UniqueConstraint("sheet", "id"), sa.UniqueConstraint("sheet", "revision"),
    )  # fmt: skip
    op.create_table(
        "records", _reference("sheet", "sheets", primary_key=True),
        _text("key", 80, primary_key=True), _column("value", sa.JSON),
    )  # fmt: skip
    op.create_table(
        "rankings", _id(), _reference("project", "projects", index=True), _text("strategy", 60),
        _text("state", 10), _column("message", sa.Text), _column("picks", sa.JSON), _time("made"),
    )  # fmt: skip
    op.create_table(
        "ranks", _reference("document", "documents", primary_key=True),
        _reference("ranking", "rankings"), _column("rank", sa.Integer), _column("score", sa.Float),
    )  # fmt: skip
