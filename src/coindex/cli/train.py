"""Train a model: `coref` and `pronoun` from recipes; `quizbowl`, on a few documents."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from coindex.cli._common import json_option, print_json
from coindex.cli._export import export
from coindex.cli._pronoun import pronoun
from coindex.cli._quizbowl import quizbowl
from coindex.cli._teach import teach
from coindex.cli._training import device, going_on, need_torch, training_options


@click.group(name="train")
def command() -> None:
    """Train models on your own data; `docs/train.md` goes through it step by step."""


command.add_command(quizbowl)
command.add_command(export)
command.add_command(pronoun)
command.add_command(teach)


@command.command("coref")
@click.option(
    "--config", required=True, metavar="FILE", help="A recipe: a TOML file, or base or small."
)
@training_options(
    "its log, its plot and its checkpoint", "epochs=3, teacher=FOLDER, train.2.files=FOLDER"
)
@json_option
def coref(output: Path, changes: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Train a coreference model into FOLDER.

    The recipe names an encoder, corpora to train on and corpora to choose the best
    epoch by. Each epoch ends with a line here and in FOLDER/log.jsonl, and with a
    checkpoint: after an interruption, run the same command again. At the end the
    folder holds the best epoch's weights and the plot training.svg.
    """
    from coindex.training import options as recipes

    recipe = recipes.load(options["config"], changes, options["encoder"])
    need_torch()
    from coindex.training.loop import train

    where = device(options["device"])
    with going_on(), _progress() as (say, watch):
        say(f"training on {where}: {options['config']}, {recipe.encoder}")
        done = train(recipe, output, where, fresh=not options["resume"], say=say, watch=watch)
    if as_json:
        print_json(done)
    else:
        click.echo(_summary(done))


def _summary(done: dict[str, Any]) -> str:
    verb = "is trained already (--fresh trains anew)" if done["finished"] == "before" else "trained"
    text = f"{done['folder']}: {verb}: {done['epochs']} epochs, the weights are of {done['best']}"
    for name, scores in done["dev"].items():
        text += f"\n  dev {name}: " + ", ".join(f"{n} {value:.2f}" for n, value in scores.items())
    return text


@contextmanager
def _progress() -> Iterator[tuple[Any, Any]]:
    """How to say a line and show a bar on standard error; no bar where that is no terminal."""
    if not sys.stderr.isatty():
        yield lambda text: click.echo(text, err=True), None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def watch(label: str, done: int, total: int) -> None:
            if done <= 1:
                bar.reset(task)
            bar.update(task, description=label, completed=done, total=total)

        yield lambda text: console.print(text, markup=False), watch
