"""`coindex train coref`: a coreference model, from a recipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from coindex.cli.common import print_json, typed_options, with_old_options
from coindex.cli.interruption import resume_hint
from coindex.cli.train import RESUME, TrainOptions, training_options
from coindex.report.progress_bar import progress_bar

if TYPE_CHECKING:
    from coindex.models.common.trainer import TrainingResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CorefOptions(TrainOptions):
    """The options of `coindex train coref`."""

    start: str | None


@click.command("coref", cls=with_old_options({"--config": "--recipe"}))
@training_options("epochs=3, teacher=FOLDER, train.2.files=FOLDER")
@click.option("--start", metavar="MODEL",
              help="A trained model to start from, instead of an encoder: default, base or a"
                   " folder.")  # fmt: skip
@typed_options(CorefOptions)
def coref(options: CorefOptions) -> None:
    """Train a coreference model into FOLDER.

    The recipe names an encoder, corpora to train on and corpora to choose the best
    epoch by. With --start it goes on from a trained model, such as the shipped one:
    the recipe finetune is for that. Each epoch ends with a line here and in FOLDER/log.jsonl, and with a
    checkpoint: after an interruption, run the same command again. At the end the
    folder holds the best epoch's weights and the plot training.svg.
    """
    from coindex.models.coref.recipe import load_recipe
    from coindex.models.coref.train.trainer import train

    recipe = load_recipe(options.recipe, options.overrides, options.encoder, options.start)
    device = options.torch_device()
    with resume_hint(RESUME), progress_bar() as on_progress:
        click.echo(
            f"training on {device}: {options.recipe}, {recipe.encoder or recipe.start}", err=True
        )
        result = train(
            recipe, options.output, device, fresh=not options.resume, on_progress=on_progress
        )
    if options.as_json:
        print_json(result.as_json())
    else:
        click.echo(_summary(result))


def _summary(result: TrainingResult) -> str:
    verb = "is trained already (--fresh trains anew)" if result.finished_before else "trained"
    text = f"{result.folder}: {verb}: {result.epochs} epochs, the weights are of {result.best}"
    for name, scores in result.dev.items():
        text += f"\n  dev {name}: " + ", ".join(f"{n} {value:.2f}" for n, value in scores.items())
    return text
