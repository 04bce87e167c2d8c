"""The client: all routes that a token may use."""

from __future__ import annotations

import json
from typing import Any

from coindex.annotate.client.http import Json, given, part
from coindex.annotate.client.projects import ProjectMethods
from coindex.annotate.client.results import Invitation, UserInfo, result_of
from coindex.annotate.client.work import WorkMethods


class AnnotateClient(ProjectMethods, WorkMethods):
    """A client of the annotation app, with a token of the account page.

    Methods return dataclasses or the JSON of `docs/reference/annotate-api.md`. What takes a session
    (passwords, tokens, the second factor, accounts, joining and erasing) is not for tokens.
    """

    def health(self) -> Json:
        """Whether the server responds, and its version."""
        return self._get("/api/health")

    def openapi(self) -> Json:
        """The OpenAPI description of the server."""
        return self._get("/api/openapi.json")

    def me(self) -> UserInfo:
        """The owner of the token."""
        return result_of(UserInfo, self._get("/api/me")["user"])

    def change_me(self, *, shown_name: str | None) -> UserInfo:
        """Change the name on leaderboards; None to appear on none."""
        return result_of(UserInfo, self._patch("/api/me", shown_name=shown_name)["user"])

    def tokens(self) -> list[Json]:
        """Your tokens, without their secrets."""
        rows: list[Json] = self._get("/api/me/tokens")["tokens"]
        return rows

    def my_data(self) -> Json:
        """All that is stored about you."""
        found: Json = json.loads(self._download("/api/me/export"))
        return found

    def users(self) -> list[UserInfo]:
        """All accounts, for administrators."""
        return [result_of(UserInfo, row) for row in self._get("/api/users")["users"]]

    def invite(
        self, *, project: int | None = None, role: str | None = None, days: int | None = None
    ) -> str:
        """Invite somebody to the server; return the path of the link, which is shown only now."""
        return str(self._post("/api/invitations", given(project=project, role=role, days=days))["link"])  # fmt: skip

    def account_invitations(self) -> list[Invitation]:
        """The invitations to no project, without their secrets, for administrators."""
        rows = self._get("/api/invitations")["invitations"]
        return [result_of(Invitation, row) for row in rows]

    def revoke_account_invitation(self, invitation: str) -> None:
        """End an invitation to no project that nobody has used."""
        self._delete(f"/api/invitations/{part(invitation)}")

    def audit_log(self, **filters: Any) -> list[Json]:
        """Entries of the audit log; filters are `person`, `action`, `target`, `since`, `until`."""
        entries: list[Json] = self._get("/api/audit", **filters)["entries"]
        return entries

    def export_audit_log(self, format: str = "csv", **filters: Any) -> bytes:
        """The audit log as a file, `csv` or `jsonl`."""
        return self._download("/api/audit/export", format=format, **filters)

    def status(self) -> Json:
        """The health of the server, for administrators."""
        return self._get("/api/status")

    def backups(self) -> list[Json]:
        """The backups, for administrators."""
        rows: list[Json] = self._get("/api/backups")["backups"]
        return rows

    def back_up(self) -> Json:
        """Make a backup."""
        return self._post("/api/backups")
