"""Audit a resolver: gender, names, pronouns, small changes of the text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from coindex import formats, io
from coindex.audit.card import card
from coindex.audit.conditions import check, parse_condition
from coindex.audit.file_subject import AuditQuestions, clusters_subject, predictions_subject
from coindex.audit.measurements.protocol import NotMeasured
from coindex.audit.report import audit_markdown, audit_page, audit_tables
from coindex.audit.run import Audit, AuditOptions, run_audit
from coindex.audit.subject import ResolverSubject, Subject
from coindex.cli.common import (
    check_one_style,
    check_page_output,
    html_option,
    json_text,
    model_option,
    pipeline_option,
    read_documents,
    render_tables,
    short_names,
    typed_options,
)
from coindex.cli.evaluation_options import evaluation_options
from coindex.cli.interruption import resume_hint
from coindex.errors import UsageError
from coindex.evaluate.decision_files import write_texts
from coindex.evaluate.options import BenchOptions, check_plugin
from coindex.report.progress_bar import progress_bar


@dataclass(frozen=True, slots=True)
class AuditCommandOptions:
    """The options of `coindex audit`."""

    texts: tuple[str, ...]
    resolver: str
    clusters: str | None
    predictions: str | None
    measure: str
    split: tuple[str, ...]
    corpora: bool
    fail_if: tuple[str, ...]
    html: str | None
    save: str | None
    documents: str | None
    problems: str | None
    pipeline: str | None
    model: str | None
    scheme: str | None
    resamples: int
    seed: int
    style: str | None
    from_format: str | None
    as_json: bool

    def audit_options(self) -> AuditOptions:
        """What is measured."""
        chosen = tuple(name.strip() for name in self.measure.split(",") if name.strip())
        texts = tuple(read_documents(self.texts, self.from_format)) if self.texts else ()
        return AuditOptions(
            chosen, _splits(self.split), self.corpora, texts, self.resamples, self.seed
        )


@click.command(name="audit")
@click.argument("texts", nargs=-1, metavar="[FILE]...")
@click.option("--resolver", metavar="NAME", default="neural", show_default=True,
              help="The resolver.")  # fmt: skip
@model_option
@click.option("--clusters", metavar="FILE", help="Audit clusters made elsewhere, in any format.")
@click.option("--predictions", metavar="FILE",
              help="Audit decisions made elsewhere: JSON lines {id, chosen}.")  # fmt: skip
@click.option("--measure", metavar="A,B,...", default="",
              help="Only these measurements: see coindex list measurements.")  # fmt: skip
@click.option("--split", multiple=True, metavar="NAME=SPLIT",
              help="Another split of a benchmark than test, such as gap=development.")  # fmt: skip
@click.option("--corpora/--no-corpora", default=True, show_default=True,
              help="Whether to run the benchmarks whose corpora are here.")  # fmt: skip
@click.option("--fail-if", multiple=True, metavar="CONDITION",
              help="Exit with 1 if it holds: 'winobias.gap>10', or 'fail' for any failure.")  # fmt: skip
@html_option
@click.option("--save", metavar="FOLDER", help="Write audit.json, audit.md and audit.html there.")
@click.option("--documents", metavar="OUT", help="Only write all texts that are asked about.")
@click.option("--problems", metavar="OUT", help="Only write all questions, as JSON lines.")
@pipeline_option
@evaluation_options
@typed_options(AuditCommandOptions)
def command(options: AuditCommandOptions) -> None:
    """Audit a resolver for bias and robustness.

    Without corpora the texts are those that come with coindex, in many
    variants: genders, names and pronouns exchanged, with typos, in lower case
    and so on. With FILEs of your own, words are exchanged in these. GAP,
    WinoBias, Winogender and KnowRef are added where their corpora are here.
    Each figure has an interval and the least difference that it can detect.
    """
    _check(options)
    settings = options.audit_options()
    conditions = [parse_condition(text, settings.only) for text in options.fail_if]
    if options.documents or options.problems:
        _write_questions(options, settings)
        return
    with resume_hint(), progress_bar() as on_progress:
        audit = run_audit(_subject(options, settings), settings, on_progress)
    for name, reason in audit.skipped:
        click.echo(f"skipped {name}: {reason}", err=True)
    if not audit.entries:
        raise NotMeasured("nothing was measured")
    _write(audit, options)
    if options.as_json:
        click.echo(json_text(card(audit)))
    elif options.html != "-":
        tables = audit_tables(audit, examples=options.style is not None)
        click.echo(render_tables(tables, options.style))
    held = [line for condition in conditions for line in check(condition, audit)]
    for line in held:
        click.echo(f"failed: {line}", err=True)
    if held:
        raise click.exceptions.Exit(1)


def _check(options: AuditCommandOptions) -> None:
    """Options that contradict each other, or would do nothing, are errors."""
    check_one_style(options.as_json, options.style)
    check_page_output(options.html, options.as_json, options.style)
    check_plugin("resolvers", options.resolver)
    given = [name for name in ("clusters", "predictions") if getattr(options, name)]
    if len(given) > 1:
        raise UsageError("--clusters and --predictions are two systems: audit one at a time")
    if given and (options.model or options.scheme or options.resolver != "neural"):
        raise UsageError(f"--{given[0]} is a system of its own: leave out --resolver and --model")
    if given and options.texts:
        raise UsageError(f"--{given[0]} has no answers to FILEs of your own: leave them out")


def _splits(values: tuple[str, ...]) -> Mapping[str, str]:
    for value in values:
        if "=" not in value:
            raise UsageError(f"--split: expected NAME=SPLIT, such as gap=test, found {value!r}")
    return dict(value.split("=", 1) for value in values)


def _subject(options: AuditCommandOptions, settings: AuditOptions) -> Subject:
    """What is audited."""
    base = BenchOptions(pipeline=options.pipeline, model=options.model, scheme=options.scheme)
    if options.clusters:
        (name,) = short_names([options.clusters])
        return clusters_subject(options.clusters, name, options.from_format)
    if options.predictions:
        (name,) = short_names([options.predictions])
        return predictions_subject(options.predictions, name, _questions(settings))
    return ResolverSubject(options.resolver, base)


def _questions(settings: AuditOptions) -> AuditQuestions:
    """Everything that an audit asks."""
    questions = AuditQuestions()
    run_audit(questions, settings)
    return questions


def _write_questions(options: AuditCommandOptions, settings: AuditOptions) -> None:
    questions = _questions(settings)
    if options.documents:
        losses = write_texts(questions.documents(), options.documents, None)
        for line in losses.lines():
            click.echo(line, err=True)
        click.echo(f"{losses.written} document(s) written to {options.documents}", err=True)
    if options.problems:
        written = formats.write(options.problems, questions.all_problems(), "problem-jsonl")
        click.echo(f"{written.written} problem(s) written to {options.problems}", err=True)


def _write(audit: Audit, options: AuditCommandOptions) -> None:
    """Write the files that the options name."""
    if options.save:
        folder = Path(options.save)
        io.make_folder(folder)
        io.write_text(folder / "audit.json", [json_text(card(audit)), "\n"])
        io.write_text(folder / "audit.md", [audit_markdown(audit)])
        io.write_text(folder / "audit.html", [audit_page(audit)])
        click.echo(f"audit.json, audit.md and audit.html written to {options.save}", err=True)
    if options.html:
        io.write_text(options.html, [audit_page(audit)])
        if options.html != "-":
            click.echo(f"written to {options.html}", err=True)
