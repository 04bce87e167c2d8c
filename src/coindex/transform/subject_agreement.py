"""Verbs after `I` and `you` when a name takes their place: `I need` gives `Ann needs`.

`agreeing_verb` answers only where the form is sure. A pronoun is left alone if its verb comes
first and would change (`are you`), if it may be one of several subjects (`Tom and I need`), in
clauses of wishes (`if I were`, `they insist that I be`), beside a reflexive (`I hurt myself`),
before a verb that the lists do not have, and where another verb of the clause would have
to change too (`I need milk and want eggs`). `you` is an object where no verb can follow (`saw you .`).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from coindex.text.verb_forms import MODALS, is_past_form, singular_form
from coindex.text.word_classes import normalize
from coindex.text.word_lists import labels, words
from coindex.types.document import Document

_INVERTED = frozenset({"am", "are", "were", "do", "have", "'m", "'re", "'ve"})
_INVARIANT = MODALS | {"did", "had", "was", "'d"}
_COORDINATORS = frozenset({"and", "or", "nor", "but", "then", "&", "/"})
_WISHES = frozenset({"if", "though", "as", "wish", "wished", "than", "lest", "rather", "suppose"})
_DEMANDS = ("suggest", "insist", "demand", "recommend", "ask", "requir", "request", "propos",
            "urg", "advis", "important", "essential", "vital", "crucial")  # fmt: skip
_REFLEXIVES = frozenset({"myself", "yourself", "yourselves"})
_GROUPS = frozenset({"all", "guys", "both", "two", "three", "folks", "people", "who", "lot"})
_BE = frozenset({"am", "'m", "are", "'re", "were", "was"})


class AgreeingVerb(NamedTuple):
    """The token of a verb, and the form that agrees with a name."""

    token: int
    text: str


def agreeing_verb(document: Document, token: int) -> AgreeingVerb | bool:
    """The verb to change with `I` or `you`; True if none has to change, False if it is not sure."""
    clause = _Clause(document, token)
    if not clause.is_plain():
        return False
    if clause.before in _INVERTED:
        return False
    if clause.before in _INVARIANT:
        return True
    verb = clause.words[clause.at] if clause.at < len(clause.words) else ""
    if verb in _INVARIANT - {"'d"} or is_past_form(verb):
        new = singular_form(verb) if verb == "'ll" else None
        return AgreeingVerb(token + 1 + clause.at, new) if new else True
    return clause.present(verb)


class _Clause:
    """The words around a pronoun, in lower case.

    before   the word before it, without `not`
    words    those after it, up to the end of the sentence
    at       the index of the next one that is no adverb
    """

    def __init__(self, document: Document, token: int) -> None:
        at = bisect_right(document.sentences, token)
        start = document.sentences[at - 1]
        end = document.sentences[at] if at < len(document.sentences) else len(document)
        earlier = [normalize(word) for word in document.tokens[start:token]]
        self.pronoun = normalize(document.tokens[token])
        self.earlier = [word for word in earlier if word not in ("n't", "not")]
        self.before = self.earlier[-1] if self.earlier else ""
        self.words = [normalize(word) for word in document.tokens[token + 1 : end]]
        self.token = token
        self.at = 0
        while self.at < len(self.words) and _is_adverb(self.words[self.at]):
            self.at += 1

    def is_plain(self) -> bool:
        """Whether the pronoun stands for one person, and nothing refers back to it."""
        beside = self.words[0] if self.words else ""
        if beside in _GROUPS or beside in _COORDINATORS or self.before == "thank":
            return False
        return _REFLEXIVES.isdisjoint(self.words)

    def present(self, verb: str) -> AgreeingVerb | bool:
        """The change of a verb in the present, or whether the pronoun is an object."""
        new = singular_form(verb)
        if new is None:
            return self.pronoun == "you" and self._is_object()
        wishes = self.before in _WISHES and verb == "were"
        if wishes or self._is_demanded() or not self._is_subject(verb):
            return False
        if any(self._goes_on(index, verb) for index in range(self.at + 1, len(self.words))):
            return False
        return AgreeingVerb(self.token + 1 + self.at, new)

    def _is_demanded(self) -> bool:
        near = self.earlier[-2:] if self.before == "that" else self.earlier[-1:]
        return any(word.startswith(_DEMANDS) for word in near)

    def _is_subject(self, verb: str) -> bool:
        """Whether the pronoun alone is the subject of the verb after it."""
        if self.before in _COORDINATORS:
            return verb in ("am", "'m")
        opens = not self.before or self.before in words("clause_openers")
        return opens if self.pronoun == "you" and verb not in _BE else True

    def _is_object(self) -> bool:
        """Whether `you` follows a verb or preposition, and no verb follows."""
        after = self.words[0] if self.words else "."
        follows = labels("function_words").get(after, "" if after[:1].isalnum() else "mark")
        if follows in ("", "verb", "adjective") or after in (",", "'d"):
            return False
        label = labels("function_words").get(self.before)
        return label in ("verb", "preposition") or is_past_form(self.before)

    def _goes_on(self, index: int, verb: str) -> bool:
        """Whether a verb that would have to agree may begin at a word."""
        before, word = self.words[index - 1], self.words[index]
        if _is_adverb(word) or before not in _COORDINATORS | {","}:
            return False
        if singular_form(word) is not None:
            return True
        known = word in words("function_words") or word in words("pronouns")
        past = is_past_form(word) or word.endswith("ing") or not word[:1].isalpha()
        return before != "," and verb not in _BE and not (known or past)


def _is_adverb(word: str) -> bool:
    return word in words("adverbs_before_verbs") or (word.endswith("ly") and len(word) > 4)
