"""Run resolvers on benchmarks of pronouns and of documents, beside the papers' own rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from coindex import benchmarks, io, resolvers
from coindex.cli.common import (
    check_one_style,
    check_page_output,
    html_option,
    json_text,
    model_option,
    pipeline_option,
    render_tables,
    short_names,
    typed_options,
)
from coindex.cli.evaluation_options import evaluation_options
from coindex.cli.interruption import resume_hint
from coindex.errors import InputError, UsageError
from coindex.evaluate import report
from coindex.evaluate.decision_files import (
    ExternalDecisions,
    read_clusters,
    read_predictions,
    save_run,
    score_external,
    write_documents,
    write_texts,
)
from coindex.evaluate.document_run import save_documents, score_clusters
from coindex.evaluate.options import (
    CANDIDATE_MODES,
    BenchOptions,
    SelectedBenchmark,
    Selection,
    check_plugin,
    check_systems,
    select_benchmarks,
)
from coindex.evaluate.report import all_json, all_tables
from coindex.evaluate.results import BenchRun
from coindex.evaluate.run import merge_runs, run_selected
from coindex.report.progress_bar import progress_bar
from coindex.transform.edit import retokenize


@dataclass(frozen=True, slots=True)
class BenchCommandOptions:
    """The options of `coindex bench`."""

    names: tuple[str, ...]
    resolver: str
    split: str | None
    candidates: str | None
    switched: bool
    predictions: tuple[str, ...]
    clusters: tuple[str, ...]
    difficulty: bool
    html: str | None
    plot: str | None
    save: str | None
    documents: str | None
    to_format: str | None
    pipeline: str | None
    model: str | None
    scheme: str | None
    resamples: int
    seed: int
    style: str | None
    from_format: str | None
    as_json: bool

    def bench_options(self) -> BenchOptions:
        """What is run."""
        return BenchOptions(
            self.split, self.candidates, self.switched, self.pipeline, self.model, self.scheme,
            self.resamples, self.seed,
        )  # fmt: skip

    @property
    def files(self) -> list[str]:
        """Files of decisions and of clusters."""
        return [*self.predictions, *self.clusters]


@click.command(name="bench")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--resolver", metavar="A,B,...", default="", help="Resolvers by commas, or all.")
@click.option("--split", metavar="SPLIT", help="The split; each benchmark has its default.")
@click.option("--candidates", type=click.Choice(CANDIDATE_MODES),
              help="Whether the candidates are given, or to be found."
                   "  [default: found on gap, else given]")  # fmt: skip
@click.option("--switched", is_flag=True, help="Also run with the candidates exchanged.")
@click.option("--predictions", multiple=True, metavar="FILE",
              help="Score decisions: GAP's table, or JSON lines {id, chosen}.")  # fmt: skip
@click.option("--clusters", multiple=True, metavar="FILE", help="Score clusters, in any format.")
@click.option("--difficulty", is_flag=True, help="What is hard, and where systems agree.")
@html_option
@click.option("--plot", metavar="FILE",
              help="Plot GAP's precision and recall: .svg, .png or .pdf.")  # fmt: skip
@click.option("--save", metavar="FOLDER", help="Write all decisions and clusters there.")
@click.option("--documents", metavar="OUT", help="Write the passages as documents.")
@click.option("--to", "to_format", metavar="FORMAT", help="The format of --documents.")
@pipeline_option
@model_option
@evaluation_options
@typed_options(BenchCommandOptions)
def command(options: BenchCommandOptions) -> None:
    """Run resolvers on benchmarks, with intervals and the papers' rows.

    Without a NAME all benchmarks are run whose data is here; `coindex list
    benchmarks` and `coindex list resolvers` show what there is. Most are of
    pronouns; probes is of short texts whose entities a resolver of documents
    finds. Decisions made elsewhere are scored with --predictions or --clusters;
    --documents gives the passages to resolve. An interrupted run is resumed by
    the same command.
    """
    _check(options)
    settings = options.bench_options()
    if options.documents:
        _only(options.names, "--documents")
        _write_documents(options.documents, options)
        if not options.files and not options.resolver:
            return
    done = _run(settings, options)
    for name, reason in done.skipped:
        click.echo(f"skipped {name}: {reason}", err=True)
    if not done.tables and not done.documents:
        split = "" if settings.split is None else f" and a split {settings.split} with answers"
        raise InputError(f"nothing was run: no benchmark has its data here{split}")
    _write(done, options)
    if options.as_json:
        click.echo(json_text(all_json(done, with_difficulty=options.difficulty)))
    elif options.html != "-":
        tables = all_tables(done, with_difficulty=options.difficulty)
        click.echo(render_tables(tables, options.style))


def _check(options: BenchCommandOptions) -> None:
    """Options that would do nothing, or contradict each other, are errors."""
    check_one_style(options.as_json, options.style)
    check_page_output(options.html, options.as_json, options.style)
    for name in options.names:
        check_plugin("benchmarks", name)
    if options.to_format and not options.documents:
        raise UsageError("--to is the format of --documents, which was not given")
    of_resolvers = {
        "switched": options.switched,
        "candidates": options.candidates,
        "pipeline": options.pipeline,
        "model": options.model,
        "scheme": options.scheme,
    }
    _check_documents(options)
    given = [name for name, value in of_resolvers.items() if value]
    if given and options.files and not options.resolver:
        raise UsageError(f"--{given[0]} is for resolvers, and there is no --resolver")


def _check_documents(options: BenchCommandOptions) -> None:
    """Options of problems are errors where only benchmarks of documents are named."""
    of_documents = [name for name in options.names if name in benchmarks.names("documents")]
    of_problems = {
        "predictions": options.predictions,
        "switched": options.switched,
        "candidates": options.candidates,
        "difficulty": options.difficulty,
        "plot": options.plot,
    }
    given = [name for name, value in of_problems.items() if value]
    if given and of_documents and len(of_documents) == len(options.names):
        also = "; score clusters with --clusters" if given[0] == "predictions" else ""
        raise UsageError(
            f"--{given[0]} is for benchmarks of problems, and"
            f" {', '.join(of_documents)} has documents{also}"
        )


def _run(settings: BenchOptions, options: BenchCommandOptions) -> BenchRun:
    """The results of the files and of the resolvers, on all benchmarks."""
    systems = [name.strip() for name in options.resolver.split(",") if name.strip()]
    if systems == ["all"]:
        systems = list(resolvers.available(resolvers.ResolverSettings(model=settings.model)))
    check_systems(systems, len(options.files))
    if options.files:
        _only(options.names, "--predictions or --clusters")
    selection = select_benchmarks(options.names, settings)
    done = BenchRun((), (), *settings.draws)
    if options.files:
        done = _score_files(selection, options, settings)
    if systems:
        with resume_hint(), progress_bar() as on_progress:
            done = merge_runs(done, run_selected(selection, systems, settings, on_progress))
    return done


def _score_files(
    selection: Selection, options: BenchCommandOptions, settings: BenchOptions
) -> BenchRun:
    """The results of the files on the one benchmark that is named."""
    if selection.selected:
        (selected,) = selection.selected
        return score_external(selected, list(_external(selected, options)), settings)
    (documents,) = selection.documents
    table = score_clusters(documents, _file_names(options), options.from_format)
    return BenchRun((), (), *settings.draws, (table,))


def _only(names: tuple[str, ...], what: str) -> None:
    """An error unless one benchmark is named."""
    if len(names) != 1:
        known = ", ".join(benchmarks.names())
        raise UsageError(f"{what} needs one benchmark, found {len(names)}; name one of: {known}")


def _external(
    selected: SelectedBenchmark, options: BenchCommandOptions
) -> Iterator[ExternalDecisions]:
    """The decisions of every file."""
    names = _file_names(options)
    for path in options.predictions:
        yield read_predictions(path, names[path], selected)
    for path in options.clusters:
        yield read_clusters(path, names[path], selected.problems, options.from_format)


def _file_names(options: BenchCommandOptions) -> dict[str, str]:
    """The files, each with the name to show."""
    names = dict(zip(options.files, short_names(options.files), strict=True))
    if len(names) < len(options.files):
        raise UsageError("expected each file once, found one of them again")
    return names


def _write_documents(output: str, options: BenchCommandOptions) -> None:
    selection = select_benchmarks(options.names, options.bench_options())
    if selection.selected:
        losses = write_documents(selection.selected[0].problems, output, options.to_format)
    else:
        texts = (retokenize(text, ()) for text in selection.documents[0].documents)
        losses = write_texts(texts, output, options.to_format)
    for line in losses.lines():
        click.echo(line, err=True)
    click.echo(f"{losses.written} document(s) written to {output}", err=True)


def _write(done: BenchRun, options: BenchCommandOptions) -> None:
    """Write the files that the options name."""
    if options.save:
        folder = Path(options.save)
        paths = [*save_run(done, folder), *save_documents(done, folder)]
        click.echo(f"{len(paths)} file(s) written to {options.save}", err=True)
    if options.plot:
        report.write_plot(done, options.plot)
        click.echo(f"written to {options.plot}", err=True)
    if options.html:
        io.write_text(options.html, [report.page(done)])
        if options.html != "-":
            click.echo(f"written to {options.html}", err=True)
