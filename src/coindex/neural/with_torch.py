"""A trained folder run by torch itself, as it came from training.

The same rows as `encoder.OnnxEncoder` gives; `word_rows` is also what is exported.
Slower than the exported model and in need of torch: for looking at a model before
it is exported, and for GPUs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coindex.errors import InputError, MissingExtra
from coindex.neural.encoder import Rows, Task
from coindex.neural.package import FORMAT, Facts, Head, checked, facts_of

if TYPE_CHECKING:
    from torch import Tensor


def word_rows(
    encoder: Any, head: Mapping[str, Tensor], inputs: tuple[Tensor, Tensor, Tensor, Tensor]
) -> tuple[Tensor, ...]:
    """What the mention scorer needs of each word: x, left, ends, start, end, attend.

    inputs  pieces (1, n), places, shapes, scheme, as in `encoder`
    """
    from torch.nn import functional as f

    pieces, places, shapes, scheme = inputs

    def linear(name: str, x: Tensor) -> Tensor:
        return f.linear(x, head[f"{name}.weight"], head.get(f"{name}.bias"))

    found = encoder(input_ids=pieces)
    vectors = found.last_hidden_state[0].index_select(0, places)
    mixed = vectors + head["shapes.weight"][shapes] + head["schemes.weight"][scheme]
    x = f.layer_norm(mixed, (len(head["norm.weight"]),), head["norm.weight"], head["norm.bias"])
    starts, ends = f.gelu(linear("start", x)), f.gelu(linear("end", x))
    left = linear("biaffine", starts) / math.sqrt(len(head["start.bias"]))
    start, end = linear("start_score", starts)[:, 0], linear("end_score", ends)[:, 0]
    return x, left, ends, start, end, linear("attend", x)[:, 0]


class TorchEncoder:
    """The encoder of a trained folder."""

    def __init__(self, encoder: Any, head: Mapping[str, Tensor]) -> None:
        """A transformers model and the tensors of the head."""
        self._encoder, self._head = encoder, head

    def run(self, tasks: Iterable[Task], scheme: int) -> Iterator[Rows]:
        """The rows of each window, one after the other."""
        import torch

        number = torch.tensor(scheme)
        for task in tasks:
            with torch.no_grad():
                inputs = (
                    torch.from_numpy(task.pieces)[None], torch.from_numpy(task.places),
                    torch.from_numpy(task.shapes), number,
                )  # fmt: skip
                yield Rows(*(part.numpy() for part in word_rows(self._encoder, self._head, inputs)))


def load(folder: Path) -> tuple[Facts, Head, TorchEncoder]:
    """A folder that training wrote."""
    try:
        import torch
        from transformers import AutoConfig, AutoModel
    except ImportError as error:
        raise MissingExtra(error.name or "torch", "train") from None
    trained = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    try:
        weights = torch.load(folder / "weights.pt", map_location="cpu", weights_only=True)
        make: Any = AutoModel.from_config
        encoder = make(AutoConfig.from_pretrained(folder)).float().eval()
        encoder.pooler = None
        encoder.load_state_dict(_part(weights, "encoder."))
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        raise InputError(
            f"{folder}: expected a folder that `coindex train` wrote: {error}"
        ) from None
    facts = facts_of(facts_from(trained), str(folder / "model.json"))
    tensors = _part(weights, "head.")
    head = Head({name: value.numpy() for name, value in tensors.items()})
    return facts, checked(head, facts, str(folder)), TorchEncoder(encoder, tensors)


def facts_from(trained: Mapping[str, Any]) -> dict[str, Any]:
    """The facts for inference in those of a trained folder."""
    recipe, head = trained["recipe"], trained["head"]
    whole = [c for c in recipe["train"] if not c["partial"] and not c.get("unlabelled")]
    single = {c["scheme"]: c["singletons"] for c in whole}
    schemes = [
        {"name": name, "number": number, "singletons": bool(single.get(name, True))}
        for number, name in enumerate(trained["schemes"])
    ]
    names = {True: [s["name"] for s in schemes if s["singletons"]],
             False: [s["name"] for s in schemes if not s["singletons"]]}  # fmt: skip
    return {
        "format": FORMAT, "name": Path(recipe["encoder"]).name, "schemes": schemes,
        "default": recipe.get("plain") or (names[False] or names[True])[0],
        "single": recipe.get("single") or (names[True] or names[False])[0],
        "window": recipe["window"], "overlap": recipe["overlap"], "width": head["width"],
        "fine": head["fine"], "span": head["span"],
    }  # fmt: skip


def _part(weights: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): value.float() if value.is_floating_point() else value
        for name, value in weights.items()
        if name.startswith(prefix)
    }
