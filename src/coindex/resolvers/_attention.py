"""The two attention resolvers: a fitted folder, its encoder, and the phrases to weigh."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
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
class AttentionResolver:
    """Decides by the attention of candidates to the pronoun."""

    signature: str
    ask: Ask
    attention: Any
    fit: Any
    multi: bool

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        from coindex.pronoun.heads import choose

        for asked in self.ask(problems):
            (weights,) = self.attention.weigh([asked])
            yield asked.decision(choose(asked, weights, self.fit, multi=self.multi))


def missing(settings: Settings) -> str | None:
    """What is lacking, if anything: a fitted folder, torch."""
    for name in ("torch", "transformers"):
        if find_spec(name) is None:
            return f"this needs {name}; install it with: pip install 'coindex[train]'"
    return package.missing(settings.model, "attention")


def resolver(name: str, settings: Settings, *, multi: bool) -> AttentionResolver:
    """The resolver of a fitted folder."""
    lacks = missing(settings)
    if lacks or settings.model is None:
        raise InputError(str(lacks))
    from coindex.pronoun.attention import Attention
    from coindex.pronoun.heads import fitted

    folder = Path(settings.model)
    facts = package.facts_of(folder, "attention")
    fits, way = facts.get("fits", {}), settings.candidates
    told = package.way_of(folder, fits, way, "its heads are fitted")
    find, depends = ask(settings)
    made = fitted(told, str(folder / package.FACTS))
    signature = f"{name}|{depends}|model:{Path(facts['encoder']).name}-{package.digest(folder)}"
    encoder = Attention(facts["encoder"], layers=made.depth(multi=multi))
    return AttentionResolver(signature, find, encoder, made, multi)
