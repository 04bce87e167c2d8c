"""The client's methods for annotating: assignments, events, queues, agreement, gold."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coindex.annotate.client.http import ApiConnection, Json, given
from coindex.annotate.client.results import AssignmentInfo, NextAssignment, result_of

PAGE = 200


class WorkMethods(ApiConnection):
    """Assignments and what becomes of them."""

    def next_assignment(self, project: int) -> NextAssignment:
        """The next assignment of the token's owner."""
        return result_of(NextAssignment, self._post(f"/api/projects/{project}/next"))

    def assignments(
        self, project: int, *, everybody: bool = False, status: str | None = None,
        search: str | None = None,
    ) -> Iterator[AssignmentInfo]:  # fmt: skip
        """Your assignments, or everybody's; `open`, `done` or `late` ones; read in pages."""
        offset, total = 0, 1
        while offset < total:
            found = self._get(
                f"/api/projects/{project}/sheets", all="1" if everybody else "0", status=status,
                search=search, offset=offset, limit=PAGE,
            )  # fmt: skip
            total = found["total"]
            offset += PAGE
            for row in found["sheets"]:
                yield result_of(AssignmentInfo, row)

    def assign(self, document: int, name: str, deadline: int | None = None) -> int:
        """Assign a document to a member by name; return the assignment's id."""
        body = {"name": name, "deadline": deadline}
        return int(self._post(f"/api/documents/{document}/assign", body)["sheet"])

    def reassign(self, document: int, old_user: int, name: str, deadline: int | None = None) -> int:
        """Give an assignment to another member; return the new assignment's id."""
        values = given(name=name, deadline=deadline)
        return int(self._patch(f"/api/documents/{document}/assign/{old_user}", **values)["sheet"])

    def release(self, document: int, user: int) -> None:
        """Free somebody's place; their work remains."""
        self._delete(f"/api/documents/{document}/assign/{user}")

    def assignment(self, sheet: int) -> Json:
        """An assignment: its document, state, and what can be undone."""
        return self._get(f"/api/sheets/{sheet}")

    def store_events(self, sheet: int, events: Sequence[Mapping[str, Any]], client: str) -> Json:
        """Store events as they are; `client` is an id of this program's run."""
        body = {"client": client, "events": [dict(each) for each in events]}
        return self._post(f"/api/sheets/{sheet}/events", body)

    def act(self, sheet: int, kind: str, payload: Mapping[str, Any], base: int) -> Json:
        """Do one thing in an assignment, such as `mention.add`; return its result."""
        event = {"id": uuid.uuid4().hex, "base": base, "kind": kind, "payload": dict(payload)}
        found = self.store_events(sheet, [event], uuid.uuid4().hex)
        result: Json = found["results"][0]
        return result

    def events(self, sheet: int, after: int = 0) -> Json:
        """The events of an assignment after a revision."""
        return self._get(f"/api/sheets/{sheet}/events", after=after)

    def heartbeat(self, sheet: int) -> Json:
        """Renew the lease of an assignment and measure working time."""
        return self._post(f"/api/sheets/{sheet}/beat")

    def check_accuracy(self, sheet: int) -> Json:
        """Compare a training document with gold, with mistakes in words."""
        return self._post(f"/api/sheets/{sheet}/check")

    def rank(self, project: int) -> str:
        """Start to rank the documents; return the state of the ranking."""
        return str(self._post(f"/api/projects/{project}/rank")["state"])

    def ranking(self, project: int) -> Json:
        """The current ranking."""
        return self._get(f"/api/projects/{project}/ranking")

    def suggest(self, project: int, resolver: str) -> Json:
        """Start to make suggestions with a resolver."""
        return self._post(f"/api/projects/{project}/suggest", {"resolver": resolver})

    def suggestion_status(self, project: int) -> Json:
        """The state of the suggestions."""
        return self._get(f"/api/projects/{project}/suggest")

    def agreement(self, project: int) -> Json:
        """The agreement on chains, by pair, document and annotator."""
        return self._get(f"/api/projects/{project}/agreement")

    def consensus(self, project: int) -> Json:
        """The judgements of problems, their consensus and Fleiss' kappa."""
        return self._get(f"/api/projects/{project}/consensus")

    def gold_by_rule(
        self, project: int, rule: str, least: int | None = None, similarity: float | None = None
    ) -> list[Json]:
        """Open adjudications, to be verified, by the rule `paper` or `majority`."""
        body = given(rule=rule, least=least, similarity=similarity)
        rows: list[Json] = self._post(f"/api/projects/{project}/gold", body)["documents"]
        return rows

    def adjudication_queue(self, project: int) -> list[Json]:
        """The documents to adjudicate."""
        rows: list[Json] = self._get(f"/api/projects/{project}/adjudication")["documents"]
        return rows

    def adjudicate(self, document: int) -> int:
        """Begin or take over the adjudication of a document; return its id."""
        return int(self._post(f"/api/documents/{document}/adjudicate")["sheet"])

    def version_as_start(self, sheet: int, annotator: str) -> Json:
        """The events that turn an adjudication into the whole version of an annotator: `a`, `b`, …"""
        return self._get(f"/api/sheets/{sheet}/start", annotator=annotator)

    def disagreements(self, sheet: int, *, names: bool = False) -> Json:
        """The disagreements of annotators in an adjudication."""
        return self._get(f"/api/sheets/{sheet}/disagreements", names="1" if names else "0")
