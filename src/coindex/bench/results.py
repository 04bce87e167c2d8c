"""A page of results: the papers' tables with our rows in front, from kept runs.

    plan = plan_of({"results.toml": text})
    page(plan, read_board([Path("runs")]))

Nothing is run and no model is needed: decisions are scored again (see `runs`). What was
not run says so in its place, so the page can be made while models are still training.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coindex.bench._shown import NOT_RUN
from coindex.bench.ablations import ablation_grid
from coindex.bench.bars import bars_grid, each_grid
from coindex.bench.board import Board
from coindex.bench.heads import Heads, heads_grids
from coindex.bench.plan import Plan
from coindex.bench.sheets import milliseconds, parameters, sheet_grid
from coindex.scoring._cells import SIGNATURE
from coindex.scoring.grid import Cell, Grid
from coindex.scoring.render import render

_READ = """
A cell is the mean over seeds ± its standard deviation over seeds (the 95 % interval over
items). Intervals are by the bootstrap: {resamples:,} resamples of items, seed {seed}, each
scored for every seed, and the mean of the seeds taken; the sentences of a pair of WinoBias,
and those of Winogender that differ in the pronoun alone, are drawn together. Rows from "here"
are ours; a row without a number of seeds is of one thing: a rule, a model that is shipped or
kept, an ensemble of several seeds. CPU ms is the time of one problem of GAP development with given
candidates on two threads, parsing and all; models of one network share it. Parameters and time of an
ensemble are those of its members, added up. The models of the lent GPU (masked-lm, substitution)
decided there, in bfloat16. A paper's row stands as printed. What was not run says so.
"""


def page(plan: Plan, board: Board, heads: Sequence[Heads] = (), head: str = "") -> str:
    """The whole page in Markdown; `head` is its title and first words."""
    read = _READ.strip().format(resamples=board.resamples, seed=board.seed)
    parts = [head.rstrip("\n"), read]
    if plan.bar:
        each = each_grid(plan, board)
        shown = [bars_grid(plan, board), *([each] if each.rows else [])]
        parts += ["## What was required", _drawn(shown)]
    for section, grids in _sections(plan, board, heads):
        parts += [f"## {section}", _drawn(grids)]
    if plan.ablation:
        parts.append("## Ablations")
        parts.append("Differences are of the means over seeds, on the same resampled items.")
        parts.append(_drawn([ablation_grid(one, plan, board) for one in plan.ablation]))
    parts += ["## Systems", _drawn([systems_grid(plan, board)])]
    return "\n\n".join(part for part in parts if part) + "\n"


def systems_grid(plan: Plan, board: Board) -> Grid:
    """What every system is: its resolver, recipe, seeds, size and speed."""
    names = dict.fromkeys([*(each.name for each in plan.system), *board.systems])
    rows: list[tuple[Cell, ...]] = []
    signatures: list[str] = []
    for name in names:
        facts = board.facts(name)
        if not facts:
            rows.append((plan.title(name), name, None, NOT_RUN, None, None, None))
            continue
        seeds = " ".join(str(each.seed) for each in facts if each.seed is not None)
        rows.append((
            plan.title(name), name, facts[0].resolver, facts[0].recipe, seeds or "none",
            parameters(name, board), milliseconds(name, board),
        ))  # fmt: skip
        signatures += [
            f"{SIGNATURE} of {name}{'' if each.seed is None else f', seed {each.seed}'}:"
            f" {each.signature}"
            for each in facts
            if each.signature
        ]
    columns = ("system", "name", "resolver", "recipe", "seeds", "parameters", "CPU ms")
    return Grid("Ours", columns, tuple(rows), tuple(signatures))


def _sections(plan: Plan, board: Board, heads: Sequence[Heads]) -> Iterator[tuple[str, list[Grid]]]:
    for section in dict.fromkeys(sheet.section for sheet in plan.table):
        grids: list[Grid] = []
        for sheet in (each for each in plan.table if each.section == section):
            grids += (
                heads_grids(heads, sheet.title) if sheet.heads else [sheet_grid(sheet, plan, board)]
            )
        yield section, grids


def _drawn(grids: Sequence[Grid]) -> str:
    return render(grids, "markdown")
