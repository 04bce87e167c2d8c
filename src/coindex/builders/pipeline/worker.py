"""The work of one process: a shard, from raw text to items.

Pages are scanned by patterns. Only the passages that can still become items are parsed, in
batches sorted by length; the results are put back into the order of the text. Nothing depends on
other shards, nor on which worker processes the shard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from coindex import builders, formats
from coindex.builders import sources
from coindex.builders.pipeline.shard_output import FORMAT, BuildAccount, write_part
from coindex.builders.protocol import Builder, Dropped, ParsedPassage, Passage
from coindex.builders.sources import Page, RejectedInput, Shard, file_checksum
from coindex.errors import InputError
from coindex.jobs.parts import part_path
from coindex.text.parsing.parse import Parse, join_parses
from coindex.text.parsing.parser import make_parser
from coindex.types.mention import Pairs
from coindex.types.problem import Problem

BATCH = 512
"""How many passages are parsed together."""
CHECKSUM = "checksum"
"""The metadata key, of a shard and of its items, for the checksum of the input file."""
_NO_PARSE = Parse((), (), (), (), (), (), ())


@dataclass(frozen=True, slots=True)
class BuildJob:
    """What to build from which source; the same for all shards of a run.

    options  arguments of the builder's `rules`, by name
    """

    builder: str
    source: str
    folder: str
    seed: int = 1
    pipeline: str | None = None
    strict: bool = False
    options: Pairs = ()

    def path(self, shard: Shard) -> Path:
        """The file that the part of a shard is written to."""
        return part_path(self.folder, shard.number)


def process_shard(job: BuildJob, shard: Shard) -> int:
    """Write the part of one shard; returns the number of its items."""
    account = BuildAccount()
    items = _items(job, shard, builders.load(job.builder), account)
    write_part(job.path(shard), account, formats.write_lines(items, FORMAT))
    return account.items


def _items(
    job: BuildJob, shard: Shard, builder: Builder, account: BuildAccount
) -> Iterator[Problem]:
    rules = builder.rules(job.seed, **dict(job.options))
    passages = _passages(job, shard, builder, rules, account)
    of_shard = dict(shard.metadata).get(CHECKSUM)
    for parsed in parsed_passages(passages, builder.NEEDS, job.pipeline):
        items = list(account.items_of(builder.build(parsed, rules)))
        account.giving += bool(items)
        account.items += len(items)
        for problem in items:
            checksum = of_shard or _file_checksum(problem.meta_value("source") or "")
            if checksum:
                problem = replace(problem, meta=(*problem.meta, (CHECKSUM, checksum)))
            yield problem


@lru_cache(maxsize=64)
def _file_checksum(path: str) -> str:
    """The checksum of one of a shard's many small files."""
    return file_checksum(path) if Path(path).is_file() else ""


def parsed_passages(
    passages: Iterable[Passage], needs: frozenset[str], pipeline: str | None = None
) -> Iterator[ParsedPassage]:
    """Each passage with the annotation that a builder needs; with an empty parse if none.

    The segments of a batch are parsed in order of their length, each distinct one once.
    """
    if not needs:
        yield from (ParsedPassage(passage, _NO_PARSE) for passage in passages)
        return
    parser, rest = make_parser(pipeline, cache=False, needs=needs), iter(passages)
    while batch := list(islice(rest, BATCH)):
        segments = {segment for passage in batch for segment in passage.segments}
        order = sorted(segments, key=lambda segment: (len(segment), segment))
        parses = dict(zip(order, parser.batch(order), strict=True))
        for passage in batch:
            own = [parses[segment] for segment in passage.segments]
            yield ParsedPassage(passage, join_parses(own, (0, *passage.boundaries)))


def _passages(
    job: BuildJob, shard: Shard, builder: Builder, rules: Any, account: BuildAccount
) -> Iterator[Passage]:
    for page in _pages(job, shard, account):
        for scanned in builder.scan(page, rules):
            account.scanned += 1
            if isinstance(scanned, Dropped):
                account.drop(scanned)
            else:
                account.passages += 1
                yield scanned


def _pages(job: BuildJob, shard: Shard, account: BuildAccount) -> Iterator[Page]:
    for item in sources.load(job.source).read(shard):
        if isinstance(item, RejectedInput):
            if job.strict and not item.skipped:
                raise InputError(f"{item.source}: {item.position}: {item.reason}")
            account.reject(item)
        else:
            account.pages += 1
            account.characters += len(item.text)
            yield item
