"""A trained model on disk, ready to be run without torch.

    model.json       format, schemes, sizes, cuts, where it came from
    tokenizer.json   word pieces
    encoder.onnx     pieces in, one row a word out; see `encoder`
    head.npz         the weights that numpy applies to mentions and pairs

Every file is checked before anything is run, and what is wrong is named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InputError
from coindex.neural.relations import SIZES
from coindex.neural.words import CLASSES

FORMAT = 1
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scheme:
    """An annotation scheme: its number in the model, and whether it has single mentions.

    cut_mention, cut_link   scores above which a span is a mention, and a noun or a
                            new name joins an entity; chosen on dev
    """

    name: str
    number: int
    singletons: bool
    cut_mention: float = 0.0
    cut_link: float = 0.0


@dataclass(frozen=True, slots=True)
class Facts:
    """What `model.json` says.

    default, single     the schemes used without and with `--singletons`
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
class Head:
    """The weights of the parts that numpy computes, as float32; names as in training."""

    arrays: Mapping[str, Floats]

    def __getitem__(self, name: str) -> Floats:
        return self.arrays[name]

    def linear(self, name: str, x: Floats) -> Floats:
        """`x W^T + b`, the bias where there is one."""
        found: Floats = x @ self.arrays[f"{name}.weight"].T
        bias = self.arrays.get(f"{name}.bias")
        return found if bias is None else found + bias


def read_facts(folder: Path) -> Facts:
    """The facts of a model's folder."""
    file = folder / "model.json"
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{folder}: expected a model's folder with model.json, found none"
        ) from None
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: expected JSON: {error}") from None
    return facts_of(found, str(file))


def facts_of(found: Any, source: str) -> Facts:
    """The facts in the content of `model.json`."""
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        shown = found.get("format") if isinstance(found, dict) else found
        raise InputError(f"{source}: expected a model of format {FORMAT}, found {shown!r}")
    values = {name: found[name] for name in Facts.__slots__ if name in found}
    try:
        values["schemes"] = tuple(Scheme(**scheme) for scheme in found["schemes"])
        facts = Facts(**values)
    except (KeyError, TypeError) as error:
        raise InputError(f"{source}: expected the facts of a model: {error}") from None
    facts.scheme(facts.default)
    facts.scheme(facts.single)
    return facts


def read_head(folder: Path, facts: Facts) -> Head:
    """The weights beside the encoder, checked for their shapes."""
    file = folder / "head.npz"
    try:
        with np.load(file) as stored:
            arrays = {name: stored[name].astype(np.float32) for name in stored.files}
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: expected the weights of a model: {error}") from None
    return checked(Head(arrays), facts, str(file))


def checked(head: Head, facts: Facts, source: str) -> Head:
    """A head whose arrays have the shapes that the facts promise."""
    wanted = {
        "classes.weight": (len(CLASSES), facts.span),
        "widths.weight": (facts.width, facts.span),
        "width_score.weight": (facts.width, 1),
        "coarse.weight": (facts.span, facts.span),
        **{f"coarse_bias.{name}.weight": (size, 1) for name, size in SIZES.items()},
        **{f"relation.{name}.weight": (size, facts.span) for name, size in SIZES.items()},
    }
    for name, shape in wanted.items():
        found = head.arrays.get(name)
        if found is None or found.shape != shape:
            shown = "nothing" if found is None else str(found.shape)
            raise InputError(f"{source}: expected {name} of shape {shape}, found {shown}")
    return head
