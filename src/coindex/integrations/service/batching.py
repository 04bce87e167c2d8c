"""Two threads that resolve the texts of all requests: one the short texts, one the long ones.

Texts of requests that wait at the same time, and have the same options, pass through one
`Resolver.stream`: short texts then keep every core busy, as in one large file. New texts join a
stream that runs. A result depends on its own text alone, so that batching changes no answer.

A short text does not wait until a long one is resolved, as each kind has its own thread; and in
front of each thread, a request with few texts comes before one with many (see `fair_queue`).

A text whose request is gone (it took too long, or its client left) is dropped: before its turn at
once, else after the window that is being read. Where a text raises an error, the others of its
stream are resolved one by one.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field

from coindex.annotate.errors import ApiError
from coindex.integrations.service.fair_queue import FairQueue
from coindex.integrations.service.model_pool import ResolveOptions
from coindex.resolvers.resolver import Resolver
from coindex.types.document import Document
from coindex.types.progress import Progress

STREAM_DOCUMENTS = 64
"""After this number of documents a stream ends, so that texts with other options have a turn."""
STREAM_CHARACTERS = 100_000
"""The same for the number of characters."""
LONG = 10_000
"""From this number of characters on, a text is a long one."""
_OVERHEAD = 100  # a text takes time beside that for its characters


@dataclass(slots=True, eq=False)
class _Task:
    document: Document
    options: ResolveOptions
    resolver: Resolver
    future: Future[Document] = field(default_factory=Future)

    def finish(self, document: Document) -> None:
        with suppress(InvalidStateError):  # its request is gone
            self.future.set_result(document)

    def fail(self, error: Exception) -> None:
        with suppress(InvalidStateError):
            self.future.set_exception(error)


class _Abandoned(Exception):
    """Nobody waits for the text that is being resolved."""


class BatchQueue:
    """Texts that wait for their turn, and the threads that resolve them."""

    def __init__(self, on_stream: Callable[[int], None] = lambda documents: None) -> None:
        """`on_stream` is called with the number of documents of each stream."""
        self._short, self._long = _Lane("resolver", on_stream), _Lane("resolver-long", on_stream)

    def start(self) -> None:
        """Start the threads; in each process anew, since threads do not survive a fork."""
        self._short.start()
        self._long.start()

    def close(self) -> None:
        """Resolve what waits, then end the threads."""
        self._short.close()
        self._long.close()

    @property
    def alive(self) -> bool:
        """Whether texts can be submitted."""
        return self._short.alive and self._long.alive

    @property
    def waiting(self) -> int:
        """How many texts wait for their turn."""
        return self._short.waiting + self._long.waiting

    def submit(
        self, documents: Sequence[Document], options: ResolveOptions, resolver: Resolver
    ) -> list[asyncio.Future[Document]]:
        """The resolved documents of a request, some time later; cancel a future to abandon it.

        resolver   the one for these options
        """
        tasks = [_Task(document, options, resolver) for document in documents]
        self._short.add(options, [task for task in tasks if len(task.document.text) < LONG])
        self._long.add(options, [task for task in tasks if len(task.document.text) >= LONG])
        return [asyncio.wrap_future(task.future) for task in tasks]


class _Lane:
    """A thread, and the texts that wait for it."""

    def __init__(self, name: str, on_stream: Callable[[int], None]) -> None:
        self._name, self._on_stream = name, on_stream
        self._queue: FairQueue[ResolveOptions, _Task] = FairQueue()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    @property
    def alive(self) -> bool:
        return not self._closed and self._thread is not None and self._thread.is_alive()

    @property
    def waiting(self) -> int:
        with self._changed:
            return len(self._queue)

    def add(self, options: ResolveOptions, tasks: Sequence[_Task]) -> None:
        with self._changed:
            if not self.alive:
                raise ApiError(503, "stopping", "the service is stopping", retry_after=5)
            self._queue.add(options, [(len(t.document.text) + _OVERHEAD, t) for t in tasks])
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while (first := self._queue.first()) is None and not self._closed:
                    self._changed.wait()
            if first is None:
                return
            self._stream(first.options, first.resolver)

    def _take(self, options: ResolveOptions) -> _Task | None:
        """The next text with these options that somebody still waits for."""
        with self._changed:
            while (task := self._queue.take(options)) is not None:
                if not task.future.cancelled():
                    return task
        return None

    def _stream(self, options: ResolveOptions, resolver: Resolver) -> None:
        taken: deque[_Task] = deque()
        count = characters = 0

        def documents() -> Iterator[Document]:
            nonlocal count, characters
            while (
                count < STREAM_DOCUMENTS
                and characters < STREAM_CHARACTERS
                and (task := self._take(options))
            ):
                count += 1
                characters += len(task.document.text)
                taken.append(task)
                yield task.document

        def on_progress(progress: Progress) -> None:
            if taken and taken[0].future.cancelled():
                raise _Abandoned

        try:
            for document in resolver.stream(documents(), on_progress):
                taken.popleft().finish(document)
        except Exception as error:  # of one of the texts: the others are to be answered
            self._retry(taken, error)
        self._on_stream(count)

    def _retry(self, taken: deque[_Task], error: Exception) -> None:
        """Resolve the texts of a stream that broke one by one; an only one has this error."""
        live = [task for task in taken if not task.future.cancelled()]
        if len(live) == 1 and not isinstance(error, _Abandoned):
            live[0].fail(error)
            return
        for task in live:
            try:
                task.finish(task.resolver.resolve(task.document))
            except Exception as own:  # reported to its request
                task.fail(own)
