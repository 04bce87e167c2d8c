"""The cues of Webster et al. (2018), "Mind the GAP", section 4.3.

Each takes a scene and gives the phrase that its cue selects; the structural ones
leave out names in a position that precludes coreference (unless all are, by a wrong
parse say). What the paper leaves open was settled on GAP development:

- token distance: the tokens between the two; of two as near, the one before;
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
from collections.abc import Callable, Sequence
from urllib.parse import unquote, urlsplit

from coindex.core.problem import Problem
from coindex.core.words import words
from coindex.resolvers._binding import precluded
from coindex.resolvers._candidates import Phrase, Scene
from coindex.resolvers._tree import Tree

BETWEEN = 2

Cue = Callable[[Scene], Phrase | None]


def random(scene: Scene, seed: int) -> Phrase | None:
    """Any candidate; the same for one problem and one seed, whatever else is decided."""
    at = draw(scene.problem, seed, len(scene.phrases))
    return None if at is None else scene.phrases[at]


def draw(problem: Problem, seed: int, count: int) -> int | None:
    """A number below `count` that depends on nothing but the seed, the id and the passage.

    A switched copy has the id of its original and another text: it is a new draw, so that
    half of the decisions change, as they should by chance.
    """
    told = f"{seed}\n{problem.id}\n{problem.text}"
    return chance.Random(told).randrange(count) if count else None


def token_distance(scene: Scene) -> Phrase | None:
    """The closest candidate."""
    return _closest(scene, scene.phrases)


def topical_entity(scene: Scene) -> Phrase | None:
    """The closest candidate with the most frequent token among the candidates."""
    tokens = {phrase: _topics(scene.tree, phrase) for phrase in scene.phrases}
    counts = Counter(token for found in tokens.values() for token in found)
    most = max(counts.values(), default=0)
    topical = [phrase for phrase, found in tokens.items() if any(counts[t] == most for t in found)]
    return _closest(scene, topical or scene.phrases)


def syntactic_distance(scene: Scene) -> Phrase | None:
    """The candidate closest in the tree; of several, the one closest in tokens."""
    return _nearest(scene, _possible(scene))


def parallelism(scene: Scene) -> Phrase | None:
    """The closest candidate with the pronoun's role, subject or object; else by distance."""
    role = scene.tree.role(scene.pronoun)
    if role is not None:
        same = [phrase for phrase in _possible(scene) if scene.tree.role(phrase.head) == role]
        if same:
            return _closest(scene, same)
    return syntactic_distance(scene)


def parallelism_url(scene: Scene) -> Phrase | None:
    """The candidate closest in the tree that shares a word with the page's title."""
    title = title_words(scene.problem.source)
    named = [
        phrase
        for phrase in _possible(scene)
        if not title.isdisjoint(_name_words(scene.tree, phrase))
    ]
    return _nearest(scene, named) if named else parallelism(scene)


def title_words(source: str | None) -> frozenset[str]:
    """The words of a page's title if it may be a person's name, by the page's address.

    Letters that are not ASCII stand as they are and as `*`, as they do in GAP.
    """
    if not source or not urlsplit(source).scheme:
        return frozenset()
    title = unquote(urlsplit(source).path.rsplit("/", 1)[-1]).replace("_", " ")
    found = re.findall(r"\w+", re.sub(r"\(.*?\)", " ", title))
    if len(found) < 2 or not words("function_words").isdisjoint(map(str.lower, found)):
        return frozenset()
    telling = [word for word in found if len(word) > 1 and not word[0].islower()]
    return frozenset(telling) | {re.sub(r"[^\x00-\x7f]", "*", word) for word in telling}


def _possible(scene: Scene) -> Sequence[Phrase]:
    """The candidates whose position does not preclude coreference; all if none is left."""
    left = [p for p in scene.phrases if not precluded(scene.tree, scene.pronoun, p.head)]
    return left or scene.phrases


def _closest(scene: Scene, phrases: Sequence[Phrase]) -> Phrase | None:
    return min(phrases, key=lambda phrase: _apart(scene, phrase), default=None)


def _nearest(scene: Scene, phrases: Sequence[Phrase]) -> Phrase | None:
    def distance(phrase: Phrase) -> tuple[int, ...]:
        edges = _edges(scene.tree, scene.pronoun, phrase.head)
        return edges, *_apart(scene, phrase)

    return min(phrases, key=distance, default=None)


def _apart(scene: Scene, phrase: Phrase) -> tuple[int, int]:
    """The tokens between a phrase and the pronoun, and where it starts, to break ties."""
    pronoun, start = scene.pronoun, phrase.start
    return (start - pronoun - 1 if start > pronoun else pronoun - phrase.end), start


def _edges(tree: Tree, one: int, other: int) -> int:
    """Edges of the tree between two tokens, also of different sentences."""
    ups, others = tree.up(one), tree.up(other)
    while ups and others and ups[-1] == others[-1]:
        ups.pop()
        others.pop()
    sentences = tree.parse.sentences
    apart = abs(sentences[one] - sentences[other])
    roots = 2 if apart else 0  # the two roots themselves are not edges
    return len(ups) + len(others) - roots + BETWEEN * apart


def _topics(tree: Tree, phrase: Phrase) -> set[str]:
    found = {word for word in tree.words[phrase.start : phrase.end] if word[0].isalnum()}
    common = words("function_words") | words("titles")
    return {word for word in found if word.lower() not in common}


def _name_words(tree: Tree, phrase: Phrase) -> list[str]:
    return re.findall(r"[\w*]+", " ".join(tree.words[phrase.start : phrase.end]))
