"""Go on training the default document model on everyday texts, on a CPU: `everyday_tuning RECIPE OUT`.

The word embeddings and the first `FROZEN` layers stay as they are, since the parser computes with them and the
pronoun model with the embeddings: exported, their weights are the same bytes, so that both models stay valid
(`rebind` writes the new checksum of the encoder into them). Matrix products are in bfloat16 where the
processor has it. RECIPE is `everyday-0.2/recipe.toml` beside this file, or another one.

    everyday_tuning train RECIPE OUT
    everyday_tuning rebind FOLDER [pronoun]   the encoder of FOLDER, and the parser and pronoun model of the default
                                         one; or the pronoun model alone, where only the word embeddings are as before
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from coindex import io
from coindex.assets import DEFAULT_MODEL
from coindex.datasets.checksums import sha256
from coindex.errors import InputError
from coindex.models.common.artifact import read_json, write_json
from coindex.models.common.encoders import ENCODER_FILE
from coindex.models.coref.recipe import Recipe, load_recipe
from coindex.models.coref.train.trainer import CorefTrainer
from coindex.types.progress import OnProgress, Progress

logger = logging.getLogger(__name__)

FROZEN = 6
"""The layers that the shipped parser shares."""
OWN_FILES = {
    "parser": ("parser.onnx", "parser.npz", "parser.json"),
    "pronoun": ("pronoun.onnx", "pronoun.json"),
}


class TopTrainer(CorefTrainer):
    """A trainer whose word embeddings and lower layers do not change."""

    def __init__(self, recipe: Recipe, out: Path, device: str, on_progress: OnProgress) -> None:
        """Read the corpora, load the model and freeze what other models share."""
        super().__init__(recipe, out, device, on_progress)
        freeze_lower(self.model.encoder, FROZEN)
        for group in self.optimizer.param_groups:
            group["fused"] = True
            group["params"] = [p for p in group["params"] if p.requires_grad]

    def _update(self, progress: float) -> None:
        """One step; only what is trained is averaged."""
        self.update(progress, self.recipe.warmup, self.recipe.clip)
        self.step += 1
        decay = min(self.recipe.average, (1 + self.step) / (10 + self.step))
        pairs = zip(self.average, self.model.parameters(), strict=True)
        trained = [(mean, p) for mean, p in pairs if p.requires_grad]
        with torch.no_grad():
            torch._foreach_lerp_([m for m, _ in trained], [p for _, p in trained], 1 - decay)


def freeze_lower(encoder: Any, layers: int) -> None:
    """Keep the embeddings and the first layers of an encoder as they are, without dropout."""
    for module in (encoder.embeddings, *encoder.encoder.layer[:layers]):
        module.requires_grad_(False)
        for part in module.modules():
            if isinstance(part, torch.nn.Dropout):
                part.p = 0.0


def train(recipe_file: Path, out: Path) -> None:
    """Train, or go on with an interrupted run."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    torch.set_float32_matmul_precision("medium")
    recipe = load_recipe(str(recipe_file))
    io.make_folder(out)
    result = TopTrainer(recipe, out, "cpu", print_progress).run()
    sys.stdout.write(f"{result.as_json()}\n")


def print_progress(progress: Progress) -> None:
    """A line for every tenth step."""
    if progress.done % 10 == 0:
        logger.info("%s: %d of %d", progress.task, progress.done, progress.total)


def rebind(folder: Path, kinds: Sequence[str] = tuple(OWN_FILES)) -> None:
    """Give an exported folder the shared weights, the parser and the pronoun model of the default one."""
    shared = is_shared if "parser" in kinds else is_word_embedding
    import onnx

    before = onnx.load(str(DEFAULT_MODEL / ENCODER_FILE))
    model = onnx.load(str(folder / ENCODER_FILE))
    known = {tensor.name: tensor for tensor in before.graph.initializer}
    changed = 0
    for tensor in model.graph.initializer:
        if shared(tensor.name):
            changed += tensor.raw_data != known[tensor.name].raw_data
            tensor.CopyFrom(known[tensor.name])
    io.write_bytes(folder / ENCODER_FILE, model.SerializeToString())
    sys.stdout.write(f"{changed} shared tensors had been rounded again\n")
    for kind in kinds:
        check_references(DEFAULT_MODEL, folder, DEFAULT_MODEL / f"{kind}.onnx")
        for name in OWN_FILES[kind]:
            io.copy_file(DEFAULT_MODEL / name, folder / name)
        metadata = read_json(folder / f"{kind}.json")
        old, new = (sha256(each / ENCODER_FILE) for each in (DEFAULT_MODEL, folder))
        text = json.dumps(metadata)
        if old not in text:
            raise InputError(f"{kind}.json: expected the checksum of the encoder, found none")
        write_json(folder / f"{kind}.json", json.loads(text.replace(old, new)))


def is_shared(name: str) -> bool:
    """Whether a tensor of the encoder is one that does not change."""
    layer = re.search(r"layer\.(\d+)", name)
    return int(layer[1]) < FROZEN if layer else name.startswith("encoder.embeddings")


def is_word_embedding(name: str) -> bool:
    """Whether a tensor of the encoder is of the word embeddings."""
    return "word_embeddings" in name


def check_references(before: Path, after: Path, network: Path) -> None:
    """Raise if a network refers to bytes of the encoder that differ in two folders."""
    import onnx

    old, new = ((each / ENCODER_FILE).read_bytes() for each in (before, after))
    for tensor in onnx.load(str(network), load_external_data=False).graph.initializer:
        place = {each.key: each.value for each in tensor.external_data}
        if place:
            start = int(place["offset"])
            end = start + int(place["length"])
            if old[start:end] != new[start:end]:
                raise InputError(
                    f"{network.name}: {tensor.name} is not the same in the new encoder"
                )


def main(arguments: list[str]) -> None:
    """Run one of the steps."""
    step, *paths = arguments
    if step == "train":
        train(*map(Path, paths))
    elif step == "rebind":
        rebind(Path(paths[0]), paths[1:] or tuple(OWN_FILES))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
