"""Binding: an object is not the subject of its own clause, unless it is reflexive.

`[Ann] saw Mary and thanked her`: `her` is not Ann. This is Principle B of binding theory
(Chomsky 1981), for `him`, `her`, `them`, `me` and `us` as objects of a verb, directly or after
a preposition of `PREPOSITIONS` (not `with` and those of place: `Ann took it with her`), and
only where it is plain who the subject is (`_doers.py`).

It bars candidates, and knows nothing of the others: where one of two is left, that is the
answer, else there is none. In an ensemble it is for a veto (`veto = true`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.parsing.parser import Parser, parser
from coindex.resolvers import Decider, Settings
from coindex.resolvers._candidates import Scene
from coindex.resolvers._doers import doers
from coindex.resolvers._engine import scenes
from coindex.resolvers._tree import VERBS, Tree

ABOUT = "bars candidates that are the subject of an object's own clause; decides if one is left"
CONTEXT = "snippet"

ACCUSATIVE = frozenset({"him", "her", "them", "me", "us"})
PREPOSITIONS = frozenset({"to", "for", "from", "about", "of", "at", "on", "by"})
BARRED = -9.0


@dataclass(frozen=True, slots=True)
class Binding:
    """Scores 0 or `BARRED`; where names have to be found, it never chooses one."""

    candidates: str
    parser: Parser

    @property
    def signature(self) -> str:
        """Whose candidates, and what parsed the passages."""
        return f"binding|candidates:{self.candidates}|{self.parser.signature}"

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        for problem, ready in scenes(problems, self.parser, "given"):
            out = _barred(ready) if ready is not None else frozenset()
            every = range(len(problem.candidates))
            left = tuple(index for index in every if index not in out)
            told = out and len(left) == 1 and self.candidates == "given"
            scores = tuple(BARRED if index in out else 0.0 for index in every)
            yield Decision(problem.id, left if told else (), scores)


def load(settings: Settings) -> Decider:
    """The resolver, ready to work."""
    return Binding(settings.candidates, parser(settings.pipeline, cache=settings.cache))


def bars(tree: Tree, pronoun: int, name: int) -> bool:
    """Whether a name, by its head, is the subject of the clause whose object a pronoun is."""
    parse = tree.parse
    if name > pronoun or parse.sentences[name] != parse.sentences[pronoun]:
        return False
    if tree.words[pronoun].lower() not in ACCUSATIVE or parse.tags[pronoun] == "PRP$":
        return False
    verb = _verb(tree, pronoun)
    return verb is not None and tree.top(name) in doers(tree, verb)


def _verb(tree: Tree, pronoun: int) -> int | None:
    """The verb whose object a pronoun is."""
    dep, head = tree.parse.deps[pronoun], tree.parse.heads[pronoun]
    if dep == "pobj" and tree.words[head].lower() in PREPOSITIONS:
        head = tree.parse.heads[head]
    elif dep not in ("dobj", "dative"):
        return None
    return head if tree.parse.pos[head] in VERBS else None


def _barred(ready: Scene) -> frozenset[int]:
    """The given candidates that are barred; none where all would be."""
    found = {p.index for p in ready.phrases if bars(ready.tree, ready.pronoun, p.head)}
    known = frozenset(index for index in found if index is not None)
    return known if len(known) < len(ready.problem.candidates) else frozenset()
