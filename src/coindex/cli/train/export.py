"""`coindex train export`: a trained model as files that need no torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click

from coindex import io
from coindex.cli.common import json_option, print_json, typed_options, with_old_options
from coindex.cli.train import need
from coindex.errors import UsageError
from coindex.models import PARSER
from coindex.models.common.block_packing import BITS


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of `coindex train export`."""

    folder: Path
    output: Path
    exact: bool
    bits: str
    tune: bool
    recipe: str | None
    as_json: bool


@click.command("export", cls=with_old_options({"--config": "--recipe"}))
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, metavar="OUT", type=click.Path(path_type=Path),
              help="Write the model to the folder OUT.")  # fmt: skip
@click.option("--exact", is_flag=True, help="Store floating point: four times as large, slower.")
@click.option("--bits", type=click.Choice(BITS), default="8", show_default=True,
              help="The bits of a stored weight of the encoder. Below 8, weights are in blocks with"
                   " a scale each, word embeddings in 4 bits, and all are unpacked at loading:"
                   " smaller files, the same speed.")  # fmt: skip
@click.option("--tune/--no-tune", default=False, show_default=True,
              help="Choose the thresholds for mentions and entities, and calibrate confidence, on the recipe's dev corpora.")  # fmt: skip
@click.option("--recipe", metavar="RECIPE",
              help="Tune on the dev corpora of this recipe instead of the model's.")  # fmt: skip
@json_option
@typed_options(ExportOptions)
def export(options: ExportOptions) -> None:
    """Write the model that `coindex train` saved in FOLDER for use without torch.

    `coindex resolve --model OUT` then runs on any machine with coindex alone. A pronoun model
    of the kind substitution is for `coindex bench --resolver substitution --model OUT`; one of
    adapters shares the encoder in OUT, which is the shipped one if there is none yet, and so
    does a parser, for `coindex parse --model OUT`.
    """
    need("torch", "transformers", "onnx")
    kind = _kind(options.folder)
    other = options.exact or options.tune or options.recipe or options.bits != "8"
    if kind is not None and other:
        raise UsageError(
            "--exact, --bits, --tune and --recipe are for models of coindex train coref"
        )
    if options.exact and options.bits != "8":
        raise UsageError(f"--exact and --bits {options.bits} exclude each other: choose one")
    if kind == PARSER:
        from coindex.models.parser.export import export as export_parser

        output = export_parser(options.folder, options.output)
        _report(output, {}, "coindex parse", options.as_json)
        return
    if kind is not None:
        from coindex.models.pronoun.export import export as export_pronoun

        output = export_pronoun(options.folder, options.output)
        _report(output, {}, "coindex bench --resolver substitution", options.as_json)
        return
    from coindex.models.coref.export import export as export_coref

    export_coref(options.folder, options.output, int8=not options.exact, bits=options.bits)
    tuned = _tune(options) if options.tune else {}
    _report(options.output, tuned, "coindex resolve", options.as_json)


def _tune(options: ExportOptions) -> Mapping[str, object]:
    from coindex.models.coref.calibrate import calibrate
    from coindex.models.coref.recipe import load_recipe, parse_recipe
    from coindex.models.coref.tune_thresholds import tune_thresholds
    from coindex.models.coref.weights import read_training_metadata

    stored = read_training_metadata(options.folder)["recipe"]
    plain = {name: value for name, value in stored.items() if value not in ("", [], ())}
    recipe = parse_recipe(plain, f"{options.folder}/model.json")
    if options.recipe:
        recipe = replace(recipe, dev=load_recipe(options.recipe).dev)
    tuned = tune_thresholds(options.output, recipe)
    for name, errors in calibrate(options.output, recipe).items():
        tuned.setdefault(name, {})["calibration"] = errors
    return tuned


def _report(output: Path, tuned: Mapping[str, object], use: str, as_json: bool) -> None:
    """What was written, and how to use it."""
    sizes = {path.name: path.stat().st_size for path in sorted(output.iterdir())}
    if as_json:
        print_json({"folder": str(output), "bytes": sizes, "tuned": tuned})
        return
    total = sum(sizes.values()) / 1e6
    click.echo(f"{output}: {total:.1f} MB in {len(sizes)} files; {use} --model {output}")


def _kind(folder: Path) -> str | None:
    """The kind of a parser or of a pronoun model; other faults are found later."""
    try:
        kind = json.loads(io.read_bytes(folder / "model.json")).get("kind")
    except (OSError, ValueError, AttributeError):
        return None
    return None if kind is None else str(kind)
