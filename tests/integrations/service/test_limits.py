"""Limits, tokens, CORS, logs and batching, with a resolver that does what the texts say."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from typing import Any

import pytest

from coindex.errors import FormatError
from coindex.integrations.service import batching
from coindex.integrations.service.settings import ServiceLimits, read_tokens, token_digest
from service_samples import StubClusterer

NDJSON = {"content-type": "application/x-ndjson"}
TOKEN = "a-token-of-some-length"


def post(client: Any, text: str, **headers: str) -> Any:
    return client.post("/v1/resolve", json={"text": text}, headers=headers)


def in_threads(*works: Any) -> list[Any]:
    """The results of functions that run at the same time."""
    found: list[Any] = [None] * len(works)

    def run(at: int) -> None:
        found[at] = works[at]()

    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def until(condition: Any) -> None:
    """Wait for something that is about to happen."""
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen")


def test_a_body_that_is_too_large(make: Any) -> None:
    client = make(limits=ServiceLimits(body=1000))
    response = post(client, "x" * 2000)
    assert response.status_code == 413
    assert response.json()["error"]["message"] == "expected no more than 1000 bytes"
    assert response.headers["connection"] == "close"

    def chunks() -> Any:
        yield b'{"text": "'
        for _ in range(100):
            yield b"x" * 100

    kind = {"content-type": "application/json"}
    assert client.post("/v1/resolve", content=chunks(), headers=kind).status_code == 413


def test_texts_that_are_too_long_or_too_many(make: Any) -> None:
    client = make(limits=ServiceLimits(text=10, documents=2))
    assert post(client, "x" * 10).status_code == 200
    response = post(client, "x" * 11)
    assert response.status_code == 413
    expected = "expected no more than 10 characters of text in a request, found 11"
    assert response.json()["error"]["message"] == expected
    for rows in ([{"text": "x" * 6}] * 2, [{"text": "x"}] * 3):
        assert client.post("/v1/resolve", json={"documents": rows}).status_code == 413
    assert client.post("/v1/resolve", json={"content": "x" * 11}).status_code == 413


def test_lines_and_batches_that_are_too_large(make: Any) -> None:
    client = make(limits=ServiceLimits(body=100, batch=1000))
    lines = ['{"text": "a"}', json.dumps({"text": "x" * 200}), '{"text": "b"}']
    response = client.post("/v1/batch", content="\n".join(lines), headers=NDJSON)
    answers = [json.loads(line) for line in response.text.splitlines()]
    assert [each["status"] for each in answers] == [200, 413, 200]
    assert answers[1]["error"]["message"] == "expected no more than 100 bytes in a line"

    def parts() -> Any:
        for _ in range(50):
            yield b'{"text": "a"}\n' * 3

    response = client.post("/v1/batch", content=parts(), headers=NDJSON)
    answers = [json.loads(line) for line in response.text.splitlines()]
    assert answers[-1]["status"] == 413
    assert "in a batch" in answers[-1]["error"]["message"]
    assert {each["status"] for each in answers[:-1]} == {200}


def test_too_many_requests_at_once(make: Any, stub: StubClusterer) -> None:
    client = make(limits=ServiceLimits(requests=2))

    def third() -> list[Any]:
        until(lambda: client.service.running == 2)
        refused = [post(client, "no"), client.post("/v1/batch", content=b"", headers=NDJSON)]
        stub.gate.set()
        return refused

    first, second, refused = in_threads(
        lambda: post(client, "wait 1"), lambda: post(client, "wait 2"), third
    )
    assert (first.status_code, second.status_code) == (200, 200)
    for response in refused:
        assert response.status_code == 429
        assert response.headers["retry-after"] == "1"
    assert post(client, "again").status_code == 200
    assert client.service.running == 0


def test_an_answer_that_takes_too_long_is_given_up(make: Any, stub: StubClusterer) -> None:
    client = make(limits=ServiceLimits(seconds=0.2))
    response = post(client, "wait")
    assert response.status_code == 503
    assert response.headers["retry-after"] == "5"
    assert response.json()["error"]["code"] == "timeout"
    assert post(client, "next").status_code == 200  # the gate is closed, and nobody waits at it
    assert not stub.gate.is_set()


def test_texts_that_arrive_together_pass_through_one_stream(make: Any, stub: StubClusterer) -> None:
    client = make()

    def opened() -> None:
        until(lambda: client.service.queue.waiting == 8)
        stub.gate.set()

    def other() -> Any:
        until(lambda: client.service.queue.waiting >= 2)
        return client.post("/v1/resolve", json={"text": "x", "markup": "none"})

    def waiting() -> Any:
        until(lambda: stub.begun)
        return post(client, "text")

    found = in_threads(lambda: post(client, "wait"), opened, other, *[waiting] * 7)
    assert {each.status_code for each in found if each is not None} == {200}
    streams = [stream for stream in stub.streams if stream]
    assert sorted(streams, key=len) == [["x"], ["wait", *["text"] * 7]]
    assert "coindex_stream_documents_sum 9.0" in client.get("/metrics").text


def test_a_long_text_does_not_delay_short_ones(make: Any, stub: StubClusterer) -> None:
    client = make()
    long = "wait" + " and wait" * batching.LONG

    def short() -> Any:
        until(lambda: stub.begun)
        answers = [post(client, "short") for _ in range(3)]
        assert not stub.gate.is_set()
        stub.gate.set()
        return answers

    first, answers = in_threads(lambda: post(client, long), short)
    assert {each.status_code for each in (first, *answers)} == {200}


def test_a_request_of_many_texts_does_not_delay_one_of_few(make: Any, stub: StubClusterer) -> None:
    client = make()
    many = [{"text": "wait"}, *({"text": f"many {number}"} for number in range(100))]

    def one() -> Any:
        until(lambda: client.service.queue.waiting == 100)
        return post(client, "one")

    def opened() -> None:
        until(lambda: client.service.queue.waiting == 101)
        stub.gate.set()

    first, second, _ = in_threads(
        lambda: client.post("/v1/resolve", json={"documents": many}), one, opened
    )
    assert (first.status_code, second.status_code) == (200, 200)
    assert stub.begun.index("one") <= 3


def test_a_stream_ends_so_that_others_have_a_turn(
    make: Any, stub: StubClusterer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "STREAM_DOCUMENTS", 3)
    client = make()
    rows = [{"text": str(number)} for number in range(8)]
    assert client.post("/v1/resolve", json={"documents": rows}).status_code == 200
    assert [len(stream) for stream in stub.streams if stream] == [3, 3, 2]


def test_a_bug_in_one_text_leaves_the_others_alone(
    make: Any, stub: StubClusterer, caplog: pytest.LogCaptureFixture
) -> None:
    client = make()
    lines = "".join(json.dumps({"text": text}) + "\n" for text in ("a", "wait", "bug", "b"))
    threading.Timer(0.3, stub.gate.set).start()  # until all of them are in one stream
    with caplog.at_level(logging.INFO, "coindex"):
        response = client.post("/v1/batch", content=lines, headers=NDJSON)
        single = post(client, "bug")
    statuses = [json.loads(line)["status"] for line in response.text.splitlines()]
    assert statuses == [200, 200, 500, 200]
    assert single.status_code == 500
    assert single.json()["error"]["message"] == "internal server error; it has been logged"
    failures = [row for row in map(json.loads, caplog.messages) if row["event"] == "failure"]
    assert {row["type"] for row in failures} == {"RuntimeError"}
    assert "secret" not in caplog.text


def test_a_client_that_leaves_is_given_up(make: Any, stub: StubClusterer) -> None:
    """Without a real connection: the app is called with what a server would tell it."""
    service = make().service
    from coindex.integrations.service.service import unless_disconnected

    async def leave() -> None:
        told = [{"type": "http.request"}, {"type": "http.disconnect"}]
        done = asyncio.Event()

        async def work() -> str:
            try:
                await asyncio.sleep(60)
                return "an answer"
            finally:
                done.set()

        async def receive() -> Any:
            await asyncio.sleep(0)
            return told.pop(0)

        assert await unless_disconnected(work(), receive) is None
        await asyncio.wait_for(done.wait(), 5)

    asyncio.run(leave())
    assert service.running == 0


def test_tokens(make: Any) -> None:
    client = make(tokens=(token_digest("another-token-here"), token_digest(TOKEN)))
    for headers in ({}, {"authorization": "Bearer x"}, {"authorization": f"Basic {TOKEN}"},
                    {"authorization": "Bearer é"}):  # fmt: skip
        raw = {name: value.encode("latin-1") for name, value in headers.items()}
        response = client.post("/v1/resolve", json={"text": "a"}, headers=raw)
        assert response.status_code == 401
        assert response.headers["www-authenticate"].startswith("Bearer")
    assert client.get("/metrics").status_code == 401
    assert client.get("/health").status_code == 200
    assert client.get("/").status_code == 200
    assert post(client, "a", authorization=f"Bearer {TOKEN}").status_code == 200
    assert client.get("/v1/models").json()["token"] is True


def test_a_file_of_tokens() -> None:
    lines = ["# for the web site\n", "\n", f"{TOKEN}\n"]
    assert read_tokens(lines, "tokens") == (token_digest(TOKEN),)
    with pytest.raises(FormatError, match="tokens: expected a token per line, found none"):
        read_tokens(["# none\n"], "tokens")
    with pytest.raises(FormatError, match="tokens:1: expected a token of at least 16"):
        read_tokens(["short\n"], "tokens")


def test_cors_is_off_unless_an_origin_is_allowed(make: Any) -> None:
    origin = {"origin": "https://example.org"}
    ask = {**origin, "access-control-request-method": "POST"}
    assert "access-control-allow-origin" not in post(make(), "a", **origin).headers
    client = make(origins=("https://example.org",))
    allowed = client.options("/v1/resolve", headers=ask)
    assert allowed.headers["access-control-allow-origin"] == "https://example.org"
    assert post(client, "a", **origin).headers["access-control-allow-origin"] == origin["origin"]
    other = {**ask, "origin": "https://other.example"}
    assert client.options("/v1/resolve", headers=other).status_code == 400


def test_logs_have_no_texts(make: Any, caplog: pytest.LogCaptureFixture) -> None:
    client = make()
    with caplog.at_level(logging.INFO, "coindex"):
        post(client, "a secret text")
        client.post("/v1/resolve", json={"text": "secret", "scheme": "secret"})
        client.post("/v1/resolve", json={"secret": 1})
        client.get("/secret?secret=1")
    rows = [json.loads(message) for message in caplog.messages]
    assert [row["status"] for row in rows] == [200, 422, 422, 404]
    assert [row["path"] for row in rows] == ["/v1/resolve"] * 3 + ["other"]
    assert rows[0]["characters"] == len("a secret text")
    assert rows[1]["error"] == "invalid"
    assert "secret" not in caplog.text


def test_health_says_that_the_service_stops(make: Any) -> None:
    client = make()
    client.service.queue.close()
    response = client.get("/health")
    assert (response.status_code, response.headers["retry-after"]) == (503, "5")
    assert post(client, "a").status_code == 503
