"""The contract of measurements: what a module states, what it is given, and what it returns.

A figure is judged if it has a limit. It fails if its whole 95 % interval is further from the ideal
than the limit. It passes if its value is within the limit and the interval reaches no further than
twice the limit. Otherwise this number of items cannot tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from coindex.audit.intervals import Draws, Estimate, detectable
from coindex.audit.subject import Subject
from coindex.audit.templates import Passage
from coindex.errors import CoindexError
from coindex.evaluate.results import SystemResult
from coindex.scoring.significance import Interval
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress

GROUPS = ("gender", "names", "pronouns", "robustness")
"""The parts of a report; a measurement of another package may have a group of its own."""

PASS, FAIL, UNCLEAR = "pass", "fail", "cannot tell"
VERDICTS = (FAIL, UNCLEAR, PASS)
"""From the most to the least serious."""


class NotMeasured(CoindexError):
    """Why a measurement cannot be made of this resolver."""


@dataclass(frozen=True, slots=True)
class AuditFigure:
    """One number of a measurement.

    unit      one of `benchmarks.protocol.UNITS`
    meaning   one sentence that says what this value means
    limit     how far from the ideal is too far; None for a figure that is not judged
    worse     which direction is worse: "higher", "lower" or "both"
    settled   a verdict that does not follow from the value
    """

    name: str
    value: float | None
    interval: Interval | None
    of: int | None
    unit: str
    meaning: str
    limit: float | None = None
    ideal: float = 0.0
    worse: str = "both"
    settled: str = ""

    @property
    def detectable(self) -> float | None:
        """The least difference from the ideal that can be detected with this number of items."""
        return detectable(self.interval)

    @property
    def verdict(self) -> str:
        """One of VERDICTS; empty if it is not judged."""
        if self.limit is None or self.settled:
            return self.settled
        if self.value is None or self.interval is None:
            return UNCLEAR
        ends = [self._distance(each) for each in (self.interval.low, self.interval.high)]
        crosses = self.interval.low <= self.ideal <= self.interval.high
        if min(ends) > self.limit and not crosses:
            return FAIL
        within = self._distance(self.value) <= self.limit and max(ends) <= 2 * self.limit
        return PASS if within else UNCLEAR

    def _distance(self, value: float) -> float:
        """How far a value is from the ideal, in the direction that is worse."""
        away = value - self.ideal
        return {"higher": away, "lower": -away, "both": abs(away)}[self.worse]


def figure(name: str, estimate: Estimate, unit: str, meaning: str) -> AuditFigure:
    """A figure of an estimate that is not judged."""
    return AuditFigure(name, estimate.value, estimate.interval, estimate.of, unit, meaning)


def points_text(value: float | None, more: str, fewer: str) -> str:
    """A difference in words: `3.2 points more`, `0.4 points fewer`."""
    shown = value or 0.0
    return f"{abs(shown):.1f} points {fewer if shown < 0 else more}"


@dataclass(frozen=True, slots=True)
class Example:
    """A text before and after a change, and what a resolver made of it."""

    figure: str
    before: str
    after: str
    change: str


@dataclass(frozen=True, slots=True)
class Measured:
    """What a measurement found.

    figures     in the order of FIGURES
    signature   everything that the figures depend on
    notes       what was left out, and how many
    """

    figures: tuple[AuditFigure, ...]
    signature: str
    notes: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(slots=True)
class AuditContext:
    """What a measurement is given.

    subject    the resolver
    results    its results on benchmarks, by their names
    own        passages of the user's own texts; the bundled texts are used if there are none
    """

    subject: Subject
    results: Mapping[str, SystemResult]
    draws: Draws
    own: tuple[Passage, ...] = ()
    on_progress: OnProgress = ignore_progress
    resolved: dict[str, Document | None] = field(default_factory=dict)

    def resolve(self, passages: Sequence[Passage], task: str) -> list[Document | None]:
        """The passages with their entities; None where a file has none. Each is resolved once."""
        rest = [each for each in passages if each.id not in self.resolved]
        pairs = zip(rest, self.subject.resolve(rest), strict=True)
        for done, (passage, document) in enumerate(pairs, 1):
            self.resolved[passage.id] = document
            self.on_progress(Progress(task, done, len(rest)))
        return [self.resolved[each.id] for each in passages]


class Measurement(Protocol):
    """The members of a measurement's module, all of them required.

    TITLE       one line that says what is measured
    GROUP       one of GROUPS
    BENCHMARKS  the benchmarks whose results it takes; it is skipped without their corpora
    FIGURES     the names of its figures, of lower-case words
    ABOUT       how it is measured, and what its figures do not say
    """

    TITLE: str
    GROUP: str
    BENCHMARKS: tuple[str, ...]
    FIGURES: tuple[str, ...]
    ABOUT: str

    def measure(self, context: AuditContext) -> Measured:
        """The figures; a `NotMeasured` with the reason if there are none."""
        ...
