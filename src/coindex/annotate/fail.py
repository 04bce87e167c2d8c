"""Answers that are no success: a status, a code for programs, a sentence for people."""

from __future__ import annotations

from typing import Any

from coindex.errors import CoindexError


class Fail(CoindexError):
    """Raised anywhere under a request; the server turns it into an answer."""

    def __init__(self, status: int, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.more = status, code, message, more

    def __reduce__(self) -> Any:
        return _again, (self.status, self.code, self.message, self.more)

    def body(self) -> dict[str, Any]:
        """The JSON of the answer."""
        return {"error": {"code": self.code, "message": self.message, **self.more}}


def _again(status: int, code: str, message: str, more: dict[str, Any]) -> Fail:
    return Fail(status, code, message, **more)


def missing(what: str) -> Fail:
    """Nothing of that name, or nothing this person may know of: the two look the same."""
    return Fail(404, "missing", f"no such {what}")


class Invalid(CoindexError):
    """An action that a sheet cannot do."""
