"""Train a model: `coref` and `pronoun` from recipes; `quizbowl`, on a few documents."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from coindex.cli._common import json_option, print_json
from coindex.cli._export import export
from coindex.cli._pronoun import pronoun
from coindex.cli._quizbowl import quizbowl
from coindex.errors import MissingExtra, UsageError

NEEDED = ("torch", "transformers", "tokenizers")


@click.group(name="train")
def command() -> None:
    """Train models on your own data; `docs/train.md` goes through it step by step."""


command.add_command(quizbowl)
command.add_command(export)
command.add_command(pronoun)


@command.command("coref")
@click.option(
    "--config", required=True, metavar="FILE", help="A recipe: a TOML file, or base or small."
)
@click.option(
    "-o", "--output", required=True, metavar="FOLDER", type=click.Path(path_type=Path),
    help="Where the model goes, with its log, its plot and its checkpoint.",
)  # fmt: skip
@click.option("--encoder", metavar="NAME", help="Another encoder: a folder or a hub name.")
@click.option(
    "--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True,
    help="Where to compute; auto takes a GPU if there is one.",
)  # fmt: skip
@click.option(
    "--resume/--fresh", default=True, show_default=True,
    help="Go on from the checkpoint in FOLDER, or throw the run there away.",
)  # fmt: skip
@click.option(
    "--set", "changes", multiple=True, metavar="KEY=VALUE",
    help="Change a setting of the recipe: epochs=3, teacher=FOLDER, train.2.files=FOLDER.",
)  # fmt: skip
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
    for package in NEEDED:
        if find_spec(package) is None:
            raise MissingExtra(package, "train")
    from coindex.training.loop import train

    device = _device(options["device"])
    try:
        with _progress() as (say, watch):
            say(f"training on {device}: {options['config']}, {recipe.encoder}")
            done = train(
                recipe, output, device, fresh=not options["resume"], say=say, watch=watch
            )  # fmt: skip
    except KeyboardInterrupt:
        click.echo("coindex: run the same command again to go on after the last epoch", err=True)
        raise
    if as_json:
        print_json(done)
    else:
        click.echo(_summary(done))


def _device(wanted: str) -> str:
    import torch

    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if wanted == "cuda" and not torch.cuda.is_available():
        raise UsageError("--device cuda: torch finds no GPU here; use --device cpu")
    return wanted


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
