"""Running the service: one process, or several that share the memory of the weights.

Several processes are forked from one that has loaded the models, and in which no thread works: one
of ONNX Runtime's waits, and ours are started after the fork. They write nothing to the memory of the
weights, so that it exists once. A process that dies is replaced. All stop when the first one is
told to (SIGTERM, or Ctrl+C): they accept no more connections, answer what they have begun, and end.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from coindex.errors import InputError, UsageError
from coindex.integrations.service.app import create_app
from coindex.integrations.service.measurements import FOLDER, forget_process
from coindex.integrations.service.model_pool import ModelPool
from coindex.integrations.service.request_log import log_event
from coindex.integrations.service.service import Service
from coindex.integrations.service.settings import ServiceSettings
from coindex.jobs.child_process import (
    block_signals,
    can_fork,
    fork,
    kill_child,
    kill_process,
    unblock_signals,
    wait_for_child,
)

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
FASTEST_DEATH = 5.0
"""A process that lived for fewer seconds is replaced only after a pause."""
LAST_ANSWERS = 5.0
"""Seconds after the longest answer in which a process must have stopped; then it is killed."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where the service listens.

    proxies   addresses of proxies whose X-Forwarded-* headers are believed, by commas
    """

    host: str = "127.0.0.1"
    port: int = 8660
    proxies: str = "127.0.0.1"


class TimedProtocol(H11Protocol):
    """uvicorn's HTTP protocol, with a limit of time for the headers of each request.

    uvicorn itself limits only how long a connection is idle after an answer.
    """

    seconds = 20.0
    _headers_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._await_headers()

    def data_received(self, data: bytes) -> None:
        """Read what has come, and see whether the headers are complete."""
        super().data_received(data)
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        if self._headers_due is not None:
            self._headers_due.cancel()
        super().connection_lost(exc)

    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _await_headers(self) -> None:
        """Begin to count when the first bytes are there, and stop when all headers are."""
        if self._answering() and self._headers_due is not None:
            self._headers_due.cancel()
            self._headers_due = None
        elif not self._answering() and self._headers_due is None:
            loop = asyncio.get_running_loop()
            self._headers_due = loop.call_later(self.seconds, self._close_if_no_request)

    def _close_if_no_request(self) -> None:
        if not self._answering():
            self.transport.close()


def protocol_with_timeout(seconds: float) -> type[TimedProtocol]:
    """The protocol with another limit."""
    return type("LimitedProtocol", (TimedProtocol,), {"seconds": seconds})


def bind(address: ServerAddress) -> socket.socket:
    """The socket that the service listens on; an error that says why if there is none."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # the protocol is named, as asyncio sets TCP_NODELAY only then: without it each answer on a
    # connection that stays open waits 40 ms for an acknowledgement
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        where = f"{address.host}:{address.port}"
        raise InputError(f"{where}: cannot listen there: {reason}") from None
    listener.set_inheritable(True)
    return listener


def serve(settings: ServiceSettings, address: ServerAddress, workers: int = 1) -> None:
    """Run the service until it is stopped."""
    if workers > 1 and not can_fork():
        raise UsageError("--workers: several processes need a system that can fork")
    with closing(bind(address)) as listener:
        service = Service(settings, ModelPool.load(settings))
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        log_event(
            "start", url=f"http://{shown}:{port}", workers=workers,
            models=list(service.pool.names), tokens=len(settings.tokens),
        )  # fmt: skip
        if workers == 1:
            run_process(service, listener, address)
        else:
            Supervisor(service, listener, address, workers).run()
    log_event("stop")


def run_process(service: Service, listener: socket.socket, address: ServerAddress) -> None:
    """Serve in this process until it is told to stop."""
    limits = service.limits
    config = uvicorn.Config(
        create_app(service),
        http=protocol_with_timeout(limits.upload),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=seconds_to_stop(service),
        h11_max_incomplete_event_size=64 * 1024,
        forwarded_allow_ips=address.proxies,
        backlog=2048,
    )
    gc.set_threshold(10_000, 20, 20)  # other commands collect almost nothing, as they are short
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # the log has lines of our own
    server = uvicorn.Server(config)

    def stop(number: int, frame: Any) -> None:
        server.should_exit = True

    for each in STOP_SIGNALS:  # before uvicorn has its handlers, and when it repeats the signal
        signal.signal(each, stop)
    unblock_signals(STOP_SIGNALS)
    server.run(sockets=[listener])


def seconds_to_stop(service: Service) -> int:
    """How long a process answers what it has begun, after it was told to stop."""
    return int(service.limits.seconds + service.limits.upload) + 1


def stop_with_parent(parent: int, seconds: float = 1.0) -> None:
    """Stop this process when its parent is gone, such as one that was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(seconds)
        shutil.rmtree(os.environ[FOLDER], ignore_errors=True)  # as it would have done
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


class Supervisor:
    """The first process: it starts the others, replaces those that die, and stops them all."""

    def __init__(
        self, service: Service, listener: socket.socket, address: ServerAddress, workers: int
    ) -> None:
        self._service, self._listener, self._address = service, listener, address
        self._workers = workers
        self._born: dict[int, float] = {}
        self._stopping = False
        self._killer: threading.Timer | None = None

    def run(self) -> None:
        """Serve until told to stop."""
        folder = tempfile.mkdtemp(prefix="coindex-metrics-")
        os.environ[FOLDER] = folder
        gc.collect()
        gc.freeze()  # what is there stays where it is: collecting would write to shared memory
        for each in STOP_SIGNALS:
            signal.signal(each, self._stop)
        try:
            for _ in range(self._workers):
                self._start()
            self._watch()
        finally:
            if self._killer is not None:
                self._killer.cancel()
            self._end_all()
            shutil.rmtree(folder, ignore_errors=True)

    def _start(self) -> None:
        """Start a process, unless all are to stop.

        A signal to stop waits until the process is known here, and until it can be stopped itself.
        """
        parent = os.getpid()
        block_signals(STOP_SIGNALS)
        process = None if self._stopping else fork()
        if process:
            self._born[process] = time.monotonic()
        if process != 0:
            unblock_signals(STOP_SIGNALS)
            return
        code = 1
        try:
            stop_with_parent(parent)
            run_process(self._service, self._listener, self._address)
            code = 0
        finally:
            os._exit(code)

    def _watch(self) -> None:
        """Wait for processes to end; replace them unless all are to stop."""
        while self._born:
            try:
                process, code = wait_for_child()
            except ChildProcessError:
                return
            lived = time.monotonic() - self._born.pop(process, 0.0)
            if self._stopping:
                continue
            log_event("worker ended", level=logging.ERROR, process=process, code=code)
            forget_process(process)
            if lived < FASTEST_DEATH:
                time.sleep(1)
            self._start()

    def _stop(self, number: int, frame: Any) -> None:
        self._stopping = True
        for process in self._born:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(process, signal.SIGTERM)
        if self._killer is None:
            self._killer = threading.Timer(
                seconds_to_stop(self._service) + LAST_ANSWERS, self._kill_all
            )
            self._killer.daemon = True
            self._killer.start()

    def _kill_all(self) -> None:
        """Kill processes that have not stopped in time, so that the service does."""
        for process in list(self._born):
            log_event("worker killed", level=logging.ERROR, process=process)
            kill_process(process)

    def _end_all(self) -> None:
        """End processes that are left, which is so only after an error here."""
        for process in list(self._born):
            kill_child(process)
