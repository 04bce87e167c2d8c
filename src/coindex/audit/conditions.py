"""Conditions under which an audit fails, for continuous integration.

winobias.gap>10              a figure, by the names of its measurement and of itself
robustness.lower-case<80     words of a name are joined by hyphens
gap.bias.high<1              `low` or `high`: a bound of its 95 % interval
fail                         any figure that fails by the audit's own limits
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coindex.audit import measurements
from coindex.audit.measurements.protocol import FAIL, AuditFigure
from coindex.audit.run import Audit
from coindex.errors import InputError, UnknownName, UsageError

_CONDITION = re.compile(
    r"\s*(?P<measurement>[\w-]+)\.(?P<figure>[\w-]+)(?:\.(?P<bound>low|high))?"
    r"\s*(?P<sign><=|>=|<|>)\s*(?P<number>-?\d+(?:\.\d+)?)\s*"
)
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as it was written, and its parts; a bare `fail` has no measurement."""

    text: str
    measurement: str = ""
    figure: str = ""
    bound: str = ""
    sign: str = ""
    number: float = 0.0


def parse_condition(text: str, chosen: Sequence[str] = ()) -> Condition:
    """A condition; an error if it is written wrongly or there is no such figure.

    chosen   the measurements that are made; all if there are none
    """
    if text.strip() == FAIL:
        return Condition(text.strip())
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise UsageError(
            f"expected a condition such as 'winobias.gap>10' or 'fail', found {text!r}"
        )
    if match["measurement"] not in measurements.names():
        raise UnknownName("measurement", match["measurement"], measurements.names())
    known = {figure_key(name) for name in measurements.load(match["measurement"]).FIGURES}
    if match["figure"] not in known:
        raise UnknownName(f"figure of {match['measurement']}", match["figure"], known)
    if chosen and match["measurement"] not in chosen:
        raise UsageError(f"{text.strip()}: {match['measurement']} is not among those of --measure")
    return Condition(
        text.strip(), match["measurement"], match["figure"], match["bound"] or "", match["sign"],
        float(match["number"]),
    )  # fmt: skip


def figure_key(name: str) -> str:
    """The name of a figure as conditions write it."""
    return name.replace(" ", "-")


def check(condition: Condition, audit: Audit) -> list[str]:
    """What makes the condition true, in words; nothing if it is not.

    An error if the figure was not measured: a check that cannot be made has not been passed.
    """
    if not condition.measurement:
        return [
            f"{entry.name}.{figure_key(figure.name)} fails: {figure.meaning}"
            for entry, figure in audit.judged()
            if figure.verdict == FAIL
        ]
    value = _value(condition, _figure(condition, audit))
    if value is None:
        return []
    holds = _SIGNS[condition.sign](value, condition.number)
    return [f"{condition.text}: found {value:.2f}"] if holds else []


def _value(condition: Condition, figure: AuditFigure) -> float | None:
    if not condition.bound or figure.value is None:
        return figure.value
    interval = figure.interval
    if interval is None:
        raise InputError(f"{condition.text}: expected an interval, found none")
    return interval.low if condition.bound == "low" else interval.high


def _figure(condition: Condition, audit: Audit) -> AuditFigure:
    for entry in audit.entries:
        if entry.name == condition.measurement:
            for figure in entry.measured.figures:
                if figure_key(figure.name) == condition.figure:
                    return figure
    reason = dict(audit.skipped).get(condition.measurement, "it was not chosen")
    raise InputError(f"{condition.text}: {condition.measurement} was not measured: {reason}")
