"""The Python client of the annotation app's HTTP API.

    from coindex.annotate.client import AnnotateClient

    with AnnotateClient("http://127.0.0.1:8642", token="cx_...") as client:
        for project in client.projects():
            print(project.name, client.progress(project.id)["done"])

It needs the extra `client` (httpx2), not the web stack of the app.
"""

from coindex.annotate.client.http import AnnotateApiError
from coindex.annotate.client.main import AnnotateClient
from coindex.annotate.client.results import (
    AssignmentInfo,
    DocumentInfo,
    ImportResult,
    Invitation,
    Member,
    NextAssignment,
    ProjectInfo,
    UserInfo,
    WebhookInfo,
)

__all__ = [
    "AnnotateApiError",
    "AnnotateClient",
    "AssignmentInfo",
    "DocumentInfo",
    "ImportResult",
    "Invitation",
    "Member",
    "NextAssignment",
    "ProjectInfo",
    "UserInfo",
    "WebhookInfo",
]
