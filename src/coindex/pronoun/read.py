"""The problems that a recipe names, with what they are: counts and checksums."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from coindex import benchmarks, data, formats
from coindex.core.document import Document
from coindex.core.problem import Problem
from coindex.core.switch import Refused, switch
from coindex.errors import InputError, UnknownName
from coindex.pronoun import documents


@dataclass(frozen=True, slots=True)
class Read:
    """Problems with answers, and how many items were left out, by reason."""

    problems: tuple[Problem, ...]
    dropped: tuple[tuple[str, int], ...] = ()

    @property
    def checksum(self) -> str:
        """The sha256 of everything that is learnt from."""
        total = hashlib.sha256()
        for each in self.problems:
            total.update(
                repr((each.text, each.target, each.candidates, each.answer)).encode(
                    "utf-8", "surrogatepass"
                )
            )
        return total.hexdigest()


def problems_of(name: str) -> tuple[Problem, ...]:
    """The problems of a path, of a benchmark's split, or of a corpus's file.

    Documents with entities are made into problems: see `coindex.pronoun.documents`.
    """
    if Path(name).expanduser().is_file():
        return tuple(_problems(formats.read(Path(name).expanduser())))
    first, _, split = name.partition(":")
    if first in benchmarks.names():
        bench = benchmarks.load(first)
        return bench.problems(split or bench.DEFAULT)
    if first not in data.names():
        known = (*benchmarks.names(), *data.names())
        if Path(name).name != name or "." in name:
            raise InputError(f"{name}: expected a file, a benchmark or a corpus, found neither")
        raise UnknownName("file, benchmark or corpus", first, known)
    found: list[Problem] = []
    for path in sorted(data.paths(first, split or None)):
        found += _problems(formats.read(path))
    return tuple(found)


def to_learn(files: Iterable[str], *, most: int = 0, seed: int = 1, neither: bool = False) -> Read:
    """The problems of some files that can be learnt from.

    neither  whether a problem that none of its candidates answers teaches something; the
             WikiCREM paper discards those of GAP
    """
    found = [problem for name in files for problem in problems_of(name)]
    if most and len(found) > most:
        kept = sorted(random.Random(seed).sample(range(len(found)), most))
        found = [found[at] for at in kept]
    reasons: dict[str, int] = {}
    problems = []
    known: set[Problem] = set()
    for problem in found:
        reason = "in another file too" if problem in known else _useless(problem, neither)
        known.add(problem)
        if reason:
            reasons[reason] = reasons.get(reason, 0) + 1
        else:
            problems.append(problem)
    return Read(tuple(problems), tuple(sorted(reasons.items())))


def with_switched(found: Read) -> Read:
    """The problems and their switched copies; what cannot be switched is counted."""
    copies = [switch(problem) for problem in found.problems]
    safe = [copy for copy in copies if not isinstance(copy, Refused)]
    refused = len(copies) - len(safe)
    dropped = (*found.dropped, ("not switched", refused)) if refused else found.dropped
    return Read((*found.problems, *safe), dropped)


def _useless(problem: Problem, neither: bool) -> str:
    if problem.answer is None:
        return "without an answer"
    if not problem.answer:
        return "" if neither else "none of the candidates is right"
    if len(problem.answer) == len(problem.candidates):
        return "all candidates are right"
    return ""


def _problems(items: Iterable[Problem | Document]) -> Iterator[Problem]:
    """Problems as they are; documents give one for each of their pronouns that is hard."""
    for item in items:
        if isinstance(item, Problem):
            yield item
        else:
            yield from documents.problems([item])
