"""Queries on a dependency tree, with the labels of spaCy's English pipelines.

These are ClearNLP's: nsubj, nsubjpass, dobj, dative, attr, poss, prep, pobj and so
on (https://github.com/clir/clearnlp-guidelines).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from coindex.text.parsing.parse import Parse

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
OBJECTS = frozenset({"dobj"})
VERBS = frozenset({"VERB", "AUX"})

_NOUNS = frozenset({"NOUN", "PROPN", "PRON"})
_ARGUMENTS = SUBJECTS | OBJECTS | {"dative", "attr", "oprd"}
_WITHIN_NAME = frozenset({"appos", "compound", "nmod"})
_PREPOSITIONS = frozenset({"ADP", "SCONJ"})
_SHARES_SUBJECT = frozenset({"VBG", "VBN", "VB"})
_STEPS = 6  # clauses searched for a subject


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """A parse with its words and, for each token, the tokens that depend on it."""

    parse: Parse
    words: tuple[str, ...]
    children: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.words)

    def up(self, token: int) -> list[int]:
        """A token, its head, and so on up to the root."""
        heads, path = self.parse.heads, [token]
        while heads[token] != token:
            token = heads[token]
            path.append(token)
        return path

    def top(self, token: int) -> int:
        """The head of the whole phrase that a noun is in: `Ann and [Mary]` has `Ann`."""
        parse = self.parse
        while parse.heads[token] != token:
            head, dep = parse.heads[token], parse.deps[token]
            if dep not in _WITHIN_NAME and not (dep == "conj" and parse.pos[head] in _NOUNS):
                break
            token = head
        return token

    def role(self, token: int) -> str | None:
        """`subject` or `object` if a noun or its conjunction is a subject or a direct object."""
        dep = self.parse.deps[self.top(token)]
        return "subject" if dep in SUBJECTS else "object" if dep in OBJECTS else None

    def predicate(self, token: int) -> int | None:
        """The token that a noun is an argument of, possibly through prepositions."""
        parse, noun = self.parse, self.top(token)
        head = parse.heads[noun]
        if parse.deps[noun] in _ARGUMENTS:
            return head
        if parse.deps[noun] != "pobj":
            return None
        while parse.pos[head] in _PREPOSITIONS and parse.heads[head] != head:
            head = parse.heads[head]
        return head if parse.pos[head] in VERBS else None

    def subjects(self, verb: int) -> list[int]:
        """The subjects of a verb, including implicit ones.

        Conjoined verbs, participles and infinitives share a subject; an infinitive
        has the object of the verb above (`asked Mary to go`) if there is one; a
        verb in a relative clause has the noun that it describes.
        """
        parse = self.parse
        for _ in range(_STEPS):
            subjects = self.depending(verb, SUBJECTS)
            if subjects or parse.heads[verb] == verb:
                return list(subjects)
            dep, head = parse.deps[verb], parse.heads[verb]
            if dep in ("relcl", "acl"):
                return [head]
            if dep == "xcomp":
                controllers = self.depending(head, {"dobj"}) or self.depending(head, {"dative"})
                if controllers:
                    return list(controllers)
            following = self._clause_above(verb)
            if following is None:
                return []
            verb = following
        return []

    def depending(self, token: int, deps: Collection[str]) -> tuple[int, ...]:
        """The dependents of a token with one of some labels."""
        return tuple(child for child in self.children[token] if self.parse.deps[child] in deps)

    def _clause_above(self, verb: int) -> int | None:
        """The verb whose subject is shared by a verb without one."""
        parse = self.parse
        dep, head = parse.deps[verb], parse.heads[verb]
        if dep == "pcomp" and parse.tags[verb] == "VBG":
            while parse.pos[head] in _PREPOSITIONS and parse.heads[head] != head:
                head = parse.heads[head]
        elif dep not in ("conj", "xcomp") and not (
            dep == "advcl" and parse.tags[verb] in _SHARES_SUBJECT
        ):
            return None
        return head if parse.pos[head] in VERBS else None


def build_tree(text: str, parse: Parse) -> DependencyTree:
    """The tree of a parsed text."""
    children: list[list[int]] = [[] for _ in parse.heads]
    for token, head in enumerate(parse.heads):
        if head != token:
            children[head].append(token)
    words = tuple(map(text.__getitem__, map(slice, parse.starts, parse.ends)))
    return DependencyTree(parse, words, tuple(map(tuple, children)))
