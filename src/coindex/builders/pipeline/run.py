"""A whole run, from shards to parts to one corpus; an interrupted run can be resumed.

The parts are in a folder beside the output until the corpus is written. A run that is started
again processes only the shards whose parts are missing; a folder of another run (other input,
builder, seed or version) is refused. Shards are numbered by the input alone, and parts are
joined in that order, so the output does not depend on the engine, the number of workers, or on
how often the run was interrupted.

After all shards, the builder's `collect` decides which items are retained; `finished` makes the
final corpus from items that annotators have judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

from coindex import __version__, builders, formats
from coindex.builders import sources
from coindex.builders.pipeline.engines import process_shards
from coindex.builders.pipeline.shard_output import (
    FORMAT,
    BuildAccount,
    StoredItems,
    read_account,
    write_part,
)
from coindex.builders.pipeline.worker import CHECKSUM, BuildJob
from coindex.builders.sources import Shard, file_checksum, list_files
from coindex.errors import InputError, UsageError
from coindex.jobs.parts import claim_folder
from coindex.text.parsing.spacy_pipeline import choose_pipeline
from coindex.types.mention import Pairs
from coindex.types.problem import Problem
from coindex.types.progress import OnProgress, Progress, ignore_progress

KEPT = "kept.jsonl"
"""The file of the items that a builder's `collect` retains, beside the parts."""
JUDGEMENTS = "judgements"
"""The metadata key of an annotated item for the annotators' judgements, separated by spaces."""
SIZE = 16_000_000
"""The approximate size of a shard in bytes."""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What a run has to do.

    settings   everything that the output depends on; stored in `run.json`
    checksums  of the input files, by path
    """

    job: BuildJob
    shards: tuple[Shard, ...]
    settings: Pairs
    checksums: Pairs = ()


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The items of the whole run, and the account of all its input.

    problems   may be on disk; they can be iterated over repeatedly
    """

    problems: Collection[Problem]
    account: BuildAccount
    settings: Pairs


def make_rules(name: str, seed: int, options: Mapping[str, str]) -> Any:
    """A builder's rules, with options that it knows."""
    make = builders.load(name).rules
    known = [each for each in signature(make).parameters if each != "seed"]
    for option in options:
        if option not in known:
            expected = f"an option of {', '.join(known)}" if known else "no option"
            raise UsageError(f"{name}: expected {expected}, found {option!r}")
    return make(seed, **options)


def plan_build(
    job: BuildJob, paths: Iterable[str], *, size: int = SIZE, limit: int | None = None
) -> BuildPlan:
    """Split the input into shards; at most `limit` of them are built."""
    source = sources.load(job.source)
    shards: list[Shard] = []
    inputs: list[tuple[str, str]] = []
    checksums: dict[str, str] = {}
    for path in paths:
        if not Path(path).exists():
            raise InputError(f"{path}: expected a file or a folder, found nothing")
        own = {file: file_checksum(file) for file in list_files(path)}
        checksums |= own
        for shard in source.shards(str(path), size):
            known = ((CHECKSUM, own[shard.path]),) if shard.path in own else ()
            metadata = (*shard.metadata, *known)
            shards.append(replace(shard, number=len(shards), metadata=metadata))
        inputs.append(("input", f"{Path(path).name} {_bytes(Path(path))} {_one_checksum(own)}"))
    if not shards:
        raise UsageError("expected input to build from, found none")
    settings = (
        ("builder", job.builder), ("source", job.source), ("seed", str(job.seed)),
        ("pipeline", _pipeline(job)), ("size", str(size)),
        ("shards", str(len(shards))), ("version", __version__),
        *(("option", f"{name}={value}") for name, value in job.options), *inputs,
    )  # fmt: skip
    return BuildPlan(job, tuple(shards[:limit]), settings, tuple(checksums.items()))


def _bytes(path: Path) -> int:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(file.stat().st_size for file in files)


