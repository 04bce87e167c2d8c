"""The report of a run: tables, GAP's figure and the hardest items, in any style.

The page is self-contained: it is the page of `report.render` with the figure, the items and their
style added, and the page's content security policy updated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from coindex import __version__, io
from coindex.errors import UsageError
from coindex.evaluate import difficulty as hard
from coindex.evaluate import document_page
from coindex.evaluate.agreement import agreement_json, agreement_table, agreements
from coindex.evaluate.difficulty import Difficulty, JudgedPair, candidate_names, difficulty
from coindex.evaluate.document_results import document_table_json, figures_json
from coindex.evaluate.gap_figure import has_figure, points_of, svg, write_picture
from coindex.evaluate.results import BenchmarkResult, BenchRun, SystemResult
from coindex.evaluate.tables import run_tables
from coindex.report.html import csp_hash
from coindex.report.html_text import escape
from coindex.report.render import render
from coindex.report.table import Table as ReportTable
from coindex.types.decision import MatchedDecisions

LISTED = 75
"""How many of the hardest items a page lists: as many as the paper looked at."""

SHOWN = 10
"""How many a terminal shows."""


def result_title(table: BenchmarkResult) -> str:
    """How a benchmark is called in titles."""
    return f"{table.name} {table.split}"


def comparable_groups(table: BenchmarkResult) -> dict[str, Mapping[str, MatchedDecisions]]:
    """The systems to compare with each other, under the title of their table.

    Systems that were run both with candidates given and with candidates found are compared
    within each mode; files are compared with both.
    """
    title = result_title(table)
    names = [result.system for result in table.results]
    if len(set(names)) == len(names):
        return {title: {result.system: result.matched for result in table.results}} if names else {}
    modes = dict.fromkeys(
        result.candidates for result in table.results if result.kind == "resolver"
    )
    return {
        f"{title}, candidates {mode}": {
            result.system if result.kind == "resolver" else table.label(result): result.matched
            for result in table.results
            if result.candidates == mode or result.kind != "resolver"
        }
        for mode in modes
    }


def all_tables(run: BenchRun, *, with_difficulty: bool, wide: bool = False) -> list[ReportTable]:
    """Every table of a run; with difficulty also how hard items are and where systems agree."""
    result = run_tables(run, wide=wide)
    groups = [each for table in run.tables for each in comparable_groups(table).items()]
    for title, systems in groups if with_difficulty else ():
        levels = difficulty(systems)
        result.append(hard.difficulty_table(levels, title))
        if len(systems) > 1:
            result.append(agreement_table(agreements(systems), title))
        if not wide:
            result.append(hard.unsolved_table(levels, title, SHOWN))
    return result


def run_json(run: BenchRun) -> dict[str, Any]:
    """A whole run, unrounded, with the papers' rows."""
    return {
        "version": __version__,
        "resamples": run.resamples,
        "seed": run.seed,
        "benchmarks": [
            *(table_json(table) for table in run.tables),
            *(document_table_json(table) for table in run.documents),
        ],
        "skipped": [{"name": name, "reason": reason} for name, reason in run.skipped],
    }


def table_json(table: BenchmarkResult) -> dict[str, Any]:
    """One benchmark with all its rows, unrounded."""
    benchmark = table.benchmark
    return {
        "name": table.name,
        "title": benchmark.TITLE,
        "split": table.split,
        "items": len(table.problems),
        "metrics": list(benchmark.METRICS),
        "protocol": " ".join(benchmark.PROTOCOL.split()),
        "chance": {"value": benchmark.CHANCE.value, "why": benchmark.CHANCE.why},
        "systems": [_system_json(result) for result in table.results],
        "published": [
            {
                "system": row.system,
                "source": row.source,
                "candidates": row.candidates,
                "context": row.context,
                "figures": dict(row.figures),
                "note": row.note,
            }
            for row in benchmark.PUBLISHED
            if row.split == table.split
        ],
    }


def _system_json(result: SystemResult) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": result.system,
        "kind": result.kind,
        "candidates": result.candidates,
        "context": result.context,
        "signature": result.signature,
        "missing": len(result.matched.missing),
        "figures": figures_json(result.figures),
        "notes": list(result.notes),
    }
    if result.switched:
        counts = result.switched.consistency
        entry["switched"] = {
            "copies": len(result.switched.matched),
            "refused": dict(result.switched.refused),
            "figures": figures_json(result.switched.figures),
            "consistency": {
                "value": counts.value,
                **{
                    name: getattr(counts, name)
                    for name in ("changed", "same", "half", "undecided", "unpaired")
                },
            },
        }
    return entry


