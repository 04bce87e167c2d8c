"""A process that scores, so that a score which takes too long can be ended.

Matching two large documents may take minutes, in code that no thread can interrupt. The process is
started by the first request that scores, and serves one at a time; it is killed when nobody waits
for its answer any more, and the next request starts another one.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Event
from types import FrameType
from typing import Any

from coindex.annotate.errors import ApiError
from coindex.integrations.service.answers import score_answer
from coindex.jobs.engines import start_worker

_POLL = 0.05  # seconds between two checks that somebody waits

Answer = dict[str, Any]
ScoreFunction = Callable[[Mapping[str, Any]], Answer]


class ScoringFailed(Exception):
    """The scoring process met a bug.

    at   the type of the error and the lines of code, without its message, which may quote texts
    """

    def __init__(self, at: list[str]) -> None:
        super().__init__(at[0])
        self.at = at


class ScoringProcess:
    """The process, while there is one; its methods are for a single thread.

    function   what is done with the body of a request
    """

    def __init__(self, function: ScoreFunction = score_answer) -> None:
        self._function = function
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None

    def score(self, body: Mapping[str, Any], stop: Event) -> Answer:
        """The answer to a request; the process is killed if `stop` is set before it is there."""
        if stop.is_set():
            raise _abandoned()
        connection = self._started()
        try:
            connection.send(body)
            while not connection.poll(_POLL):
                if stop.is_set():
                    self.close()
                    raise _abandoned()
            answer = connection.recv()
        except (EOFError, OSError):
            self.close()
            message = "the scoring process ended: there may not be enough memory"
            raise ApiError(503, "failed", message, retry_after=5) from None
        if isinstance(answer, ApiError):
            raise answer
        if isinstance(answer, list):
            raise ScoringFailed(answer)
        return dict(answer)

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._connection is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
        self._process = self._connection = None

    def _started(self) -> Connection:
        if self._process is None or self._connection is None or not self._process.is_alive():
            self.close()
            context = multiprocessing.get_context("spawn")
            self._connection, other = context.Pipe()
            arguments = (self._function, other, os.getpid())
            self._process = context.Process(target=_serve, args=arguments, daemon=True)
            self._process.start()
            other.close()
        return self._connection


def _abandoned() -> ApiError:
    return ApiError(503, "timeout", "nobody waits for this score", retry_after=5)


def _serve(function: ScoreFunction, connection: Connection, parent: int) -> None:
    """What the process does: answer until its service ends.

    A signal that stops the service may reach this process too; a score that has begun is finished.
    """
    busy = stopped = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        if not busy:
            os._exit(0)

    start_worker(parent)
    signal.signal(signal.SIGTERM, stop)
    while not stopped:
        try:
            body = connection.recv()
        except EOFError:
            return
        busy = True
        connection.send(_answer(function, body))
        busy = False


def _answer(function: ScoreFunction, body: Mapping[str, Any]) -> Answer | ApiError | list[str]:
    try:
        return function(body)
    except ApiError as error:
        return error
    except Exception as error:  # a bug
        frames = traceback.extract_tb(error.__traceback__)
        places = (f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames)
        return [type(error).__name__, *places]
