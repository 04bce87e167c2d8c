"""What the commands that train with torch share: options, and what they need to begin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from coindex.errors import MissingExtra, UsageError

NEEDED = ("torch", "transformers", "tokenizers")
Command = Callable[..., Any]


def training_options(leaves: str, example: str) -> Callable[[Command], Command]:
    """`--output`, `--encoder`, `--device`, `--resume` and `--set`.

    leaves   what the folder gets besides the model
    example  settings that can be changed
    """
    options = (
        click.option("-o", "--output", required=True, metavar="FOLDER",
                     type=click.Path(path_type=Path),
                     help=f"Where the model goes, with {leaves}."),
        click.option("--encoder", metavar="NAME",
                     help="Another encoder: a folder or a hub name."),
        click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto",
                     show_default=True, help="Where to compute; auto takes a GPU if there is one."),
        click.option("--resume/--fresh", default=True, show_default=True,
                     help="Go on from the checkpoint in FOLDER, or throw the run there away."),
        click.option("--set", "changes", multiple=True, metavar="KEY=VALUE",
                     help=f"Change a setting of the recipe: {example}."),
    )  # fmt: skip

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def need_torch() -> None:
    """Say how to install what is missing, before any work."""
    for package in NEEDED:
        if find_spec(package) is None:
            raise MissingExtra(package, "train")


def device(wanted: str) -> str:
    """Where to compute: as wanted, if it is there."""
    import torch

    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if wanted == "cuda" and not torch.cuda.is_available():
        raise UsageError("--device cuda: torch finds no GPU here; use --device cpu")
    return wanted


@contextmanager
def going_on() -> Iterator[None]:
    """Tell whoever interrupts the work that it is not lost."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("coindex: run the same command again to go on after the last epoch", err=True)
        raise
