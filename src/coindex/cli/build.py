"""Build a corpus of pronoun problems from raw text, with every dropped sentence counted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from coindex import formats, io, plugins
from coindex.build import report
from coindex.build.collect import by_split, collected, finished, rules_of
from coindex.build.engines import ENGINES
from coindex.build.run import SIZE, Built, Plan, finish, keep_apart, plan, run
from coindex.build.work import FORMAT, Job
from coindex.cli._common import json_option, print_json
from coindex.core.problem import Problem
from coindex.errors import UsageError
from coindex.formats import Losses

Watch = Callable[[int, int], None]


@click.command(name="build")
@click.argument("name")
@click.argument("files", nargs=-1, metavar="SOURCE...")
@click.option("-o", "--output", required=True, metavar="OUT", help="The corpus to write.")
@click.option("--source", metavar="NAME", help="What SOURCE is; recognised by default.")
@click.option("--to", "to", default=FORMAT, show_default=True, metavar="FORMAT")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="An option of the corpus, such as mode=test; may be given several times.")  # fmt: skip
@click.option("--split", is_flag=True, help="A file for each split: OUT.train, OUT.held-out.")
@click.option("--apart", multiple=True, metavar="CORPUS",
              help="Refuse a SOURCE that this corpus was built from.")  # fmt: skip
@click.option("--finish", metavar="ANNOTATED",
              help="Make the corpus of items that annotators have judged; no SOURCE then.")  # fmt: skip
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
    if bool(files) == bool(options["finish"]):
        raise UsageError("expected either SOURCEs to build from or --finish ANNOTATED")
    settings = _settings(options["settings"])
    rules = rules_of(name, options["seed"], settings)
    if options["finish"]:
        built, todo = finished(_items(options["finish"]), name, rules), None
    else:
        todo = _plan(name, files, f"{output}.parts", settings, options)
        built = collected(_run(todo, options), name, rules)
    losses = Losses(options["to"])
    written = _write(built, output, options["split"], losses)
    _tell(name, built, written, options["page"], as_json, losses)
    if losses.refused and not losses.written:  # the parts stay, for another format
        raise click.exceptions.Exit(1)
    if todo:
        finish(todo)


def _settings(told: tuple[str, ...]) -> dict[str, str]:
    pairs = [each.partition("=") for each in told]
    for option, equals, _ in pairs:
        if not option or not equals:
            raise UsageError(f"expected --set NAME=VALUE, found {option!r}")
    return {option: value for option, _, value in pairs}


def _items(path: str) -> list[Problem]:
    return [item for item in formats.read(path) if isinstance(item, Problem)]


def _plan(
    name: str, files: tuple[str, ...], parts: str, settings: dict[str, str], options: dict[str, Any]
) -> Plan:
    job = Job(
        name, options["source"] or _guess(files), parts, options["seed"], options["pipeline"],
        options["strict"], tuple(sorted(settings.items())),
    )  # fmt: skip
    todo = plan(job, files, size=options["size"], limit=options["limit"])
    for corpus in options["apart"]:
        keep_apart(todo, _items(corpus), corpus)
    return todo


def _run(todo: Plan, options: dict[str, Any]) -> Built:
    try:
        with _bar() as watch:
            return run(
                todo, engine=options["engine"], workers=options["workers"],
                address=options["address"], resume=options["resume"], watch=watch,
            )  # fmt: skip
    except KeyboardInterrupt:
        click.echo("coindex: run the same command again to go on from here", err=True)
        raise


def _write(built: Built, output: str, apart: bool, losses: Losses) -> list[str]:
    """Write one file, or one for each split; returns their names."""
    path = Path(output)
    split = by_split(built.problems) if apart else {}
    files = {
        str(path.with_name(f"{path.stem}.{side}{path.suffix}")): items
        for side, items in split.items()
    }
    for name, items in (files or {output: list(built.problems)}).items():
        formats.write(name, items, losses.format, losses)
    return list(files) or [output]


def _guess(files: tuple[str, ...]) -> str:
    from coindex import sources

    found = {sources.guess(file) for file in files}
    if len(found) > 1:
        raise UsageError(f"expected SOURCEs of one kind, found {', '.join(sorted(found))}")
    return str(found.pop())


def _tell(
    name: str, built: Built, files: list[str], page: str | None, as_json: bool, losses: Losses
) -> None:
    from coindex.scoring.render import render

    published = getattr(plugins.load("corpora", name), "PUBLISHED", ())
    grids = report.grids(built, published)
    if page:
        io.write_text(page, [render(grids, "html")])
        click.echo(f"written to {page}", err=True)
    for line in losses.lines():
        click.echo(line, err=True)
    if as_json:
        told = {"output": files, "written": losses.written}
        print_json({**report.as_json(built, published), **told})
        return
    width = None if not sys.stdout.isatty() else os.get_terminal_size().columns
    click.echo(render(grids, "text", width=width))
    click.echo(f"{losses.written} items written to {', '.join(files)}", err=True)


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
