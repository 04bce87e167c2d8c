"""Which engine processes the tasks of a run, and with how many workers."""

from __future__ import annotations

from dataclasses import dataclass

from coindex.errors import UnknownName

ENGINES = ("local", "ray")


@dataclass(frozen=True, slots=True)
class Engine:
    """Where tasks are processed.

    name      `local` or `ray`
    workers   the number of processes; a single local worker is this process itself
    address   of a running Ray cluster; without it one is started on this machine
    """

    name: str = "local"
    workers: int = 1
    address: str | None = None

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            raise UnknownName("engine", self.name, ENGINES)

    @property
    def in_process(self) -> bool:
        """Whether this process does the work itself."""
        return self.name == "local" and self.workers == 1
