"""Engines run a function on many tasks: in this process, in several, or on a Ray cluster.

Tasks are taken from their iterable only as fast as they are processed: at most `window` of them
are in flight, so that neither tasks nor results pile up. A task whose worker process dies (killed
for its memory, say) is given to a new process, alone, so that it is known which task it was.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

from coindex.errors import CoindexError, InputError, import_extra
from coindex.jobs.child_process import end_with_parent
from coindex.jobs.engine_choice import Engine

RETRIES = 2
"""How often a task whose worker died is tried again."""
PER_WORKER = 4
"""How many tasks for each worker are in flight."""
CONNECT_SECONDS = 10.0
"""How long a cluster at an address may take to accept a connection."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class WorkerDied(CoindexError):
    """The process that worked on a task ended before the task was done, every time."""

    def __init__(self, message: str = "the worker process ended unexpectedly") -> None:
        super().__init__(f"{message}, {RETRIES + 1} times: is there enough memory?")


class _Pool(Protocol):
    """Worker processes that take tasks and return results."""

    def start(self, number: int, task: Any) -> None:
        """Give a task to a worker."""

    def finished(self) -> Iterator[tuple[int, Any]]:
        """Wait for one task or more; the numbers and the results of those that are done."""

    def close(self) -> None:
        """End the workers."""


def run_tasks(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    engine: Engine,
    *,
    ordered: bool = False,
    window: int | None = None,
    on_death: Callable[[Task], Result] | None = None,
) -> Iterator[tuple[Task, Result]]:
    """Each task with its result, as soon as it is done.

    ordered    whether results come in the order of the tasks
    window     how many tasks are in flight, with those whose results wait for their turn
    on_death   the result of a task whose worker dies again and again; otherwise an error
    """
    if engine.in_process:
        for task in tasks:
            yield task, function(task)
        return
    pool: _Pool
    if engine.name == "ray":
        pool = _RayPool(function, engine, on_death)
    else:
        pool = _LocalPool(function, engine.workers, on_death)
    most = window or PER_WORKER * engine.workers
    with closing(pool):
        yield from _in_window(pool, enumerate(tasks), most, ordered)


def _in_window(
    pool: _Pool, tasks: Iterator[tuple[int, Task]], most: int, ordered: bool
) -> Iterator[tuple[Task, Any]]:
    waiting: dict[int, Task] = {}  # in flight, or done and waiting for their turn
    done: dict[int, Any] = {}
    turn = 0
    while True:
        for number, task in islice(tasks, most - len(waiting)):
            waiting[number] = task
            pool.start(number, task)
        if not waiting:
            return
        if len(done) < len(waiting):
            done.update(pool.finished())
        for number in sorted(done):
            if ordered and number != turn:
                break
            turn += 1
            yield waiting.pop(number), done.pop(number)


class _LocalPool(Generic[Task, Result]):
    """Processes of this machine."""

    def __init__(
        self,
        function: Callable[[Task], Result],
        workers: int,
        on_death: Callable[[Task], Result] | None,
    ) -> None:
        self._function, self._workers, self._on_death = function, workers, on_death
        self._others = frozenset(multiprocessing.active_children())
        self._pool = _processes(workers)
        self._futures: dict[Future[Result], tuple[int, Task]] = {}

    def start(self, number: int, task: Task) -> None:
        """Give a task to a worker."""
        try:
            future = self._pool.submit(self._function, task)
        except BrokenProcessPool as error:  # a worker died since; `finished` recovers
            future = Future()
            future.set_exception(error)
        self._futures[future] = number, task

    def finished(self) -> Iterator[tuple[int, Result]]:
        """Wait for one task or more; the numbers and the results of those that are done."""
        done, _ = wait(self._futures, return_when=FIRST_COMPLETED)
        if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
            yield from self._recovered()
            return
        for future in done:
            yield self._futures.pop(future)[0], future.result()

    def _recovered(self) -> Iterator[tuple[int, Result]]:
        """The results of all tasks in flight: those that were not lost, the others one by one."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        alone = _processes(1)
        try:
            for future, (number, task) in self._futures.items():
                if future.done() and not isinstance(future.exception(), BrokenProcessPool):
                    yield number, future.result()
                    continue
                for attempt in range(RETRIES + 1):
                    try:
                        yield number, alone.submit(self._function, task).result()
                        break
                    except BrokenProcessPool:
                        alone.shutdown(wait=True)
                        alone = _processes(1)
                        if attempt == RETRIES:
                            yield number, _dead(task, self._on_death)
        finally:
            alone.shutdown(wait=False, cancel_futures=True)
        self._futures.clear()
        self._pool = _processes(self._workers)

    def close(self) -> None:
        """End the workers; those that still work, after an error or a signal, at once."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._futures:
            for process in multiprocessing.active_children():
                if process not in self._others:
                    process.terminate()


def _dead(task: Task, on_death: Callable[[Task], Result] | None) -> Result:
    if on_death is None:
        raise WorkerDied
    return on_death(task)


def _processes(workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, initializer=start_worker, initargs=(os.getpid(),))


def start_worker(parent: int) -> None:
    """Leave Ctrl-C, which reaches all processes, to the run; end with it, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(parent)


def check_reachable(address: str) -> None:
    """An error unless something listens at an address HOST:PORT; Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():  # "local", "auto": not an address
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{address}: expected a running Ray cluster: {reason}") from None


class _RayPool(Generic[Task, Result]):
    """Tasks of a Ray cluster: the one at an address, or one started on this machine."""

    def __init__(
        self,
        function: Callable[[Task], Result],
        engine: Engine,
        on_death: Callable[[Task], Result] | None,
    ) -> None:
        self._ray = import_extra("ray", "ray")
        self._on_death = on_death
        self._started = not self._ray.is_initialized()
        if self._started:
            # Without "local" Ray would join any cluster that it finds, such as that of a killed run.
            address = engine.address or os.environ.get("RAY_ADDRESS") or "local"
            check_reachable(address)
            processors = engine.workers if address == "local" else None
            self._ray.init(address=address, num_cpus=processors, log_to_driver=False)
        self._task = self._ray.remote(num_cpus=1, max_retries=RETRIES)(lambda task: function(task))
        self._references: dict[Any, tuple[int, Task]] = {}

    def start(self, number: int, task: Task) -> None:
        """Give a task to a worker."""
        self._references[self._task.remote(task)] = number, task

    def finished(self) -> Iterator[tuple[int, Result]]:
        """Wait for one task; its number and its result."""
        (ready,), _ = self._ray.wait(list(self._references), num_returns=1)
        number, task = self._references.pop(ready)
        try:
            yield number, self._ray.get(ready)
        except (self._ray.exceptions.WorkerCrashedError, self._ray.exceptions.OutOfMemoryError):
            yield number, _dead(task, self._on_death)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, CoindexError):  # as the task raised it
                raise error.cause from None
            raise

    def close(self) -> None:
        """End the cluster, if it was started here."""
        if self._started:
            self._ray.shutdown()
