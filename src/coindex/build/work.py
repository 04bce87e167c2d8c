"""One shard from raw text to items: what a worker does.

Pages are scanned by patterns; only the passages that may still pass are parsed, in
batches sorted by length, and the answers put back into the order of the text. Nothing
depends on other shards, nor on who does the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from coindex import formats, plugins
from coindex.build.part import Account, write
from coindex.core.problem import Problem
from coindex.corpora import Dropped, Parsed, Passage
from coindex.errors import InputError
from coindex.parsing.parser import parser
from coindex.sources import Bad, Page, Shard

BATCH = 512
"""How many passages are parsed together."""
FORMAT = "problem-jsonl"


@dataclass(frozen=True, slots=True)
class Job:
    """What is built of what; the same for all shards of a run."""

    builder: str
    source: str
    folder: str
    seed: int = 1
    pipeline: str | None = None
    strict: bool = False

    def path(self, shard: Shard) -> Path:
        """Where the part of a shard is written."""
        return Path(self.folder) / f"part-{shard.number:06}.jsonl"


def work(job: Job, shard: Shard) -> int:
    """Write the part of one shard; returns how many items it has."""
    builder = plugins.load("corpora", job.builder)
    account = Account()
    problems = list(_items(job, shard, builder, account))
    account.items = len(problems)
    lines = list(formats.lines(problems, FORMAT)) if problems else []
    write(job.path(shard), account, lines)
    return account.items


def _items(job: Job, shard: Shard, builder: Any, account: Account) -> Iterator[Problem]:
    rules = builder.rules(job.seed)
    passages = _passages(job, shard, builder, rules, account)
    tagger = parser(job.pipeline, cache=False)
    while batch := list(islice(passages, BATCH)):
        order = sorted(range(len(batch)), key=lambda index: len(batch[index].text))
        parses = tagger.batch([batch[index].text for index in order])
        found = dict(zip(order, parses, strict=True))
        for index, passage in enumerate(batch):
            yield from _kept(builder.build(Parsed(passage, found[index]), rules), account)


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


def _kept(found: Iterable[Problem | Dropped], account: Account) -> Iterator[Problem]:
    for item in found:
        if isinstance(item, Dropped):
            account.drop(item)
        else:
            yield item