def _one_checksum(checksums: dict[str, str]) -> str:
    """The checksum of a file, or one for all files of a folder."""
    if len(checksums) == 1:
        return next(iter(checksums.values()))
    return f"sha256:{hashlib.sha256(''.join(checksums.values()).encode()).hexdigest()}"


def _pipeline(job: BuildJob) -> str:
    """The parser's pipeline with the components that are used."""
    needs = builders.load(job.builder).NEEDS
    chosen = choose_pipeline(job.pipeline, needs).signature if needs else "none"
    return chosen.removeprefix("pipeline:")


def check_disjoint_sources(plan: BuildPlan, problems: Iterable[Problem], name: str) -> None:
    """Refuse input that another corpus was built from: training and test need distinct sources."""
    used = {problem.meta_value(CHECKSUM) for problem in problems}
    if used == {None}:
        raise InputError(
            f"{name}: expected items with the metadata {CHECKSUM!r}, which says what they were"
            f" built from, found none; give the corpus as {FORMAT}"
        )
    for path, checksum in plan.checksums:
        if checksum in used:
            raise InputError(f"{path}: expected other input than {name} was built from")


def run_build(
    plan: BuildPlan, *, engine: str = "local", workers: int = 1, address: str | None = None,
    resume: bool = True, on_progress: OnProgress = ignore_progress,
) -> BuildResult:  # fmt: skip
    """Process the shards whose parts are missing, then join all parts."""
    shards_done = process_shards(engine, workers, address)
    claim_folder(Path(plan.job.folder), plan.settings, resume)
    missing = [shard for shard in plan.shards if not plan.job.path(shard).is_file()]
    present, total = len(plan.shards) - len(missing), len(plan.shards)
    on_progress(Progress("shards", present, total))
    for done, _ in enumerate(shards_done(plan.job, missing), present + 1):
        on_progress(Progress("shards", done, total))
    return _joined(plan)


def _joined(plan: BuildPlan) -> BuildResult:
    account = BuildAccount()
    paths = tuple(plan.job.path(shard) for shard in plan.shards)
    for path in paths:
        account.add(read_account(path))
    if plan.job.strict and account.broken:  # parts of a run that was not strict
        raise InputError(account.positions[0])
    whole = ("shards", str(len(plan.shards))) in plan.settings
    limit = () if whole else (("limit", f"{len(plan.shards)} shards"),)
    return BuildResult(StoredItems(paths, account.items), account, (*plan.settings, *limit))


def collect_items(result: BuildResult, name: str, rules: Any, folder: Path) -> BuildResult:
    """The items that a builder retains of all that were built, stored in a file of that folder."""
    builder = builders.load(name)
    if builder.collect is None:
        return result
    account, path, losses = result.account, folder / KEPT, formats.ConversionLosses(FORMAT)
    items = account.items_of(builder.collect(result.problems, rules))
    write_part(path, account, formats.write_lines(items, FORMAT, losses))
    return BuildResult(StoredItems((path,), losses.written), account, result.settings)


def finish_items(problems: Sequence[Problem], name: str, rules: Any) -> BuildResult:
    """The corpus made from items that annotators have judged."""
    builder = builders.load(name)
    if builder.finished is None:
        raise UsageError(f"{name}: expected a builder whose items are annotated, found none")
    if not any(problem.meta_value(JUDGEMENTS) for problem in problems):
        raise UsageError(
            f"expected items with the metadata {JUDGEMENTS!r}, such as 'A A neither', found none"
            f" in {len(problems)} items"
        )
    account = BuildAccount(items=len(problems))
    settings = (("builder", name), ("finished", f"{len(problems)} items"))
    return BuildResult(
        tuple(account.items_of(builder.finished(problems, rules))), account, settings
    )


def split_name(problem: Problem) -> str:
    """The split of the corpus that an item belongs to; empty if it states none."""
    return problem.meta_value("split") or ""
