"""Binding theory: syntactic positions that preclude coreference, and Principle B.

`coreference_precluded` is for cues. The GAP paper leaves out names "in a syntactic position which
precludes coreference with the pronoun" and does not list them. These are the positions used here,
the usual conditions of binding theory as far as a dependency tree shows them:

- an argument of the same predicate, its subject understood or not, for a pronoun that is no
  possessor: `[Ann] saw her`, `[Ann] came and thanked her`; but not `herself`;
- a conjunct of the pronoun or its apposition: `she and [Ann]`;
- for a possessor: a name within what is possessed (`her sister [Ann]`), what that is an
  apposition to (`[Ann], her sister`) or predicated of (`[Ann] is her sister`);
- a name after the pronoun, unless the pronoun is in a fronted adjunct of the name's sentence
  (`In her youth, [Ann] sang`). A name in a later sentence is precluded by discourse, not by
  syntax: a new paragraph aside, the name comes before the pronoun.

A possessor within an argument is no argument: `[Ann]'s mother saw her` is not precluded.

`violates_principle_b` is stricter, for the resolver `binding`: an object pronoun (Chomsky 1981:
free in its governing category) does not corefer with the subject of its own clause, where it is
certain who that is. `DependencyTree.subjects` finds a subject wherever one may be understood, and trusts
the parser; `agents_of` has one only

- where the verb has its own: `[Ann] thanked her`;
- for an infinitive, where the verb above has an object, which it is (`asked [Ann] to help her`),
  or, without an object, a subject of this kind (`[Ann] tried to help her`);
- for a conjoined verb, where all verbs that it can be conjoined with have the same subject.
  Parsers conjoin with the nearest verb: `Ann saw Mary take the pen and thanked her`. But conjoined
  verbs have one form, so it is `saw`; there is no agent in `Ann thought Mary took it and thanked
  her`, where both verbs have the form of the third.
"""

from __future__ import annotations

from coindex.text.parsing.dependency_tree import SUBJECTS, VERBS, DependencyTree

_REFLEXIVE = ("self", "selves")
_ACCUSATIVE = frozenset({"him", "her", "them", "me", "us"})
_PREPOSITIONS = frozenset({"to", "for", "from", "about", "of", "at", "on", "by"})
_FRONTED = frozenset({"advcl", "prep", "npadvmod", "advmod", "acl", "dep"})


def coreference_precluded(tree: DependencyTree, pronoun: int, name: int) -> bool:
    """Whether the position of a name, by its head, precludes coreference with a pronoun."""
    if tree.parse.sentences[name] != tree.parse.sentences[pronoun]:
        return name > pronoun
    if name > pronoun and not _is_fronted(tree, pronoun, name):
        return True
    if tree.parse.deps[pronoun] == "poss" or tree.parse.tags[pronoun] == "PRP$":
        return _possessed(tree, pronoun, name)
    if tree.words[pronoun].lower().endswith(_REFLEXIVE):
        return False
    return _bound(tree, pronoun, name)


def _possessed(tree: DependencyTree, pronoun: int, name: int) -> bool:
    """Whether a name is part of, or the same as, what the pronoun possesses."""
    parse = tree.parse
    own = parse.heads[pronoun]
    if own in tree.up(name):
        return True
    if parse.deps[own] == "appos":
        return parse.heads[own] == name
    return parse.deps[own] == "attr" and tree.top(name) in tree.subjects(parse.heads[own])


def _bound(tree: DependencyTree, pronoun: int, name: int) -> bool:
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


def _is_fronted(tree: DependencyTree, pronoun: int, name: int) -> bool:
    """Whether the pronoun is in an adjunct before the clause that contains both."""
    above, others = tree.up(pronoun), set(tree.up(name))
    at = next((at for at, token in enumerate(above) if token in others), None)
    if not at:  # None: two trees; 0: the name depends on the pronoun
        return False
    return tree.parse.deps[above[at - 1]] in _FRONTED and above[at - 1] < above[at]


_FINITE = frozenset({"VBD", "VBZ", "VBP"})
_PRESENT = {"VBZ", "VBP"}
_AUXILIARIES = frozenset({"aux", "auxpass"})
_SUBJECT_STAYS = frozenset({"promise", "promised", "promises", "promising"})


def agents_of(tree: DependencyTree, verb: int) -> tuple[int, ...]:
    """The subject of a verb where it is certain; else nothing."""
    parse = tree.parse
    own = tree.depending(verb, SUBJECTS)
    above = parse.heads[verb]
    if own or above == verb or parse.pos[above] not in VERBS:
        return own
    if parse.deps[verb] == "xcomp":
        objects = tree.depending(above, {"dobj", "dative", "prep"})  # `prevailed upon Ann to go`
        if objects and tree.words[above].lower() not in _SUBJECT_STAYS:
            return tree.depending(above, {"dobj"})
        return agents_of(tree, above)
    return _agents_of_conjunct(tree, verb) if parse.deps[verb] == "conj" else ()


def _agents_of_conjunct(tree: DependencyTree, verb: int) -> tuple[int, ...]:
    """The subject of all verbs that a verb can be conjoined with, if it is the same."""
    fitting = [above for above in _verbs_above(tree, verb) if _same_form(tree, above, verb)]
    agents = {agents_of(tree, above) for above in fitting}
    return agents.pop() if len(agents) == 1 else ()


def _verbs_above(tree: DependencyTree, verb: int) -> list[int]:
    verbs = []
    for token in tree.up(verb)[1:]:
        if tree.parse.pos[token] not in VERBS:
            break
        verbs.append(token)
    return verbs


def _same_form(tree: DependencyTree, one: int, other: int) -> bool:
    """Whether the second verb has a form that can be conjoined with the first."""
    tags = tree.parse.tags
    if tree.depending(other, _AUXILIARIES):  # with its own, it may follow any
        return True
    if tags[other] in _FINITE:
        bare = not tree.depending(one, _AUXILIARIES)
        return bare and (tags[one] == tags[other] or {tags[one], tags[other]} == _PRESENT)
    return tags[one] == tags[other] or tags[other] not in ("VB", "VBG")


def violates_principle_b(tree: DependencyTree, pronoun: int, name: int) -> bool:
    """Whether a name, by its head, is the subject of the clause in which a pronoun is an object."""
    parse = tree.parse
    if name > pronoun or parse.sentences[name] != parse.sentences[pronoun]:
        return False
    if tree.words[pronoun].lower() not in _ACCUSATIVE or parse.tags[pronoun] == "PRP$":
        return False
    verb = _verb_of_object(tree, pronoun)
    return verb is not None and tree.top(name) in agents_of(tree, verb)


def _verb_of_object(tree: DependencyTree, pronoun: int) -> int | None:
    """The verb of which a pronoun is an object."""
    dep, head = tree.parse.deps[pronoun], tree.parse.heads[pronoun]
    if dep == "pobj" and tree.words[head].lower() in _PREPOSITIONS:
        head = tree.parse.heads[head]
    elif dep not in ("dobj", "dative"):
        return None
    return head if tree.parse.pos[head] in VERBS else None
