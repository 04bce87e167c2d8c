"""The client of a service that `coindex serve` runs, synchronous and asynchronous.

    from coindex.client import Client

    with Client("http://127.0.0.1:8660") as client:
        document = client.resolve("Ann lost her keys. She was late.")

It takes and returns what a `Resolver` does: texts or documents in, documents out. It needs the
extra `client` (httpx2). Requests that the service refuses because it is busy are repeated, after
the time that it asks for.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from io import StringIO
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from coindex import formats
from coindex.errors import CoindexError, InvalidValue, import_extra
from coindex.types.document import Document
from coindex.types.source import Source

if TYPE_CHECKING:
    import httpx2

Text = str | Document
Json = dict[str, Any]
Own = TypeVar("Own", bound="_Settings")

LOSSLESS = "document-jsonl"
_LINES = {"content-type": "application/x-ndjson"}
_LONGEST_WAIT = 30.0


class ServiceError(CoindexError):
    """The service refused a request, or could not be reached.

    status   the HTTP status, 0 if there was no answer
    code     the error's name for programs, such as `large` or `busy`
    line     the number of the text in a stream, else None
    """

    def __init__(self, status: int, code: str, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"text {line}: {message}")
        self.status, self.code, self.message, self.line = status, code, message, line

    def __reduce__(self) -> tuple[type[ServiceError], tuple[int, str, str, int | None]]:
        return type(self), (self.status, self.code, self.message, self.line)


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """How texts are resolved, as in `coindex.load`; None is the default of the service."""

    model: str | None = None
    singletons: bool | None = None
    scheme: str | None = None
    speakers: str | None = None
    markup: str | None = None
    rules: str | None = None
    events: bool | None = None
    explain: bool | None = None
    min_confidence: float | None = None


def _set(options: ClientOptions | None) -> Json:
    """The options that are set."""
    return {
        name: value
        for name, value in asdict(options or ClientOptions()).items()
        if value is not None
    }


def _inputs(texts: Iterable[Text]) -> Json:
    """Texts, or documents with their tokens, as a part of a body."""
    given = list(texts)
    if all(isinstance(each, str) for each in given):
        return {"documents": [{"text": each} for each in given]}
    documents = [
        each if isinstance(each, Document) else Document(str(number), each)
        for number, each in enumerate(given, 1)
    ]
    if not any(document.tokens for document in documents):
        return {"documents": [{"id": each.id, "text": each.text} for each in documents]}
    return {"content": "".join(formats.write_lines(documents, LOSSLESS)), "format": LOSSLESS}


def _documents(answer: Mapping[str, Any]) -> list[Document]:
    """The documents of an answer in the lossless format."""
    lines = StringIO(answer["outputs"][LOSSLESS], newline="\n")
    return [cast("Document", item) for item in formats.read_lines(lines, LOSSLESS, Source())]


def _is_one(texts: object) -> bool:
    """Whether a value is one text or document; an error unless it is that or several."""
    if isinstance(texts, str | Document):
        return True
    if isinstance(texts, bytes | Mapping) or not isinstance(texts, Iterable):
        found = type(texts).__name__
        raise InvalidValue(f"expected a text, a document or a list of them, found the type {found}")
    return False


def _line(text: Text, options: ClientOptions | None) -> bytes:
    """A line of a batch."""
    inputs = _inputs([text])
    if isinstance(text, str):
        inputs = {"text": text}
    return json.dumps({**inputs, **_set(options), "form": LOSSLESS}).encode() + b"\n"


def _streamed(line: str) -> Document:
    """The document of a line of a batch's answer."""
    answer = json.loads(line)
    if answer["status"] != 200:
        raise ServiceError(answer["status"], *_told(answer), answer["line"])
    return _documents(answer["result"])[0]


def _told(answer: Json) -> tuple[str, str]:
    """The code and the message of an error."""
    error = answer.get("error", {})
    return error.get("code", "unknown"), error.get("message", "no message")


