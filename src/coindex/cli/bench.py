"""Run resolvers on the pronoun benchmarks, beside the papers' own rows."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from coindex import benchmarks, io, resolvers
from coindex.bench import save
from coindex.bench.cell import Run
from coindex.bench.given import Given, problems_of, read_clusters, read_predictions, score_given
from coindex.bench.options import WAYS, Options, check_systems
from coindex.bench.run import joined, run
from coindex.cli._common import (
    from_option,
    json_option,
    json_text,
    progress_of_items,
    short_names,
)
from coindex.errors import InputError, UsageError
from coindex.scoring.significance import RESAMPLES, SEED


@click.command(name="bench")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--resolver", metavar="A,B,...", default="", help="Resolvers by commas, or all.")
@click.option("--split", metavar="SPLIT", help="The split; each benchmark has its default.")
@click.option(
    "--candidates",
    type=click.Choice(WAYS),
    help="Whether the candidates are told, or to be found.  [default: found on gap, else given]",
)
@click.option("--switched", is_flag=True, help="Also run with the candidates exchanged.")
@click.option(
    "--predictions", "predicted", multiple=True, metavar="FILE",
    help="Score decisions: GAP's table, or JSON lines {id, chosen}.",
)  # fmt: skip
@click.option("--clusters", multiple=True, metavar="FILE", help="Score clusters, in any format.")
@click.option("--difficulty", is_flag=True, help="What is hard, and where systems agree.")
@click.option("--html", metavar="FILE", help="Write a page with all of it.")
@click.option("--plot", metavar="FILE", help="Draw GAP's precision and recall: .svg, .png, .pdf.")
@click.option("--save", "folder", metavar="FOLDER", help="Write all decisions and clusters there.")
@click.option("--documents", metavar="OUT", help="Write the passages as documents.")
@click.option("--to", "to_format", metavar="FORMAT", help="The format of --documents.")
@click.option("--pipeline", metavar="NAME", help="The spaCy pipeline to parse with.")
@click.option("--model", metavar="FOLDER", help="The trained model for the resolver neural.")
@click.option("--scheme", metavar="NAME", help="The annotation scheme that the model follows.")
@click.option("--resamples", default=RESAMPLES, show_default=True, type=click.IntRange(100))
@click.option("--seed", default=SEED, show_default=True, type=click.IntRange(0))
@click.option("--markdown", "style", flag_value="markdown", help="Print Markdown tables.")
@click.option("--latex", "style", flag_value="latex", help="Print LaTeX tables.")
@from_option
@json_option
def command(names: tuple[str, ...], **options: Any) -> None:
    """Run resolvers on benchmarks of pronouns, with intervals and the papers' rows.

    Without a NAME all benchmarks are run whose data is here; `coindex list
    benchmarks` and `coindex list resolvers` tell what there is. Decisions made
    elsewhere are scored with --predictions or --clusters; --documents gives the
    passages to resolve. A run that was interrupted goes on when run again.
    """
    _check(options)
    settings = Options(
        options["split"], options["candidates"], options["switched"], options["pipeline"],
        options["model"], options["scheme"], options["resamples"], options["seed"],
    )  # fmt: skip
    files = len(options["predicted"]) + len(options["clusters"])
    if options["documents"]:
        _documents(_only(names, "--documents"), settings, options)
        if not files and not options["resolver"]:
            return
    found = _run(names, settings, options)
    for name, reason in found.skipped:
        click.echo(f"skipped {name}: {reason}", err=True)
    if not found.tables:
        split = "" if settings.split is None else f" and a split {settings.split} with answers"
        raise InputError(f"nothing was run: no benchmark has its data here{split}")
    _write(found, options)
    click.echo(_shown(found, options))


def _check(options: dict[str, Any]) -> None:
    """Options that would do nothing, or contradict each other, are mistakes."""
    if options["as_json"] and options["style"]:
        raise UsageError(f"--json and --{options['style']} are two styles: choose one")
    if options["to_format"] and not options["documents"]:
        raise UsageError("--to is the format of --documents, which was not given")
    alone = [
        name for name in ("switched", "candidates", "pipeline", "model", "scheme") if options[name]
    ]
    if alone and not options["resolver"] and (options["predicted"] or options["clusters"]):
        raise UsageError(f"--{alone[0]} is for resolvers, and there is no --resolver")


def _run(names: tuple[str, ...], settings: Options, options: dict[str, Any]) -> Run:
    """The files and the resolvers, on all benchmarks."""
    asked = [name.strip() for name in options["resolver"].split(",") if name.strip()]
    systems = asked
    if asked == ["all"]:
        systems = list(resolvers.ready(resolvers.Settings(model=settings.model)))
    paths = [*options["predicted"], *options["clusters"]]
    check_systems(systems, len(paths))
    found = Run((), (), *settings.draws)
    if paths:
        name = _only(names, "--predictions or --clusters")
        found = score_given(name, list(_given(name, settings, options)), settings)
    if systems:
        try:
            with progress_of_items() as watch:
                found = joined(found, run(names, systems, settings, watch))
        except KeyboardInterrupt:
            click.echo("coindex: run the same command again to go on from here", err=True)
            raise
    return found


def _only(names: tuple[str, ...], what: str) -> str:
    """The one benchmark that files are for."""
    if len(names) != 1:
        known = ", ".join(benchmarks.names())
        raise UsageError(f"{what} needs one benchmark, found {len(names)}; name one of: {known}")
    return names[0]


def _given(name: str, settings: Options, options: dict[str, Any]) -> Iterator[Given]:
    """The decisions of every file."""
    problems = problems_of(name, settings)
    paths = [*options["predicted"], *options["clusters"]]
    called = dict(zip(paths, short_names(paths), strict=True))
    if len(called) < len(paths):
        raise UsageError("expected each file once, found one of them again")
    for path in options["predicted"]:
        yield read_predictions(path, called[path], problems, name)
    for path in options["clusters"]:
        yield read_clusters(path, called[path], problems, options["from_format"])


def _documents(name: str, settings: Options, options: dict[str, Any]) -> None:
    losses = save.write_documents(
        problems_of(name, settings), options["documents"], options["to_format"]
    )
    for line in losses.lines():
        click.echo(line, err=True)
    click.echo(f"{losses.written} document(s) written to {options['documents']}", err=True)


def _write(found: Run, options: dict[str, Any]) -> None:
    """The files that were asked for."""
    from coindex.bench import report

    if options["folder"]:
        paths = save.save(found, Path(options["folder"]))
        click.echo(f"{len(paths)} file(s) written to {options['folder']}", err=True)
    if options["plot"]:
        report.write_plot(found, options["plot"])
        click.echo(f"written to {options['plot']}", err=True)
    if options["html"]:
        io.write_text(options["html"], [report.page(found)])
        click.echo(f"written to {options['html']}", err=True)


def _shown(found: Run, options: dict[str, Any]) -> str:
    from coindex.bench.report import all_grids, all_json
    from coindex.scoring.render import render

    if options["as_json"]:
        return json_text(all_json(found, with_difficulty=options["difficulty"]))
    style = options["style"] or "text"
    tables = all_grids(found, with_difficulty=options["difficulty"])
    wide = style == "text" and sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if wide else None
    return render(tables, style, width=width, color=wide and "NO_COLOR" not in os.environ)
