"""`coindex train export`: a trained model as files that need no torch."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from coindex.cli._common import json_option, print_json
from coindex.errors import MissingExtra, UsageError


@click.command("export")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, metavar="OUT", type=click.Path(path_type=Path),
              help="The folder to write.")  # fmt: skip
@click.option("--exact", is_flag=True, help="Keep floating point: four times as large, slower.")
@click.option(
    "--tune/--no-tune", default=False, show_default=True,
    help="Choose on the recipe's dev corpora where mentions and entities begin.",
)  # fmt: skip
@click.option("--config", metavar="FILE",
              help="Tune on the dev corpora of this recipe instead of the model's own.")  # fmt: skip
@json_option
def export(
    folder: Path, output: Path, exact: bool, tune: bool, config: str | None, as_json: bool
) -> None:
    """Write the model that `coindex train` left in FOLDER for use without torch.

    `coindex resolve --model OUT` then runs on any machine with coindex alone. A pronoun model
    of the kind substitution is for `coindex bench --resolver substitution --model OUT`; one of
    adapters shares the encoder in OUT, which is the shipped one if there is none yet.
    """
    for package in ("torch", "transformers", "onnx"):
        if find_spec(package) is None:
            raise MissingExtra(package, "train")
    if _is_pronoun(folder):
        if exact or tune or config:
            raise UsageError("--exact, --tune and --config are for models of coindex train coref")
        from coindex.pronoun.export import export as write_pronoun

        _tell(write_pronoun(folder, output), {}, "coindex bench --resolver substitution", as_json)
        return
    from coindex.training import options
    from coindex.training.config import recipe
    from coindex.training.export import export as write
    from coindex.training.save import facts_of

    write(folder, output, int8=not exact)
    tuned = {}
    if tune:
        from coindex.training.tune import tune as choose

        known = recipe(_plain(facts_of(folder)["recipe"]), f"{folder}/model.json")
        if config:
            known = replace(known, dev=options.load(config, (), None).dev)
        tuned = choose(output, known, say=lambda text: click.echo(text, err=True))
    _tell(output, tuned, "coindex resolve", as_json)


def _tell(output: Path, tuned: dict[str, Any], use: str, as_json: bool) -> None:
    """What was written, and how to use it."""
    sizes = {path.name: path.stat().st_size for path in sorted(output.iterdir())}
    if as_json:
        print_json({"folder": str(output), "bytes": sizes, "tuned": tuned})
        return
    total = sum(sizes.values()) / 1e6
    click.echo(f"{output}: {total:.1f} MB in {len(sizes)} files; {use} --model {output}")


def _is_pronoun(folder: Path) -> bool:
    """Whether a folder is of `coindex train pronoun`; all other faults are told later."""
    try:
        return "kind" in json.loads((folder / "model.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


def _plain(found: dict[str, object]) -> dict[str, object]:
    """A stored recipe as a recipe's file would say it."""
    return {name: value for name, value in found.items() if value not in ("", [], ())}
