"""The items of a run, on disk: read anew each time that one goes over them.

A run may give more items than fit into memory. What is done with all of them at the end goes
over the parts again, and holds one item at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from coindex import formats
from coindex.build import part
from coindex.build.work import FORMAT
from coindex.core.problem import Problem
from coindex.core.source import Source
from coindex.corpora import Seen


@dataclass(frozen=True, slots=True)
class Items(Collection[Problem]):
    """The items of some parts, in their order.

    count   how many there are
    """

    paths: tuple[Path, ...]
    count: int

    def __len__(self) -> int:
        return self.count

    def __contains__(self, item: object) -> bool:
        return any(problem == item for problem in self)

    def __iter__(self) -> Iterator[Problem]:
        with closing(Seen()) as ids:
            for path in self.paths:
                for problem in _read(path):
                    yield _renamed(problem, ids)


def _read(path: Path) -> Iterator[Problem]:
    for item in formats.load(FORMAT).read(part.lines(path), Source(str(path))):
        assert isinstance(item, Problem)
        yield item


def _renamed(problem: Problem, ids: Seen) -> Problem:
    """With an id that no item has yet: files may number their pages alike (`7-12`, `7-12~2`)."""
    found, number = problem.id, 1
    while not ids.add(found):
        number += 1
        found = f"{problem.id}~{number}"
    return problem if number == 1 else replace(problem, id=found)
