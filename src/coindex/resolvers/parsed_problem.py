"""Parsed problems: the dependency tree, the pronoun and the candidates of a problem.

Given candidates are those of the problem. One whose offsets the corpus does not state is searched
for: its words in any case, without an article or a possessive ending (`the city`, `The city's`)
or with a plural ending (`brush`, `brushes`), nearest to the pronoun. One that is not in the text
is never chosen by a cue that needs its position.

Detected candidates ("found") are the names of persons in the passage, whether they are candidates
of the problem or not. Neither kind may contain the pronoun itself, unless there is no other.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from coindex.errors import MissingExtra
from coindex.models.pronoun.query import CandidateFinder, CandidateQuery, Phrase
from coindex.resolvers.protocol import ResolverSettings
from coindex.text.parsing.dependency_tree import DependencyTree, build_tree
from coindex.text.parsing.parse import Parse
from coindex.text.parsing.parser import BATCH, Parser, make_parser
from coindex.text.parsing.person_mentions import person_spans, phrase_head
from coindex.text.word_lists import labels
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CandidatePhrase:
    """A candidate in the tree: its tokens, its head, and its index if it is a given one."""

    start: int
    end: int
    head: int
    chars: Chars
    index: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedProblem:
    """One problem with its tree; `pronoun` is the index of the target's head."""

    problem: Problem
    tree: DependencyTree
    pronoun: int
    phrases: tuple[CandidatePhrase, ...]


def parse_problem(problem: Problem, parse: Parse, candidates: str) -> ParsedProblem | None:
    """A problem with its given or detected candidates; None where the text has no token."""
    if not len(parse):
        return None
    whole = build_tree(problem.text, parse)
    start, end = tokens_of(parse, problem.target)
    result = candidates == "found"
    every = _detected_phrases(whole) if result else _given_phrases(problem, whole)
    apart = [phrase for phrase in every if phrase.end <= start or end <= phrase.start]
    phrases = tuple(apart if apart or result else every)
    return ParsedProblem(problem, whole, phrase_head(whole, start, end), phrases)


def tokens_of(parse: Parse, chars: Chars) -> tuple[int, int]:
    """The tokens that overlap some characters; the nearest one if none does."""
    start = bisect_right(parse.ends, chars.start)
    end = bisect_left(parse.starts, chars.end)
    start = min(start, len(parse) - 1)
    return start, max(end, start + 1)


def matching_candidates(problem: Problem, chars: Chars) -> tuple[int, ...]:
    """The candidates that a phrase matches.

    The paper's rule: "if the selected candidate is a substring of a given name (or
    vice versa), we infer a coreference relation between that name and the pronoun".
    """
    picked = chars.of(problem.text)
    pairs = enumerate(candidate.text for candidate in problem.candidates)
    return tuple(index for index, name in pairs if name in picked or picked in name)


def _detected_phrases(whole: DependencyTree) -> list[CandidatePhrase]:
    return [_phrase(whole, start, end) for start, end in person_spans(whole)]


def _given_phrases(problem: Problem, whole: DependencyTree) -> list[CandidatePhrase]:
    phrases = []
    for index, candidate in enumerate(problem.candidates):
        chars = candidate_location(problem, candidate)
        if chars is not None:
            phrases.append(_phrase(whole, *tokens_of(whole.parse, chars), index, chars))
    return phrases


def _phrase(
    whole: DependencyTree,
    start: int,
    end: int,
    index: int | None = None,
    chars: Chars | None = None,
) -> CandidatePhrase:
    own = Chars(whole.parse.starts[start], whole.parse.ends[end - 1])
    return CandidatePhrase(start, end, phrase_head(whole, start, end), chars or own, index)


def candidate_location(problem: Problem, candidate: Candidate) -> Chars | None:
    """The offsets of a candidate in the passage; None if it is not there."""
    if candidate.chars:
        return candidate.chars
    words = re.split(r"\s+", candidate.text.strip())
    for phrase, ending in ((words, ""), (_bare(words), ""), (_bare(words), "e?s")):
        spaced = r"\s+".join(map(re.escape, phrase))
        pattern = rf"(?<!\w){spaced}{ending}(?!\w)"
        matched = re.finditer(pattern, problem.text, re.IGNORECASE)
        offsets = [Chars(*match.span()) for match in matched if match.group().strip()]
        if offsets:
            return min(offsets, key=lambda chars: _apart(chars, problem.target))
    return None


def _bare(words: list[str]) -> list[str]:
    """A phrase without its first determiner and without a possessive ending."""
    if len(words) > 1 and labels("function_words").get(words[0].lower()) == "determiner":
        words = words[1:]
    return [*words[:-1], re.sub(r"['’]s?$", "", words[-1])]


def _apart(one: Chars, other: Chars) -> int:
    return max(one.start - other.end, other.start - one.end)


def parsed_problems(
    problems: Iterable[Problem], parser: Parser, candidates: str
) -> Iterator[tuple[Problem, ParsedProblem | None]]:
    """Each problem with its parsed passage, read ahead in batches."""
    rest = iter(problems)
    while batch := list(islice(rest, BATCH)):
        parses = parser.batch([problem.text for problem in batch])
        for problem, parse in zip(batch, parses, strict=True):
            yield problem, parse_problem(problem, parse, candidates)


def candidate_finder(settings: ResolverSettings) -> tuple[CandidateFinder, str]:
    """The finder of candidates for the settings, and what it depends on, for a signature."""
    if settings.candidates == "given":
        return given_candidates, "candidates:given"
    parses = make_parser(settings.pipeline, cache=settings.cache)
    return partial(detected_candidates, parser=parses), f"candidates:found|{parses.signature}"


def candidate_finders(
    pipeline: str | None = None, *, found: bool = True
) -> dict[str, CandidateFinder]:
    """The finders of candidates for training, by "given" and, if spaCy is installed, "found"."""
    finders = {"given": candidate_finder(ResolverSettings("given"))[0]}
    if found:
        try:
            settings = ResolverSettings("found", pipeline=pipeline)
            finders["found"] = candidate_finder(settings)[0]
        except MissingExtra as error:
            logger.info("no found candidates: %s", error)
    return finders


def given_candidates(problems: Iterable[Problem]) -> Iterator[CandidateQuery]:
    """The problems' own candidates with their offsets, which are searched for if not given."""
    for problem in problems:
        phrases = (
            Phrase(candidate.text, candidate_location(problem, candidate), (index,))
            for index, candidate in enumerate(problem.candidates)
        )
        yield CandidateQuery(problem, tuple(phrases))


def detected_candidates(problems: Iterable[Problem], parser: Parser) -> Iterator[CandidateQuery]:
    """The names of persons in the passages, with the candidates that they match."""
    for problem, parsed in parsed_problems(problems, parser, "found"):
        detected = (each.chars for each in (parsed.phrases if parsed else ()))
        phrases = (
            Phrase(chars.of(problem.text), chars, matching_candidates(problem, chars))
            for chars in detected
        )
        yield CandidateQuery(problem, tuple(phrases), detected=True)
