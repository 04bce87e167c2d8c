"""Requests of the client: the token, repeated attempts, errors."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from coindex.errors import CoindexError, InvalidValue, import_extra

if TYPE_CHECKING:
    import httpx2

Json = dict[str, Any]
Own = TypeVar("Own", bound="ApiConnection")
LONGEST_WAIT = 30.0


class AnnotateApiError(CoindexError):
    """The server refused a request, or could not be reached.

    status   the HTTP status, 0 if there was no answer
    code     the error's name for programs, such as `missing` or `forbidden`
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def __reduce__(self) -> tuple[type[AnnotateApiError], tuple[int, str, str]]:
        return type(self), (self.status, self.code, self.message)


class ApiConnection:
    """A connection to the server at an address, such as `http://127.0.0.1:8642`.

    token     an API token, made on the account page
    timeout   seconds to wait for an answer
    retries   how often a request is repeated when the server is busy
    http      a client of httpx2 to use instead of a new one; its address is its own
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8642", *, token: str | None = None,
        timeout: float = 120.0, retries: int = 3, http: httpx2.Client | None = None,
    ) -> None:  # fmt: skip
        self._httpx: Any = import_extra("httpx2", "client")
        if not isinstance(url, str) or not url.startswith(("http://", "https://")):
            raise InvalidValue(f"expected an address such as http://127.0.0.1:8642, found {url!r}")
        self._headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._http: Any = http or self._httpx.Client(base_url=url, timeout=timeout)
        self._retries = retries

    def __enter__(self: Own) -> Own:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _send(
        self, method: str, path: str, body: Json | bytes | None, query: Mapping[str, Any]
    ) -> Any:
        given = {name: value for name, value in query.items() if value is not None}
        content: dict[str, Any] = {"content": body} if isinstance(body, bytes) else {"json": body}
        if isinstance(body, bytes):
            content["headers"] = {**self._headers, "content-type": "application/octet-stream"}
        else:
            content["headers"] = self._headers
        for attempt in range(self._retries + 1):
            try:
                answer = self._http.request(method, path, params=given, **content)
            except self._httpx.TransportError as error:
                reason = str(error) or type(error).__name__
                message = f"no answer of the server: {reason}"
                raise AnnotateApiError(0, "unreachable", message) from None
            if answer.status_code not in (429, 503) or attempt == self._retries:
                break
            asked = answer.headers.get("retry-after", "1")
            time.sleep(min(float(asked) if asked.isdigit() else 1.0, LONGEST_WAIT))
        if answer.status_code >= 300:
            raise _error_of(answer)
        return answer

    def _get(self, path: str, **query: Any) -> Json:
        answer: Json = self._send("GET", path, None, query).json()
        return answer

    def _download(self, path: str, **query: Any) -> bytes:
        content: bytes = self._send("GET", path, None, query).content
        return content

    def _post(self, path: str, body: Json | bytes | None = None, **query: Any) -> Json:
        given = {} if body is None else body
        answer: Json = self._send("POST", path, given, query).json()
        return answer

    def _patch(self, path: str, **values: Any) -> Json:
        answer: Json = self._send("PATCH", path, values, {}).json()
        return answer

    def _delete(self, path: str) -> Json:
        answer: Json = self._send("DELETE", path, None, {}).json()
        return answer


def given(**values: Any) -> Json:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def part(value: str) -> str:
    """Return a value as a part of a path."""
    return quote(value, safe="")


def _error_of(answer: Any) -> AnnotateApiError:
    try:
        error = answer.json()["error"]
        return AnnotateApiError(answer.status_code, error["code"], error["message"])
    except (ValueError, KeyError, TypeError):
        message = f"expected an answer of coindex annotate, found the status {answer.status_code}"
        return AnnotateApiError(answer.status_code, "unknown", message)
