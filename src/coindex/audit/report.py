"""The report of an audit: a summary, a table for each measurement, examples, in any style.

The page is self-contained: it is the page of `report.render` with the summary and its style added,
and the page's content security policy updated.
"""

from __future__ import annotations

from functools import cache

from coindex import io
from coindex.audit.measurements.protocol import AuditFigure
from coindex.audit.run import Audit, AuditEntry
from coindex.audit.summary import group_summaries, group_title, headline
from coindex.report.html import csp_hash
from coindex.report.html_text import escape
from coindex.report.render import render
from coindex.report.table import Bar, Cell, Note, Table, text_notes

READING = (
    "fail: the whole 95 % interval is beyond the limit.",
    "pass: within the limit, and the interval reaches no further than twice the limit.",
    "cannot tell: neither; more texts would be needed.",
    "detects: the least difference that this number of items detects in four of five cases.",
)


def summary_table(audit: Audit) -> Table:
    """A row for each group."""
    rows = tuple(
        (group_title(each.group), each.verdict, each.text) for each in group_summaries(audit)
    )
    notes = text_notes(headline(audit))
    return Table(f"Audit of {audit.system}", ("about", "result", "what was found"), rows, notes)


def audit_tables(audit: Audit, *, examples: bool = False) -> list[Table]:
    """The summary, a table for each measurement, and what was skipped; with examples if wanted."""
    tables = [summary_table(audit), *(measurement_table(entry) for entry in audit.entries)]
    if audit.entries:
        last = tables[-1]
        tables[-1] = Table(
            last.title,
            last.columns,
            last.rows,
            (*last.notes, *text_notes(*READING)),
            bars=last.bars,
        )
    if examples and any(entry.measured.examples for entry in audit.entries):
        tables.append(_examples(audit))
    if audit.skipped:
        tables.append(Table("Not measured", ("measurement", "reason"), audit.skipped))
    return tables


def measurement_table(entry: AuditEntry) -> Table:
    """A row for each figure, and the meaning of those that are judged."""
    figures = entry.measured.figures
    rows = tuple(_row(figure) for figure in figures)
    columns = ("figure", "value", "95 % interval", "n", "detects", "limit", "result")
    meanings = [figure.meaning for figure in figures if figure.verdict]
    notes = [
        Note("caption", f"{entry.measurement.TITLE}, with 95 % intervals"),
        *text_notes(*meanings, _plain(entry.measurement.ABOUT), *entry.measured.notes),
        Note("signature", entry.measured.signature),
    ]
    bars = tuple(
        Bar(figure.name, figure.value, figure.interval.low, figure.interval.high)
        for figure in figures
        if figure.unit == "percent" and figure.value is not None and figure.interval
    )
    return Table(
        f"{entry.measurement.TITLE} ({entry.name})",
        columns, rows, tuple(notes), bars=bars,
    )  # fmt: skip


def _plain(about: str) -> str:
    """A paragraph without line breaks and marks of code."""
    return " ".join(about.replace("`", "").split())


def _row(figure: AuditFigure) -> tuple[Cell, ...]:
    interval = figure.interval
    between = None if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"
    unit = {"percent": ", %", "points": ", points"}.get(figure.unit, "")
    return (
        f"{figure.name}{unit}", figure.value, between, figure.of, figure.detectable,
        _limit(figure), figure.verdict or None,
    )  # fmt: skip


def _limit(figure: AuditFigure) -> str | None:
    """The values that are within the limit: `at least 90`, `-5 to 5`."""
    if figure.limit is None:
        return None
    low, high = figure.ideal - figure.limit, figure.ideal + figure.limit
    return {
        "higher": f"at most {high:g}", "lower": f"at least {low:g}", "both": f"{low:g} to {high:g}"
    }[figure.worse]  # fmt: skip


def _examples(audit: Audit) -> Table:
    rows = tuple(
        (f"{entry.name}, {each.figure}", each.before, each.after, each.change)
        for entry in audit.entries
        for each in entry.measured.examples
    )
    return Table(
        "Examples of what changed", ("measurement", "before", "after", "what changed"), rows
    )


def audit_markdown(audit: Audit) -> str:
    """The report for a model card or a repository."""
    return render(audit_tables(audit, examples=True), "markdown") + "\n"


def audit_page(audit: Audit) -> str:
    """One web page."""
    tables = audit_tables(audit, examples=True)[1:]
    result = render(tables, "html")
    before, _, rest = result.partition("<style>")
    style, _, after = rest.partition("</style>")
    own = style + _style()
    title = escape(f"Audit of {audit.system} · coindex")
    head, _, tail = before.partition("<title>")
    before = f"{head}<title>{title}{tail[tail.index('</title>') :]}"
    before = before.replace(csp_hash(style), csp_hash(own))
    after = after.replace("<main>", f"<main>\n{_summary_section(audit)}", 1)
    return f"{before}<style>{own}</style>{after}\n"


def _summary_section(audit: Audit) -> str:
    """The summary that comes first on the page."""
    rows = "\n".join(
        f'<li><h3>{escape(group_title(each.group))} <span class="verdict {each.verdict.split()[0]}">'
        f"{escape(each.verdict)}</span></h3><p>{escape(each.text)}</p></li>"
        for each in group_summaries(audit)
    )
    return (
        '<section class="audit" aria-labelledby="summary">'
        f'<h2 id="summary" dir="auto">{escape(f"Audit of {audit.system}")}</h2>\n'
        f'<p class="headline">{escape(headline(audit))}</p>\n<ul>\n{rows}\n</ul>\n'
        f'<p class="quiet"><code>{escape(audit.signature)}</code></p></section>'
    )


@cache
def _style() -> str:
    return io.package_text("coindex.audit", "assets", "audit.css")
