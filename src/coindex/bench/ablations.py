"""Do the papers' claims hold here? A system with something, less one without it."""

from __future__ import annotations

from coindex.bench._shown import NOT_RUN, shown, some
from coindex.bench.board import Board
from coindex.bench.plan import Ablation, Column, Plan, column
from coindex.bench.seeds import Summary
from coindex.scoring.grid import Cell, Grid


def ablation_grid(ablation: Ablation, plan: Plan, board: Board) -> Grid:
    """Both systems, the difference and its interval; below it whether the claim holds."""
    asked = [column(figure) for figure in ablation.figures]
    apart = [board.difference(ablation.on, ablation.off, each) for each in asked]
    rows: list[tuple[Cell, ...]] = [
        (
            _name(each),
            shown(board.figure(ablation.on, each), each.figure),
            shown(board.figure(ablation.off, each), each.figure),
            shown(found, each.figure, signed=True),
        )
        for each, found in zip(asked, apart, strict=True)
    ]
    on, off = plan.title(ablation.on), plan.title(ablation.off)
    columns = ("figure", f"with: {on}", f"without: {off}", "difference")
    few = [
        plan.title(name)
        for name in (ablation.on, ablation.off)
        if [facts.seed is not None for facts in board.facts(name)] == [True]
    ]
    notes = [verdict(asked, apart), *([f"Of one seed: {some(few)}."] if few else [])]
    return Grid(ablation.claim, columns, tuple(rows), tuple(notes))


def verdict(asked: list[Column], apart: list[Summary | None]) -> str:
    """A sentence on whether the claim holds: differences and intervals above 0, or not."""
    known = [(_name(c), each) for c, each in zip(asked, apart, strict=True) if each is not None]
    if not known:
        return f"Whether this holds here is not known: {NOT_RUN}."
    above = [name for name, each in known if each.above]
    below = [name for name, each in known if each.below]
    open_ = [name for name, each in known if not each.above and not each.below]
    if len(above) == len(known):
        text = "The claim holds here: every difference and its interval are above 0."
    elif not above:
        text = "The claim does not hold here: no difference has an interval above 0."
    else:
        text = f"The claim holds here in part: above 0, interval and all, on {some(above)}."
    if open_ and (above or below):
        text += f" Not told apart from 0: {some(open_)}."
    if below:
        text += f" Below 0, interval and all: {some(below)}."
    missing = len(asked) - len(known)
    return f"{text} {missing} of {len(asked)} figures {NOT_RUN}." if missing else text


def _name(asked: Column) -> str:
    """`gap test f1 (found)`."""
    way = " (found)" if asked.task.candidates == "found" else ""
    return f"{asked.task.benchmark} {asked.task.split} {asked.figure}{way}"
