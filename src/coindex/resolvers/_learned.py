"""The resolvers that score phrases by a trained model: masked-lm and substitution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import tee
from pathlib import Path
from typing import Any

from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.errors import InputError
from coindex.pronoun import package
from coindex.pronoun.asked import Ask
from coindex.resolvers import Settings
from coindex.resolvers._asked import ask


@dataclass(frozen=True, slots=True)
class Learned:
    """A trained model; `cut` is the score below which none of the phrases is chosen."""

    signature: str
    ask: Ask
    model: Any
    window: int
    cut: float | None

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        from coindex.pronoun.scorer import decided, scores

        one, two = tee(self.ask(problems))
        for asked, told in zip(one, scores(self.model, two, self.window), strict=True):
            yield decided(asked, told, self.cut)


def missing(settings: Settings, kind: str) -> str | None:
    """What is lacking, if anything: torch, a trained folder of this kind."""
    for name in ("torch", "transformers"):
        if find_spec(name) is None:
            return f"this needs {name}; install it with: pip install 'coindex[train]'"
    return package.missing(settings.model, kind)


def resolver(settings: Settings, kind: str) -> Learned:
    """The resolver of a trained folder."""
    lacks = missing(settings, kind)
    if lacks or settings.model is None:
        raise InputError(str(lacks))
    from coindex.pronoun.weights import load

    folder = Path(settings.model)
    facts = package.facts_of(folder, kind)
    find, depends = ask(settings)
    signature = f"{kind}|{depends}|model:{folder.name}-{package.digest(folder)}"
    cut = facts.get("neither")
    return Learned(signature, find, load(folder, kind), int(facts["recipe"]["window"]), cut)
