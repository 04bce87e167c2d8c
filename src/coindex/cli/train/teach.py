"""`coindex train teach`: a resolver's answers as labels of problems that nobody annotated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from coindex import formats
from coindex.cli import common
from coindex.cli.interruption import resume_hint
from coindex.errors import InputError, UsageError
from coindex.evaluate.pseudo_labels import PseudoLabels, pseudo_label
from coindex.report.progress_bar import progress_bar
from coindex.resolvers import ResolverSettings
from coindex.types.problem import Problem


@dataclass(frozen=True, slots=True)
class TeachOptions:
    """The options of `coindex train teach`."""

    files: tuple[str, ...]
    output: Path
    resolver: str
    model: str | None
    sure: float
    threads: int | None
    from_format: str | None
    as_json: bool


@click.command("teach")
@click.argument("files", nargs=-1, required=True, metavar="IN...")
@click.option("-o", "--output", required=True, metavar="FILE", type=click.Path(path_type=Path),
              help="Write to FILE.")  # fmt: skip
@click.option("--resolver", required=True, metavar="NAME",
              help="The resolver that answers; one that scores candidates.")  # fmt: skip
@common.model_option
@click.option("--sure", type=float, required=True, metavar="N",
              help="The least margin between the scores of the best and the second candidate.")  # fmt: skip
@common.threads_option
@common.from_option
@common.json_option
@common.typed_options(TeachOptions)
def teach(options: TeachOptions) -> None:
    """Label problems without an answer, to train on: a large model teaches a small one.

    FILE gets the problems of IN without an answer, with that of the resolver, where its
    margin is large enough. Problems that have an answer are not written: they show how
    often the resolver is right at this margin. Decisions are stored for a month: after an
    interruption run the same command again, and try another --sure at no cost. The exit
    status is 1 if nothing is answered.
    """
    output = options.output
    if not output.absolute().parent.is_dir():
        raise InputError(f"{output}: no such folder to write in")
    settings = ResolverSettings(model=options.model, threads=options.threads)
    problems = _problems(options.files, options.from_format)
    with resume_hint(), progress_bar() as on_progress:
        labels = pseudo_label(
            problems, options.resolver, settings, min_margin=options.sure, on_progress=on_progress
        )
    if labels.problems:
        formats.write(str(output), labels.problems, "problem-jsonl")
    reached, right = labels.accuracy_at(options.sure)
    if options.as_json:
        common.print_json({
            "read": labels.total, "answered": len(labels.problems), "not-sure": labels.unsure,
            "silent": labels.silent, "sure": options.sure,
            "checked": {"problems": len(labels.checked), "sure": reached, "right": right},
            "written": str(output) if labels.problems else None,
        })  # fmt: skip
    else:
        _report(labels, reached, right, output)
    if not labels.problems:
        raise click.exceptions.Exit(1)


def _problems(files: tuple[str, ...], from_format: str | None) -> list[Problem]:
    """The problems of all files."""
    problems = []
    for item in common.read_all(files, from_format):
        if not isinstance(item, Problem):
            raise UsageError(f"only problems have an answer, this is a document: {item.id}")
        problems.append(item)
    return problems


def _report(labels: PseudoLabels, reached: int, right: int, output: Path) -> None:
    """How many problems were labelled, and how accurate the labels are."""
    click.echo(
        f"{len(labels.problems):,} of {labels.total - len(labels.checked):,} problem(s) answered,"
        f" {labels.unsure:,} not sure enough, {labels.silent:,} without a choice", err=True,
    )  # fmt: skip
    if labels.checked:
        share = f" ({100 * right / reached:.1f} %)" if reached else ""
        click.echo(
            f"of {len(labels.checked):,} that have an answer {reached:,} reach this margin,"
            f" and {right:,} of these are right{share}", err=True,
        )  # fmt: skip
    click.echo(f"written to {output}" if labels.problems else "nothing is written", err=True)
