"""From a cue to a resolver: parsing ahead in batches, choosing, and the substring rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.parsing.parser import BATCH, Parser, parser
from coindex.resolvers import Settings
from coindex.resolvers._candidates import Phrase, Scene, matches, scene
from coindex.resolvers._cues import Cue

Plain = Callable[[Problem], "int | None"]
"""A choice among given candidates that needs no parse: an index."""


def scenes(
    problems: Iterable[Problem], parser: Parser, kind: str
) -> Iterator[tuple[Problem, Scene | None]]:
    """Each problem with its parsed passage, read ahead in batches."""
    rest = iter(problems)
    while batch := list(islice(rest, BATCH)):
        parses = parser.batch([problem.text for problem in batch])
        for problem, parse in zip(batch, parses, strict=True):
            yield problem, scene(problem, parse, kind)


@dataclass(frozen=True, slots=True)
class CueResolver:
    """Decides by one cue; a phrase that is found stands for the candidates it matches."""

    name: str
    candidates: str
    cue: Cue
    parser: Parser
    seed: int | None = None

    @property
    def signature(self) -> str:
        """The cue, whose candidates, and what parsed the passages."""
        seed = "" if self.seed is None else f"|seed:{self.seed}"
        return f"{self.name}|candidates:{self.candidates}{seed}|{self.parser.signature}"

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        for problem, ready in scenes(problems, self.parser, self.candidates):
            yield self._decision(problem, ready)

    def _decision(self, problem: Problem, ready: Scene | None) -> Decision:
        phrase: Phrase | None = self.cue(ready) if ready is not None else None
        if phrase is None:
            return Decision(problem.id)
        if phrase.index is not None:
            return Decision(problem.id, (phrase.index,))
        return Decision(problem.id, matches(problem, phrase.chars), picked=phrase.chars)


@dataclass(frozen=True, slots=True)
class PlainResolver:
    """Decides among given candidates without looking at the grammar."""

    name: str
    choose: Plain
    seed: int | None = None

    @property
    def signature(self) -> str:
        """The rule; there is no pipeline in it."""
        seed = "" if self.seed is None else f"|seed:{self.seed}"
        return f"{self.name}|candidates:given{seed}"

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        for problem in problems:
            at = self.choose(problem)
            yield Decision(problem.id, () if at is None else (at,))


def resolver(name: str, settings: Settings, cue: Cue, *, seeded: bool = False) -> CueResolver:
    """A resolver by a cue."""
    parses = parser(settings.pipeline, cache=settings.cache)
    seed = settings.seed if seeded else None
    return CueResolver(name, settings.candidates, cue, parses, seed)
