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
import re
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from coindex.errors import CoindexError, InvalidValue, import_extra
from coindex.formats.lossless import LOSSLESS, lossless_documents, lossless_text
from coindex.types.document import Document
from coindex.types.text_values import check_several, found, unicode_text

if TYPE_CHECKING:
    import httpx2

Text = str | Document
Documents = str | Document | Iterable[Document]
Json = dict[str, Any]
Own = TypeVar("Own", bound="_Settings")

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
    """How texts are resolved, as in `coindex.load`; None is the default of the service.

    speakers   `auto`, `none`, or turns: `{"start": 0, "end": 12, "speaker": "Ann"}`, perhaps with
               `addressee`, and with the `id` of the document if there are several
    """

    model: str | None = None
    singletons: bool | None = None
    scheme: str | None = None
    speakers: str | Sequence[Mapping[str, Any]] | None = None
    markup: str | None = None
    rules: str | None = None
    events: bool | None = None
    explain: bool | None = None
    min_confidence: float | None = None


def _set(options: ClientOptions | None) -> Json:
    """The options that are set."""
    if not isinstance(options, ClientOptions | None):
        raise InvalidValue(f"expected options to be ClientOptions, {found(options)}")
    values = asdict(options or ClientOptions()).items()
    return {name: value for name, value in values if value is not None}


def _inputs(texts: Iterable[Text], first: int = 1) -> Json:
    """Texts, or documents with their tokens, as a part of a body.

    first   the number of the first one in messages
    """
    given = [unicode_text(text, number) for number, text in enumerate(texts, first)]
    if all(isinstance(each, str) for each in given):
        return {"documents": [{"text": each} for each in given]}
    documents = [
        each if isinstance(each, Document) else Document(str(number), each)
        for number, each in enumerate(given, 1)
    ]
    if not any(document.tokens for document in documents):
        return {"documents": [{"id": each.id, "text": each.text} for each in documents]}
    return {"content": lossless_text(documents), "format": LOSSLESS}


def _resolve_body(texts: object, options: ClientOptions | None) -> Json | None:
    """The body of a request for one text or several; None if there are none."""
    if isinstance(texts, str | Document):
        texts = [texts]
    check_several(texts)
    given = list(cast("Iterable[Text]", texts))
    return {**_inputs(given), **_set(options), "form": LOSSLESS} if given else None


def _render_body(text: Text, form: str, options: ClientOptions | None) -> Json:
    """The body of a request for one text in one form."""
    if not isinstance(form, str):
        raise InvalidValue(f"expected one form, such as 'brackets', {found(form)}")
    return {**_inputs([text]), **_set(options), "form": form}


def _line(text: Text, number: int, options: ClientOptions | None) -> bytes:
    """A line of a batch."""
    inputs = _inputs([text], number)
    return json.dumps({**inputs, **_set(options), "form": LOSSLESS}).encode() + b"\n"


def _streamed(line: str) -> Document:
    """The document of a line of a batch's answer."""
    answer = json.loads(line)
    if answer["status"] != 200:
        raise ServiceError(answer["status"], *_told(answer), answer["line"])
    return lossless_documents(answer["result"]["outputs"][LOSSLESS])[0]


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
            message = "expected an answer of coindex serve, found the status "
            raise ServiceError(response.status_code, "unknown", f"{message}{response.status_code}")
        raise ServiceError(response.status_code, *_told(answer))
    return answer


def _unreachable(error: Exception) -> ServiceError:
    message = f"no answer of the service: {str(error) or type(error).__name__}"
    return ServiceError(0, "unreachable", message)


