"""Do the papers' claims hold here? A system with something, less one without it."""

from __future__ import annotations

from coindex.report.table import Cell, Table, text_notes
from research.results.formatting import NOT_RUN, format_summary, some
from research.results.leaderboard import Leaderboard
from research.results.plan import Ablation, Column, Plan, column
from research.results.seeds import Summary


def ablation_table(ablation: Ablation, plan: Plan, leaderboard: Leaderboard) -> Table:
    """Both systems, the difference and its interval; below it whether the claim holds."""
    columns = [column(figure) for figure in ablation.figures]
    apart = [leaderboard.difference(ablation.on, ablation.off, each) for each in columns]
    rows: list[tuple[Cell, ...]] = [
        (
            _name(each),
            format_summary(leaderboard.figure(ablation.on, each), each.figure),
            format_summary(leaderboard.figure(ablation.off, each), each.figure),
            format_summary(result, each.figure, signed=True),
        )
        for each, result in zip(columns, apart, strict=True)
    ]
    on, off = plan.title(ablation.on), plan.title(ablation.off)
    headings = ("figure", f"with: {on}", f"without: {off}", "difference")
    few = [
        plan.title(name)
        for name in (ablation.on, ablation.off)
        if [metadata.seed is not None for metadata in leaderboard.metadata(name)] == [True]
    ]
    notes = [verdict(columns, apart), *([f"Of one seed: {some(few)}."] if few else [])]
    return Table(ablation.claim, headings, tuple(rows), text_notes(*notes))


def verdict(columns: list[Column], apart: list[Summary | None]) -> str:
    """A sentence on whether the claim holds: differences and intervals above 0, or not."""
    known = [(_name(c), each) for c, each in zip(columns, apart, strict=True) if each is not None]
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
    missing = len(columns) - len(known)
    return f"{text} {missing} of {len(columns)} figures {NOT_RUN}." if missing else text


def _name(each: Column) -> str:
    """`gap test f1 (found)`."""
    way = " (found)" if each.task.candidates == "found" else ""
    return f"{each.task.benchmark} {each.task.split} {each.figure}{way}"
