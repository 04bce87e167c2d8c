"""Names of persons in a parsed text.

The candidates of the GAP paper are "mentions of PERSON entity type, NAME mention type (headed by
a proper noun)". A small pipeline labels a third of the persons of GAP development as
organisations, places or nothing, above all last names alone. So its PERSON entities are extended
as follows, in this order:

1. the whole run of proper nouns around an entity (`Giovanni [Battista] Zelotti`);
2. runs of proper nouns in the role of a person: subjects, possessors, objects and appositions,
   without an article or a digit and not in capitals only; a run labelled as a place or building
   must be a subject itself;
3. runs that end in a word of a name found so far (`Zelotti`).

This finds 94.6 % of the names that pronouns of GAP development refer to; the entities alone are
68.4 % of them (pipeline en_core_web_sm 3.8.0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from coindex.text.parsing.dependency_tree import SUBJECTS, DependencyTree
from coindex.text.parsing.parse import Parse
from coindex.text.word_classes import ARTICLES
from coindex.text.word_lists import words

Run = tuple[int, int]
"""First token, and the token after the last."""

_PLACES = frozenset({"GPE", "LOC", "FAC"})
_NEVER = frozenset(
    {"DATE", "TIME", "CARDINAL", "ORDINAL", "MONEY", "QUANTITY", "PERCENT"}
    | {"LANGUAGE", "LAW", "EVENT"}
)
_PERSONAL = SUBJECTS | {"poss", "dobj", "dative", "appos"}
_LONGEST = 5  # tokens of a name; longer runs are headings and lists
_SHORTEST = 3  # characters of a word that identifies a name


def top_tokens(parse: Parse, start: int, end: int) -> list[int]:
    """The tokens of a phrase that depend on no other token of it."""
    heads = parse.heads
    return [at for at in range(start, end) if heads[at] == at or not start <= heads[at] < end]


def phrase_head(tree: DependencyTree, start: int, end: int) -> int:
    """The token that the rest of a phrase depends on; of several, the last proper noun or word."""
    tops = top_tokens(tree.parse, start, end)
    proper = [at for at in tops if tree.parse.pos[at] == "PROPN"]
    return (proper or tops)[-1]


def token_runs(size: int, step: Callable[[int, int], int]) -> Iterator[Run]:
    """The longest runs of tokens of a text of that size.

    step   how many tokens belong to a run, given its first token and the next one; 0 ends it
    """
    start = 0
    while start < size:
        end = start
        while end < size and (more := step(start, end)):
            end += more
        if end > start:
            yield start, end
        start = max(end, start + 1)


def person_spans(tree: DependencyTree) -> list[Run]:
    """The names of persons, in order, without overlaps."""
    runs = [
        run for run in token_runs(len(tree), partial(_step, tree)) if run[1] - run[0] <= _LONGEST
    ]
    names = [_widened(entity, runs) for entity in _entities(tree)]
    label = {at: kind for start, end, kind in tree.parse.entities for at in range(start, end)}
    names += [
        (start, end)
        for start, end in _outside(runs, names)
        if _like_a_person(tree, start, end, label.get(end - 1, ""))
    ]
    name_words = {tree.words[at] for start, end in names for at in range(start, end)}
    name_words = {word for word in name_words if _identifies(word)}
    names += [run for run in _outside(runs, names) if _known(tree, run, name_words)]
    return list(_merged(sorted(names)))


def _entities(tree: DependencyTree) -> Iterator[Run]:
    """PERSON entities headed by a proper noun, without possessive endings and punctuation."""
    parse = tree.parse
    for start, end, label in parse.entities:
        if label != "PERSON":
            continue
        while end > start and (parse.tags[end - 1] == "POS" or parse.pos[end - 1] == "PUNCT"):
            end -= 1
        while end > start and parse.pos[start] == "PUNCT":
            start += 1
        if end > start and parse.pos[phrase_head(tree, start, end)] == "PROPN":
            yield start, end


def _step(tree: DependencyTree, start: int, at: int) -> int:
    """How many tokens from `at` on belong to the run begun at `start`."""
    parse, last = tree.parse, len(tree) - 1
    if parse.sentences[at] != parse.sentences[start]:
        return 0
    if _capital(tree, at):
        return 1
    if at == start:
        return 0
    if at < last and tree.words[at] == "-" and parse.ends[at - 1] == parse.starts[at]:
        return 2 if parse.starts[at + 1] == parse.ends[at] else 0
    for more in (1, 2):  # de Souza, de la Cruz
        if tree.words[at + more - 1] not in words("name_particles") or at + more > last:
            return 0
        if _capital(tree, at + more):
            return more + 1
    return 0


def _capital(tree: DependencyTree, at: int) -> bool:
    return tree.parse.pos[at] == "PROPN" and (
        tree.words[at][0].isupper() or tree.words[at][0] == "*"
    )


def _widened(entity: Run, runs: Iterable[Run]) -> Run:
    """An entity extended by the runs that it shares a token with."""
    start, end = entity
    for first, last in runs:
        if first < end and start < last:
            start, end = min(start, first), max(end, last)
    return start, end


def _outside(runs: Iterable[Run], names: Iterable[Run]) -> list[Run]:
    taken = {at for start, end in names for at in range(start, end)}
    return [run for run in runs if taken.isdisjoint(range(*run))]


def _like_a_person(tree: DependencyTree, start: int, end: int, label: str) -> bool:
    """Whether a run has the role of a person and is written like a name."""
    parse, core = tree.parse, phrase_head(tree, start, end)
    written = "".join(tree.words[start:end])
    if label in _NEVER or (end - start == 1 and parse.tags[core] == "NNPS"):
        return False
    if not any(map(str.islower, written)) or any(map(str.isdigit, written)):
        return False
    if start and (tree.words[start - 1].lower() in ARTICLES or parse.tags[start - 1] == "CD"):
        return False
    if label in _PLACES:
        return parse.deps[core] in SUBJECTS
    return parse.deps[tree.top(core)] in _PERSONAL


def _identifies(word: str) -> bool:
    if len(word) < _SHORTEST or not word[0].isupper():
        return False
    return word.lower().rstrip(".") not in words("titles")


def _known(tree: DependencyTree, run: Run, name_words: set[str]) -> bool:
    """Whether the last and the first word of a run are words of names."""
    start, end = run
    if start and tree.words[start - 1].lower() in ARTICLES:
        return False
    return tree.words[end - 1] in name_words and (
        end - start == 1 or tree.words[start] in name_words
    )


def _merged(runs: Iterable[Run]) -> Iterator[Run]:
    last: Run | None = None
    for start, end in runs:
        if last is not None and start < last[1]:
            last = last[0], max(end, last[1])
            continue
        if last is not None:
            yield last
        last = start, end
    if last is not None:
        yield last
