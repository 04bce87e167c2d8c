"""Runs the measurements of an audit on a resolver.

    from coindex.audit.run import AuditOptions, run_audit
    from coindex.audit.subject import ResolverSubject
    audit = run_audit(ResolverSubject("neural"), AuditOptions(corpora=False))
    for entry in audit.entries:
        for figure in entry.measured.figures:
            print(entry.name, figure.name, figure.value, figure.verdict)

Benchmarks are run first, all in one run, whose decisions are journalled: an interrupted audit
resumes there. What cannot be measured is skipped, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from coindex import benchmarks, datasets
from coindex.audit import measurements
from coindex.audit.intervals import Draws
from coindex.audit.measurements.protocol import (
    AuditContext,
    AuditFigure,
    Measured,
    Measurement,
    NotMeasured,
)
from coindex.audit.own_texts import own_passages
from coindex.audit.subject import Subject
from coindex.errors import UnknownName, UsageError
from coindex.evaluate.options import BenchOptions, Selection, select_benchmark, select_split
from coindex.scoring.significance import RESAMPLES, SEED
from coindex.types.document import Document
from coindex.types.progress import OnProgress, ignore_progress

SPLITS = {"gap": "test", "winobias": "test", "winogender": "sentences", "knowref": "test"}
"""The splits that are audited; other benchmarks have their default."""


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """Options of an audit.

    only     the names of measurements; all if there are none
    splits   another split of a benchmark, by its name
    corpora  whether measurements that need a corpus are made
    texts    documents of the user's own, for the measurements that exchange words
    """

    only: tuple[str, ...] = ()
    splits: Mapping[str, str] = field(default_factory=dict)
    corpora: bool = True
    texts: tuple[Document, ...] = ()
    resamples: int = RESAMPLES
    seed: int = SEED

    def __post_init__(self) -> None:
        for name in self.only:
            if name not in measurements.names():
                raise UnknownName("measurement", name, measurements.names())
        known = {
            each for name in measurements.names() for each in measurements.load(name).BENCHMARKS
        }
        for name, split in self.splits.items():
            if name not in known:
                raise UnknownName("benchmark of an audit", name, known)
            select_split(name, benchmarks.load(name), split)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One measurement, and what it found."""

    name: str
    measurement: Measurement
    measured: Measured


@dataclass(frozen=True, slots=True)
class Audit:
    """All that was measured of a resolver, and what was skipped, with the reason."""

    system: str
    kind: str
    signature: str
    entries: tuple[AuditEntry, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    resamples: int = RESAMPLES
    seed: int = SEED
    own_texts: int = 0

    @property
    def groups(self) -> dict[str, tuple[AuditEntry, ...]]:
        """The measurements of each group, in the order of the report."""
        result: dict[str, list[AuditEntry]] = {}
        for entry in self.entries:
            result.setdefault(entry.measurement.GROUP, []).append(entry)
        return {group: tuple(entries) for group, entries in result.items()}

    def judged(
        self, entries: Sequence[AuditEntry] | None = None
    ) -> list[tuple[AuditEntry, AuditFigure]]:
        """The figures that are judged, with their measurements."""
        return [
            (entry, figure)
            for entry in (self.entries if entries is None else entries)
            for figure in entry.measured.figures
            if figure.verdict
        ]


def run_audit(
    subject: Subject,
    options: AuditOptions | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Audit:
    """Make all measurements of a resolver."""
    options = options or AuditOptions()
    chosen = [name for name in measurements.names() if not options.only or name in options.only]
    selection = select(chosen, options)
    skipped = dict(selection.skipped)
    draws = Draws(options.resamples, options.seed)
    results = subject.benchmarks(selection, draws, on_progress) if selection.selected else {}
    own = own_passages(options.texts)
    if options.texts and not own:
        raise UsageError("expected texts with words, found none")
    context = AuditContext(subject, results, draws, own, on_progress)
    entries, left_out = [], []
    for name in chosen:
        measurement = measurements.load(name)
        missing = [each for each in measurement.BENCHMARKS if each not in results]
        try:
            if missing:
                raise NotMeasured(skipped.get(missing[0], f"no answers to {missing[0]}"))
            entries.append(AuditEntry(name, measurement, measurement.measure(context)))
        except NotMeasured as error:
            left_out.append((name, str(error)))
    return Audit(
        subject.name, subject.kind, subject.signature, tuple(entries), tuple(left_out),
        options.resamples, options.seed, len(own),
    )  # fmt: skip


def select(chosen: Sequence[str], options: AuditOptions) -> Selection:
    """The benchmarks that measurements need and whose corpora are here; the others with the reason.

    A measurement that was named needs its corpus.
    """
    needed = {each: name for name in chosen for each in measurements.load(name).BENCHMARKS}
    selected, skipped = [], []
    for name, measurement in needed.items():
        if not options.corpora:
            skipped.append((name, "corpora were not wanted"))
            continue
        split = options.splits.get(name) or SPLITS.get(name)
        settings = BenchOptions(split, resamples=options.resamples, seed=options.seed)
        try:
            selected.append(select_benchmark(name, settings))
        except datasets.CorpusNotFound as error:
            if measurement in options.only:
                raise
            skipped.append((name, str(error)))
    return Selection(tuple(selected), tuple(skipped))
