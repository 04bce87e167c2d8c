"""The passage with a candidate in the pronoun's place, as pieces.

    Ann thanked Mary because she helped.  →  Ann thanked Mary because Mary helped.

A possessive pronoun leaves its ending (`his hat`: `Bob's hat`), as a name that is
masked in WikiCREM does; whether `her` is possessive is told by rule (`core.her`).
The passage is cut around the candidate to what the encoder can read.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from coindex.core.document import Document
from coindex.core.edit import retokenized
from coindex.core.her import is_possessive
from coindex.core.problem import Problem
from coindex.core.span import Chars
from coindex.core.words import labels
from coindex.pronoun.pieces import Tokens, around


@dataclass(frozen=True, slots=True)
class Filled:
    """Pieces with their marks, and the place of the candidate's among them."""

    pieces: tuple[int, ...]
    start: int
    end: int

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def own(self) -> tuple[int, ...]:
        """The candidate's pieces."""
        return self.pieces[self.start : self.end]


def possessive(problem: Problem) -> bool:
    """Whether the pronoun owns what follows."""
    form = labels("pronoun_forms").get(problem.pronoun.lower(), "")
    if form != "either":
        return form == "possessive"
    document = retokenized(Document("p", problem.text), ())
    token = bisect_right(document.starts, problem.target.start) - 1
    return token >= 0 and is_possessive(document, token, token + 1)


def filled(problem: Problem, phrase: str, tokens: Tokens, window: int, *, owns: bool) -> Filled:
    """The passage with a phrase in the pronoun's place; a phrase without pieces has none.

    owns    whether the pronoun is possessive: the phrase gets an ending
    """
    text, target = problem.text, problem.target
    ending = "'s" if owns else ""
    written = f"{text[: target.start]}{phrase}{ending}{text[target.end :]}"
    whole = tokens.of(written)
    own = whole.within(Chars(target.start, target.start + len(phrase)))
    chosen = around(len(whole), own, window - 2)
    pieces = (tokens.begin, *whole.part(chosen).pieces, tokens.end)
    start = max(own.start - chosen.start, 0) + 1
    end = min(own.stop, chosen.stop) - chosen.start + 1
    return Filled(pieces, start, max(start, end)) if own else Filled(pieces, 1, 1)
