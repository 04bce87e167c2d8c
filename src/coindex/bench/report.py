"""The report of a run: tables, GAP's figure and the hardest items, in any style.

As a page it needs no other file and no network: it is the page of `scoring.render`,
with the figure, the items and their style put in, and the page's policy renewed.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from coindex import io
from coindex.bench import difficulty as hard
from coindex.bench.agreement import agreement_grid, agreement_json, agreements
from coindex.bench.as_json import run_json
from coindex.bench.cell import Run, Table
from coindex.bench.difficulty import Difficulty, Pair, difficulty, said
from coindex.bench.figure import has_figure, points_of, svg, write_picture
from coindex.bench.tables import grids
from coindex.core.decision import Matched
from coindex.errors import UsageError
from coindex.scoring._html import escape
from coindex.scoring.grid import Grid
from coindex.scoring.render import render

LISTED = 75
"""How many of the hardest items a page lists: as many as the paper looked at."""

SHOWN = 10
"""How many a terminal shows."""


def title_of(table: Table) -> str:
    """How a benchmark is called in titles."""
    return f"{table.name} {table.split}"


def groups_of(table: Table) -> dict[str, Mapping[str, Matched]]:
    """The systems to compare with each other, under the title of their table.

    Systems that were run both with candidates given and found are compared with
    those of their kind; files stand among both.
    """
    title = title_of(table)
    names = [cell.system for cell in table.cells]
    if len(set(names)) == len(names):
        return {title: {cell.system: cell.matched for cell in table.cells}} if names else {}
    ways = dict.fromkeys(cell.candidates for cell in table.cells if cell.kind == "resolver")
    return {
        f"{title}, candidates {way}": {
            cell.system if cell.kind == "resolver" else table.label(cell): cell.matched
            for cell in table.cells
            if cell.candidates == way or cell.kind != "resolver"
        }
        for way in ways
    }


def all_grids(run: Run, *, with_difficulty: bool, wide: bool = False) -> list[Grid]:
    """Every table of a run; how hard items are and where systems agree if asked for."""
    found = grids(run, wide=wide)
    groups = [each for table in run.tables for each in groups_of(table).items()]
    for title, systems in groups if with_difficulty else ():
        told = difficulty(systems)
        found.append(hard.difficulty_grid(told, title))
        if len(systems) > 1:
            found.append(agreement_grid(agreements(systems), title))
        if not wide:
            found.append(hard.red_grid(told, title, SHOWN))
    return found


def all_json(run: Run, *, with_difficulty: bool) -> dict[str, Any]:
    """Everything for machines."""
    found = run_json(run)
    for table, told in zip(run.tables, found["benchmarks"], strict=True):
        groups = groups_of(table)
        several = {title: systems for title, systems in groups.items() if len(systems) > 1}
        told["agreement"] = [
            {"of": title, "pairs": agreement_json(agreements(systems))}
            for title, systems in several.items()
        ]
        if with_difficulty:
            told["difficulty"] = [
                {"of": title, **hard.difficulty_json(difficulty(systems))}
                for title, systems in groups.items()
            ]
    return found


def page(run: Run, *, with_difficulty: bool = True) -> str:
    """One web page."""
    tables = all_grids(run, with_difficulty=with_difficulty, wide=True)
    found = render(tables, "html")
    sections = [_figure(table, number) for number, table in enumerate(run.tables, 1)]
    if with_difficulty:
        groups = [each for table in run.tables for each in groups_of(table).items()]
        sections += [
            _items(title, difficulty(systems), number)
            for number, (title, systems) in enumerate(groups, 1)
        ]
    before, _, rest = found.partition("<style>")
    style, _, after = rest.partition("</style>")
    own = style + _style()
    before = before.replace(_hash(style), _hash(own))
    after = after.replace("</main>", "\n".join([*filter(None, sections), "</main>"]))
    return f"{before}<style>{own}</style>{after}\n"


def write_plot(run: Run, path: str) -> None:
    """Draw precision and recall of the first benchmark that has both."""
    table = next((each for each in run.tables if has_figure(each) and each.cells), None)
    if table is None:
        raise UsageError(f"{path}: only gap has precision and recall to draw, and it was not run")
    title = f"Precision and recall on {title_of(table)}, by gender"
    if path.endswith(".svg"):
        io.write_text(path, [svg(points_of(table), title, alone=True), "\n"])
    else:
        write_picture(points_of(table), title, path)


def _figure(table: Table, number: int) -> str:
    if not has_figure(table) or not table.cells:
        return ""
    name, title = f"f{number}", f"Precision and recall on {title_of(table)}, by gender"
    caption = "Dashed: where F1 is the same. After Figure 1 of Webster et al. (2018)."
    return (
        f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(title)}</h2>\n'
        f'<figure class="pr">\n{svg(points_of(table), title, f"{name}p")}\n'
        f"<figcaption>{escape(caption)}</figcaption></figure></section>"
    )


def _items(title: str, found: Difficulty, number: int) -> str:
    """The items that no system gets right, each with its passage."""
    name = f"d{number}"
    listed = found.red_items
    count = f"{len(found.red):,} of {found.total:,} pairs of pronoun and name"
    more = f"; the first {LISTED} problems are listed" if len(listed) > LISTED else ""
    rows = "\n".join(_item(pair, found.systems) for pair in listed[:LISTED])
    return (
        f'<section class="hard" aria-labelledby="{name}">\n'
        f'<h2 id="{name}">{escape(f"No system is right: {title}")}</h2>\n'
        f"<p>{count}{more}. The pronoun is <mark>marked</mark>, the answer is"
        f' <b class="right">underlined</b>, the other candidates have a <b>dotted line</b>.</p>\n'
        f"<ol>\n{rows}\n</ol>\n</section>"
    )


def _item(pair: Pair, systems: Sequence[str]) -> str:
    problem = pair.problem
    chosen: dict[str, list[str]] = {}
    for system, choice in zip(systems, pair.chosen, strict=True):
        chosen.setdefault(said(problem, choice), []).append(system)
    says = "; ".join(f"{name} ({', '.join(who)})" for name, who in chosen.items())
    answer = said(problem, problem.answer or ())
    return (
        f'<li><p class="text" dir="auto">{_passage(pair)}</p>'
        f'<p class="quiet">{escape(problem.id)} · answer: {escape(answer)} · said:'
        f" {escape(says)}</p></li>"
    )


def _passage(pair: Pair) -> str:
    """The passage with the pronoun and the candidates marked; what overlaps is left out."""
    problem, answer = pair.problem, pair.problem.answer or ()
    marks = [(problem.target, "<mark>", "</mark>")]
    for index, candidate in enumerate(problem.candidates):
        if candidate.chars:
            kind = ' class="right"' if index in answer else ""
            marks.append((candidate.chars, f"<b{kind}>", "</b>"))
    pieces, done = [], 0
    for chars, begin, end in sorted(marks, key=lambda mark: mark[0]):
        if chars.start >= done:
            pieces += [escape(problem.text[done : chars.start]), begin]
            pieces += [escape(chars.of(problem.text)), end]
            done = chars.end
    return "".join([*pieces, escape(problem.text[done:])])


@cache
def _style() -> str:
    return (files("coindex.bench") / "assets" / "bench.css").read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
