"""The HTTP service in tests: in the same process, or as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Event
from typing import Any

from coindex.resolvers.resolver import Resolver
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress

TEXT = "Alice told Bob that she had seen his dog."


@dataclass
class StubClusterer:
    """Finds nothing, and does as the texts say: `fail`, `bug`, or `wait` for the gate."""

    signature: str = "stub"
    gate: Event = field(default_factory=Event)
    streams: list[list[str]] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)

    def resolve(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        own: list[str] = []
        self.streams.append(own)
        for number, document in enumerate(documents):
            own.append(document.text)
            self.begun.append(document.text)
            if "wait" in document.text:
                while not self.gate.wait(0.02):
                    on_progress(Progress("resolving", number))
            if "bug" in document.text:
                raise RuntimeError(f"secret words of a text: {document.text}")
            on_progress(Progress("resolving", number))
            yield document


def stub_resolver(clusterer: StubClusterer) -> Resolver:
    return Resolver(clusterer=clusterer)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class ServiceProcess:
    """`coindex serve` as a process of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port, self.log = free_port(), folder / "service.log"
        command = [sys.executable, "-m", "coindex", "serve", "--port", str(self.port), *options]
        with self.log.open("w") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ})
        for _ in range(600):
            try:
                if self.ask("GET", "/health")[0] == 200:
                    return
            except (OSError, HTTPException):
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.1)
        raise AssertionError(f"the service did not start: {self.log.read_text()}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: Any = None, timeout: float = 60, **headers: str
    ) -> tuple[int, Any]:
        """Status and content of an answer; a body that is not bytes is sent as JSON."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, content, {"content-type": "application/json", **named})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text[:1] == b"{" else text
        finally:
            connection.close()

    def memory(self) -> int:
        """The most memory that the process has had, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(status.partition("VmHWM:")[2].split()[0])

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(90)

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextmanager
def running(folder: Path, *options: str) -> Iterator[ServiceProcess]:
    service = ServiceProcess(folder, *options)
    try:
        yield service
    finally:
        if service.process.poll() is None:
            try:
                service.stop()
            except subprocess.TimeoutExpired:
                service.stop(signal.SIGKILL)
