"""What `coindex resolve` does with its options: read, resolve, write, and say what was skipped."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from coindex import __version__, formats, io
from coindex.batch.chunks import PartStore
from coindex.batch.forms import FORMS
from coindex.batch.inputs import STDIN, Inputs, find_inputs, without_outputs
from coindex.batch.items import InputText, Item, Outcome, Record, Skipped
from coindex.batch.outputs import (
    JSON,
    SkippedReport,
    check_tree,
    documents_of,
    output_lines,
    records_of,
    write_file,
    write_tree,
    write_via,
)
from coindex.batch.reading import (
    ENCODING_HINT,
    NOT_UTF8,
    ReadOptions,
    check_files,
    is_collection,
    output_targets,
    read_collection,
)
from coindex.batch.resolving import ResolveJob
from coindex.batch.run import BatchRun
from coindex.batch.summary import RunProgress
from coindex.cli.common import conversion_lines
from coindex.cli.interruption import ended_by_sigterm, resume_hint
from coindex.cli.resolve_ids import InputIds
from coindex.cli.resolve_options import SKIP, ResolveOptions
from coindex.errors import FormatError, InputError
from coindex.formats import ConversionLosses
from coindex.jobs.engine_choice import Engine
from coindex.jobs.parts import claim_folder, remove_parts
from coindex.report.progress_bar import progress_bar
from coindex.types.document import Document
from coindex.types.mention import Pairs
from coindex.types.progress import OnProgress, ignore_progress
from coindex.types.source import Source

LONG = 30_000
"""From this number of bytes of input on, progress is shown."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is read and where it is written.

    collection   whether there are several texts, and not a few named files of text
    form         of the output: one of `FORMS`, `json`, or a format
    target       the file or the folder to write; None for standard output
    stored       whether the run has parts on disk, to resume from
    """

    inputs: Inputs
    reading: ReadOptions
    collection: bool
    form: str
    target: Path | None
    stored: bool


def resolve_inputs(options: ResolveOptions) -> None:
    """Resolve all inputs and write the output."""
    try:
        _resolve_inputs(options)
    except FormatError as error:
        if NOT_UTF8 not in error.message:
            raise
        raise InputError(f"{error}{ENCODING_HINT}") from error


def _resolve_inputs(options: ResolveOptions) -> None:
    plan = _plan(options)
    check_files(plan.inputs, plan.reading)
    if options.output_dir is not None:
        check_tree(output_targets(plan.inputs, plan.reading), plan.form, Path(options.output_dir))
    engine = Engine(options.engine, options.workers, options.address)
    threads = options.threads or (None if engine.in_process else _threads(engine))
    # A table on a terminal is drawn from documents; all else is rendered by the workers.
    form = "documents" if plan.form == "table" and plan.target is None else plan.form
    choice = options.resolver(threads)
    job = ResolveJob(
        choice, "jsonl" if form == JSON else form, options.min_confidence, plan.reading.skip
    )
    resolver = choice.load()  # also to find mistakes in the options before any work
    signature = resolver.signature
    with ended_by_sigterm(), progress_bar() as on_progress:
        shown = _shown(plan, on_progress)
        progress = RunProgress(plan.inputs.size, shown)
        run = BatchRun(job, engine, progress, resolver if engine.in_process else None)
        del resolver
        if plan.stored:
            with resume_hint():
                _write_stored(options, plan, run, _settings(options, plan, signature))
        else:
            _write_directly(options, plan, run)


def _plan(options: ResolveOptions) -> Plan:
    target = options.output_dir or (None if options.output == "-" else options.output)
    path = None if target is None else Path(target)
    inputs = find_inputs(options.files, options.patterns)
    if path is not None:
        inputs = without_outputs(inputs, options.files, path)
    collection = is_collection(inputs, options.reading(True))
    skip = collection if options.on_error is None else options.on_error == SKIP
    regular = path is not None and (not path.exists() or path.is_file() or path.is_dir())
    stored = regular and (collection or options.output_dir is not None)
    form = JSON if options.as_json else options.to_format
    return Plan(inputs, options.reading(skip), collection, form, path, stored)


def _threads(engine: Engine) -> int:
    """The threads of each worker: together they use the cores of this machine once."""
    return 1 if engine.name == "ray" else max((os.cpu_count() or 1) // engine.workers, 1)


def _shown(plan: Plan, on_progress: OnProgress) -> OnProgress:
    long = plan.inputs.size >= LONG or (plan.collection and not plan.inputs.size)
    return on_progress if long else ignore_progress


def _settings(options: ResolveOptions, plan: Plan, signature: str) -> Pairs:
    """Everything that the output depends on, but for the content of the input."""
    names = (
        "speakers", "markup", "rules", "events", "explain", "min_confidence", "from_format",
        "patterns", "text_field", "id_field", "speaker_field", "encoding",
    )  # fmt: skip
    return (
        ("command", "resolve"), ("version", __version__), ("resolver", signature),
        ("form", plan.form), ("skip", str(plan.reading.skip)),
        *((name, str(getattr(options, name))) for name in names),
        *(("input", name) for name in options.files or (STDIN,)),
    )  # fmt: skip


def _items(options: ResolveOptions, plan: Plan, sources: list[Source]) -> Iterator[Item]:
    ids = InputIds(options.speakers, len(plan.inputs.files))
    for item in read_collection(plan.inputs, plan.reading, sources):
        if isinstance(item, InputText):
            ids.add(item)
        yield item
    ids.report()


def _write_stored(options: ResolveOptions, plan: Plan, run: BatchRun, settings: Pairs) -> None:
    """Write a file or a tree of files, through parts on disk."""
    target = plan.target
    assert target is not None
    folder = target.with_name(f"{target.name}.parts")
    sources: list[Source] = []
    losses = ConversionLosses(plan.form)
    if options.output_dir is None:
        io.check_writable(target)
    if options.resume:
        _tell_replaced(target, folder)
    claim_folder(folder, settings, options.resume)
    report = SkippedReport(target.with_name(f"{target.name}.skipped.jsonl"))
    outcomes = run.stored_outcomes(_items(options, plan, sources), PartStore(folder))
    with report:
        records = records_of(outcomes, report)
        if options.output_dir is not None:
            io.make_folder(target)
            write_tree(records, plan.form, target, losses, folder)
        else:
            write_via(records, plan.form, target, losses, folder, _indent(options))
    remove_parts(folder)
    _finish(plan, run, report, conversion_lines(sources, losses))


def _write_directly(options: ResolveOptions, plan: Plan, run: BatchRun) -> None:
    """Write what has no parts: standard output, or the file of a single text."""
    sources: list[Source] = []
    losses = ConversionLosses(plan.form)
    outcomes = run.outcomes(_items(options, plan, sources))
    with SkippedReport(None) as report:
        records = records_of(_told(outcomes), report)
        if plan.target is not None:
            write_file(records, plan.form, plan.target, losses, _indent(options))
        elif plan.form == "table":
            print_entities(documents_of(records))
        else:
            _print(records, plan, losses, _indent(options))
    _finish(plan, run, report, conversion_lines(sources, losses))


def _print(records: Iterator[Record], plan: Plan, losses: ConversionLosses, indent: int) -> None:
    if plan.form in (*FORMS, JSON):
        lines = output_lines(records, plan.form, indent)
    else:
        lines = formats.write_lines(documents_of(records), plan.form, losses)
    if plan.form == JSON and not plan.reading.skip:
        lines = iter(list(lines))  # an error comes before any output
    for line in lines:
        click.echo(line, nl=False, color=True)  # a text's own escapes are not taken out


def _indent(options: ResolveOptions) -> int:
    return 2 if options.indent is None else options.indent


def _tell_replaced(target: Path, folder: Path) -> None:
    """Say that a complete output is computed again: there is nothing to resume."""
    there = any(target.iterdir()) if target.is_dir() else target.is_file()
    if there and not folder.exists():
        what = "its files are" if target.is_dir() else "it is"
        click.echo(
            f"coindex: {target} exists, and there is no interrupted run to resume: all texts are"
            f" resolved, and {what} replaced at the end",
            err=True,
        )


def _told(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """The outcomes; what is skipped is said on standard error, as there is no report.

    A reason that several rows of a file have is said for the first, and then with their number.
    """
    repeated: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes:
        if isinstance(outcome, Skipped):
            file, _, line = outcome.source.rpartition(":")
            key = (file if line.isdecimal() else outcome.source, outcome.reason)
            if key not in repeated:
                click.echo(f"coindex: skipped: {outcome.source}: {outcome.reason}", err=True)
            repeated[key] += 1
        yield outcome
    for (file, reason), count in repeated.items():
        if count > 1:
            more = f"{count - 1:,} more for the same reason"
            click.echo(f"coindex: skipped: {file}: {more}: {reason}", err=True)


def _finish(plan: Plan, run: BatchRun, report: SkippedReport, notes: Iterable[str]) -> None:
    """Say what was written and skipped; an error if nothing was resolved."""
    if plan.form not in (*FORMS, JSON):
        for note in notes:
            click.echo(note, err=True)
    progress = run.progress
    named = plan.inputs.several and not progress.skipped and not plan.stored
    if plan.collection and not named:
        where = f": see {report.path}" if report.count and report.path else ""
        click.echo(f"coindex: {progress.line()}{where}", err=True)
    if plan.target is not None:
        click.echo(f"written to {plan.target}", err=True)
    if progress.skipped and not progress.texts:
        raise click.exceptions.Exit(1)


def print_entities(resolved: Iterable[Document]) -> None:
    """A table of entities for each document."""
    from rich.console import Console

    from coindex.report.viewer.terminal import show_entities, visible

    console = Console(highlight=False)
    for number, document in enumerate(resolved):
        if number:
            console.print()
        show_entities(document, console)
        for mention in document.mentions:
            why = dict(mention.attrs).get("why")
            if why:
                place = document.chars(mention.spans[0]).start
                line = visible(f"{place} {' '.join(document.text_of(mention).split())}: {why}")
                console.print(line, markup=False, emoji=False, soft_wrap=not console.is_terminal)