def _checked(response: httpx2.Response) -> Json:
    """The JSON of an answer, or its error."""
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if response.status_code != 200 or not isinstance(answer, dict):
        if not isinstance(answer, dict) or "error" not in answer:
            message = (
                f"expected an answer of coindex serve, found the status {response.status_code}"
            )
            raise ServiceError(response.status_code, "unknown", message)
        raise ServiceError(response.status_code, *_told(answer))
    return answer


def _unreachable(error: Exception) -> ServiceError:
    reason = str(error) or type(error).__name__
    return ServiceError(0, "unreachable", f"no answer of the service: {reason}")


class _Settings:
    """What both clients share: where the service is, and how often a request is repeated."""

    def __init__(self, url: str, token: str | None, timeout: float, retries: int) -> None:
        self._httpx: Any = import_extra("httpx2", "client")
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._options = {"base_url": url, "headers": headers, "timeout": timeout}
        self._retries = retries

    def _pause(self, response: httpx2.Response, attempt: int) -> float | None:
        """How long to wait before a request is repeated; None if it is not."""
        if response.status_code not in (429, 503) or attempt >= self._retries:
            return None
        asked = response.headers.get("retry-after", "1")
        return min(float(asked) if asked.isdigit() else 1.0, _LONGEST_WAIT)


