"""`coindex train parser`: the constituency parser, from a recipe."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from coindex.cli.common import print_json, typed_options
from coindex.cli.interruption import resume_hint
from coindex.cli.train import RESUME, TrainOptions, need, training_options
from coindex.report.progress_bar import progress_bar


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserOptions(TrainOptions):
    """The options of `coindex train parser`."""

    export_to: Path | None


@click.command("parser")
@training_options("epochs=3, train=[FILE]")
@click.option("--export", "export_to", metavar="OUT", type=click.Path(path_type=Path),
              help="Then write it to the folder OUT for use without torch.")  # fmt: skip
@typed_options(ParserOptions)
def parser(options: ParserOptions) -> None:
    """Train a constituency parser into FOLDER.

    The recipe names corpora with trees and tags to train on and to choose the best epoch by.
    The lower layers of the encoder stay as they are, so that the parser shares them: it must be
    trained again when that encoder changes. After an interruption, run the same command again.
    """
    from coindex.models.parser.recipe import load_recipe
    from coindex.models.parser.train.trainer import train

    recipe = load_recipe(options.recipe, options.overrides, options.encoder)
    device = options.torch_device()
    if options.export_to is not None:
        need("onnx")
    with resume_hint(RESUME), progress_bar() as on_progress:
        click.echo(f"training on {device}: {options.recipe}, {recipe.encoder}", err=True)
        result = train(
            recipe, options.output, device, fresh=not options.resume, on_progress=on_progress
        )
    if options.export_to is not None:
        from coindex.models.parser.export import export

        export(options.output, options.export_to)
        click.echo(f"written to {options.export_to}; coindex parse --model takes it", err=True)
    if options.as_json:
        print_json(result.as_json())
        return
    verb = "is trained already (--fresh trains anew)" if result.finished_before else "trained"
    scores = ", ".join(f"{name} {value:.2f}" for name, value in result.dev.items())
    click.echo(f"{result.folder}: {verb}: {result.epochs} epochs, the weights are of {result.best}")
    click.echo(f"  dev: {scores}")
