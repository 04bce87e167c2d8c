"""`Service`: the models, the queue and the counts behind the routes, in one process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

from coindex.annotate.errors import ApiError
from coindex.errors import CoindexError
from coindex.integrations.service.answers import resolve_answer
from coindex.integrations.service.batching import BatchQueue
from coindex.integrations.service.measurements import Measurements
from coindex.integrations.service.model_pool import ModelPool
from coindex.integrations.service.request_log import log_failure
from coindex.integrations.service.request_values import (
    ResolveRequest,
    invalid,
    resolve_schema,
    score_schema,
)
from coindex.integrations.service.scoring_process import ScoringFailed, ScoringProcess
from coindex.integrations.service.settings import ServiceSettings
from coindex.types.document import Document

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class RequestSchemas:
    """The schemas of what the routes take; they name the models and formats there are."""

    resolve: dict[str, Any]
    score: dict[str, Any]


class Service:
    """Everything that routes need, made once in each process."""

    def __init__(self, settings: ServiceSettings, pool: ModelPool) -> None:
        self.settings, self.pool = settings, pool
        self.limits = settings.limits
        self.schemas = RequestSchemas(resolve_schema(pool.names), score_schema())
        self.running = 0

    def start(self) -> None:
        """Start the threads, and count from zero; after a fork, in each process."""
        self.measurements = Measurements()
        self.queue = BatchQueue(self.measurements.streams.observe)
        self._scorer = ThreadPoolExecutor(1, "scorer")
        self._scoring = ScoringProcess()
        self.queue.start()

    def close(self) -> None:
        """End the threads, when all that waits is done."""
        self.queue.close()
        self._scorer.shutdown(cancel_futures=True)
        self._scoring.close()

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place among the requests that are answered or wait; an error if all are taken."""
        if self.running >= self.limits.requests:
            message = f"{self.running} requests are being answered: try again later"
            raise ApiError(429, "busy", message, retry_after=1)
        self.running += 1
        self.measurements.running.inc()
        try:
            yield
        finally:
            self.running -= 1
            self.measurements.running.dec()

    async def resolve(self, request: ResolveRequest) -> dict[str, Any]:
        """The answer to a request, in time, or an error."""
        try:
            resolver = self.pool.resolver(request.options)
        except CoindexError as error:
            raise invalid(error) from None
        futures = self.queue.submit(request.documents, request.options, resolver)
        resolved = await self.in_time(_all(futures))
        self.measurements.documents.inc(len(resolved))
        self.measurements.tokens.inc(sum(map(len, resolved)))
        return await run_in_threadpool(resolve_answer, request, resolved, resolver.signature)

    async def score(self, body: dict[str, Any]) -> dict[str, Any]:
        """The scores of a response, in time, or an error; one is computed at a time.

        A score that takes too long, or whose client leaves, ends, so that the next one can begin.
        """
        loop, stop = asyncio.get_running_loop(), Event()
        work = loop.run_in_executor(self._scorer, self._scoring.score, body, stop)
        try:
            return await self.in_time(work)
        except ScoringFailed as error:
            log_failure(error, scoring=error.at)
            raise ApiError(500, "bug", "internal server error; it has been logged") from None
        finally:
            stop.set()

    async def in_time(self, work: Awaitable[Result]) -> Result:
        """What the work returns, within the time for an answer."""
        try:
            return await asyncio.wait_for(work, self.limits.seconds)
        except asyncio.TimeoutError:
            message = f"no answer within {self.limits.seconds:g} seconds: try again later, or less"
            raise ApiError(503, "timeout", message, retry_after=5) from None
        except CoindexError as error:
            raise invalid(error) from None


async def _all(futures: Sequence[asyncio.Future[Document]]) -> list[Document]:
    """All results, in order; if one fails or nobody waits any more, the rest is abandoned."""
    try:
        return [await future for future in futures]
    finally:
        for future in futures:
            if not future.cancel() and not future.cancelled():
                future.exception()  # seen, so that asyncio does not report it


async def unless_disconnected(
    work: Awaitable[Result], receive: Callable[[], Awaitable[Any]]
) -> Result | None:
    """What the work returns; None, and the work is cancelled, if the client leaves before that."""

    async def disconnected() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    task, gone = asyncio.ensure_future(work), asyncio.ensure_future(disconnected())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        for each in (task, gone):
            each.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(gone, return_exceptions=True)