class _Settings:
    """What both clients share: where the service is, and how often a request is repeated."""

    def __init__(self, url: str, token: str | None, timeout: float, retries: int) -> None:
        self._httpx: Any = import_extra("httpx2", "client")
        if not isinstance(url, str) or not url.startswith(("http://", "https://")):
            raise InvalidValue(f"expected an address such as http://127.0.0.1:8660, found {url!r}")
        if token is not None and not re.fullmatch("[!-~]+", token):
            raise InvalidValue("expected a token of ASCII characters without spaces")
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._options = {"base_url": url, "headers": headers, "timeout": timeout}
        self._retries = retries

    def _check_open(self, http: httpx2.Client | httpx2.AsyncClient) -> None:
        if http.is_closed:
            raise InvalidValue("the client is closed: make another one")

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
        self._check_open(self._http)
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
        body = _resolve_body(texts, options)
        if body is None:
            return []
        documents = lossless_documents(self._ask("POST", "/v1/resolve", body)["outputs"][LOSSLESS])
        return documents[0] if isinstance(texts, str | Document) else documents

    def render(self, text: Text, form: str, options: ClientOptions | None = None) -> str:
        """One text in a form: brackets, replaced, html, or a document format."""
        body = _render_body(text, form, options)
        return _rendered(self._ask("POST", "/v1/resolve", body), form)

    def stream(
        self, texts: Iterable[Text], options: ClientOptions | None = None
    ) -> Iterator[Document]:
        """Any number of texts, each as soon as it is done, in their order.

        The first text with an error ends the stream: a `ServiceError` with its number.
        """
        self._check_open(self._http)
        check_several(texts)
        lines = (_line(text, number, options) for number, text in enumerate(texts, 1))
        try:
            with self._http.stream("POST", "/v1/batch", content=lines, headers=_LINES) as response:
                if response.status_code != 200:
                    response.read()
                    _checked(response)
                for line in response.iter_lines():
                    yield _streamed(line)
        except self._httpx.TransportError as error:
            raise _unreachable(error) from None

    def score(self, key: Documents, response: Documents, **options: Any) -> Json:
        """The scores of a response against a key: documents, or a text in a document format.

        Options are those of `/v1/score`, such as `metrics="all"`.
        """
        body = {"key": lossless_text(key), "response": lossless_text(response), **options}
        return self._ask("POST", "/v1/score", body)

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


async def _each(texts: Iterable[Text] | AsyncIterable[Text]) -> AsyncIterator[Text]:
    """The texts of an iterable of either kind."""
    if isinstance(texts, AsyncIterable):
        async for text in texts:
            yield text
        return
    check_several(texts)
    for text in texts:
        yield text


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
        self._check_open(self._http)
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
        body = _resolve_body(texts, options)
        if body is None:
            return []
        answer = await self._ask("POST", "/v1/resolve", body)
        documents = lossless_documents(answer["outputs"][LOSSLESS])
        return documents[0] if isinstance(texts, str | Document) else documents

    async def render(self, text: Text, form: str, options: ClientOptions | None = None) -> str:
        """One text in a form: brackets, replaced, html, or a document format."""
        body = _render_body(text, form, options)
        return _rendered(await self._ask("POST", "/v1/resolve", body), form)

    async def stream(
        self, texts: Iterable[Text] | AsyncIterable[Text], options: ClientOptions | None = None
    ) -> AsyncIterator[Document]:
        """Any number of texts, each as soon as it is done, in their order; see `Client.stream`."""

        async def lines() -> AsyncIterator[bytes]:
            number = 0
            async for text in _each(texts):
                number += 1
                yield _line(text, number, options)

        self._check_open(self._http)
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

    async def score(self, key: Documents, response: Documents, **options: Any) -> Json:
        """The scores of a response against a key; see `Client.score`."""
        body = {"key": lossless_text(key), "response": lossless_text(response), **options}
        return await self._ask("POST", "/v1/score", body)

    async def models(self) -> Json:
        """The models, forms and limits of the service."""
        return await self._ask("GET", "/v1/models")

    async def health(self) -> Json:
        """Whether the service answers, and how busy it is."""
        return await self._ask("GET", "/health")
