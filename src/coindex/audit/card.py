"""The card of an audit, for machines: `audit.json`.

A card can be added to the card of a model: it says what was audited, by which measurements, with
what result. Version 1 of its format; keys are only added to a version.
"""

from __future__ import annotations

from typing import Any

from coindex import __version__
from coindex.audit.conditions import figure_key
from coindex.audit.measurements.protocol import AuditFigure
from coindex.audit.run import Audit, AuditEntry
from coindex.audit.summary import group_summaries, headline

FORMAT = 1


def card(audit: Audit) -> dict[str, Any]:
    """Everything that was measured, unrounded."""
    return {
        "audit": FORMAT,
        "version": __version__,
        "system": {"name": audit.system, "kind": audit.kind, "signature": audit.signature},
        "resamples": audit.resamples,
        "seed": audit.seed,
        "own_texts": audit.own_texts,
        "headline": headline(audit),
        "summary": [
            {"group": each.group, "verdict": each.verdict, "text": each.text}
            for each in group_summaries(audit)
        ],
        "measurements": {entry.name: _entry(entry) for entry in audit.entries},
        "skipped": [{"name": name, "reason": reason} for name, reason in audit.skipped],
    }


def _entry(entry: AuditEntry) -> dict[str, Any]:
    return {
        "title": entry.measurement.TITLE,
        "group": entry.measurement.GROUP,
        "about": " ".join(entry.measurement.ABOUT.split()),
        "signature": entry.measured.signature,
        "figures": {figure_key(each.name): _figure(each) for each in entry.measured.figures},
        "notes": list(entry.measured.notes),
        "examples": [
            {"figure": e.figure, "before": e.before, "after": e.after, "change": e.change}
            for e in entry.measured.examples
        ],
    }


def _figure(figure: AuditFigure) -> dict[str, Any]:
    interval = figure.interval
    result: dict[str, Any] = {
        "value": figure.value,
        "interval": None if interval is None else [interval.low, interval.high],
        "of": figure.of,
        "unit": figure.unit,
        "detectable": figure.detectable,
        "meaning": figure.meaning,
    }
    if figure.verdict:
        result |= {
            "verdict": figure.verdict, "ideal": figure.ideal, "limit": figure.limit,
            "worse": figure.worse,
        }  # fmt: skip
    return result
