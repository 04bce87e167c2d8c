"""What a problem holds that a format may not be able to hold.

Fields that can be left out are (`group`, `source`, facts in `meta`), and
counted. What makes a problem impossible to write (three candidates in a format
for two, say) is for the format's own `refuse(problem)`, which gives the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from coindex.core.features import split_named
from coindex.core.problem import Problem

FIELDS = ("group", "source")
ALL = frozenset({*FIELDS, "meta"})
"""The features of a lossless format."""


def reduce(problem: Problem, holds: Collection[str]) -> tuple[Problem, Counter[str]]:
    """The problem without what is not in `holds`, and how much of each that was."""
    lost: Counter[str] = Counter()
    for name in FIELDS:
        if name not in holds and getattr(problem, name) is not None:
            lost[name] = 1
            problem = replace(problem, **{name: None})  # type: ignore[arg-type]
    kept, names = split_named("meta", problem.meta, holds)
    if names:
        lost.update(names)
        problem = replace(problem, meta=kept)
    return problem, lost
