"""A trained model that a new one learns from: its scores on text that nobody annotated.

Mentions and antecedents are learnt as the teacher's probabilities, not as its
decisions (Otmazgin et al. 2022, F-coref, learnt from decisions).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from coindex.data.verify import sha256
from coindex.errors import InputError
from coindex.training.config import Recipe
from coindex.training.examples import Example, Maker
from coindex.training.merge import merged
from coindex.training.save import facts_of, load_trained
from coindex.training.step import Told, encode, opinion


def check_teacher(recipe: Recipe) -> tuple[str, ...]:
    """The teacher's schemes; it must know all of the recipe's, and mentions as wide."""
    folder = _folder(recipe)
    facts = facts_of(folder)
    known = tuple(facts["schemes"])
    missing = [name for name in recipe.all_schemes() if name not in known]
    if missing:
        raise InputError(
            f"{folder}: the teacher does not know the scheme {missing[0]!r},"
            f" only {', '.join(known)}"
        )
    width = facts["head"]["width"]
    if width != recipe.width:
        raise InputError(
            f"{folder}: the teacher's mentions have at most {width} words,"
            f" found width = {recipe.width}"
        )
    return known


def _folder(recipe: Recipe) -> Path:
    return Path(recipe.teacher).expanduser()


class Teacher:
    """The model, its word pieces, and its numbers for the schemes."""

    def __init__(self, recipe: Recipe, device: torch.device) -> None:
        """Load the recipe's teacher."""
        known = check_teacher(recipe)
        model, pieces, settings = load_trained(_folder(recipe))
        self.device = device
        self.model = model.to(device).eval()
        self.maker = Maker(pieces, settings["window"], settings["overlap"], recipe.width)
        self.numbers = tuple(known.index(name) for name in recipe.all_schemes())
        self.checksum = sha256(_folder(recipe) / "weights.pt")
        self._told: dict[object, Told] = {}

    def opinions(self, batch: Sequence[Example]) -> list[Told]:
        """What the teacher makes of each example; asked once, since it never changes its mind."""
        new = [example for example in batch if _key(example) not in self._told]
        if new:
            self._ask(new)
        return [self._told[_key(example)] for example in batch]

    @torch.no_grad()
    def _ask(self, batch: Sequence[Example]) -> None:
        again = [self.maker.again(replace(e, scheme=self.numbers[e.scheme])) for e in batch]
        vectors = torch.cat(encode(self.model, again, self.device))
        told = opinion(self.model.head, merged(again), vectors)
        for example, each in zip(batch, told.apart([len(e) for e in batch]), strict=True):
            self._told[_key(example)] = each


def _key(example: Example) -> object:
    return example.texts, example.scheme