class Client(_Settings):
    """A client of the service at an address, such as `http://127.0.0.1:8660`.

    token     the bearer token, where the service has tokens
    timeout   seconds to wait for an answer
    retries   how often a request is repeated when the service is busy
    http      a client of httpx2 to use instead of a new one; its address and token are its own
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8660", *, token: str | None = None,
        timeout: float = 120.0, retries: int = 3, http: httpx2.Client | None = None,
    ) -> None:  # fmt: skip
        super().__init__(url, token, timeout, retries)
        self._http: httpx2.Client = http or self._httpx.Client(**self._options)

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

    def _ask(self, method: str, path: str, body: Json | None = None) -> Json:
        attempt = 0
        while True:
            try:
                response = self._http.request(method, path, json=body)
            except self._httpx.TransportError as error:
                raise _unreachable(error) from None
            pause = self._pause(response, attempt)
            if pause is None:
                return _checked(response)
            attempt += 1
            time.sleep(pause)

    @overload
    def resolve(self, texts: Text, options: ClientOptions | None = ...) -> Document: ...  # type: ignore[overload-overlap]

    @overload
    def resolve(
        self, texts: Iterable[Text], options: ClientOptions | None = ...
    ) -> list[Document]: ...

    def resolve(
        self, texts: Text | Iterable[Text], options: ClientOptions | None = None
    ) -> Document | list[Document]:
        """One text or document gives one document, several give a list, in their order."""
        one = _is_one(texts)
        given = [cast("Text", texts)] if one else list(cast("Iterable[Text]", texts))
        if not given:
            return []
        body = {**_inputs(given), **_set(options), "form": LOSSLESS}
        documents = _documents(self._ask("POST", "/v1/resolve", body))
        return documents[0] if one else documents

    def render(self, text: str, form: str, options: ClientOptions | None = None) -> str:
        """One text in a form: brackets, replaced, html, or a document format."""
        body = {"text": text, **_set(options), "form": form}
        return _rendered(self._ask("POST", "/v1/resolve", body), form)

    def stream(
        self, texts: Iterable[Text], options: ClientOptions | None = None
    ) -> Iterator[Document]:
        """Any number of texts, each as soon as it is done, in their order.

        The first text with an error ends the stream: a `ServiceError` with its number.
        """
        lines = (_line(text, options) for text in texts)
        try:
            with self._http.stream("POST", "/v1/batch", content=lines, headers=_LINES) as response:
                if response.status_code != 200:
                    response.read()
                    _checked(response)
                for line in response.iter_lines():
                    yield _streamed(line)
        except self._httpx.TransportError as error:
            raise _unreachable(error) from None

    def score(self, key: str, response: str, **options: Any) -> Json:
        """The scores of a response against a key, both texts in a document format.

        Options are those of `/v1/score`, such as `metrics="all"`.
        """
        return self._ask("POST", "/v1/score", {"key": key, "response": response, **options})

    def models(self) -> Json:
        """The models, forms and limits of the service."""
        return self._ask("GET", "/v1/models")

    def health(self) -> Json:
        """Whether the service answers, and how busy it is."""
        return self._ask("GET", "/health")


def _rendered(answer: Mapping[str, Any], form: str) -> str:
    """The result of a request for one text and one form."""
    (document,) = answer["documents"]
    text = answer.get("outputs", {}).get(form, document.get(form))
    if not isinstance(text, str):
        raise InvalidValue(f"expected the form of a text, such as brackets, found {form!r}")
    return text


class AsyncClient(_Settings):
    """`Client` for asyncio: the same methods, to be awaited."""

    def __init__(
        self, url: str = "http://127.0.0.1:8660", *, token: str | None = None,
        timeout: float = 120.0, retries: int = 3, http: httpx2.AsyncClient | None = None,
    ) -> None:  # fmt: skip
        super().__init__(url, token, timeout, retries)
        self._http: httpx2.AsyncClient = http or self._httpx.AsyncClient(**self._options)

    async def __aenter__(self: Own) -> Own:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _ask(self, method: str, path: str, body: Json | None = None) -> Json:
        attempt = 0
        while True:
            try:
                response = await self._http.request(method, path, json=body)
            except self._httpx.TransportError as error:
                raise _unreachable(error) from None
            pause = self._pause(response, attempt)
            if pause is None:
                return _checked(response)
            attempt += 1
            await asyncio.sleep(pause)

    @overload
    async def resolve(self, texts: Text, options: ClientOptions | None = ...) -> Document: ...  # type: ignore[overload-overlap]

    @overload
    async def resolve(
        self, texts: Iterable[Text], options: ClientOptions | None = ...
    ) -> list[Document]: ...

    async def resolve(
        self, texts: Text | Iterable[Text], options: ClientOptions | None = None
    ) -> Document | list[Document]:
        """One text or document gives one document, several give a list, in their order."""
        one = _is_one(texts)
        given = [cast("Text", texts)] if one else list(cast("Iterable[Text]", texts))
        if not given:
            return []
        body = {**_inputs(given), **_set(options), "form": LOSSLESS}
        documents = _documents(await self._ask("POST", "/v1/resolve", body))
        return documents[0] if one else documents

    async def render(self, text: str, form: str, options: ClientOptions | None = None) -> str:
        """One text in a form: brackets, replaced, html, or a document format."""
        body = {"text": text, **_set(options), "form": form}
        return _rendered(await self._ask("POST", "/v1/resolve", body), form)

    async def stream(
        self, texts: Iterable[Text], options: ClientOptions | None = None
    ) -> AsyncIterator[Document]:
        """Any number of texts, each as soon as it is done, in their order; see `Client.stream`."""

        async def lines() -> AsyncIterator[bytes]:
            for text in texts:
                yield _line(text, options)

        try:
            async with self._http.stream(
                "POST", "/v1/batch", content=lines(), headers=_LINES
            ) as response:
                if response.status_code != 200:
                    await response.aread()
                    _checked(response)
                async for line in response.aiter_lines():
                    yield _streamed(line)
        except self._httpx.TransportError as error:
            raise _unreachable(error) from None

    async def score(self, key: str, response: str, **options: Any) -> Json:
        """The scores of a response against a key; see `Client.score`."""
        return await self._ask("POST", "/v1/score", {"key": key, "response": response, **options})

    async def models(self) -> Json:
        """The models, forms and limits of the service."""
        return await self._ask("GET", "/v1/models")

    async def health(self) -> Json:
        """Whether the service answers, and how busy it is."""
        return await self._ask("GET", "/health")
