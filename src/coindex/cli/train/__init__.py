"""`coindex train`: options that commands share which train with torch, and what they need."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click

from coindex.cli.common import Decorator, all_of, json_option, resume_option, set_option
from coindex.errors import MissingExtra, UsageError

RESUME = "to resume after the last epoch"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """The options of `coindex train coref`, `parser` and `pronoun`."""

    recipe: str
    output: Path
    encoder: str | None
    device: str
    resume: bool
    overrides: tuple[str, ...]
    as_json: bool

    def torch_device(self) -> str:
        """Where to compute; an error if torch or the device is missing."""
        need("torch", "transformers", "tokenizers")
        import torch

        if self.device == "auto":
            return "cuda" if torch.cuda.is_available() else "cpu"
        if self.device == "cuda" and not torch.cuda.is_available():
            raise UsageError("--device cuda: torch finds no GPU here; use --device cpu")
        return self.device


def training_options(example: str) -> Decorator:
    """The options of `TrainOptions`, with examples of settings of the recipe."""
    return all_of(
        click.option("--recipe", required=True, metavar="RECIPE",
                     help="A recipe: a TOML file, or the name of a shipped one."),
        click.option("-o", "--output", required=True, metavar="FOLDER",
                     type=click.Path(path_type=Path),
                     help="Write the model to FOLDER, with its log and its checkpoint."),
        click.option("--encoder", metavar="NAME",
                     help="Another encoder: a folder or a hub name."),
        click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto",
                     show_default=True, help="Where to compute; auto uses a GPU if there is one."),
        resume_option,
        set_option(example),
        json_option,
    )  # fmt: skip


def need(*packages: str) -> None:
    """An error with the install command if a library is missing, before any work."""
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtra(package, "train")
