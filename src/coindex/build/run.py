"""A whole run: shards to parts to one corpus, resumed wherever it was stopped.

The parts lie in a folder beside the output until the corpus is written. A run that is
started again does only the shards whose parts are missing; a folder of another run
(other input, builder, seed or version) is refused. Shards are numbered by the input
alone, and parts are joined in that order, so the bytes do not depend on the engine,
the number of workers, or on how often the run was stopped.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from coindex import __version__, formats, io, plugins
from coindex.build import engines, part
from coindex.build.items import Items
from coindex.build.part import Account
from coindex.build.work import CHECKSUM, FORMAT, Job
from coindex.core.problem import Problem
from coindex.errors import InputError, UnknownName, UsageError
from coindex.parsing.pipeline import choose
from coindex.sources import Shard, checksum, files

PARTS = "part-*.jsonl"
SIZE = 16_000_000
"""About how many bytes of a file make a shard."""

Watch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is to do; everything that its output depends on is in `facts`."""

    job: Job
    shards: tuple[Shard, ...]
    facts: tuple[tuple[str, str], ...]
    checksums: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """What came out: the items of the whole run, and the account of all that went in.

    problems   may be on disk, to be gone over as often as one likes
    """

    problems: Collection[Problem]
    account: Account
    facts: tuple[tuple[str, str], ...]


def plan(job: Job, paths: Iterable[str], *, size: int = SIZE, limit: int | None = None) -> Plan:
    """Cut the input into shards; at most `limit` of them."""
    source = plugins.load("sources", job.source)
    shards: list[Shard] = []
    sums: list[tuple[str, str]] = []
    checksums: dict[str, str] = {}
    for path in paths:
        if not Path(path).exists():
            raise InputError(f"{path}: expected a file or a folder, found nothing")
        cut = source.shards(str(path), size)
        known = {file: checksum(file) for file in files(path)}
        checksums |= known
        for shard in cut:
            told = ((CHECKSUM, known[shard.path]),) if shard.path in known else ()
            shards.append(replace(shard, number=len(shards), facts=(*shard.facts, *told)))
        sums.append((Path(path).name, f"{_bytes(Path(path))} {_together(known)}"))
    if not shards:
        raise UsageError("expected input to build from, found none")
    facts = (
        ("builder", job.builder), ("source", job.source), ("seed", str(job.seed)),
        ("pipeline", _pipeline(job)), ("size", str(size)),
        ("shards", str(len(shards))), ("version", __version__),
        *(("option", f"{name}={value}") for name, value in job.options),
        *(("input", f"{name} {count}") for name, count in sums),
    )  # fmt: skip
    return Plan(job, tuple(shards[:limit]), facts, tuple(checksums.items()))


def run(
    plan: Plan, *, engine: str = "local", workers: int = 1, address: str | None = None,
    resume: bool = True, watch: Watch | None = None,
) -> Built:  # fmt: skip
    """Do what is missing, then join all parts."""
    if engine not in engines.ENGINES:
        raise UnknownName("engine", engine, engines.ENGINES)
    folder = Path(plan.job.folder)
    _claim(folder, plan, resume)
    missing = [shard for shard in plan.shards if not plan.job.path(shard).is_file()]
    done = len(plan.shards) - len(missing)
    if watch:
        watch(done, len(plan.shards))
    for _ in _answers(plan.job, missing, engine, workers, address):
        done += 1
        if watch:
            watch(done, len(plan.shards))
    return _joined(plan)


def keep_apart(plan: Plan, problems: Iterable[Problem], name: str) -> None:
    """Refuse input that another corpus was built from: test and training are of distinct sources."""
    used = {problem.fact(CHECKSUM) for problem in problems}
    if used == {None}:
        raise InputError(
            f"{name}: expected items with a fact {CHECKSUM!r}, which says what they were built from,"
            f" found none; give the corpus as {FORMAT}"
        )
    for path, known in plan.checksums:
        if known in used:
            raise InputError(f"{path}: expected other input than {name} was built from")


def finish(plan: Plan) -> None:
    """The corpus is written: its parts are no longer needed."""
    _remove(Path(plan.job.folder))


def _remove(folder: Path) -> None:
    """Remove the parts, and last of all what says whose they are: a run that is killed
    in between must know them again."""
    for file in folder.glob(PARTS):
        file.unlink()
    shutil.rmtree(folder)


def _answers(
    job: Job, shards: list[Shard], engine: str, workers: int, address: str | None
) -> Iterator[engines.Done]:
    if engine == "ray":
        return engines.ray(job, shards, workers, address)
    return engines.local(job, shards, workers)


def _claim(folder: Path, plan: Plan, resume: bool) -> None:
    """Make the folder of parts, or go on in it if it is of the same run."""
    told = json.dumps([list(fact) for fact in plan.facts], indent=1)
    file = folder / "run.json"
    if file.is_file() or any(folder.glob(PARTS)):  # else killed before it began, or after its end
        before = io.read_text(file) if file.is_file() else ""
        if not resume and before == told + "\n":
            _remove(folder)
        elif before != told + "\n":
            raise InputError(
                f"{folder}: expected the parts of this run, found those of another;"
                " remove the folder, or write to another place"
            )
    folder.mkdir(parents=True, exist_ok=True)
    io.write_text(file, [told + "\n"])


def _joined(plan: Plan) -> Built:
    account = Account()
    paths = tuple(plan.job.path(shard) for shard in plan.shards)
    for path in paths:
        account.add(part.account(path))
    if plan.job.strict and account.broken:  # parts of a run that was not strict
        raise InputError(account.places[0])
    limit = (("limit", f"{len(plan.shards)} shards"),)
    whole = ("shards", str(len(plan.shards))) in plan.facts
    facts = plan.facts if whole else (*plan.facts, *limit)
    return Built(Items(paths, account.items), account, facts)


def digest(problems: Iterable[Problem]) -> str:
    """A checksum of items, to compare runs."""
    total = hashlib.sha256()
    for line in formats.lines(problems, FORMAT):
        total.update(line.encode("utf-8", "surrogatepass"))
    return total.hexdigest()


def _together(known: dict[str, str]) -> str:
    """The checksum of a file, or one of those of a folder's files."""
    if len(known) == 1:
        return next(iter(known.values()))
    return f"sha256:{hashlib.sha256(''.join(known.values()).encode()).hexdigest()}"


def _pipeline(job: Job) -> str:
    """Which pipeline parses, and what of it is on."""
    needs = plugins.load("corpora", job.builder).NEEDS
    told = choose(job.pipeline, needs).signature if needs else "none"
    return told.removeprefix("pipeline:")


def _bytes(path: Path) -> int:
    files: list[Any] = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return sum(file.stat().st_size for file in files)
