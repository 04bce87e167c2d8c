"""Build a corpus of pronoun problems from raw text, with every dropped sentence counted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from coindex import formats, io, plugins
from coindex.build import report
from coindex.build.engines import ENGINES
from coindex.build.run import SIZE, Built, finish, plan, run
from coindex.build.work import FORMAT, Job
from coindex.cli._common import json_option, print_json
from coindex.errors import UsageError
from coindex.formats import Losses

Watch = Callable[[int, int], None]


@click.command(name="build")
@click.argument("name")
@click.argument("files", nargs=-1, required=True, metavar="SOURCE...")
@click.option("-o", "--output", required=True, metavar="OUT", help="The corpus to write.")
@click.option("--source", metavar="NAME", help="What SOURCE is; recognised by default.")
@click.option("--to", "to", default=FORMAT, show_default=True, metavar="FORMAT")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True)
@click.option("--engine", type=click.Choice(ENGINES), default="local", show_default=True)
@click.option("--address", metavar="HOST", help="A Ray cluster that runs already.")
@click.option("--pipeline", metavar="NAME", help="The spaCy pipeline to parse with.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0))
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N shards.")
@click.option("--shard", "size", default=SIZE, show_default=True, type=click.IntRange(1),
              help="About how many bytes of a file are worked on at a time.")  # fmt: skip
@click.option(
    "--resume/--fresh", default=True, help="Go on where a run was stopped, or begin anew."
)
@click.option("--strict", is_flag=True, help="Stop at broken input instead of counting it.")
@click.option("--report", "page", metavar="PAGE", help="Write a page: what went in, what came out.")
@json_option
def command(name: str, files: tuple[str, ...], output: str, as_json: bool, **options: Any) -> None:
    """Build the corpus NAME from SOURCEs: dumps, folders of text, comments, subtitles.

    `coindex list corpora` and `coindex list sources` tell what there is. The result is
    the same for any number of workers and either engine. A run that was stopped, even by
    a power cut, goes on when the same command is run again.
    """
    formats.load(options["to"])
    if output == "-":
        raise UsageError("a corpus and its parts need a place on disk: name a file with -o")
    plugins.load("corpora", name)
    job = Job(
        name, options["source"] or _guess(files), f"{output}.parts", options["seed"],
        options["pipeline"], options["strict"],
    )  # fmt: skip
    todo = plan(job, files, size=options["size"], limit=options["limit"])
    try:
        with _bar() as watch:
            built = run(
                todo, engine=options["engine"], workers=options["workers"],
                address=options["address"], resume=options["resume"], watch=watch,
            )  # fmt: skip
    except KeyboardInterrupt:
        click.echo("coindex: run the same command again to go on from here", err=True)
        raise
    built = _collected(name, built, options["seed"])
    losses = Losses(options["to"])
    formats.write(output, built.problems, options["to"], losses)
    finish(todo)
    _tell(name, built, output, options["page"], as_json)


def _guess(files: tuple[str, ...]) -> str:
    from coindex import sources

    found = {sources.guess(file) for file in files}
    if len(found) > 1:
        raise UsageError(f"expected SOURCEs of one kind, found {', '.join(sorted(found))}")
    return str(found.pop())


def _collected(name: str, built: Built, seed: int) -> Built:
    """What a builder does with all items at the end: balance them, drop duplicates."""
    builder = plugins.load("corpora", name)
    if not hasattr(builder, "collect"):
        return built
    kept = []
    for item in builder.collect(built.problems, builder.rules(seed)):
        if hasattr(item, "reason"):
            built.account.drop(item)
        else:
            kept.append(item)
    return Built(tuple(kept), built.account, built.facts)


def _tell(name: str, built: Built, output: str, page: str | None, as_json: bool) -> None:
    from coindex.scoring.render import render

    grids = report.grids(built, getattr(plugins.load("corpora", name), "PUBLISHED", ()))
    if page:
        io.write_text(page, [render(grids, "html")])
        click.echo(f"written to {page}", err=True)
    if as_json:
        print_json({**report.as_json(built), "output": output})
        return
    width = None if not sys.stdout.isatty() else os.get_terminal_size().columns
    click.echo(render(grids, "text", width=width))
    click.echo(f"{len(built.problems)} items written to {output}", err=True)


@contextmanager
def _bar() -> Iterator[Watch | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("shards", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
