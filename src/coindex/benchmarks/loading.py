"""Reading a benchmark's splits from the corpora."""

from __future__ import annotations

from collections.abc import Mapping

from coindex import datasets, formats
from coindex.errors import UnknownName, UsageError
from coindex.types.problem import Problem

Files = Mapping[str, tuple[str, str]]
"""For each split its corpus and the name of the file in it, as `coindex.datasets` knows them."""


def read_file(corpus: str, which: str) -> tuple[Problem, ...]:
    """The problems of one file of a corpus."""
    items = formats.read(datasets.path(corpus, which))
    return tuple(item for item in items if isinstance(item, Problem))


def read_split(name: str, files: Files, split: str) -> tuple[Problem, ...]:
    """The problems of a benchmark's split that is one file."""
    check_split(name, files, split)
    return check_answers(name, split, files, read_file(*files[split]))


def check_split(name: str, splits: Mapping[str, object], split: str) -> None:
    """An error if there is no such split."""
    if split not in splits:
        raise UnknownName(f"split of {name}", split, splits)


def check_answers(
    name: str, split: str, splits: Mapping[str, object], problems: tuple[Problem, ...]
) -> tuple[Problem, ...]:
    """The same problems; an error, before anything is run, if they cannot be scored."""
    without = sum(problem.answer is None for problem in problems)
    if without:
        others = ", ".join(each for each in splits if each != split) or "none"
        raise UsageError(
            f"{name} {split}: expected answers to score against, found none for {without}"
            f" of {len(problems)} problems; other splits: {others}"
        )
    return problems
