"""One shard from raw text to items: what a worker does.

Pages are scanned by patterns; only the passages that may still pass are parsed, in
batches sorted by length, and the answers put back into the order of the text. Nothing
depends on other shards, nor on who does the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from coindex import formats, plugins
from coindex.build.part import Account, write
from coindex.core.mention import Pairs
from coindex.core.problem import Problem
from coindex.corpora import Dropped, Parsed, Passage
from coindex.errors import InputError
from coindex.parsing.parse import Parse, join
from coindex.parsing.parser import parser
from coindex.sources import Bad, Page, Shard, checksum

BATCH = 512
"""How many passages are parsed together."""
FORMAT = "problem-jsonl"
CHECKSUM = "checksum"
"""The fact of a shard, and of its items, that says what its file was."""
NOTHING = Parse((), (), (), (), (), (), ())


@dataclass(frozen=True, slots=True)
class Job:
    """What is built of what; the same for all shards of a run.

    options  for the builder's rules, by name
    """

    builder: str
    source: str
    folder: str
    seed: int = 1
    pipeline: str | None = None
    strict: bool = False
    options: Pairs = ()

    def path(self, shard: Shard) -> Path:
        """Where the part of a shard is written."""
        return Path(self.folder) / f"part-{shard.number:06}.jsonl"


def work(job: Job, shard: Shard) -> int:
    """Write the part of one shard; returns how many items it has."""
    builder = plugins.load("corpora", job.builder)
    account = Account()
    write(job.path(shard), account, formats.lines(_items(job, shard, builder, account), FORMAT))
    return account.items


def _items(job: Job, shard: Shard, builder: Any, account: Account) -> Iterator[Problem]:
    rules = builder.rules(job.seed, **dict(job.options))
    passages = _passages(job, shard, builder, rules, account)
    told = dict(shard.facts).get(CHECKSUM)
    for parsed in parsed_passages(passages, builder.NEEDS, job.pipeline):
        found = list(account.kept(builder.build(parsed, rules)))
        account.giving += bool(found)
        account.items += len(found)
        for problem in found:
            of = told or _checksum(problem.fact("source") or "")
            yield replace(problem, meta=(*problem.meta, (CHECKSUM, of))) if of else problem


@lru_cache(maxsize=64)
def _checksum(path: str) -> str:
    """The checksum of one of a shard's many small files."""
    return checksum(path) if Path(path).is_file() else ""


def parsed_passages(
    passages: Iterable[Passage], needs: frozenset[str], pipeline: str | None = None
) -> Iterator[Parsed]:
    """Each passage with what a builder needs of its parse; with nothing if it needs nothing.

    The pieces of a batch are parsed in order of their length, each one once.
    """
    if not needs:
        yield from (Parsed(passage, NOTHING) for passage in passages)
        return
    tagger, rest = parser(pipeline, cache=False, needs=needs), iter(passages)
    while batch := list(islice(rest, BATCH)):
        every = {piece for passage in batch for piece in passage.pieces}
        order = sorted(every, key=lambda piece: (len(piece), piece))
        found = dict(zip(order, tagger.batch(order), strict=True))
        for passage in batch:
            parses = [found[piece] for piece in passage.pieces]
            yield Parsed(passage, join(parses, (0, *passage.cuts)))


def _passages(
    job: Job, shard: Shard, builder: Any, rules: Any, account: Account
) -> Iterator[Passage]:
    for page in _pages(job, shard, account):
        for found in builder.scan(page, rules):
            account.scanned += 1
            if isinstance(found, Dropped):
                account.drop(found)
            else:
                account.passages += 1
                yield found


def _pages(job: Job, shard: Shard, account: Account) -> Iterator[Page]:
    for found in plugins.load("sources", job.source).read(shard):
        if isinstance(found, Bad):
            if job.strict and not found.skipped:
                raise InputError(f"{found.source}: {found.place}: {found.reason}")
            account.bad(found)
        else:
            account.pages += 1
            account.characters += len(found.text)
            yield found
