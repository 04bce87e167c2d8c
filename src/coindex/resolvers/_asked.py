"""Problems with the phrases to choose from, for resolvers that score phrases.

Given candidates need no parse: one whose place the corpus does not tell is looked for
by its words. Found ones are the names of persons in the passage, as for the cues.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice

from coindex.core.problem import Problem
from coindex.parsing.parser import BATCH, Parser, parser
from coindex.pronoun.asked import Ask, Asked, Phrase
from coindex.resolvers import Settings
from coindex.resolvers._candidates import matches, place, scene


def ask(settings: Settings) -> tuple[Ask, str]:
    """How to find the phrases, and what that depends on, for a signature."""
    if settings.candidates == "given":
        return given, "candidates:given"
    parses = parser(settings.pipeline, cache=settings.cache)
    return partial(found, parses=parses), f"candidates:found|{parses.signature}"


def given(problems: Iterable[Problem]) -> Iterator[Asked]:
    """The problems' own candidates, with their places."""
    for problem in problems:
        phrases = (
            Phrase(candidate.text, place(problem, candidate), (index,))
            for index, candidate in enumerate(problem.candidates)
        )
        yield Asked(problem, tuple(phrases))


def found(problems: Iterable[Problem], parses: Parser) -> Iterator[Asked]:
    """The names of persons in the passages, and the candidates that they match."""
    rest = iter(problems)
    while batch := list(islice(rest, BATCH)):
        parsed = parses.batch([problem.text for problem in batch])
        for problem, parse in zip(batch, parsed, strict=True):
            ready = scene(problem, parse, "found")
            phrases = (
                Phrase(each.chars.of(problem.text), each.chars, matches(problem, each.chars))
                for each in (ready.phrases if ready else ())
            )
            yield Asked(problem, tuple(phrases), found=True)
