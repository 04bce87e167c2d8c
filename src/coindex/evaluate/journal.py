"""A journal of decisions, so that an interrupted run resumes where it stopped.

There is one file of JSON lines in the cache folder for each resolver on each set of problems.
Its name is a digest of everything the decisions depend on (the problems, the resolver with its
signature, coindex's version and its sources), so that stale decisions are never used. Lines may
be in any order; a broken line (the process was killed while it wrote) is ignored, and its
decision is made again. Journals of abandoned runs are removed after `MAX_AGE` days.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any

import coindex
from coindex import __version__, io, resolvers
from coindex.errors import InputError, InvalidValue
from coindex.resolvers import Decider
from coindex.text.parsing.cache import cache_folder
from coindex.types.decision import Decision, unanswered
from coindex.types.problem import Problem
from coindex.types.progress import OnProgress, Progress, ignore_progress
from coindex.types.span import Chars

CHUNK = 32
"""How many decisions are written at once."""

MAX_AGE = 30
"""After how many days without a new decision a journal is removed."""


@cache
def sources_digest() -> str:
    """A digest of all sources and data files of coindex: any of them may change a decision."""
    return folder_digest(Path(coindex.__file__).parent)


def folder_digest(root: Path) -> str:
    """A digest of the names and contents of all source and data files below a folder."""
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*")):
        if file.suffix in (".py", ".txt", ".json", ".toml"):
            digest.update(f"{file.relative_to(root).as_posix()}\0".encode())
            digest.update(io.read_bytes(file))
    return digest.hexdigest()


def file_digest(path: str | None) -> str:
    """A digest of a file, such as the module of a resolver; empty if there is none."""
    if path is None or not os.path.isfile(path):
        return ""
    return hashlib.sha256(io.read_bytes(path)).hexdigest()


def problems_digest(problems: Iterable[Problem]) -> str:
    """A digest of problems and their order."""
    digest = hashlib.sha256()
    for problem in problems:
        digest.update(repr(problem).encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def prune(days: float = MAX_AGE) -> int:
    """Remove the journals that have not been written to for so many days; return their number."""
    oldest, removed = time.time() - days * 24 * 3600, 0
    for path in (cache_folder() / "bench").glob("*.jsonl"):
        with suppress(OSError):  # another run may remove it too
            if path.stat().st_mtime < oldest:
                path.unlink()
                removed += 1
    return removed


class Journal:
    """The decisions of one resolver on one set of problems, so far."""

    def __init__(self, settings: Mapping[str, str], problems: Sequence[Problem]) -> None:
        key_parts = {**settings, "version": __version__, "sources": sources_digest()}
        key_parts["problems"] = problems_digest(problems)
        key = hashlib.sha256(json.dumps(key_parts, sort_keys=True).encode()).hexdigest()
        self.path = cache_folder() / "bench" / f"{key[:32]}.jsonl"
        self._sizes = {problem.id: len(problem.candidates) for problem in problems}

    def read(self) -> dict[str, Decision]:
        """The decisions made so far, by the ids of their problems."""
        if not self.path.is_file():
            return {}
        result = {}
        with io.open_lines(self.path) as lines:
            for line in lines:
                decision = _decision(line)
                if decision and self._fits(decision):
                    result[decision.id] = decision
        return result

    def _fits(self, decision: Decision) -> bool:
        last = max((*decision.chosen, *decision.undecided), default=-1)
        return last < self._sizes.get(decision.id, -1)

    def record(self, decisions: Iterable[Decision]) -> Generator[Decision, None, None]:
        """Pass decisions through and write them, also the last ones before an interruption."""
        waiting: list[str] = []
        try:
            for decision in decisions:
                waiting.append(_line(decision))
                if len(waiting) >= CHUNK:
                    self._append(waiting)
                    waiting = []
                yield decision
        finally:
            self._append(waiting)

    def remove(self) -> None:
        """Delete the journal of a run that is complete."""
        with suppress(OSError):
            self.path.unlink()

    def _append(self, lines: Sequence[str]) -> None:
        if not lines:
            return
        io.make_folder(self.path.parent)
        try:
            io.append_lines(self.path, lines)
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be written: {error.strerror};"
                " name another folder with COINDEX_CACHE"
            ) from error


def decide(
    settings: Mapping[str, str],
    decider: Decider,
    problems: Sequence[Problem],
    task: str,
    on_progress: OnProgress = ignore_progress,
) -> tuple[Journal, dict[str, Decision]]:
    """All decisions by id, and their journal: those of an interrupted run are not made again.

    The resolver does not see the answers.

    settings  what the decisions depend on besides problems and decider; `resolver` is its name
    """
    source = file_digest(resolvers.plugin(settings["resolver"]).__file__)
    journal = Journal({**settings, "signature": decider.signature, "source": source}, problems)
    decisions = journal.read()
    rest = [unanswered(problem) for problem in problems if problem.id not in decisions]
    on_progress(Progress(task, len(decisions), len(problems)))
    with closing(journal.record(decider.decide(rest) if rest else ())) as made:
        for decision in made:
            decisions[decision.id] = decision
            on_progress(Progress(task, len(decisions), len(problems)))
    return journal, decisions


def _line(decision: Decision) -> str:
    result: dict[str, Any] = {"id": decision.id, "chosen": decision.chosen}
    if decision.undecided:
        result["unsaid"] = decision.undecided
    if decision.scores is not None:
        result["scores"] = decision.scores
    if decision.picked is not None:
        result["picked"] = [decision.picked.start, decision.picked.end]
    return json.dumps(result) + "\n"  # ASCII, so that a line cut short is still text


def _decision(line: str) -> Decision | None:
    try:
        result = json.loads(line)
        scores, picked = result.get("scores"), result.get("picked")
        return Decision(
            result["id"],
            tuple(result["chosen"]),
            None if scores is None else tuple(scores),
            tuple(result.get("unsaid", ())),
            None if picked is None else Chars(*picked),
        )
    except (ValueError, KeyError, TypeError, AttributeError, InvalidValue):
        return None
