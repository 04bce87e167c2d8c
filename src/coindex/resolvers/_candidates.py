"""A problem made ready for the cues: its tree, its pronoun, its candidates.

Given candidates are those of the problem. One whose place the corpus does not tell
is looked for: its words in any case, without an article or a possessor before them
(`the city`, `The city's`) or with a plural ending (`brush`, `brushes`), nearest to the
pronoun. One that is not in the text at
all is never chosen by a cue that needs a place.

Found candidates are the names of persons in the passage, those of the problem or
not. Neither kind may hold the pronoun itself, unless there is nothing else.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars
from coindex.core.words import labels
from coindex.parsing.parse import Parse
from coindex.resolvers._names import head, persons
from coindex.resolvers._tree import Tree, tree


@dataclass(frozen=True, slots=True)
class Phrase:
    """A candidate in the tree: its tokens, its head, and its index if it was given."""

    start: int
    end: int
    head: int
    chars: Chars
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """One problem with its tree; `pronoun` is the head of the target."""

    problem: Problem
    tree: Tree
    pronoun: int
    phrases: tuple[Phrase, ...]


def scene(problem: Problem, parse: Parse, kind: str) -> Scene | None:
    """A problem with its given or found candidates; None where the text has no token."""
    if not len(parse):
        return None
    whole = tree(problem.text, parse)
    start, end = tokens(parse, problem.target)
    found = _found(whole) if kind == "found" else _given(problem, whole)
    apart = [phrase for phrase in found if phrase.end <= start or end <= phrase.start]
    phrases = tuple(apart if apart or kind == "found" else found)
    return Scene(problem, whole, head(whole, start, end), phrases)


def tokens(parse: Parse, chars: Chars) -> tuple[int, int]:
    """The tokens that some characters touch; the nearest one where they touch none."""
    start = bisect_right(parse.ends, chars.start)
    end = bisect_left(parse.starts, chars.end)
    start = min(start, len(parse) - 1)
    return start, max(end, start + 1)


def matches(problem: Problem, chars: Chars) -> tuple[int, ...]:
    """The candidates that a phrase stands for.

    The paper's rule: "if the selected candidate is a substring of a given name (or
    vice versa), we infer a coreference relation between that name and the pronoun".
    """
    picked = chars.of(problem.text)
    pairs = enumerate(candidate.text for candidate in problem.candidates)
    return tuple(index for index, name in pairs if name in picked or picked in name)


def _found(whole: Tree) -> list[Phrase]:
    return [_phrase(whole, start, end) for start, end in persons(whole)]


def _given(problem: Problem, whole: Tree) -> list[Phrase]:
    found = []
    for index, candidate in enumerate(problem.candidates):
        chars = place(problem, candidate)
        if chars is not None:
            found.append(_phrase(whole, *tokens(whole.parse, chars), index, chars))
    return found


def _phrase(
    whole: Tree, start: int, end: int, index: int | None = None, chars: Chars | None = None
) -> Phrase:
    own = Chars(whole.parse.starts[start], whole.parse.ends[end - 1])
    return Phrase(start, end, head(whole, start, end), chars or own, index)


def place(problem: Problem, candidate: Candidate) -> Chars | None:
    """Where a candidate stands in the passage, as far as can be told."""
    if candidate.chars:
        return candidate.chars
    words = re.split(r"\s+", candidate.text.strip())
    for phrase, ending in ((words, ""), (_bare(words), ""), (_bare(words), "e?s")):
        spaced = r"\s+".join(map(re.escape, phrase))
        pattern = rf"(?<!\w){spaced}{ending}(?!\w)"
        matched = re.finditer(pattern, problem.text, re.IGNORECASE)
        found = [Chars(*match.span()) for match in matched if match.group().strip()]
        if found:
            return min(found, key=lambda chars: _apart(chars, problem.target))
    return None


def _bare(words: list[str]) -> list[str]:
    """A phrase without its first determiner and its possessive ending."""
    if len(words) > 1 and labels("function_words").get(words[0].lower()) == "determiner":
        words = words[1:]
    return [*words[:-1], re.sub(r"['’]s?$", "", words[-1])]


def _apart(one: Chars, other: Chars) -> int:
    return max(one.start - other.end, other.start - one.end)
