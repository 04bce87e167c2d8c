"""Who does what a verb says, where grammar leaves no doubt about it.

`Tree.subjects` finds a subject wherever one may be understood, and trusts the parser. Here is
one only

- where the verb has its own: `[Ann] thanked her`;
- for an infinitive, where the verb above has an object, which it is (`asked [Ann] to help her`),
  or, with nobody asked, a subject of this kind (`[Ann] tried to help her`);
- for a verb joined to another one, where all verbs that it can be joined to have the same.
  Parsers join to the nearest: `Ann saw Mary take the pen and thanked her`. But joined verbs
  have one form, so it is `saw`; and nothing is said of `Ann thought Mary took it and thanked
  her`, where both have the form of the third.
"""

from __future__ import annotations

from coindex.resolvers._tree import SUBJECTS, VERBS, Tree

_FINITE = frozenset({"VBD", "VBZ", "VBP"})
_PRESENT = {"VBZ", "VBP"}
_AUXILIARIES = frozenset({"aux", "auxpass"})
_SUBJECT_STAYS = frozenset({"promise", "promised", "promises", "promising"})


def doers(tree: Tree, verb: int) -> tuple[int, ...]:
    """The subject of a verb, or none."""
    parse = tree.parse
    own = tree.depending(verb, SUBJECTS)
    above = parse.heads[verb]
    if own or above == verb or parse.pos[above] not in VERBS:
        return own
    if parse.deps[verb] == "xcomp":
        asked = tree.depending(above, {"dobj", "dative", "prep"})  # `prevailed upon Ann to go`
        if asked and tree.words[above].lower() not in _SUBJECT_STAYS:
            return tree.depending(above, {"dobj"})
        return doers(tree, above)
    return _joined(tree, verb) if parse.deps[verb] == "conj" else ()


def _joined(tree: Tree, verb: int) -> tuple[int, ...]:
    """The subject that all verbs have to which a verb can be joined."""
    fitting = [above for above in _verbs_above(tree, verb) if _alike(tree, above, verb)]
    found = {doers(tree, above) for above in fitting}
    return found.pop() if len(found) == 1 else ()


def _verbs_above(tree: Tree, verb: int) -> list[int]:
    found = []
    for token in tree.up(verb)[1:]:
        if tree.parse.pos[token] not in VERBS:
            break
        found.append(token)
    return found


def _alike(tree: Tree, one: int, other: int) -> bool:
    """Whether the second verb has the form to be joined to the first."""
    tags = tree.parse.tags
    if tree.depending(other, _AUXILIARIES):  # with its own, it may follow any
        return True
    if tags[other] in _FINITE:
        bare = not tree.depending(one, _AUXILIARIES)
        return bare and (tags[one] == tags[other] or {tags[one], tags[other]} == _PRESENT)
    return tags[one] == tags[other] or tags[other] not in ("VB", "VBG")
