"""The cues of Webster et al. (2018), "Mind the GAP", section 4.3.

Each takes a parsed problem and returns the phrase that its cue selects; the structural ones leave
out names in a position that precludes coreference (unless all are, as in a wrong parse). What the
paper does not specify was settled on GAP development:

- token distance: the tokens between the two; of two at equal distance, the one before;
- topical entity: function words, titles and punctuation are no topics;
- syntactic distance: edges between the two heads in the dependency tree. Sentences
  are joined root to root, at `BETWEEN` edges a sentence; so names close to the root of
  the sentence before, its subject above all, are nearer than those deep within it;
- parallelism: a passive subject is a subject, a conjunct has the role of the first;
- the page's title is its address without what is in brackets. It must look like a
  person's name, of two words or more and none of them a function word; otherwise
  `List of teams in the Tour de France` makes every `Tour` a person.
"""

from __future__ import annotations

import random as chance
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from coindex.resolvers.binding_theory import coreference_precluded
from coindex.resolvers.parsed_problem import (
    CandidatePhrase,
    ParsedProblem,
    matching_candidates,
    parsed_problems,
)
from coindex.resolvers.protocol import ResolverSettings
from coindex.text.parsing.dependency_tree import DependencyTree
from coindex.text.parsing.parser import Parser, make_parser
from coindex.text.word_lists import words
from coindex.types.decision import Decision
from coindex.types.problem import Problem

BETWEEN = 2

Cue = Callable[[ParsedProblem], CandidatePhrase | None]


def random(problem: ParsedProblem, seed: int) -> CandidatePhrase | None:
    """Any candidate; the same for one problem and one seed, whatever else is decided."""
    at = draw(problem.problem, seed, len(problem.phrases))
    return None if at is None else problem.phrases[at]


def draw(problem: Problem, seed: int, count: int) -> int | None:
    """A random number below `count` that depends on the seed, the id and the passage alone.

    A switched copy has the id of its original and another text: it is a new draw, so that
    half of the decisions change, as they should by chance.
    """
    key = f"{seed}\n{problem.id}\n{problem.text}"
    return chance.Random(key).randrange(count) if count else None


def token_distance(problem: ParsedProblem) -> CandidatePhrase | None:
    """The closest candidate."""
    return _closest(problem, problem.phrases)


def topical_entity(problem: ParsedProblem) -> CandidatePhrase | None:
    """The closest candidate with the most frequent token among the candidates."""
    tokens = {phrase: _topics(problem.tree, phrase) for phrase in problem.phrases}
    counts = Counter(token for own in tokens.values() for token in own)
    most = max(counts.values(), default=0)
    topical = [phrase for phrase, own in tokens.items() if any(counts[t] == most for t in own)]
    return _closest(problem, topical or problem.phrases)


def syntactic_distance(problem: ParsedProblem) -> CandidatePhrase | None:
    """The candidate closest in the tree; of several, the one closest in tokens."""
    return _nearest(problem, _possible(problem))


def parallelism(problem: ParsedProblem) -> CandidatePhrase | None:
    """The closest candidate with the pronoun's role, subject or object; else by distance."""
    role = problem.tree.role(problem.pronoun)
    if role is not None:
        same = [phrase for phrase in _possible(problem) if problem.tree.role(phrase.head) == role]
        if same:
            return _closest(problem, same)
    return syntactic_distance(problem)


def parallelism_url(problem: ParsedProblem) -> CandidatePhrase | None:
    """The candidate closest in the tree that shares a word with the page's title."""
    title = title_words(problem.problem.source)
    named = [
        phrase
        for phrase in _possible(problem)
        if not title.isdisjoint(_name_words(problem.tree, phrase))
    ]
    return _nearest(problem, named) if named else parallelism(problem)


def title_words(source: str | None) -> frozenset[str]:
    """The words of a page's title if it may be a person's name, by the page's address.

    Words with letters that are not ASCII are also returned with `*` for them, as GAP has them.
    """
    if not source or not urlsplit(source).scheme:
        return frozenset()
    title = unquote(urlsplit(source).path.rsplit("/", 1)[-1]).replace("_", " ")
    every = re.findall(r"\w+", re.sub(r"\(.*?\)", " ", title))
    if len(every) < 2 or not words("function_words").isdisjoint(map(str.lower, every)):
        return frozenset()
    names = [word for word in every if len(word) > 1 and not word[0].islower()]
    return frozenset(names) | {re.sub(r"[^\x00-\x7f]", "*", word) for word in names}


