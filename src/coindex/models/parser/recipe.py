"""The recipe of a parser: one TOML file, checked before anything is loaded.

encoder = "default"                  # the shipped one; the parser refers to its weights
train = ["gum:train"]                # corpora of `coindex data`, with a split, or paths
dev = ["gum:dev"]
epochs = 8

`Recipe` documents every setting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from coindex.errors import InputError
from coindex.models.common import recipe as common
from coindex.models.common.encoders import SHIPPED_ENCODER
from coindex.models.common.subwords import MAX_SUBWORDS

SHIPPED = Path(__file__).parent / "recipes"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a training run depends on, besides the data's content.

    encoder        `default`, the shipped encoder, or the folder of an exported model
    train, dev     corpora with trees and tags
    shared         how many of the encoder's lower layers stay as they are
    own            how many layers the parser has over them, copies of the encoder's next ones
                   (0: all the rest)
    window         subwords that are read at once, if no sentence is longer
    batch          windows per update
    hidden, product  sizes of a span's vectors: of the one that is classified, and of those of
                   its ends whose product says whether they belong together
    rare           labels that are rarer than this in training are shortened
    layer_rate, head_rate  peak learning rates: reached after the share `warmup` of the run,
                   then decaying to 0 linearly
    decay, clip    AdamW's weight decay of matrices; the maximum norm of the gradient
    average        the decay of the exponential moving average of the weights, which is scored
                   on dev and stored
    tag_weight     the weight of the loss of tags
    dropout        the share of subwords whose vectors are replaced by 0 in training
    layer_dropout, head_dropout  dropout in the own layers, and of what is scored
    """

    encoder: str = SHIPPED_ENCODER
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    epochs: int = 8
    seed: int = 1
    shared: int = 3
    own: int = 0
    window: int = 160
    batch: int = 4
    hidden: int = 192
    product: int = 64
    rare: int = 2
    layer_rate: float = 2e-4
    head_rate: float = 1e-3
    warmup: float = 0.05
    decay: float = 0.01
    clip: float = 1.0
    average: float = 0.995
    tag_weight: float = 0.5
    dropout: float = 0.03
    layer_dropout: float = 0.1
    head_dropout: float = 0.0


def load_recipe(name: str, changes: Iterable[str] = (), encoder: str | None = None) -> Recipe:
    """The recipe of a TOML file, or of a shipped name, with settings changed."""
    values, source = common.read_recipe(name, changes, SHIPPED, ())
    if encoder is not None:
        values["encoder"] = encoder
    return parse_recipe(values, source)


def parse_recipe(values: Mapping[str, Any], source: str) -> Recipe:
    """A recipe from plain values, checked."""
    recipe = Recipe(**common.typed(values, Recipe, source))
    if not recipe.train or not recipe.dev:
        raise InputError(f"{source}: expected corpora in train and dev, found none")
    for each in fields(Recipe):
        value = getattr(recipe, each.name)
        least = 1 if each.name in ("epochs", "shared", "batch", "hidden", "product") else 0
        if isinstance(value, int | float) and value < least:
            raise InputError(f"{source}: {each.name} must be at least {least}, found {value}")
    if recipe.window < MAX_SUBWORDS + 2:
        raise InputError(
            f"{source}: window must be at least {MAX_SUBWORDS + 2}, found {recipe.window}"
        )
    return recipe


def check_same_recipe(stored: Mapping[str, Any], recipe: Recipe, where: str) -> None:
    """Raise an `InputError` that names the settings in which a stored recipe differs."""
    common.check_same_recipe(parse_recipe(stored, where), recipe, where)
