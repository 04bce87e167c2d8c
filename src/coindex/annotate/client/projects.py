"""The client's methods for projects: documents, people, import and export, webhooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coindex.annotate.client.http import ApiConnection, Json, given, part
from coindex.annotate.client.results import (
    DocumentInfo,
    ImportResult,
    Invitation,
    Member,
    ProjectInfo,
    WebhookInfo,
    result_of,
)

PAGE = 200


class ProjectMethods(ApiConnection):
    """Projects, their documents and their people."""

    def projects(self, state: str = "active") -> list[ProjectInfo]:
        """Your projects: `active`, `archived` or `deleted` ones."""
        rows = self._get("/api/projects", state=state)["projects"]
        return [result_of(ProjectInfo, {**row, "state": state}) for row in rows]

    def create_project(
        self, name: str, kind: str = "document", settings: Mapping[str, Any] | None = None
    ) -> ProjectInfo:
        """Create a project of documents, or of pronoun problems (`problem`)."""
        body = {"name": name, "kind": kind, "settings": dict(settings or {})}
        return result_of(ProjectInfo, self._post("/api/projects", body)["project"])

    def project(self, project: int) -> ProjectInfo:
        """A project with its settings."""
        return result_of(ProjectInfo, self._get(f"/api/projects/{project}")["project"])

    def change_project(
        self, project: int, name: str | None = None, settings: Mapping[str, Any] | None = None
    ) -> ProjectInfo:
        """Rename a project, or change some of its settings."""
        values = given(name=name, settings=None if settings is None else dict(settings))
        return result_of(ProjectInfo, self._patch(f"/api/projects/{project}", **values)["project"])

    def set_project_state(self, project: int, state: str) -> None:
        """Archive, delete or restore (`active`) a project."""
        self._post(f"/api/projects/{project}/state", {"state": state})

    def progress(self, project: int) -> Json:
        """How much is done, by you and in all."""
        return self._get(f"/api/projects/{project}/progress")

    def leaderboard(self, project: int) -> list[Json]:
        """The rows of the leaderboard."""
        rows: list[Json] = self._get(f"/api/projects/{project}/leaderboard")["rows"]
        return rows

    def dashboard(self, project: int) -> Json:
        """Progress by day, time per document, agreement over time."""
        return self._get(f"/api/projects/{project}/dashboard")

    def documents(
        self, project: int, search: str | None = None, state: str = "active"
    ) -> Iterator[DocumentInfo]:
        """The documents of a project, read in pages."""
        offset, total = 0, 1
        while offset < total:
            path = f"/api/projects/{project}/documents"
            found = self._get(path, search=search, state=state, offset=offset, limit=PAGE)
            total = found["total"]
            offset += PAGE
            for row in found["documents"]:
                yield result_of(DocumentInfo, row)

    def document(self, document: int) -> Json:
        """A document: the beginning of its text, and its assignments."""
        return self._get(f"/api/documents/{document}")

    def change_document(
        self, document: int, *, name: str | None = None, training: bool | None = None,
        state: str | None = None,
    ) -> Json:  # fmt: skip
        """Rename a document, make it training or not, archive, delete or restore it."""
        values = given(name=name, training=training, state=state)
        return self._patch(f"/api/documents/{document}", **values)

    def set_document_states(self, project: int, documents: Sequence[int], state: str) -> list[int]:
        """Archive, delete or restore several documents; return which were found."""
        body = {"documents": list(documents), "state": state}
        changed: list[int] = self._post(f"/api/projects/{project}/documents/state", body)["changed"]
        return changed

    def import_file(
        self, project: int, content: bytes, name: str, *, purpose: str = "work",
        format: str | None = None, one_per_line: bool = False,
    ) -> ImportResult:  # fmt: skip
        """Import a file: its bytes and its name."""
        split = "lines" if one_per_line else None
        found = self._post(f"/api/projects/{project}/import", content, name=name,
                           purpose=purpose, format=format, split=split)  # fmt: skip
        return result_of(ImportResult, found)

    def export_file(self, project: int, which: str = "gold", format: str | None = None) -> bytes:
        """Export gold, documents, assignments (`sheets`) or judgements; return the file."""
        return self._download(f"/api/projects/{project}/export", which=which, format=format)

    def members(self, project: int) -> list[Member]:
        """The members of a project."""
        rows = self._get(f"/api/projects/{project}/members")["members"]
        return [result_of(Member, row) for row in rows]

    def set_member(self, project: int, name: str, role: str | None) -> list[Member]:
        """Add somebody by the name of their account, change their role, or remove them (None)."""
        rows = self._post(f"/api/projects/{project}/members", {"name": name, "role": role})
        return [result_of(Member, row) for row in rows["members"]]

    def invite_to_project(self, project: int, role: str, days: int = 7) -> str:
        """Create an invitation; return the path of its link, which is shown only now."""
        body = {"role": role, "days": days}
        return str(self._post(f"/api/projects/{project}/invitations", body)["link"])

    def invitations(self, project: int) -> list[Invitation]:
        """The invitations to a project, without their secrets."""
        rows = self._get(f"/api/projects/{project}/invitations")["invitations"]
        return [result_of(Invitation, row) for row in rows]

    def revoke_invitation(self, project: int, invitation: str) -> None:
        """End an invitation that nobody has used."""
        self._delete(f"/api/projects/{project}/invitations/{part(invitation)}")

    def training(self, project: int) -> Json:
        """How the members did on the training documents, with their mistakes in words."""
        return self._get(f"/api/projects/{project}/training")

    def let_pass(self, project: int, user: int, passed: bool = True) -> None:
        """Let a member annotate whatever the score of their training."""
        self._post(f"/api/projects/{project}/training/{user}", {"passed": passed})

    def webhooks(self, project: int) -> list[WebhookInfo]:
        """The webhooks of a project with their last requests."""
        rows = self._get(f"/api/projects/{project}/webhooks")["webhooks"]
        return [result_of(WebhookInfo, row) for row in rows]

    def add_webhook(self, project: int, url: str, kinds: Sequence[str] | None = None) -> str:
        """Add a webhook; return the secret with which its requests are signed."""
        body = given(url=url, kinds=None if kinds is None else list(kinds))
        return str(self._post(f"/api/projects/{project}/webhooks", body)["secret"])

    def test_webhook(self, project: int, webhook: int) -> None:
        """Send a request of the kind `test`."""
        self._post(f"/api/projects/{project}/webhooks/{webhook}/test")

    def remove_webhook(self, project: int, webhook: int) -> None:
        """Remove a webhook."""
        self._delete(f"/api/projects/{project}/webhooks/{webhook}")
