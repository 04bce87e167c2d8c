"""A page of results: the papers' tables with our rows in front, from stored runs.

    plan = plan_of({"results.toml": text})
    page(plan, read_leaderboard([Path("runs")]))

Nothing is run and no model is needed: decisions are scored again (see `runs`). What was
not run says so in its place, so the page can be made while models are still training.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coindex.report.render import render
from coindex.report.table import Cell, Note, Table
from research.results.ablations import ablation_table
from research.results.attention_heads import HeadScores, head_tables
from research.results.formatting import NOT_RUN
from research.results.leaderboard import Leaderboard
from research.results.paper_tables import milliseconds, paper_table, parameters
from research.results.plan import Plan
from research.results.requirements import requirements_by_system, requirements_table

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


def page(
    plan: Plan, leaderboard: Leaderboard, heads: Sequence[HeadScores] = (), head: str = ""
) -> str:
    """The whole page in Markdown; `head` is its title and first words."""
    read = _READ.strip().format(resamples=leaderboard.resamples, seed=leaderboard.seed)
    parts = [head.rstrip("\n"), read]
    if plan.bar:
        each = requirements_by_system(plan, leaderboard)
        shown = [requirements_table(plan, leaderboard), *([each] if each.rows else [])]
        parts += ["## What was required", _drawn(shown)]
    for section, grids in _sections(plan, leaderboard, heads):
        parts += [f"## {section}", _drawn(grids)]
    if plan.ablation:
        parts.append("## Ablations")
        parts.append("Differences are of the means over seeds, on the same resampled items.")
        parts.append(_drawn([ablation_table(one, plan, leaderboard) for one in plan.ablation]))
    parts += ["## Systems", _drawn([systems_table(plan, leaderboard)])]
    return "\n\n".join(part for part in parts if part) + "\n"


def systems_table(plan: Plan, leaderboard: Leaderboard) -> Table:
    """What every system is: its resolver, recipe, seeds, size and speed."""
    names = dict.fromkeys([*(each.name for each in plan.system), *leaderboard.systems])
    rows: list[tuple[Cell, ...]] = []
    signatures: list[Note] = []
    for name in names:
        metadata = leaderboard.metadata(name)
        if not metadata:
            rows.append((plan.title(name), name, None, NOT_RUN, None, None, None))
            continue
        seeds = " ".join(str(each.seed) for each in metadata if each.seed is not None)
        rows.append((
            plan.title(name), name, metadata[0].resolver, metadata[0].recipe, seeds or "none",
            parameters(name, leaderboard), milliseconds(name, leaderboard),
        ))  # fmt: skip
        signatures += [
            Note(
                "signature",
                each.signature,
                name if each.seed is None else f"{name}, seed {each.seed}",
            )
            for each in metadata
            if each.signature
        ]
    columns = ("system", "name", "resolver", "recipe", "seeds", "parameters", "CPU ms")
    return Table("Ours", columns, tuple(rows), tuple(signatures))


def _sections(
    plan: Plan, leaderboard: Leaderboard, heads: Sequence[HeadScores]
) -> Iterator[tuple[str, list[Table]]]:
    for section in dict.fromkeys(table.section for table in plan.table):
        grids: list[Table] = []
        for table in (each for each in plan.table if each.section == section):
            grids += (
                head_tables(heads, table.title)
                if table.heads
                else [paper_table(table, plan, leaderboard)]
            )
        yield section, grids


def _drawn(grids: Sequence[Table]) -> str:
    return render(grids, "markdown")
