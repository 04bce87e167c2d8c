"""Training and ranking in another process, for a server that must not wait.

    worker = Worker(Setup())                      # starts nothing yet
    future = worker.rank(pool, annotated, "voting", seed=1)
    future.result()                               # a Ranking; or future.add_done_callback(...)
    worker.rank(pool, annotated, networks=Networks(checkpoints=("one", "two")))

The process lives on between calls and keeps the features of documents, so ranking
again after one more document makes the features of that document only.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing import get_context
from typing import Any, TypeVar

from coindex import active
from coindex.active import MEMBERS, Ranking
from coindex.active._journal import Journal, Row
from coindex.active._networks import Networks
from coindex.active._plan import Plan
from coindex.active._simulate import simulate_seed
from coindex.core.document import Document
from coindex.quizbowl.config import Config
from coindex.quizbowl.featured import WORDS
from coindex.quizbowl.learn import Learner, Trained, learner
from coindex.quizbowl.vectors import ENCODER

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Setup:
    """How a worker makes its resolver; it travels to the process instead of the resolver.

    words   how many words of text features are kept of; a pool larger than that is slow
    """

    config: Config = field(default_factory=Config)
    pipeline: str | None = None
    cache: bool = True
    vectors: tuple[str, ...] = (ENCODER,)
    words: int = WORDS

    def learner(self) -> Learner:
        """A new resolver."""
        return learner(
            self.config, pipeline=self.pipeline, cache=self.cache, sources=self.vectors,
            words=self.words,
        )  # fmt: skip


@dataclass
class Lazy:
    """A resolver that is made when it is first trained: some strategies never ask for one."""

    setup: Setup
    _made: Learner | None = None

    def train(self, documents: Sequence[Document], seed: int = 1) -> Trained:
        """A system trained on annotated documents."""
        return self._learner().train(documents, seed)

    def calibrated(self) -> Learner:
        """One whose probabilities mean what they say."""
        return self._learner().calibrated()

    def _learner(self) -> Learner:
        if self._made is None:
            self._made = self.setup.learner()
        return self._made


class Worker:
    """One other process that trains and ranks, one request after the other."""

    def __init__(self, setup: Setup, processes: int = 1) -> None:
        self.setup, self._count = setup, processes
        self._pool = self._started()

    def rank(
        self, pool: Sequence[Document], annotated: Sequence[Document], strategy: str = "voting",
        *, seed: int = 1, members: int = MEMBERS, networks: Networks | None = None,
    ) -> Future[Ranking]:  # fmt: skip
        """A ranking, when it is done; networks vote instead of trained models if given."""
        active.load(strategy)
        return self._submit(
            _rank, self.setup, tuple(pool), tuple(annotated), strategy, seed, members, networks
        )

    def simulate(
        self, documents: Sequence[Document], plan: Plan, seed: int, journal: Journal | None
    ) -> Future[list[Row]]:
        """The rows of one seed, when they are done."""
        return self._submit(_simulate, self.setup, tuple(documents), plan, seed, journal)

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._count, mp_context=get_context("spawn"), initializer=_ignore_interrupts
        )

    def _submit(self, work: Callable[..., Answer], *args: Any) -> Future[Answer]:
        """Ask the process; one that has died, for want of memory say, is replaced."""
        try:
            return self._pool.submit(work, *args)
        except BrokenProcessPool:
            self._pool = self._started()
            return self._pool.submit(work, *args)

    def close(self) -> None:
        """End the process; what it is doing is finished, what waits is not begun."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def stop(self) -> None:
        """End the process at once, whatever it is doing: journals survive that."""
        processes = getattr(self._pool, "_processes", None) or {}
        for process in list(processes.values()):
            process.terminate()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is not None:
            self.stop()
        self.close()


def _ignore_interrupts() -> None:
    """Ctrl-C reaches the whole group of processes; the one that waits ends the others.

    A worker that is interrupted itself may die with a queue's lock, and all wait for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@lru_cache(maxsize=1)
def _resolver(setup: Setup) -> Lazy:
    return Lazy(setup)


def _rank(
    setup: Setup, pool: tuple[Document, ...], annotated: tuple[Document, ...],
    strategy: str, seed: int, members: int, networks: Networks | None,
) -> Ranking:  # fmt: skip
    fixed = networks.members(members, seed) if networks and pool else ()
    return active.rank(
        pool, annotated, _resolver(setup), strategy, seed=seed, members=members, fixed=fixed
    )


def _simulate(
    setup: Setup, documents: tuple[Document, ...], plan: Plan, seed: int, journal: Journal | None
) -> list[Row]:
    return simulate_seed(documents, _resolver(setup), plan, seed, journal)
