"""`coindex train pronoun`: learned resolvers of pronoun problems, from recipes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from coindex.cli.common import pipeline_option, print_json, typed_options
from coindex.cli.interruption import resume_hint
from coindex.cli.train import RESUME, TrainOptions, training_options
from coindex.errors import UsageError
from coindex.report.progress_bar import progress_bar

if TYPE_CHECKING:
    from coindex.models.pronoun.recipe import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class PronounOptions(TrainOptions):
    """The options of `coindex train pronoun`."""

    start: str | None
    pipeline: str | None
    grid: tuple[str, ...]


@click.command("pronoun")
@training_options("seeds=[4], stage.1.epochs=3, dev.1.files=FILE")
@click.option("--start", metavar="FOLDER",
              help="A trained model to start from, instead of an encoder.")  # fmt: skip
@pipeline_option
@click.option("--grid", multiple=True, metavar="KEY=V1,V2,...",
              help="Train every combination of these values with the first seed, and show the"
                   " best on dev.")  # fmt: skip
@typed_options(PronounOptions)
def pronoun(options: PronounOptions) -> None:
    """Train a resolver of pronoun problems into FOLDER.

    A recipe names its kind (attention, masked-lm, substitution, ensemble), an encoder,
    the stages of training with their data, and the problems that choose the best epoch.
    Items that are in a test set are removed and counted. After an interruption, run the
    same command again.
    """
    from coindex.models.pronoun.recipe import load_recipe
    from coindex.models.pronoun.train import grid_search, train
    from coindex.resolvers import member_decisions
    from coindex.resolvers.parsed_problem import candidate_finders

    def load(more: tuple[str, ...] = ()) -> Recipe:
        overrides = (*options.overrides, *more)
        return load_recipe(options.recipe, overrides, options.encoder, options.start)

    recipe = load()
    device = "cpu" if recipe.kind == "ensemble" else options.torch_device()
    if options.grid and recipe.kind not in ("masked-lm", "substitution"):
        raise UsageError(f"--grid is for models that are trained, not for {recipe.kind}")
    detected = recipe.kind == "attention" or any(d.candidates == "found" for d in recipe.dev)
    finders = candidate_finders(options.pipeline, found=detected and recipe.kind != "ensemble")
    decide = member_decisions(recipe.member, options.pipeline)
    fresh = not options.resume
    with resume_hint(RESUME), progress_bar() as on_progress:
        if options.grid:
            result = grid_search(
                options.grid, options.output, load, device,
                finders=finders, fresh=fresh, on_progress=on_progress,
            )  # fmt: skip
        else:
            result = train(
                recipe, options.output, device,
                finders=finders, decide=decide, fresh=fresh, on_progress=on_progress,
            )  # fmt: skip
    for line in result.lines:
        click.echo(line, err=options.as_json)
    if recipe.kind == "attention":
        click.echo(
            f"written to {options.output}, with the table as a picture in heads.svg", err=True
        )
    if options.as_json:
        print_json(result.values)
