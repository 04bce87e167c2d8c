"""The tables. Times are milliseconds since 1970 in UTC by the server's clock.

`events` is append-only: a trigger refuses to change a row, or to delete one unless its document
or project has been deleted (see `lifecycle`). `records` is their current state (one row for each
mention, group, ...); `doctor` rebuilds it and compares.

Databases of version 0.1 must open and its clients must work, so the names in the database
(the table `sheets`, the columns `looks`, `sheet`, `told`), the paths of the HTTP API and the
keys of its JSON and of exported files stay as they were. The code uses the field's words: an
assignment is one annotator's copy of a document, with its events and records.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True, autoincrement=True)


def _of(name: str, target: str, *, index: bool = False, key: str | None = None) -> Column[int]:
    foreign = ForeignKey(f"{target}.id")
    return Column(name, Integer, foreign, nullable=False, index=index, key=key or name)


def _time(name: str, *, nullable: bool = False, key: str | None = None) -> Column[int]:
    return Column(name, BigInteger, nullable=nullable, key=key or name)


users = Table(
    "users", metadata, _id(),
    Column("name", String(100), nullable=False, unique=True),
    Column("password", String(200), nullable=False),
    Column("administrator", Boolean, nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("shown_name", String(100)),
    Column("keys", JSON),
    _time("created"),
    Column("totp", String(64)),
    _time("totp_step", nullable=True),
)  # fmt: skip
sessions = Table(
    "sessions", metadata,
    Column("digest", String(64), primary_key=True),
    _of("user", "users", index=True),
    Column("csrf", String(64), nullable=False),
    _time("created"), _time("expires"),
)  # fmt: skip
tokens = Table(
    "tokens", metadata, _id(),
    _of("user", "users", index=True),
    Column("name", String(100), nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    _time("created"), _time("expires"),
    Column("scope", String(20), nullable=False, server_default="all"),
)  # fmt: skip
resets = Table(
    "resets", metadata,
    Column("digest", String(64), primary_key=True),
    _of("user", "users", index=True),
    _time("created"), _time("expires"),
)  # fmt: skip
invitations = Table(
    "invitations", metadata,
    Column("digest", String(64), primary_key=True),
    Column("administrator", Boolean, nullable=False),
    Column("project", Integer, ForeignKey("projects.id")),
    Column("role", String(20)),
    _time("created"), _time("expires"), _time("used", nullable=True),
    Column("made_by", Integer),
    Column("used_by", Integer),
)  # fmt: skip
servers = Table(
    "servers", metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(200), nullable=False),
    _time("started"), _time("seen"),
)  # fmt: skip
failures = Table(
    "failures", metadata, _id(),
    Column("key", String(200), nullable=False, index=True),
    _time("at"),
)  # fmt: skip
audit = Table(
    "audit", metadata, _id(),
    _time("at"),
    Column("user", Integer, ForeignKey("users.id")),
    Column("action", String(60), nullable=False),
    Column("target", String(200), nullable=False),
    Column("detail", JSON, nullable=False),
)  # fmt: skip
projects = Table(
    "projects", metadata, _id(),
    Column("name", String(100), nullable=False, unique=True),
    Column("kind", String(10), nullable=False),
    Column("settings", JSON, nullable=False),
    _time("created"),
    _time("archived", nullable=True), _time("deleted", nullable=True),
)  # fmt: skip
members = Table(
    "members", metadata,
    Column("project", Integer, ForeignKey("projects.id"), primary_key=True),
    Column("user", Integer, ForeignKey("users.id"), primary_key=True),
    Column("role", String(20), nullable=False),
    _time("passed", nullable=True),
)  # fmt: skip
documents = Table(
    "documents", metadata, _id(),
    _of("project", "projects"),
    Column("name", String(500), nullable=False),
    Column("position", Integer, nullable=False),
    Column("training", Boolean, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("gold", Text),
    Column("suggestions", JSON),
    _time("archived", nullable=True), _time("deleted", nullable=True),
    UniqueConstraint("project", "name"),
)  # fmt: skip
assignments = Table(
    "sheets", metadata, _id(),
    _of("document", "documents"),
    _of("user", "users", index=True),
    Column("purpose", String(10), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("done", Boolean, nullable=False),
    Column("order", JSON),
    _time("lease", nullable=True),
    _time("seen", nullable=True),
    Column("spent", BigInteger, nullable=False),
    Column("looks", Integer, nullable=False, key="accuracy_checks"),
    Column("why", JSON),
    _time("created"),
    _time("deadline", nullable=True),
    UniqueConstraint("document", "user", "purpose"),
)  # fmt: skip
events = Table(
    "events", metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(64), nullable=False, index=True),
    _of("sheet", "sheets", key="assignment"),
    Column("revision", Integer, nullable=False),
    Column("base", Integer, nullable=False),
    Column("client", String(64), nullable=False),
    Column("user", Integer, ForeignKey("users.id"), nullable=False),
    Column("kind", String(30), nullable=False),
    Column("payload", JSON, nullable=False),
    Column("changes", JSON, nullable=False),
    _time("at"), _time("told", nullable=True, key="client_time"),
    UniqueConstraint("assignment", "revision"),
    UniqueConstraint("assignment", "id"),
)  # fmt: skip
records = Table(
    "records", metadata,
    Column("sheet", Integer, ForeignKey("sheets.id"), primary_key=True, key="assignment"),
    Column("key", String(80), primary_key=True),
    Column("value", JSON, nullable=False),
)  # fmt: skip
rankings = Table(
    "rankings", metadata, _id(),
    _of("project", "projects", index=True),
    Column("strategy", String(60), nullable=False),
    Column("state", String(10), nullable=False),
    Column("message", Text, nullable=False),
    Column("picks", JSON, nullable=False),
    _time("made"),
    Column("server", String(32)),
)  # fmt: skip
ranks = Table(
    "ranks", metadata,
    Column("document", Integer, ForeignKey("documents.id"), primary_key=True),
    Column("ranking", Integer, ForeignKey("rankings.id"), nullable=False),
    Column("rank", Integer, nullable=False),
    Column("score", Float, nullable=False),
)  # fmt: skip
webhooks = Table(
    "webhooks", metadata, _id(),
    _of("project", "projects", index=True),
    Column("url", String(500), nullable=False),
    Column("secret", String(64), nullable=False),
    Column("kinds", JSON, nullable=False),
    _time("created"),
)  # fmt: skip
deliveries = Table(
    "deliveries", metadata, _id(),
    _of("webhook", "webhooks", index=True),
    Column("kind", String(30), nullable=False),
    Column("body", JSON, nullable=False),
    Column("state", String(10), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("message", String(500), nullable=False),
    _time("created"), _time("due"),
)  # fmt: skip
Index("ix_documents_project_position", documents.c.project, documents.c.position)
