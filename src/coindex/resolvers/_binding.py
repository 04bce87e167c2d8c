"""Where a name stands that a pronoun cannot mean, whatever the text says.

The GAP paper leaves out names "in a syntactic position which precludes coreference
with the pronoun" and says no more. These are the positions we leave out, the usual
conditions of binding theory as far as a dependency tree shows them:

- an argument of the same predicate, its subject understood or not, for a pronoun that
  is no possessor: `[Ann] saw her`, `[Ann] came and thanked her`; but not `herself`;
- a conjunct of the pronoun or its apposition: `she and [Ann]`;
- for a possessor: a name within what is possessed (`her sister [Ann]`), what that is
  an apposition to (`[Ann], her sister`) or predicated of (`[Ann] is her sister`);
- a name after the pronoun, unless the pronoun stands in something put first in the
  sentence of the name (`In her youth, [Ann] sang`). A name in a later sentence is not
  precluded by syntax, but it is by discourse: a new paragraph aside, the name is
  given before the pronoun.

A possessor within an argument is no argument: `[Ann]'s mother saw her` stays.
"""

from __future__ import annotations

from coindex.resolvers._tree import SUBJECTS, Tree

_REFLEXIVE = ("self", "selves")
_PUT_FIRST = frozenset({"advcl", "prep", "npadvmod", "advmod", "acl", "dep"})


def precluded(tree: Tree, pronoun: int, name: int) -> bool:
    """Whether a name, by its head, cannot be what a pronoun means."""
    if tree.parse.sentences[name] != tree.parse.sentences[pronoun]:
        return name > pronoun
    if name > pronoun and not _put_first(tree, pronoun, name):
        return True
    if tree.parse.deps[pronoun] == "poss" or tree.parse.tags[pronoun] == "PRP$":
        return _possessed(tree, pronoun, name)
    if tree.words[pronoun].lower().endswith(_REFLEXIVE):
        return False
    return _bound(tree, pronoun, name)


def _possessed(tree: Tree, pronoun: int, name: int) -> bool:
    """Whether a name is part of, or the same as, what the pronoun possesses."""
    parse = tree.parse
    own = parse.heads[pronoun]
    if own in tree.up(name):
        return True
    if parse.deps[own] == "appos":
        return parse.heads[own] == name
    return parse.deps[own] == "attr" and tree.top(name) in tree.subjects(parse.heads[own])


def _bound(tree: Tree, pronoun: int, name: int) -> bool:
    """Whether a name is an argument beside the pronoun."""
    own, other = tree.top(pronoun), tree.top(name)
    if own == other:
        return True
    predicate = tree.predicate(pronoun)
    if predicate is None:
        return False
    if tree.predicate(name) == predicate:
        return True
    return tree.parse.deps[own] not in SUBJECTS and other in tree.subjects(predicate)


def _put_first(tree: Tree, pronoun: int, name: int) -> bool:
    """Whether the pronoun is in an adjunct before the clause that both are in."""
    above, others = tree.up(pronoun), set(tree.up(name))
    at = next((at for at, token in enumerate(above) if token in others), None)
    if not at:  # None: two trees; 0: the name depends on the pronoun
        return False
    return tree.parse.deps[above[at - 1]] in _PUT_FIRST and above[at - 1] < above[at]
