"""A real server: stopping, several processes, slow and huge requests."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from coindex.cli import main
from coindex.integrations.service.server import ServerAddress, bind
from service_samples import TEXT, ServiceProcess, running

MEGABYTE = 1 << 20
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A service with a short time for uploads, for tests that do not stop it."""
    with running(tmp_path_factory.mktemp("service"), "--max-upload-seconds", "2") as made:
        yield made


def raw(service: ServiceProcess, content: bytes, seconds: float = 30) -> bytes:
    """What the server sends until it closes the connection, after these bytes."""
    parts = []
    address = ("127.0.0.1", service.port)
    # the connection may be closed before all is sent
    with suppress(ConnectionError), socket.create_connection(address, seconds) as connection:
        connection.sendall(content)
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def test_answers_do_not_wait_for_acknowledgements() -> None:
    """asyncio sets TCP_NODELAY only on sockets that name their protocol."""
    with bind(ServerAddress(port=0)) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
            assert accepted.proto == socket.IPPROTO_TCP


def test_headers_that_never_end_are_not_waited_for(service: ServiceProcess) -> None:
    assert raw(service, b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ") == b""
    assert raw(service, b"") == b""
    complete = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection(("127.0.0.1", service.port), 30) as connection:
        connection.sendall(complete)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(complete[:20])  # of a second request on the same connection
        start = time.monotonic()
        while connection.recv(65536):
            pass
        assert time.monotonic() - start < 10  # uvicorn's own limit for idle connections is 15
    kept = HTTPConnection("127.0.0.1", service.port, timeout=30)
    for _ in range(3):  # in all slower than the limit, but each request is complete
        kept.request("GET", "/health")
        assert kept.getresponse().read()
        time.sleep(1.2)
    kept.close()


def test_a_body_that_never_ends_is_answered(service: ServiceProcess) -> None:
    head = (
        b"POST /v1/resolve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b'Content-Length: 100\r\n\r\n{"text":'
    )
    answer = raw(service, head)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"expected the body within 2 seconds" in answer


def test_a_slow_batch_is_answered_as_far_as_it_goes(service: ServiceProcess) -> None:
    head = (
        b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
        b'Connection: close\r\nContent-Length: 1000\r\n\r\n{"text": "Ann slept."}\n{"te'
    )
    answer = raw(service, head)
    statuses = re.findall(rb'"status":(\d+)', answer)
    assert statuses == [b"200", b"408"]


def test_what_is_not_http_is_refused(service: ServiceProcess) -> None:
    assert raw(service, b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert raw(service, b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000)[:12] in (b"HTTP/1.1 400", b"")


@LINUX
def test_huge_bodies_are_answered_in_bounded_memory(service: ServiceProcess) -> None:
    service.ask("POST", "/v1/resolve", {"text": TEXT})
    before = service.memory()
    huge = json.dumps({"text": "x" * (50 * MEGABYTE)}).encode()
    for path, kind in (
        ("/v1/resolve", "application/json"),
        ("/v1/score", "application/json"),
        ("/v1/batch", "application/x-ndjson"),
    ):
        status, answer = service.ask("POST", path, huge, content_type=kind)
        told = answer if status == 200 else answer["error"]
        assert (status, told.get("code")) in ((413, "large"), (200, None))
        if status == 200:
            assert answer["status"] == 413
    line = json.dumps({"text": "word " * (2 * MEGABYTE)}).encode()  # 10 MB on one line
    assert service.ask("POST", "/v1/resolve", line)[0] == 413
    deep = b'{"text":' + b"[" * (3 * MEGABYTE)
    assert service.ask("POST", "/v1/resolve", deep)[0] == 400
    assert service.memory() - before < 64 * MEGABYTE
    assert service.ask("POST", "/v1/resolve", {"text": TEXT})[0] == 200


def test_a_client_that_expects_to_continue_is_told_before_it_sends(
    service: ServiceProcess,
) -> None:
    head = (
        b"POST /v1/resolve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Expect: 100-continue\r\nConnection: close\r\nContent-Length: 99999999\r\n\r\n"
    )
    assert raw(service, head).startswith(b"HTTP/1.1 413")


def test_a_batch_is_answered_while_it_is_sent(service: ServiceProcess) -> None:
    head = (
        b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
        stream = connection.makefile("rwb")
        stream.write(head)
        for number in (1, 2, 3):
            line = (
                json.dumps({"text": TEXT, "id": str(number), "form": "replaced"}).encode() + b"\n"
            )
            stream.write(b"%x\r\n%s\r\n" % (len(line), line))
            stream.flush()
            while not (found := stream.readline()).startswith(b'{"line"'):
                assert found
            assert json.loads(found)["result"]["documents"][0]["id"] == str(number)


def test_a_client_that_reads_nothing_until_it_has_sent_all(service: ServiceProcess) -> None:
    lines = 1500
    content = (json.dumps({"text": "x " * 500, "form": "html"}) + "\n").encode() * lines
    connection = HTTPConnection("127.0.0.1", service.port, timeout=120)
    connection.request("POST", "/v1/batch", content, {"content-type": "application/x-ndjson"})
    answer = connection.getresponse()
    statuses = [json.loads(answer.readline())["status"] for _ in range(20)]
    connection.close()  # the rest is given up
    assert set(statuses) == {200}
    for _ in range(200):
        if service.ask("GET", "/health")[1]["running"] == 0:
            return
        time.sleep(0.05)
    raise AssertionError("the batch of a client that left goes on")


def test_sigterm_finishes_what_was_begun(tmp_path: Path) -> None:
    with running(tmp_path, "--threads", "1") as service:
        found: list[Any] = []
        text = f"{TEXT} " * 1000
        long = threading.Thread(
            target=lambda: found.append(service.ask("POST", "/v1/resolve", {"text": text}))
        )
        long.start()
        while service.ask("GET", "/health")[1]["running"] == 0:
            time.sleep(0.01)
        code = service.stop(signal.SIGTERM)
        long.join()
        assert found[0][0] == 200
        assert len(found[0][1]["documents"][0]["entities"]) > 0
        assert code == 0
        assert [row["event"] for row in service.events()][-1] == "stop"


@LINUX
def test_processes_share_the_port_and_are_replaced(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2", "--threads", "1") as service:
        children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
        first = set(children.read_text().split())
        assert len(first) == 2
        for _ in range(12):
            assert service.ask("POST", "/v1/resolve", {"text": TEXT})[0] == 200
        counts = service.ask("GET", "/metrics")[1].decode()
        (count,) = re.findall(
            r'coindex_requests_total{path="/v1/resolve",status="200"} (\S+)', counts
        )
        assert float(count) == 12  # of both processes
        os.kill(int(min(first)), signal.SIGKILL)
        for _ in range(200):
            now = set(children.read_text().split())
            if len(now) == 2 and min(first) not in now:
                break
            time.sleep(0.05)
        assert service.ask("POST", "/v1/resolve", {"text": TEXT})[0] == 200
        assert service.stop() == 0
        ended = [row for row in service.events() if row["event"] == "worker ended"]
        assert [row["code"] for row in ended] == [-signal.SIGKILL]


@LINUX
@pytest.mark.parametrize("who", ["parent", "child"])
def test_a_signal_that_comes_while_processes_start_stops_them(who: str, tmp_path: Path) -> None:
    """SIGTERM comes right after the first fork: nobody knows the new process, or how to stop."""
    code = f"""
import os, signal
from coindex.cli import main
fork = os.fork
def fork_and_stop():
    process = fork()
    if bool(process) == {who == "parent"}:
        os.kill(os.getpid() if process else os.getppid(), signal.SIGTERM)
    return process
os.fork = fork_and_stop
main(["serve", "--workers", "2", "--threads", "1", "--port", "0"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=120, check=True
    )
    assert json.loads(done.stderr.splitlines()[-1])["event"] == "stop"


@LINUX
def test_a_process_that_does_not_stop_is_killed(tmp_path: Path) -> None:
    options = ("--workers", "2", "--max-seconds", "1", "--max-upload-seconds", "1")
    with running(tmp_path, *options) as service:
        children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
        stuck = children.read_text().split()[0]
        os.kill(int(stuck), signal.SIGSTOP)
        assert service.stop() == 0
        killed = [row["process"] for row in service.events() if row["event"] == "worker killed"]
        assert killed == [int(stuck)]


@LINUX
def test_processes_end_when_the_first_one_is_killed(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2", "--threads", "1") as service:
        children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
        processes = children.read_text().split()
        assert len(processes) == 2
        service.stop(signal.SIGKILL)
        for _ in range(200):
            if not any(Path(f"/proc/{each}").exists() for each in processes):
                return
            time.sleep(0.05)
        raise AssertionError("they go on")


def test_a_port_that_is_taken(service: ServiceProcess, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--port", str(service.port)])
    assert stop.value.code == 1
    told = capsys.readouterr().err.strip()
    assert told == f"coindex: 127.0.0.1:{service.port}: cannot listen there: Address already in use"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "x=a", "--model", "x=b"], "two models are called x"),
        (["--model", "=a"], "expected MODEL or NAME=MODEL, found '=a'"),
        (["--model", "none-such-folder"], "none-such-folder"),
        (["--token-file", "none-such-file"], "none-such-file"),
    ],
)
def test_errors_of_the_command(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--port", "0", *options])
    assert stop.value.code in (1, 2)
    told = capsys.readouterr().err.strip()
    assert message in told
    assert "\n" not in told
