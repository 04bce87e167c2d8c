"""A whole run over a collection: texts in, outcomes out, in their order.

With a folder of parts, each chunk is stored as soon as it is resolved, and what is stored is not
resolved again when the run is resumed; the outcomes are read from the parts when all are there.
Without one, outcomes come as they are done. Either way they are the same for every engine and
every number of workers, since the result for a text depends on that text alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from coindex.batch.chunks import Chunk, PartStore, chunks
from coindex.batch.items import Item, Outcome, Skipped
from coindex.batch.resolving import ResolveJob, resolve_chunk, resolve_items
from coindex.batch.summary import RunProgress
from coindex.jobs.engine_choice import Engine
from coindex.jobs.engines import RETRIES, run_tasks
from coindex.resolvers.resolver import Resolver

Done = tuple[Chunk, list[Outcome]]


@dataclass(frozen=True, slots=True)
class BatchRun:
    """What is resolved, and by whom.

    resolver   of this process, if it does the work itself
    """

    job: ResolveJob
    engine: Engine
    progress: RunProgress
    resolver: Resolver | None = None

    def outcomes(self, items: Iterable[Item]) -> Iterator[Outcome]:
        """One outcome for each item, as soon as it is done."""
        if self.engine.in_process:
            resolver = self.resolver or self.job.resolver.load()
            for outcome in resolve_items(
                self.job, resolver, items, self.progress.on_words, stored=False
            ):
                self.progress.add(outcome)
                yield outcome
            return
        for _, done in self._by_workers(chunks(items), ordered=True):
            yield from done

    def stored_outcomes(self, items: Iterable[Item], store: PartStore) -> Iterator[Outcome]:
        """The same through parts on disk; nothing is returned before all are there."""
        count = 0

        def missing() -> Iterator[Chunk]:
            nonlocal count
            for chunk in chunks(items):
                count += 1
                if store.has(chunk):
                    self.progress.add_stored(store.outcomes(chunk.number), chunk.items)
                else:
                    yield chunk

        done = (
            self._in_process(missing())
            if self.engine.in_process
            else self._by_workers(missing(), ordered=False)
        )
        for chunk, outcomes in done:
            store.write(chunk, outcomes)
        for number in range(count):
            yield from store.outcomes(number)

    def _in_process(self, missing: Iterator[Chunk]) -> Iterator[Done]:
        """Chunks resolved in one stream, so that the last text of one keeps no thread waiting."""
        open_chunks: deque[Chunk] = deque()

        def items() -> Iterator[Item]:
            for chunk in missing:
                open_chunks.append(chunk)
                yield from chunk.items

        collected: list[Outcome] = []
        resolver = self.resolver or self.job.resolver.load()
        for outcome in resolve_items(self.job, resolver, items(), self.progress.on_words):
            collected.append(self.progress.add(outcome))
            if len(collected) == len(open_chunks[0].items):
                yield open_chunks.popleft(), collected
                collected = []

    def _by_workers(self, tasks: Iterable[Chunk], ordered: bool) -> Iterator[Done]:
        on_death = self._one_by_one if self.job.skip else None
        function = partial(_process, self.job)
        for chunk, outcomes in run_tasks(
            function, tasks, self.engine, ordered=ordered, on_death=on_death
        ):
            yield chunk, [self.progress.add(outcome) for outcome in outcomes]

    def _one_by_one(self, chunk: Chunk) -> list[Outcome]:
        """The outcomes of a chunk that no worker survives: each text in a task of its own."""
        single = (Chunk(chunk.number, (item,)) for item in chunk.items)
        own = Engine("local", 2)  # never this process
        function = partial(_process, self.job)
        done = run_tasks(function, single, own, ordered=True, window=1, on_death=_fatal)
        return [outcome for _, outcomes in done for outcome in outcomes]


def _process(job: ResolveJob, chunk: Chunk) -> list[Outcome]:
    return resolve_chunk(job, chunk.items)


def _fatal(chunk: Chunk) -> list[Outcome]:
    (item,) = chunk.items
    reason = f"the worker process ended while it resolved this text, {RETRIES + 1} times"
    return [Skipped(item.source, reason, item.position)]
