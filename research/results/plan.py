"""The plan of a page of results, read from TOML files.

    [[system]]                    # a system of ours, by the name in its runs
    name = "parallelism"
    title = "Parallelism"

    [[table]]
    section = "GAP"
    title = "GAP's Table 10"
    source = "Webster et al. 2018, Table 10"     # the paper whose rows are shown beside ours
    columns = ["M = gap:test:found masculine f1", "O = gap:test:found f1"]
    systems = ["parallelism"]                    # our rows, in this order

    [[bar]]
    title = "GAP F1"
    figure = "gap:test:found f1"
    least = 80.0

    [[ablation]]
    claim = "Switching helps."
    with = "switched"
    without = "plain"
    figures = ["knowref:test consistency"]

A figure is a task and the name of one of its figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from math import inf
from typing import Any

from coindex.errors import InputError
from coindex.models.common.recipe import parse_toml, typed
from research.results.task import Task, task_of

GAIN = ", gain"
"""How a column ends that shows by how much a system beats its plain form."""


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of a task under a title; `gain`: less that of the plain system."""

    title: str
    task: Task
    figure: str
    gain: bool = False


@dataclass(frozen=True, slots=True)
class System:
    """A system of ours; `plain` is the system that its gain is over."""

    name: str
    title: str = ""
    plain: str = ""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of a paper with our rows.

    source   the papers' rows: those of this table
    also     single rows of other tables, `source: system`
    plain    the paper's table that its gains are over
    heads    whether this is the table of attention heads
    """

    title: str
    section: str
    source: str = ""
    columns: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    plain: str = ""
    notes: tuple[str, ...] = ()
    heads: bool = False

    @property
    def figures(self) -> tuple[Column, ...]:
        """The columns, read."""
        return tuple(map(column, self.columns))


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a figure must reach.

    group    the bars of one group must be met by one system
    papers   the best figure of the papers, in words; aim: what would be better still
    note     what one should know who reads that it is met
    """

    title: str
    figure: str
    group: str = ""
    papers: str = ""
    aim: str = ""
    least: float = -inf
    most: float = inf
    note: str = ""

    def met(self, value: float | None) -> bool:
        """Whether a value is between the bounds."""
        return value is not None and self.least <= value <= self.most


@dataclass(frozen=True, slots=True)
class Ablation:
    """A claim of a paper, and the two systems that tell whether it holds here."""

    claim: str
    on: str
    off: str
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """All of a page."""

    system: tuple[System, ...] = ()
    table: tuple[PaperTable, ...] = ()
    bar: tuple[Requirement, ...] = ()
    ablation: tuple[Ablation, ...] = ()

    def title(self, system: str) -> str:
        """What a system is called on the page."""
        result = next((each for each in self.system if each.name == system), None)
        return (result.title if result else "") or system

    def plain(self, system: str) -> str:
        """The plain form of a system; empty where it has none."""
        return next((each.plain for each in self.system if each.name == system), "")


_KINDS: dict[str, type] = {
    "system": System,
    "table": PaperTable,
    "bar": Requirement,
    "ablation": Ablation,
}
_WORDS = {"with": "on", "without": "off"}


def plan_of(texts: Mapping[str, str]) -> Plan:
    """The plan of some TOML texts, by the names of their files."""
    result: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
    for source, text in texts.items():
        for kind, rows in parse_toml(text, source).items():
            if kind not in _KINDS:
                known = ", ".join(f"[[{each}]]" for each in _KINDS)
                raise InputError(f"{source}: expected {known}, found [[{kind}]]")
            if not isinstance(rows, list):
                raise InputError(f"{source}: expected tables [[{kind}]], found {rows!r}")
            result[kind] += [
                _row(kind, row, f"{source}: [[{kind}]] {n}") for n, row in enumerate(rows, 1)
            ]
    plan = Plan(**{kind: tuple(rows) for kind, rows in result.items()})
    _check(plan)
    return plan


def column(text: str) -> Column:
    """`M = gap:test:found masculine f1`; without a title it is the figure's name."""
    title, equals, figure = text.rpartition(" = ")
    gain = figure.endswith(GAIN)
    task, space, name = figure.removesuffix(GAIN).partition(" ")
    if not space or not name:
        raise InputError(f"expected a figure such as 'gap:test:found f1', found {text!r}")
    return Column(title if equals else name, task_of(task), name, gain)


def _row(kind: str, row: Mapping[str, Any], where: str) -> Any:
    made = _KINDS[kind]
    values = typed({_WORDS.get(name, name): value for name, value in row.items()}, made, where)
    try:
        return made(**values)
    except TypeError:
        known = ", ".join(each.name for each in fields(made))
        raise InputError(f"{where}: expected {known}, found only {', '.join(row)}") from None


def _check(plan: Plan) -> None:
    """Raise an `InputError` for a system that is used and not described."""
    known = {each.name for each in plan.system}
    for name in _used(plan):
        if name not in known:
            raise InputError(f"expected a [[system]] {name!r}, found only {', '.join(known)}")
    for figure in [f for s in plan.table for f in s.columns] + [b.figure for b in plan.bar]:
        column(figure)


def _used(plan: Plan) -> Iterable[str]:
    for table in plan.table:
        yield from table.systems
    for ablation in plan.ablation:
        yield from (ablation.on, ablation.off)
    yield from (each.plain for each in plan.system if each.plain)
