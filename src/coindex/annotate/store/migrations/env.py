"""Alembic calls this to run migrations; the connection comes from `coindex.annotate.store.migrate`."""

from __future__ import annotations

from alembic import context

from coindex.annotate.store.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
context.run_migrations()
