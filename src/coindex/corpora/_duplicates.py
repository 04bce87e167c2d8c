"""The same item twice: pages copy from each other, and tables of results from templates."""

from __future__ import annotations

from collections.abc import Iterable

from coindex.core.problem import Problem
from coindex.corpora._items import Dropped


def once(problems: Iterable[Problem]) -> tuple[list[Problem], list[Dropped]]:
    """Each item once, the first one; and the others, with the same text, pronoun and names."""
    found: dict[tuple[str, ...], Problem] = {}
    again: list[Dropped] = []
    for problem in problems:
        names = (candidate.text for candidate in problem.candidates)
        key = (problem.text, str(problem.target.start), *names)
        if found.setdefault(key, problem) is not problem:
            again.append(Dropped(problem.id, "collect", "the same item again", problem.text))
    return list(found.values()), again
