"""What the commands share: options, progress, JSON."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

import click

from coindex import formats, io
from coindex.core.source import Source
from coindex.formats import Item, Losses

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")

from_option = click.option(
    "--from", "from_format", metavar="FORMAT", help="The input's format; recognised by default."
)

Watch = Callable[[int], None]
Counted = Callable[[str, int, int], None]


def short_names(names: list[str]) -> list[str]:
    """File names without their folders, if they still differ."""
    bare = [PurePath(name).name for name in names]
    return bare if len(set(bare)) == len(bare) else names


def losses_json(sources: list[Source], losses: Losses, output: str) -> dict[str, Any]:
    """What was written where, and what was not, for machines."""
    return {
        "written": losses.written,
        "to": losses.format,
        "output": output,
        "lost": dict(losses.lost),
        "refused": dict(losses.refused),
        "remarks": dict(losses.noted),
        "put-right": dict(_put_right(sources)),
    }


def losses_lines(sources: list[Source], losses: Losses) -> Iterator[str]:
    """What was put right while reading, and what could not be held, for people."""
    for rule, number in _put_right(sources).items():
        yield f"put right while reading: {number} {rule} (see coindex check)"
    yield from losses.lines()


def _put_right(sources: list[Source]) -> Counter[str]:
    return Counter(finding.rule for source in sources for finding in source.findings)


def json_text(value: Any) -> str:
    """JSON for people and machines."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def print_json(value: Any) -> None:
    """JSON to standard output."""
    click.echo(json_text(value))


@contextmanager
def progress(label: str, size: int | None) -> Iterator[Watch]:
    """A bar on standard error if that is a terminal and the input is large; else nothing."""
    if not size or size < 2_000_000 or not sys.stderr.isatty():
        yield lambda position: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = ("{task.description}", BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(PurePath(label).name, total=size)
        yield lambda position: bar.update(task, completed=position)


@contextmanager
def progress_of_items() -> Iterator[Counted]:
    """A bar of a label, how many are done, and of how many, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda label, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        last = ""

        def watch(label: str, done: int, total: int) -> None:
            nonlocal last
            if label != last:
                bar.reset(task)
                last = label
            bar.update(task, description=label, completed=done, total=total)

        yield watch


def read_all(
    paths: Iterable[str], from_format: str | None, sources: list[Source] | None = None
) -> Iterator[Item]:
    """The items of several files, one after the other, with progress."""
    for path in formats.expand(paths):
        with io.open_lines(path) as lines, progress(lines.name, lines.size) as watch:
            source = Source(lines.name)
            if sources is not None:
                sources.append(source)
            for item in formats.read_lines(lines, from_format, source, path):
                watch(lines.position)
                yield item
