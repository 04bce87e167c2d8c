"""Errors of the app: a status and a code for programs, a sentence for people."""

from __future__ import annotations

from functools import partial
from typing import Any

from coindex.errors import CoindexError


class ApiError(CoindexError):
    """An error that the server turns into an HTTP response."""

    def __init__(self, status: int, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.more = status, code, message, more

    def __reduce__(self) -> Any:
        return partial(ApiError, self.status, self.code, self.message, **self.more), ()

    def body(self) -> dict[str, Any]:
        """Return the JSON of the response."""
        return {"error": {"code": self.code, "message": self.message, **self.more}}


def not_found(what: str) -> ApiError:
    """Return the error for what does not exist, or must look so to this person."""
    return ApiError(404, "missing", f"no such {what}")


class InvalidAction(CoindexError):
    """An action that is not possible in the current state of an assignment."""
