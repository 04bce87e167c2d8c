"""`/v1/batch`: JSON lines in, JSON lines out, in their order, each as soon as it is done.

Lines are read while others are resolved. The reader never waits for the client to take answers:
most clients send everything before they read anything, and both sides would wait for ever. What
is read and not yet resolved is limited by the size of a whole batch.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from coindex.annotate.errors import ApiError
from coindex.integrations.service.request_bodies import parse_json, too_large
from coindex.integrations.service.request_log import log_failure
from coindex.integrations.service.request_values import resolve_request
from coindex.integrations.service.service import Service
from coindex.integrations.service.settings import ServiceLimits

AHEAD = 32
"""How many lines of a batch are resolved at the same time."""

Item = TypeVar("Item")
MEDIA_TYPES = ("application/x-ndjson", "application/jsonl", "application/jsonlines")


class LineReader:
    """The lines of a body, with their numbers, while it is still being sent."""

    def __init__(self, request: Request, limits: ServiceLimits) -> None:
        self._request, self._limits = request, limits
        self._ready: deque[tuple[int, bytes | ApiError]] = deque()
        self._changed = asyncio.Event()
        self._done = False
        self._size = self._number = 0
        self._rest = bytearray()
        self._skipping = False

    async def read(self) -> None:
        """Read the whole body; returns when the client has left."""
        try:
            await self._read_body()
            if self._rest or self._skipping:
                self._line(bytes(self._rest))
        except asyncio.TimeoutError:
            message = f"expected more of the batch within {self._limits.upload:g} seconds"
            self._add(ApiError(408, "slow", message))
        except ApiError as error:
            self._add(error)
        self._done = True
        self._changed.set()
        while (await self._request.receive())["type"] != "http.disconnect":
            pass

    async def _read_body(self) -> None:
        stream = self._request.stream()
        while True:
            try:
                part = await asyncio.wait_for(next_or_none(stream), self._limits.upload)
            except ClientDisconnect:
                return
            if part is None:
                return
            left = self._limits.batch - self._size
            self._size += len(part)
            self._take(part[:left])
            if self._size > self._limits.batch:
                raise too_large(self._limits.batch, "bytes in a batch: the rest was not read")

    def _take(self, part: bytes) -> None:
        first, *others = part.split(b"\n")
        self._extend(first)
        for other in others:
            self._line(bytes(self._rest))
            self._rest.clear()
            self._skipping = False
            self._extend(other)

    def _extend(self, piece: bytes) -> None:
        if self._skipping or len(self._rest) + len(piece) > self._limits.body:
            self._skipping = True
            self._rest.clear()
        else:
            self._rest += piece

    def _line(self, line: bytes) -> None:
        if self._skipping:
            self._add(too_large(self._limits.body, "bytes in a line"))
        elif line.strip():
            self._add(line)
        else:
            self._number += 1

    def _add(self, line: bytes | ApiError) -> None:
        self._number += 1
        self._ready.append((self._number, line))
        self._changed.set()

    async def lines(self) -> AsyncIterator[tuple[int, bytes | ApiError]]:
        """Each line that is not empty, or the error that takes its place."""
        while True:
            while self._ready:
                yield self._ready.popleft()
            if self._done:
                return
            self._changed.clear()
            await self._changed.wait()


async def next_or_none(items: AsyncIterator[Item]) -> Item | None:
    """The next item of a stream; None at its end."""
    async for item in items:
        return item
    return None


class BatchResponse:
    """The answer to a batch, as an ASGI app."""

    def __init__(self, service: Service, request: Request) -> None:
        self._service, self._request = service, request
        self.documents = self.errors = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a line for each line of the request."""
        headers = [(b"content-type", b"application/x-ndjson"), (b"x-accel-buffering", b"no")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        reader = LineReader(self._request, self._service.limits)
        reading = asyncio.ensure_future(reader.read())
        answering = asyncio.ensure_future(self._answer(reader, send))
        try:
            await asyncio.wait({reading, answering}, return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()
        finally:
            for task in (reading, answering):
                task.cancel()
            await asyncio.gather(reading, answering, return_exceptions=True)

    async def _answer(self, reader: LineReader, send: Send) -> None:
        waiting: deque[asyncio.Task[dict[str, Any]]] = deque()

        async def send_first() -> None:
            value = await waiting.popleft()
            # in ASCII, as some clients end lines at other characters than \n too
            body = (json.dumps(value, separators=(",", ":")) + "\n").encode()
            await send({"type": "http.response.body", "body": body, "more_body": True})

        try:
            lines = reader.lines().__aiter__()
            upcoming: asyncio.Task[Any] | None = asyncio.ensure_future(next_or_none(lines))
            while upcoming is not None or waiting:
                if len(waiting) >= AHEAD or (waiting and waiting[0].done()) or upcoming is None:
                    await send_first()
                    continue
                await asyncio.wait({upcoming, *list(waiting)[:1]}, return_when="FIRST_COMPLETED")
                if upcoming.done():
                    line = upcoming.result()
                    if line is not None:
                        waiting.append(asyncio.ensure_future(self._line(*line)))
                    upcoming = (
                        asyncio.ensure_future(next_or_none(lines)) if line is not None else None
                    )
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            for task in waiting:
                task.cancel()
            if upcoming is not None:
                upcoming.cancel()
                with suppress(asyncio.CancelledError):
                    await upcoming

    async def _line(self, number: int, line: bytes | ApiError) -> dict[str, Any]:
        """The answer to one line: a result, or an error in its place."""
        try:
            if isinstance(line, ApiError):
                raise line
            request = await run_in_threadpool(self._parsed, line)
            result = await self._service.resolve(request)
        except ApiError as error:
            self.errors += 1
            return {"line": number, "status": error.status, **error.body()}
        except Exception as error:  # a bug on one line does not end the others
            log_failure(error)
            self.errors += 1
            bug = ApiError(500, "bug", "internal server error; it has been logged")
            return {"line": number, "status": 500, **bug.body()}
        self.documents += 1
        return {"line": number, "status": 200, "result": result}

    def _parsed(self, line: bytes) -> Any:
        service = self._service
        body = parse_json(line)
        return resolve_request(body, service.schemas.resolve, service.limits, service.pool.names[0])
