"""`coindex train pronoun`: learned resolvers of pronoun problems, from recipes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from coindex.cli._common import json_option, print_json
from coindex.cli._training import device, going_on, need_torch, training_options
from coindex.errors import InputError, MissingExtra, UsageError

Run = Callable[[Any, Path, str, dict[str, Any]], dict[str, Any]]


@click.command("pronoun")
@click.option("--recipe", "name", required=True, metavar="NAME",
              help="A recipe: a TOML file, or the name of a shipped one.")  # fmt: skip
@training_options(
    "its log, its card and its checkpoint", "seeds=[4], stage.1.epochs=3, dev.1.files=FILE"
)
@click.option(
    "--start", metavar="FOLDER", help="A trained model to go on from, instead of an encoder."
)
@click.option("--pipeline", metavar="NAME", help="The spaCy pipeline that finds candidates.")
@click.option(
    "--grid", "axes", multiple=True, metavar="KEY=V1,V2,...",
    help="Train every combination of these values with the first seed; tell the best by dev.",
)  # fmt: skip
@json_option
def pronoun(output: Path, changes: tuple[str, ...], **options: Any) -> None:
    """Train a resolver of pronoun problems into FOLDER.

    A recipe names its kind (attention, masked-lm, substitution, ensemble), an encoder,
    the stages of training with their data, and the problems that choose the best epoch.
    Items that are in a test set are removed and counted. After an interruption, run the
    same command again.
    """
    from coindex.pronoun import options as recipes

    recipe = recipes.load(options["name"], changes, options["encoder"], options["start"])
    where = "cpu"
    if recipe.kind != "ensemble":
        need_torch()
        where = device(options["device"])
    run: Run = {"attention": _attention, "ensemble": _ensemble}.get(recipe.kind, _trained)
    if options["axes"]:
        if recipe.kind not in ("masked-lm", "substitution"):
            raise UsageError(f"--grid is for models that are trained, not for {recipe.kind}")
        run = partial(_grid, changes)
    with going_on():
        done = run(recipe, output, where, options)
    if options["as_json"]:
        print_json(done)


def _attention(recipe: Any, output: Path, where: str, options: dict[str, Any]) -> dict[str, Any]:
    """Fit heads for given candidates, and for found ones where spaCy is installed."""
    from coindex.pronoun.fit import PLOT, fit_attention, lines
    from coindex.pronoun.heads import fitted

    done = fit_attention(recipe, output, _ways(options["pipeline"]), where, _say)
    shown = {way: fitted(made, str(output)) for way, made in done["fits"].items()}
    for line in lines(shown):
        click.echo(line, err=options["as_json"])
    _say(f"written to {output}, with the table as a picture in {PLOT}")
    return done


def _ensemble(recipe: Any, output: Path, where: str, options: dict[str, Any]) -> dict[str, Any]:
    """Weigh resolvers on dev."""
    from coindex import resolvers
    from coindex.core.decision import unanswered
    from coindex.pronoun.weigh import lines, weigh

    def settings(member: Any, way: str = "given") -> Any:
        return resolvers.Settings(way, pipeline=options["pipeline"], model=member.model or None)

    def decide(member: Any, way: str, problems: Any) -> list[Any]:
        found = resolvers.decider(member.resolver, settings(member, way))
        return list(found.decide(map(unanswered, problems)))

    for member in recipe.member:  # before the first of them works for an hour
        if lacking := resolvers.lacks(member.resolver, settings(member)):
            raise InputError(lacking)

    done = weigh(recipe, output, decide, _say)
    for line in lines(done):
        click.echo(line, err=options["as_json"])
    return done


def _trained(recipe: Any, output: Path, where: str, options: dict[str, Any]) -> dict[str, Any]:
    """Train one model for each seed."""
    from coindex.pronoun.loop import train

    ways = _ways(options["pipeline"], found=any(d.candidates == "found" for d in recipe.dev))
    several = len(recipe.seeds) > 1
    done = {}
    for seed in recipe.seeds:
        folder = output / f"seed-{seed}" if several else output
        _say(f"training on {where}: {options['name']}, seed {seed}")
        done[seed] = train(
            recipe, folder, ways, where, seed=seed, fresh=not options["resume"], say=_say
        )
        before = done[seed]["finished"] == "before"
        click.echo(f"{folder}: {'is trained already (--fresh trains anew)' if before else 'trained'}"
                   f"{_dev(done[seed]['dev'])}", err=options["as_json"])  # fmt: skip
    return {"models": list(done.values())}


def _grid(
    changes: tuple[str, ...], recipe: Any, output: Path, where: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Train every combination of the axes."""
    from coindex.pronoun import grid
    from coindex.pronoun import options as recipes
    from coindex.pronoun.loop import train

    ways = _ways(options["pipeline"], found=any(d.candidates == "found" for d in recipe.dev))

    def run(more: tuple[str, ...], folder: Path) -> dict[str, Any]:
        every = (*changes, *more)
        made = recipes.load(options["name"], every, options["encoder"], options["start"])
        _say(f"{folder}: {' '.join(more)}")
        return train(made, folder, ways, where, fresh=not options["resume"], say=_say)

    found = grid.search(options["axes"], output, run)
    for line in grid.lines(found):
        click.echo(line, err=options["as_json"])
    return found


def _dev(figures: dict[str, float]) -> str:
    each = ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
    return f"; dev {each}" if each else ""


def _ways(pipeline: str | None, *, found: bool = True) -> dict[str, Any]:
    """How to get candidates: given, and found if wanted, where a pipeline is installed."""
    from coindex.resolvers import Settings
    from coindex.resolvers._asked import ask

    ways = {"given": ask(Settings("given"))[0]}
    if not found:
        return ways
    try:
        ways["found"] = ask(Settings("found", pipeline=pipeline))[0]
    except MissingExtra as error:
        _say(f"no found candidates: {error}")
    return ways


def _say(text: str) -> None:
    click.echo(text, err=True)