def _possible(problem: ParsedProblem) -> Sequence[CandidatePhrase]:
    """The candidates whose position does not preclude coreference; all if none is left."""
    left = [
        p
        for p in problem.phrases
        if not coreference_precluded(problem.tree, problem.pronoun, p.head)
    ]
    return left or problem.phrases


def _closest(problem: ParsedProblem, phrases: Sequence[CandidatePhrase]) -> CandidatePhrase | None:
    return min(phrases, key=lambda phrase: _apart(problem, phrase), default=None)


def _nearest(problem: ParsedProblem, phrases: Sequence[CandidatePhrase]) -> CandidatePhrase | None:
    def distance(phrase: CandidatePhrase) -> tuple[int, ...]:
        edges = _edges(problem.tree, problem.pronoun, phrase.head)
        return edges, *_apart(problem, phrase)

    return min(phrases, key=distance, default=None)


def _apart(problem: ParsedProblem, phrase: CandidatePhrase) -> tuple[int, int]:
    """The tokens between a phrase and the pronoun, and where it starts, to break ties."""
    pronoun, start = problem.pronoun, phrase.start
    return (start - pronoun - 1 if start > pronoun else pronoun - phrase.end), start


def _edges(tree: DependencyTree, one: int, other: int) -> int:
    """The number of edges between two tokens, also of different sentences."""
    ups, others = tree.up(one), tree.up(other)
    while ups and others and ups[-1] == others[-1]:
        ups.pop()
        others.pop()
    sentences = tree.parse.sentences
    apart = abs(sentences[one] - sentences[other])
    roots = 2 if apart else 0  # the two roots themselves are not edges
    return len(ups) + len(others) - roots + BETWEEN * apart


def _topics(tree: DependencyTree, phrase: CandidatePhrase) -> set[str]:
    every = {word for word in tree.words[phrase.start : phrase.end] if word[0].isalnum()}
    common = words("function_words") | words("titles")
    return {word for word in every if word.lower() not in common}


def _name_words(tree: DependencyTree, phrase: CandidatePhrase) -> list[str]:
    return re.findall(r"[\w*]+", " ".join(tree.words[phrase.start : phrase.end]))


Rule = Callable[[Problem], "int | None"]
"""A choice among given candidates that needs no parse: an index."""


@dataclass(frozen=True, slots=True)
class CueResolver:
    """Decides by one cue; a detected phrase chooses the candidates that it matches."""

    name: str
    candidates: str
    cue: Cue
    parser: Parser
    seed: int | None = None

    @property
    def signature(self) -> str:
        """The cue, the kind of candidates, and the parser."""
        seed = "" if self.seed is None else f"|seed:{self.seed}"
        return f"{self.name}|candidates:{self.candidates}{seed}|{self.parser.signature}"

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        for problem, parsed in parsed_problems(problems, self.parser, self.candidates):
            yield self._decision(problem, parsed)

    def _decision(self, problem: Problem, parsed: ParsedProblem | None) -> Decision:
        phrase: CandidatePhrase | None = self.cue(parsed) if parsed is not None else None
        if phrase is None:
            return Decision(problem.id)
        if phrase.index is not None:
            return Decision(problem.id, (phrase.index,))
        return Decision(problem.id, matching_candidates(problem, phrase.chars), picked=phrase.chars)


@dataclass(frozen=True, slots=True)
class RuleResolver:
    """Decides among given candidates by a rule that needs no parse."""

    name: str
    choose: Rule
    seed: int | None = None

    @property
    def signature(self) -> str:
        """The rule, without a parser."""
        seed = "" if self.seed is None else f"|seed:{self.seed}"
        return f"{self.name}|candidates:given{seed}"

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        for problem in problems:
            at = self.choose(problem)
            yield Decision(problem.id, () if at is None else (at,))


def cue_resolver(
    name: str, settings: ResolverSettings, cue: Cue, *, seeded: bool = False
) -> CueResolver:
    """A resolver by a cue."""
    parses = make_parser(settings.pipeline, cache=settings.cache)
    seed = settings.seed if seeded else None
    return CueResolver(name, settings.candidates, cue, parses, seed)
