"""The resolvers that score phrases by a trained model: masked-lm and substitution.

A folder holds a model as training left it, which needs torch, or an exported one
(`coindex train export`), which does not. One of the latter stands beside the shipped
coreference model.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import tee
from pathlib import Path

from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.errors import InputError
from coindex.pronoun import package, shipped
from coindex.pronoun.asked import Ask, decided
from coindex.pronoun.both import Score, both_ways
from coindex.resolvers import Settings
from coindex.resolvers._asked import ask


@dataclass(frozen=True, slots=True)
class Learned:
    """A trained model; `cut` is the score below which none of the phrases is chosen."""

    signature: str
    ask: Ask
    score: Score
    cut: float | None

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        one, two = tee(self.ask(problems))
        for asked, told in zip(one, self.score(two), strict=True):
            yield decided(asked, told, self.cut)


def missing(settings: Settings, kind: str) -> str | None:
    """What is lacking, if anything: torch, a trained folder of this kind."""
    folder = _folder(settings)
    if _exported(folder, kind):
        return None
    for name in ("torch", "transformers"):
        if find_spec(name) is None:
            return f"this needs {name}; install it with: pip install 'coindex[train]'"
    return package.missing(settings.model, kind)


def resolver(settings: Settings, kind: str) -> Learned:
    """The resolver of a trained folder, or the shipped one."""
    lacks = missing(settings, kind)
    if lacks:
        raise InputError(lacks)
    folder = _folder(settings)
    find, depends = ask(settings)
    name = package.LIGHT if _exported(folder, kind) else package.FACTS
    signature = f"{kind}|{depends}|model:{folder.name}-{package.digest(folder, name)}"
    if name == package.LIGHT:
        from coindex.pronoun.light import Light

        light = Light(folder, settings.threads or os.cpu_count() or 1)
        return Learned(signature, find, _score(light.scores, light.both), light.cut)
    from coindex.pronoun.scorer import scores
    from coindex.pronoun.weights import load

    facts = package.facts_of(folder, kind)
    recipe = facts["recipe"]
    score: Score = partial(scores, load(folder, kind), window=int(recipe["window"]))
    return Learned(signature, find, _score(score, recipe.get("both")), facts.get("neither"))


def _score(score: Score, both: bool | None) -> Score:
    """A model's scores, read both ways round if its recipe says so."""
    return both_ways(score) if both else score


def _folder(settings: Settings) -> Path:
    return Path(settings.model) if settings.model else shipped.FOLDER


def _exported(folder: Path, kind: str) -> bool:
    return kind == "substitution" and (folder / package.LIGHT).is_file()
