"""Decisions kept while a run is under way, so that one that was interrupted goes on.

One file of JSON lines in the cache folder for each resolver on each set of
problems. Its name is a digest of all that the decisions depend on (the problems
themselves, the resolver with its signature, coindex's version and its sources), so
that nothing stale is ever used. Lines may stand in any order, a line that is broken
(a process was killed while it wrote) is passed over, and its decision is made again.
Those of runs that nobody went on with are removed after `KEPT` days.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any

from coindex import __version__, io
from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.core.span import Chars
from coindex.errors import InputError, InvalidValue
from coindex.parsing.cache import folder as cache_folder

PORTION = 32
"""How many decisions are written at once."""

KEPT = 30
"""How many days the decisions of a run that was given up are kept."""

_SOURCES = ("core", "parsing", "resolvers", "neural", "pronoun", "bench", "matching", "words")


@cache
def sources_digest() -> str:
    """A digest of the files of coindex that decisions come from."""
    found = hashlib.sha256()
    for name in _SOURCES:
        for file in sorted(files("coindex").joinpath(name).iterdir(), key=lambda each: each.name):
            if file.name.endswith((".py", ".txt")):
                found.update(f"{name}/{file.name}\0".encode())
                found.update(file.read_bytes())
    return found.hexdigest()


def file_digest(path: str | None) -> str:
    """A digest of a file, such as that of a resolver of another package; empty without one."""
    if path is None or not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def problems_digest(problems: Iterable[Problem]) -> str:
    """A digest of problems and their order."""
    found = hashlib.sha256()
    for problem in problems:
        found.update(repr(problem).encode("utf-8", "surrogatepass") + b"\0")
    return found.hexdigest()


def prune(days: float = KEPT) -> int:
    """Remove the journals that nothing was written to for so many days; how many there were."""
    oldest, removed = time.time() - days * 24 * 3600, 0
    for path in (cache_folder() / "bench").glob("*.jsonl"):
        with suppress(OSError):  # another run may remove it too
            if path.stat().st_mtime < oldest:
                path.unlink()
                removed += 1
    return removed


class Journal:
    """The decisions of one resolver on one set of problems, so far."""

    def __init__(self, facts: Mapping[str, str], problems: Sequence[Problem]) -> None:
        told = {**facts, "version": __version__, "sources": sources_digest()}
        told["problems"] = problems_digest(problems)
        key = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
        self.path = cache_folder() / "bench" / f"{key[:32]}.jsonl"
        self._sizes = {problem.id: len(problem.candidates) for problem in problems}

    def known(self) -> dict[str, Decision]:
        """The decisions made so far, by the ids of their problems."""
        if not self.path.is_file():
            return {}
        found = {}
        with io.open_lines(self.path) as lines:
            for line in lines:
                decision = _decision(line)
                if decision and self._fits(decision):
                    found[decision.id] = decision
        return found

    def _fits(self, decision: Decision) -> bool:
        last = max((*decision.chosen, *decision.unsaid), default=-1)
        return last < self._sizes.get(decision.id, -1)

    def keep(self, decisions: Iterable[Decision]) -> Generator[Decision, None, None]:
        """The same decisions, written as they pass; also those before an interruption."""
        waiting: list[str] = []
        try:
            for decision in decisions:
                waiting.append(_line(decision))
                if len(waiting) >= PORTION:
                    self._append(waiting)
                    waiting = []
                yield decision
        finally:
            self._append(waiting)

    def remove(self) -> None:
        """The run is over: nothing is left to be continued."""
        with suppress(OSError):
            self.path.unlink()

    def _append(self, lines: Sequence[str]) -> None:
        if not lines:
            return
        io.make_folder(self.path.parent)
        try:
            # `io` replaces files whole; this one grows, and must survive a process that dies
            with open(self.path, "a+b") as file:
                if file.tell():
                    file.seek(-1, 2)
                    if file.read(1) != b"\n":  # a line that was never finished
                        file.write(b"\n")
                file.write("".join(lines).encode())
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be written: {error.strerror};"
                " name another folder with COINDEX_CACHE"
            ) from error


def _line(decision: Decision) -> str:
    found: dict[str, Any] = {"id": decision.id, "chosen": decision.chosen}
    if decision.unsaid:
        found["unsaid"] = decision.unsaid
    if decision.scores is not None:
        found["scores"] = decision.scores
    if decision.picked is not None:
        found["picked"] = [decision.picked.start, decision.picked.end]
    return json.dumps(found) + "\n"  # ASCII, so that a line cut short is still text


def _decision(line: str) -> Decision | None:
    try:
        found = json.loads(line)
        scores, picked = found.get("scores"), found.get("picked")
        return Decision(
            found["id"],
            tuple(found["chosen"]),
            None if scores is None else tuple(scores),
            tuple(found.get("unsaid", ())),
            None if picked is None else Chars(*picked),
        )
    except (ValueError, KeyError, TypeError, AttributeError, InvalidValue):
        return None
