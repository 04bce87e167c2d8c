"""Training and ranking in another process, for a server that must not block.

    worker = Worker(Setup())                      # starts no process yet
    future = worker.rank(pool, annotated, "voting", seed=1)
    future.result()                               # a Ranking; or future.add_done_callback(...)
    worker.rank(pool, annotated, networks=NeuralCommittee(checkpoints=("one", "two")))

The process caches the features of documents between calls: ranking again after one more
document only computes the features of that document.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

from coindex.active.neural_committee import NeuralCommittee
from coindex.active.ranking import Ranking, rank
from coindex.active.strategies import load
from coindex.active.strategies.protocol import MEMBERS
from coindex.jobs.child_process import end_with_parent
from coindex.models.mention_pair.feature_store import MAX_WORDS
from coindex.models.mention_pair.recipe import Config
from coindex.models.mention_pair.train import Learner, TrainedModel, learner
from coindex.models.mention_pair.word_vectors import ENCODER
from coindex.types.document import Document

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


@dataclass(frozen=True, slots=True)
class Setup:
    """How a worker makes its resolver; it is sent to the process in place of the resolver.

    words   how many words of text features are cached of; a larger pool is slow
    """

    config: Config = field(default_factory=Config)
    pipeline: str | None = None
    cache: bool = True
    vectors: tuple[str, ...] = (ENCODER,)
    words: int = MAX_WORDS

    def learner(self) -> Learner:
        """A new learner."""
        return learner(
            self.config, pipeline=self.pipeline, cache=self.cache, sources=self.vectors,
            words=self.words,
        )  # fmt: skip


@dataclass
class LazyLearner:
    """A learner that is made when it is first needed: some strategies need none."""

    setup: Setup

    @cached_property
    def _learner(self) -> Learner:
        return self.setup.learner()

    def train(self, documents: Sequence[Document], seed: int = 1) -> TrainedModel:
        """A model trained on annotated documents."""
        return self._learner.train(documents, seed)

    def calibrated(self) -> Learner:
        """The learner whose probabilities are calibrated."""
        return self._learner.calibrated()


class Worker:
    """One or more other processes that train and rank."""

    def __init__(self, setup: Setup, processes: int = 1) -> None:
        self.setup, self._count = setup, processes
        self._pool = self._new_pool()

    def rank(
        self, pool: Sequence[Document], annotated: Sequence[Document], strategy: str = "voting",
        *, seed: int = 1, members: int = MEMBERS, networks: NeuralCommittee | None = None,
    ) -> Future[Ranking]:  # fmt: skip
        """A ranking; neural networks vote in place of trained models if they are given."""
        load(strategy)
        return self.submit(
            _rank, self.setup, tuple(pool), tuple(annotated), strategy, seed, members, networks
        )

    def submit(
        self,
        work: Callable[Arguments, Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Future[Result]:
        """Run a function in a process; processes that have died are replaced."""
        try:
            return self._pool.submit(work, *args, **options)
        except BrokenProcessPool:
            self._pool = self._new_pool()
            return self._pool.submit(work, *args, **options)

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._count, mp_context=get_context("spawn"), initializer=_begin,
            initargs=(os.getpid(),),
        )  # fmt: skip

    def close(self) -> None:
        """End the processes after their current task; waiting tasks are cancelled."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def stop(self) -> None:
        """End the processes at once; journals survive that."""
        processes = getattr(self._pool, "_processes", None) or {}
        for process in list(processes.values()):
            process.terminate()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is not None:
            self.stop()
        self.close()


def _begin(parent: int) -> None:
    """Let the parent process alone handle Ctrl-C, which all processes of the group receive.

    An interrupted worker could die while it holds the lock of a queue, and block the others.
    A parent that is killed takes its workers with it.
    """
    end_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@lru_cache(maxsize=1)
def shared_learner(setup: Setup) -> LazyLearner:
    """The learner of this process."""
    return LazyLearner(setup)


def _rank(
    setup: Setup, pool: tuple[Document, ...], annotated: tuple[Document, ...],
    strategy: str, seed: int, members: int, networks: NeuralCommittee | None,
) -> Ranking:  # fmt: skip
    fixed = networks.members(members, seed) if networks and pool else ()
    return rank(
        pool, annotated, shared_learner(setup), strategy, seed=seed, members=members, fixed=fixed
    )
