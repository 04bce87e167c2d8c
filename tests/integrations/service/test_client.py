"""The clients: documents equal to the library's, errors with their status, repeated requests."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import coindex
from coindex import formats
from coindex.client import AsyncClient, Client, ClientOptions, ServiceError
from coindex.errors import InvalidValue
from coindex.transform.brackets import bracketed_text
from service_samples import TEXT, ServiceProcess, running

httpx2 = pytest.importorskip("httpx2", reason="needs httpx2: pip install 'coindex[client]'")

LETTER = Path(__file__).resolve().parents[3] / "docs" / "examples" / "letter.conll"
TEXTS = [TEXT, "", "Ann slept.\r\nShe dreamt of \u2028 her dog. 🙂", "It rained."]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("service")
    (folder / "tokens").write_text("a-token-of-some-length\n")
    with running(folder, "--token-file", str(folder / "tokens")) as made:
        yield made


@pytest.fixture(scope="module")
def own(service: ServiceProcess) -> Any:
    with Client(service.url, token="a-token-of-some-length") as made:
        yield made


@pytest.fixture(scope="module")
def resolver() -> coindex.Resolver:
    return coindex.load(threads=1)


def test_documents_equal_those_of_the_library(own: Client, resolver: coindex.Resolver) -> None:
    assert own.resolve(TEXT) == resolver.resolve(TEXT)
    assert own.resolve(TEXTS) == resolver.resolve(TEXTS)
    assert own.resolve([]) == []
    assert list(own.stream(iter(TEXTS))) == [resolver.resolve(text) for text in TEXTS]


def test_documents_with_tokens(own: Client, resolver: coindex.Resolver) -> None:
    (document,) = formats.read(LETTER)
    assert isinstance(document, coindex.Document)
    plain = coindex.Document("named", TEXT)
    mixed: list[str | coindex.Document] = [document, plain, TEXT]
    assert own.resolve(document) == resolver.resolve(document)
    assert own.resolve(plain) == resolver.resolve(plain)
    assert own.resolve(mixed)[0] == resolver.resolve(document)
    assert list(own.stream(mixed)) == [resolver.resolve(each) for each in mixed]


def test_options_and_forms(own: Client) -> None:
    options = ClientOptions(singletons=True, scheme="ontogum", explain=True)
    loaded = coindex.load(singletons=True, scheme="ontogum", explain=True, threads=1)
    assert own.resolve(TEXT, options) == loaded.resolve(TEXT)
    assert own.render(TEXT, "brackets") == bracketed_text(coindex.load(threads=1).resolve(TEXT))
    assert own.render(own.resolve(TEXT), "brackets") == own.render(TEXT, "brackets")
    assert own.render(TEXT, "conll2012").startswith("#begin document (1);")
    with pytest.raises(InvalidValue, match="expected the form of a text"):
        own.render(TEXT, "json")


def test_scores_models_and_health(own: Client) -> None:
    key = LETTER.read_text(encoding="utf-8")
    assert own.score(key, key, metrics="muc")["systems"][0]["scores"]["muc"]["f1"] == 100.0
    assert own.models()["models"][0]["name"] == "default"
    assert own.health()["status"] == "ok"


def test_errors_have_their_status(own: Client, service: ServiceProcess) -> None:
    with pytest.raises(ServiceError, match="expected one of its schemes") as caught:
        own.resolve("a", ClientOptions(scheme="x"))
    assert (caught.value.status, caught.value.code) == (422, "invalid")
    assert pickle.loads(pickle.dumps(caught.value)).status == 422
    with pytest.raises(ServiceError, match=r"^text 2: ") as caught:
        list(own.stream(["a", "x" * 300_000, "b"]))
    assert (caught.value.status, caught.value.line) == (413, 2)
    with Client(service.url, token="wrong") as other:
        with pytest.raises(ServiceError, match="expected a known token"):
            other.resolve("a")
        with pytest.raises(ServiceError, match="expected a known token"):
            list(other.stream(["a"]))
    with pytest.raises(InvalidValue, match="found the type bytes"):
        own.resolve(b"a")  # type: ignore[arg-type]
    with Client("http://127.0.0.1:9", retries=0) as nobody, pytest.raises(ServiceError) as caught:
        nobody.resolve("a")
    assert (caught.value.status, caught.value.code) == (0, "unreachable")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "found None"),
        (3, "found the type int"),
        (b"a", "found the type bytes: decode it to a str first"),
        ({"text": "a"}, "expected a list of texts or documents, found the type dict"),
        ({"a"}, "expected a list of texts or documents, found the type set"),
        (["a", None], "expected text 2 to be a str or a document, found None"),
        (["a", b"b"], "expected text 2 to be a str or a document, found the type bytes: decode"),
        (
            ["a", "\ud800"],
            r"text 2 to be one that UTF-8 can hold, found half a character \(\\ud800",
        ),
    ],
)
def test_what_is_no_text_is_named(value: Any, message: str) -> None:
    """Nothing is sent: nobody listens there."""

    async def streamed() -> None:
        async with AsyncClient("http://127.0.0.1:9", http=_answering(httpx2.AsyncClient)) as other:
            [document async for document in other.stream(value)]

    with Client("http://127.0.0.1:9", http=_answering(httpx2.Client)) as own:
        with pytest.raises(InvalidValue, match=message):
            own.resolve(value)
        with pytest.raises(InvalidValue, match=message):
            list(own.stream(value))
    with pytest.raises(InvalidValue, match=message):
        asyncio.run(streamed())


def _answering(kind: Any) -> Any:
    """A client of HTTP whose service reads the whole request, and answers nothing."""

    def answer(request: Any) -> Any:
        return httpx2.Response(200, content=b"")

    return kind(transport=httpx2.MockTransport(answer), base_url="http://service")


def test_one_text_is_no_stream_and_options_are_no_dictionary() -> None:
    with Client("http://127.0.0.1:9", http=_answering(httpx2.Client)) as own:
        with pytest.raises(InvalidValue, match="found the type str: use resolve"):
            list(own.stream("Ann ran."))
        with pytest.raises(InvalidValue, match="expected options to be ClientOptions, found the"):
            own.resolve("Ann ran.", {"singletons": True})  # type: ignore[call-overload]
    for url in ("127.0.0.1:8660", "ftp://x", "", None):
        with pytest.raises(InvalidValue, match=r"expected an address such as http://127\.0"):
            Client(url)  # type: ignore[arg-type]


def test_what_cannot_be_sent_is_told_before() -> None:
    half = "expected text 1 to be one that UTF-8 can hold, found half a character"
    with Client("http://127.0.0.1:9", http=_answering(httpx2.Client)) as own:
        for call, message in (
            (lambda: own.render("\ud800", "html"), half),
            (lambda: own.render(None, "html"), "expected text 1 to be a str or a document"),  # type: ignore[arg-type]
            (lambda: own.render("a", ["html"]), "expected one form, such as 'brackets'"),  # type: ignore[arg-type]
            (lambda: own.score("\ud800", "a"), half),
            (lambda: own.score("a", None), "expected a list of texts or documents, found None"),  # type: ignore[arg-type]
        ):
            with pytest.raises(InvalidValue, match=message):
                call()
    closed: tuple[Callable[[], object], ...] = (
        lambda: own.resolve("a"),
        lambda: list(own.stream(["a"])),
        own.health,
    )
    for use in closed:
        with pytest.raises(InvalidValue, match="the client is closed: make another one"):
            use()
    for token in ("", "two words", "clé"):
        with pytest.raises(InvalidValue, match="expected a token of ASCII characters"):
            Client(token=token)


def test_a_closed_asynchronous_client_says_so() -> None:
    async def use() -> None:
        async with AsyncClient("http://127.0.0.1:9") as own:
            pass
        with pytest.raises(InvalidValue, match="the client is closed"):
            await own.resolve("a")
        with pytest.raises(InvalidValue, match="the client is closed"):
            [document async for document in own.stream(["a"])]

    asyncio.run(use())


def test_documents_can_be_scored_and_texts_come_from_generators(
    service: ServiceProcess, own: Client
) -> None:
    document = own.resolve(TEXT)
    text = "".join(formats.write_lines([document], "document-jsonl"))
    assert own.score(document, [document]) == own.score(text, text)

    async def texts() -> Any:
        for text in TEXTS:
            yield text

    async def streamed() -> list[str]:
        async with AsyncClient(service.url, token="a-token-of-some-length") as other:
            scores = await other.score(document, document)
            assert scores == own.score(text, text)
            return [document.text async for document in other.stream(texts())]

    assert asyncio.run(streamed()) == TEXTS


def test_turns_can_be_given(own: Client) -> None:
    turns = [{"start": 0, "end": 9, "speaker": "Ann", "id": "2"}]
    first, second = own.resolve(["I am Bob.", "I am Ann."], ClientOptions(speakers=turns))
    assert first.speakers is None
    assert second.speakers == ("Ann",) * 4


def test_requests_are_repeated_when_the_service_is_busy() -> None:
    answers = [
        httpx2.Response(429, json={"error": {"code": "busy", "message": "later"}}, headers={"retry-after": "0"}),
        httpx2.Response(503, text="a proxy's page", headers={"retry-after": "0"}),
        httpx2.Response(200, json={"status": "ok"}),
    ]  # fmt: skip
    for retries, expected in ((2, 200), (1, 503), (0, 429)):
        left = list(answers)
        transport = httpx2.MockTransport(lambda request, left=left: left.pop(0))
        http = httpx2.Client(transport=transport, base_url="http://x")
        with Client(retries=retries, http=http) as client:
            if expected == 200:
                assert client.health() == {"status": "ok"}
                continue
            with pytest.raises(ServiceError) as caught:
                client.health()
            assert caught.value.status == expected


def test_the_asynchronous_client(service: ServiceProcess, resolver: coindex.Resolver) -> None:
    async def work() -> None:
        async with AsyncClient(service.url, token="a-token-of-some-length") as client:
            together = await asyncio.gather(*(client.resolve(text) for text in TEXTS))
            assert together == [resolver.resolve(text) for text in TEXTS]
            assert await client.resolve(TEXTS) == resolver.resolve(TEXTS)
            assert [each async for each in client.stream(TEXTS)] == together
            assert (await client.render(TEXT, "replaced")).startswith("Alice told Bob that Alice")
            assert (await client.health())["status"] == "ok"
            assert (await client.models())["token"] is True
            key = LETTER.read_text(encoding="utf-8")
            assert (await client.score(key, key))["systems"][0]["scores"]["conll"]["f1"] == 100.0
            with pytest.raises(ServiceError, match="expected one of its schemes"):
                await client.resolve("a", ClientOptions(scheme="x"))
            with pytest.raises(ServiceError, match=r"^text 1: "):
                [each async for each in client.stream(["x" * 300_000])]

    asyncio.run(work())
