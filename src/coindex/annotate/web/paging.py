"""Pages of a list: which rows a request asks for, and how many there are in all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from coindex.annotate.web.schema import Schema, integer_schema, string_schema

MOST = 500
"""The most rows of one page; without a limit all rows are returned, as in version 0.1."""

PAGE_QUERY: Mapping[str, Schema] = {
    "search": string_schema(200), "offset": integer_schema(), "limit": integer_schema(1, MOST),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list.

    search    words that rows must contain, in any case
    limit     how many rows; None for all of them
    """

    search: str = ""
    offset: int = 0
    limit: int | None = None

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Page:
        """Return the page that a request asks for."""
        limit = query.get("limit")
        values = (query.get("search", "").strip(), int(query.get("offset", 0)))
        return cls(*values, None if limit is None else int(limit))

    def matches(self, *columns: ColumnElement[Any]) -> ColumnElement[bool] | None:
        """Return the condition that one of some columns contains the words; None for all rows."""
        if not self.search:
            return None
        wanted = self.search.lower()
        found = [func.lower(each).contains(wanted, autoescape=True) for each in columns]
        # SQLite's lower knows ASCII only
        found += [each.contains(self.search, autoescape=True) for each in columns]
        condition = found[0]
        for each in found[1:]:
            condition |= each
        return condition

    def rows(self, connection: Connection, query: Select[Any]) -> tuple[int, list[Any]]:
        """Return how many rows there are, and those of this page."""
        counted = select(func.count()).select_from(query.order_by(None).subquery())
        total = connection.execute(counted).scalar_one()
        part = query.offset(self.offset) if self.offset else query
        part = part.limit(self.limit) if self.limit else part
        return total, list(connection.execute(part).all())
