"""Questions to a dependency tree, in the labels of spaCy's English pipelines.

Those are ClearNLP's: nsubj, nsubjpass, dobj, dative, attr, poss, prep, pobj and so
on (https://github.com/clir/clearnlp-guidelines).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from coindex.parsing.parse import Parse

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
OBJECTS = frozenset({"dobj"})
VERBS = frozenset({"VERB", "AUX"})

_NOUNS = frozenset({"NOUN", "PROPN", "PRON"})
_ARGUMENTS = SUBJECTS | OBJECTS | {"dative", "attr", "oprd"}
_WITHIN_NAME = frozenset({"appos", "compound", "nmod"})
_PREPOSITIONS = frozenset({"ADP", "SCONJ"})
_SHARES_SUBJECT = frozenset({"VBG", "VBN", "VB"})
_STEPS = 6  # clauses looked through for a subject


@dataclass(frozen=True, slots=True)
class Tree:
    """A parse with its words and, for each token, the tokens that depend on it."""

    parse: Parse
    words: tuple[str, ...]
    children: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.words)

    def up(self, token: int) -> list[int]:
        """A token, what it depends on, and so on up to the root."""
        heads, found = self.parse.heads, [token]
        while heads[token] != token:
            token = heads[token]
            found.append(token)
        return found

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
        """Whether a noun is, alone or as a conjunct, a subject or a direct object."""
        dep = self.parse.deps[self.top(token)]
        return "subject" if dep in SUBJECTS else "object" if dep in OBJECTS else None

    def predicate(self, token: int) -> int | None:
        """What a noun is an argument of, if need be through prepositions."""
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
        """Who does what a verb says, also where that is understood.

        Conjoined verbs, participles and infinitives share a subject; an infinitive
        has the object of the verb above (`asked Mary to go`) where there is one; a
        verb in a relative clause has the noun that it describes.
        """
        parse = self.parse
        for _ in range(_STEPS):
            found = self.depending(verb, SUBJECTS)
            if found or parse.heads[verb] == verb:
                return list(found)
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
        """What depends on a token in one of some ways."""
        return tuple(child for child in self.children[token] if self.parse.deps[child] in deps)

    def _clause_above(self, verb: int) -> int | None:
        """The verb whose subject a verb without one shares."""
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


def tree(text: str, parse: Parse) -> Tree:
    """The tree of a parsed text."""
    children: list[list[int]] = [[] for _ in parse.heads]
    for token, head in enumerate(parse.heads):
        if head != token:
            children[head].append(token)
    words = tuple(map(text.__getitem__, map(slice, parse.starts, parse.ends)))
    return Tree(parse, words, tuple(map(tuple, children)))
