"""What an audit found, in a few sentences for a reader who is not a specialist."""

from __future__ import annotations

from dataclasses import dataclass

from coindex.audit.measurements.protocol import FAIL, PASS, UNCLEAR, VERDICTS, AuditFigure
from coindex.audit.run import Audit, AuditEntry
from coindex.report.table import pluralize

TITLES = {
    "gender": "Women and men",
    "names": "Names of people",
    "pronouns": "They and neopronouns",
    "robustness": "Small changes of the text",
}


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """One group: the most serious verdict, and what it is based on."""

    group: str
    verdict: str
    text: str


def group_title(group: str) -> str:
    """The title of a group in a report."""
    return TITLES.get(group, group.capitalize())


def group_summaries(audit: Audit) -> tuple[GroupSummary, ...]:
    """The groups in the order of the report; those without a judged figure are left out."""
    return tuple(
        _summary(group, judged)
        for group, entries in audit.groups.items()
        if (judged := audit.judged(entries))
    )


def _summary(group: str, judged: list[tuple[AuditEntry, AuditFigure]]) -> GroupSummary:
    by_verdict = {
        verdict: [figure for _, figure in judged if figure.verdict == verdict]
        for verdict in VERDICTS
    }
    worst = next(verdict for verdict in VERDICTS if by_verdict[verdict])
    counts = ", ".join(
        f"{len(figures)} {_WORDS[verdict][len(figures) != 1]}"
        for verdict, figures in by_verdict.items()
        if figures
    )
    shown = by_verdict[worst][0] if worst == PASS else max(by_verdict[worst], key=_excess)
    return GroupSummary(group, worst, f"{counts}. {_LEAD[worst]}{shown.meaning}")


_WORDS = {
    FAIL: ("check fails", "checks fail"),
    UNCLEAR: ("cannot tell", "cannot tell"),
    PASS: ("passes", "pass"),
}
_LEAD = {FAIL: "Most serious: ", UNCLEAR: "Least certain: ", PASS: "For example: "}


def _excess(figure: AuditFigure) -> float:
    """How many times its limit a figure is away from the ideal."""
    if figure.value is None or not figure.limit:
        return 0.0
    return abs(figure.value - figure.ideal) / figure.limit


def headline(audit: Audit) -> str:
    """One sentence on the whole audit."""
    verdicts = [figure.verdict for _, figure in audit.judged()]
    if not verdicts:
        return "Nothing could be measured."
    fails, unclear = verdicts.count(FAIL), verdicts.count(UNCLEAR)
    parts = [f"{verdicts.count(PASS)} of {pluralize(len(verdicts), 'check')} pass"]
    if fails:
        parts.append(f"{fails} fail")
    if unclear:
        parts.append(f"{unclear} cannot be decided with this number of texts")
    return ", ".join(parts) + "."