def all_json(run: BenchRun, *, with_difficulty: bool) -> dict[str, Any]:
    """Everything for machines."""
    result = run_json(run)
    for table, entry in zip(run.tables, result["benchmarks"], strict=False):
        groups = comparable_groups(table)
        several = {title: systems for title, systems in groups.items() if len(systems) > 1}
        entry["agreement"] = [
            {"of": title, "pairs": agreement_json(agreements(systems))}
            for title, systems in several.items()
        ]
        if with_difficulty:
            entry["difficulty"] = [
                {"of": title, **hard.difficulty_json(difficulty(systems))}
                for title, systems in groups.items()
            ]
    return result


def page(run: BenchRun, *, with_difficulty: bool = True) -> str:
    """One web page."""
    tables = all_tables(run, with_difficulty=with_difficulty, wide=True)
    result = render(tables, "html")
    sections = [_figure(table, number) for number, table in enumerate(run.tables, 1)]
    if with_difficulty:
        groups = [each for table in run.tables for each in comparable_groups(table).items()]
        sections += [
            _items(title, difficulty(systems), number)
            for number, (title, systems) in enumerate(groups, 1)
        ]
    failed = document_page.failed_documents
    sections += [failed(table, number) for number, table in enumerate(run.documents, 1)]
    before, _, rest = result.partition("<style>")
    style, _, after = rest.partition("</style>")
    own = style + _style() + (document_page.style() if run.documents else "")
    before = before.replace(csp_hash(style), csp_hash(own))
    after = after.replace("</main>", "\n".join([*filter(None, sections), "</main>"]))
    return f"{before}<style>{own}</style>{after}\n"


def write_plot(run: BenchRun, path: str) -> None:
    """Draw precision and recall of the first benchmark that has both."""
    table = next((each for each in run.tables if has_figure(each) and each.results), None)
    if table is None:
        raise UsageError(f"{path}: only gap has precision and recall to draw, and it was not run")
    title = f"Precision and recall on {result_title(table)}, by gender"
    if path.endswith(".svg"):
        io.write_text(path, [svg(points_of(table), title, alone=True), "\n"])
    else:
        write_picture(points_of(table), title, path)


def _figure(table: BenchmarkResult, number: int) -> str:
    if not has_figure(table) or not table.results:
        return ""
    name, title = f"f{number}", f"Precision and recall on {result_title(table)}, by gender"
    caption = "Dashed: where F1 is the same. After Figure 1 of Webster et al. (2018)."
    return (
        f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(title)}</h2>\n'
        f'<figure class="pr">\n{svg(points_of(table), title, f"{name}p")}\n'
        f"<figcaption>{escape(caption)}</figcaption></figure></section>"
    )


def _items(title: str, result: Difficulty, number: int) -> str:
    """The items that no system gets right, each with its passage."""
    name = f"d{number}"
    listed = result.red_items
    count = f"{len(result.red):,} of {result.total:,} pairs of pronoun and name"
    more = f"; the first {LISTED} problems are listed" if len(listed) > LISTED else ""
    rows = "\n".join(_item(pair, result.systems) for pair in listed[:LISTED])
    return (
        f'<section class="hard" aria-labelledby="{name}">\n'
        f'<h2 id="{name}">{escape(f"No system is right: {title}")}</h2>\n'
        f"<p>{count}{more}. The pronoun is <mark>marked</mark>, the answer is"
        f' <b class="right">underlined</b>, the other candidates have a <b>dotted line</b>.</p>\n'
        f"<ol>\n{rows}\n</ol>\n</section>"
    )


def _item(pair: JudgedPair, systems: Sequence[str]) -> str:
    problem = pair.problem
    chosen: dict[str, list[str]] = {}
    for system, choice in zip(systems, pair.chosen, strict=True):
        chosen.setdefault(candidate_names(problem, choice), []).append(system)
    says = "; ".join(f"{name} ({', '.join(who)})" for name, who in chosen.items())
    answer = candidate_names(problem, problem.answer or ())
    return (
        f'<li><p class="text" dir="auto">{_passage(pair)}</p>'
        f'<p class="quiet">{escape(problem.id)} · answer: {escape(answer)} · said:'
        f" {escape(says)}</p></li>"
    )


def _passage(pair: JudgedPair) -> str:
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
    return io.package_text("coindex.evaluate", "assets", "bench.css")
