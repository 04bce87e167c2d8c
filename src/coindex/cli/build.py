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
from coindex.build.collect import collected, finished, rules_of, split_of, splits
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
@click.option("-o", "--output", required=True, metavar="OUT",
              help="The file to write; the parts of a run lie in OUT.parts until it is done.")  # fmt: skip
@click.option("--source", metavar="NAME",
              help="What SOURCE is: a name of `coindex list sources`; recognised by default.")  # fmt: skip
@click.option("--to", "to", default=FORMAT, show_default=True, metavar="FORMAT",
              help="What OUT is written as; only the default keeps everything.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="An option of the corpus, may be given several times: knowref has"
                   " mode=train|test, gap balance=yes|no, randomwiki like=CORPUS and surplus=N.")  # fmt: skip
@click.option("--split", is_flag=True,
              help="Write training and held-out items apart (wikicrem has such): crem.train.jsonl"
                   " and crem.held-out.jsonl where OUT is crem.jsonl.")  # fmt: skip
@click.option("--apart", multiple=True, metavar="CORPUS",
              help="Refuse a SOURCE that this corpus was built from; may be given several times.")  # fmt: skip
@click.option("--finish", metavar="ANNOTATED",
              help="Make the corpus of items that annotators have judged (gap, knowref); no"
                   " SOURCE then.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, metavar="N",
              help="How many processes work at a time.")  # fmt: skip
@click.option("--engine", type=click.Choice(ENGINES), default="local", show_default=True,
              help="Processes of this machine, or a Ray cluster.")  # fmt: skip
@click.option("--address", metavar="HOST:PORT",
              help="A Ray cluster that runs already; else one of N workers is started here.")  # fmt: skip
@click.option("--pipeline", metavar="NAME",
              help="The spaCy pipeline to parse with; by default the one that is installed.")  # fmt: skip
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), metavar="N",
              help="Decides whatever is drawn by chance: names, splits, balance.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), metavar="N",
              help="Only the first N shards of all the input, for a quick look.")  # fmt: skip
@click.option("--shard", "size", default=SIZE, show_default=True, type=click.IntRange(1),
              metavar="BYTES", help="How much of a file makes a shard, about: what a worker does"
              " at a time, and loses when it is killed.")  # fmt: skip
@click.option("--resume/--fresh", default=True, show_default=True,
              help="Go on where a run was stopped, or begin anew.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Stop at broken input instead of counting it.")
@click.option("--report", "page", metavar="PAGE",
              help="Write a page of HTML: what went in, what came out, what was dropped and why.")  # fmt: skip
@json_option
def command(name: str, files: tuple[str, ...], output: str, as_json: bool, **options: Any) -> None:
    """Build the corpus NAME from SOURCEs: dumps, folders of text, comments, subtitles.

    `coindex list corpora` and `coindex list sources` tell what there is. The result is
    the same for any number of workers and either engine. A run that was stopped, even
    by `kill -9`, goes on when the same command is given again.
    """
    formats.load(options["to"])
    if output == "-":
        raise UsageError("a corpus and its parts need a place on disk: name a file with -o")
    if Path(output).is_dir():
        raise UsageError(f"{output}: expected a file to write, found a folder")
    if options["address"] and options["engine"] != "ray":
        raise UsageError(f"--address: expected --engine ray, found {options['engine']}")
    if bool(files) == bool(options["finish"]):
        raise UsageError("expected either SOURCEs to build from or --finish ANNOTATED")
    settings = _settings(options["settings"])
    rules = rules_of(name, options["seed"], settings)
    if options["finish"]:
        built, todo = finished(list(_items(options["finish"])), name, rules), None
    else:
        todo = _plan(name, files, f"{output}.parts", settings, options)
        built = collected(_run(todo, options), name, rules, Path(todo.job.folder))
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


def _items(path: str) -> Iterator[Problem]:
    return (item for item in formats.read(path) if isinstance(item, Problem))


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
    if not apart or not built.problems:
        formats.write(output, built.problems, losses.format, losses)
        return [output]
    path, names, sides = Path(output), [], splits(built.problems)
    if "" in sides:
        raise UsageError(
            "--split: expected a fact 'split' of every item, as wikicrem has it, found items without;"
            " give the same command without --split to have them in one file"
        )
    for side in sides:
        names.append(str(path.with_name(f"{path.stem}.{side}{path.suffix}")))
        items = (problem for problem in built.problems if split_of(problem) == side)
        formats.write(names[-1], items, losses.format, losses)
    return names


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
    grids = report.grids(built, published) if page or not as_json else []
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
