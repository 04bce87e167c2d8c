"""`Progress`: how far a long task is, and the one shape of `on_progress` callbacks.

A function that may take long accepts `on_progress: OnProgress = ignore_progress` and calls it
with a `Progress` after each step. It prints nothing itself; messages go to `logging` under
`coindex.*`, which is silent unless the caller configures it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a long task.

    task   what is being done, such as `gap, test: parallelism`
    done   how many units are done
    total  how many there are in all, or None if that is not known
    unit   what is counted: `items`, `bytes` of an input file, or `input`: bytes of all of it
    note   what is shown in place of the counts, such as `12 texts, 3,400 words`
    """

    task: str
    done: int
    total: int | None = None
    unit: str = "items"
    note: str = ""


OnProgress = Callable[[Progress], None]


def ignore_progress(progress: Progress) -> None:
    """The default callback, which does nothing."""
