"""The folder of an exported coreference model, which runs without torch.

    model.json       format, schemes, sizes, thresholds, how it was trained
    tokenizer.json   the subword tokenizer
    encoder.onnx     subwords in, one row per word out; see `infer.encoder`
    head.npz         the weights that numpy applies to mentions and pairs

Every file is checked before anything is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, read_json
from coindex.models.common.calibration import UNCALIBRATED, Calibration
from coindex.models.common.installed_models import no_model
from coindex.models.coref.features import CLASSES, PAIR_FEATURE_SIZES

FORMAT = 1
EVERYDAY = "general"
"""The scheme of this name is for everyday text: see `Scheme.everyday`."""
Floats = NDArray[np.float32]
STORED_THRESHOLDS = {"mention_threshold": "cut_mention", "link_threshold": "cut_link"}
"""The fields of `Scheme` whose names in `model.json` differ."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """An annotation scheme that a model knows.

    number             its index in the model
    singletons         whether it has entities of one mention
    mention_threshold  the logit above which a span is a mention
    link_threshold     the score above which a noun or a new name joins an entity
    *_calibration      how the probabilities of mentions and links become confidences
    everyday           whether mentions are what most users look for, not what a corpus annotates:
                       names that recur are found again, pronouns are resolved if anything
                       agrees with them, and verbs are left out
    """

    name: str
    number: int
    singletons: bool
    mention_threshold: float = 0.0
    link_threshold: float = 0.0
    everyday: bool = False
    mention_calibration: Calibration = UNCALIBRATED
    link_calibration: Calibration = UNCALIBRATED


@dataclass(frozen=True, slots=True)
class CorefMetadata:
    """The part of `model.json` that inference needs.

    default, single   the schemes used without and with singletons
    window, overlap   subwords per window, and how many of them are context
    width             the maximum number of words of a mention
    fine              how many antecedents the fine scorer compares
    span              the size of a mention's vector
    """

    name: str
    schemes: tuple[Scheme, ...]
    default: str
    single: str
    window: int
    overlap: int
    width: int
    fine: int
    span: int

    def scheme(self, name: str) -> Scheme:
        """A scheme by its name."""
        for scheme in self.schemes:
            if scheme.name == name:
                return scheme
        known = ", ".join(scheme.name for scheme in self.schemes)
        raise InputError(f"{self.name}: expected one of its schemes ({known}), found {name!r}")


@dataclass(frozen=True, slots=True)
class HeadWeights:
    """The weights of the layers that numpy computes, as float32, named as in training."""

    arrays: Mapping[str, Floats]

    def __getitem__(self, name: str) -> Floats:
        return self.arrays[name]

    def linear(self, name: str, x: Floats) -> Floats:
        """`x W^T + b`; without a bias where the layer has none."""
        product: Floats = x @ self.arrays[f"{name}.weight"].T
        bias = self.arrays.get(f"{name}.bias")
        return product if bias is None else product + bias


def read_metadata(folder: Path) -> CorefMetadata:
    """The metadata of a model's folder."""
    file = folder / METADATA
    if not file.is_file():
        raise no_model(folder, METADATA)
    return parse_metadata(read_json(file), str(file))


def parse_metadata(content: Mapping[str, Any], source: str) -> CorefMetadata:
    """The metadata in the content of `model.json`."""
    if content.get("format") != FORMAT:
        raise InputError(
            f"{source}: expected a model of format {FORMAT}, found {content.get('format')!r}"
        )
    values = {name: content[name] for name in CorefMetadata.__slots__ if name in content}
    try:
        values["schemes"] = tuple(_scheme(row) for row in content["schemes"])
        metadata = CorefMetadata(**values)
    except (KeyError, TypeError) as error:
        raise InputError(f"{source}: expected the metadata of a model: {error}") from None
    metadata.scheme(metadata.default)
    metadata.scheme(metadata.single)
    return metadata


def _scheme(row: Mapping[str, Any]) -> Scheme:
    values = dict(row)
    for name, stored in STORED_THRESHOLDS.items():
        if stored in values:
            values[name] = values.pop(stored)
    for name in ("mention_calibration", "link_calibration"):
        if name in values:
            values[name] = Calibration(*values[name])
    return Scheme(**values)


def read_head(folder: Path, metadata: CorefMetadata) -> HeadWeights:
    """The weights of `head.npz`, checked."""
    file = folder / "head.npz"
    try:
        with np.load(file) as stored:
            arrays = {name: stored[name].astype(np.float32) for name in stored.files}
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: expected the weights of a model: {error}") from None
    return check_head(HeadWeights(arrays), metadata, str(file))


def check_head(head: HeadWeights, metadata: CorefMetadata, source: str) -> HeadWeights:
    """The weights, or an `InputError` if a shape is not what the metadata states."""
    sizes = PAIR_FEATURE_SIZES
    expected = {
        "classes.weight": (len(CLASSES), metadata.span),
        "widths.weight": (metadata.width, metadata.span),
        "width_score.weight": (metadata.width, 1),
        "coarse.weight": (metadata.span, metadata.span),
        **{f"coarse_bias.{name}.weight": (size, 1) for name, size in sizes.items()},
        **{f"relation.{name}.weight": (size, metadata.span) for name, size in sizes.items()},
    }
    for name, shape in expected.items():
        array = head.arrays.get(name)
        if array is None or array.shape != shape:
            shown = "nothing" if array is None else str(array.shape)
            raise InputError(f"{source}: expected {name} of shape {shape}, found {shown}")
    return head


def inference_metadata(trained: Mapping[str, Any]) -> dict[str, Any]:
    """The content of an exported `model.json`, from that of a trained folder."""
    recipe, head = trained["recipe"], trained["head"]
    whole = [c for c in recipe["train"] if not c["partial"] and not c.get("unlabelled")]
    single = {c["scheme"]: c["singletons"] for c in whole}
    schemes = trained.get("scheme_rows") or [
        {"name": name, "number": number, "singletons": bool(single.get(name, True))}
        | ({"everyday": True} if name == EVERYDAY else {})
        for number, name in enumerate(trained["schemes"])
    ]
    names = {True: [s["name"] for s in schemes if s["singletons"]],
             False: [s["name"] for s in schemes if not s["singletons"]]}  # fmt: skip
    return {
        "format": FORMAT, "name": _model_name(recipe),
        "schemes": schemes,
        "default": recipe.get("plain") or (names[False] or names[True])[0],
        "single": recipe.get("single") or (names[True] or names[False])[0],
        "window": recipe["window"], "overlap": recipe["overlap"], "width": head["width"],
        "fine": head["fine"], "span": head["span"],
    }  # fmt: skip


def _model_name(recipe: Mapping[str, Any]) -> str:
    encoder = recipe["encoder"]
    return Path(encoder).name if encoder else f"{Path(recipe['start']).name}-finetuned"
