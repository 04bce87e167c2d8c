"""Whether a phrase that is mentioned is a clause or a verb, not a noun phrase.

`They agreed; it took an hour`: the mention `agreed` is a verb, and cannot be put in the place of
`it`. Part-of-speech tags decide if there are any. Without them, word lists and the neighbouring
words do, and a single word in lower case counts as a noun only if there is a reason to believe
it: an article or preposition before it, a plural, the list of nouns for people.
"""

from __future__ import annotations

from coindex.text.word_classes import normalize
from coindex.text.word_lists import labels, words
from coindex.types.document import Document
from coindex.types.span import Span

_OPENERS = frozenset({"why", "how", "when", "where", "whether", "if", "that", "to", "because"})
_SUBJECTS = frozenset({"i", "he", "she", "we", "they", "you", "it"})
_OWNERS = frozenset({"my", "your", "his", "her", "its", "our", "their"})
_FINITE = frozenset({"VBD", "VBP", "VBZ", "MD", "AUX"})
_BEFORE_NOUN = frozenset({"determiner", "preposition", "adjective"})
_COLLECTIVE = frozenset({"people", "police", "children", "kids", "everybody", "staff"})
_LONGEST_THAT = 4  # `that brown trash thing` is a noun phrase


def is_clause(document: Document, span: Span, named: bool) -> bool:
    """Whether a phrase of several words is a clause: `that Ann left`, `losing her keys`.

    named   whether its last word is a name: only its first word then makes it a clause
    """
    tokens = [normalize(token) for token in document.tokens[span.start : span.end]]
    if tokens[0] in _OPENERS:
        return tokens[0] != "that" or len(tokens) > _LONGEST_THAT
    if named:
        return False
    if tokens[0] in _SUBJECTS or not _SUBJECTS.isdisjoint(tokens[1:]):
        return True
    tags = document.pos[span.start : span.end] if document.pos is not None else ()
    if any(tags):
        return tags[0].startswith("VB") or not _FINITE.isdisjoint(tags)
    opens = labels("function_words").get(tokens[0]) == "verb" or _is_gerund(tokens[0], tokens[1])
    return opens or any(_is_new_phrase(tokens, at) for at in range(1, len(tokens)))


def is_verb(document: Document, token: int) -> bool:
    """Whether a single word in lower case is a verb, or could well be one."""
    tag = document.pos[token] if document.pos is not None else ""
    if tag:
        return tag.startswith("VB") or tag in ("VERB", "AUX", "MD")
    word = document.tokens[token]
    if len(word) < 2 or not word[0].isalpha() or word in words("function_words"):
        return True
    if word in _COLLECTIVE or word in words("gendered_nouns") | words("occupations"):
        return False
    return _stands_as_verb(document, token)


def _stands_as_verb(document: Document, token: int) -> bool:
    """Whether the words around a word make it a verb, or do not make it a noun."""
    after = normalize(document.tokens[token + 1]) if token + 1 < len(document) else ""
    if labels("function_words").get(after) == "determiner" or after in words("pronouns"):
        return True
    word = document.tokens[token]
    if token in document.sentences or word in words("first_names"):
        return word.endswith(("ed", "ing"))
    before = normalize(document.tokens[token - 1])
    label = labels("function_words").get(before, "")
    if label in _BEFORE_NOUN:
        return False
    known = label or not before.isalpha()
    plural = word.endswith("s") and not word.endswith("ss")
    if not known:
        return not plural or document.tokens[token - 1][:1].isupper()
    return (
        before in _SUBJECTS
        or before in ("to", "n't", "not")
        or word.endswith(("ed", "ing"))
        or (label == "verb" and not plural)
    )


def _is_gerund(word: str, after: str) -> bool:
    """Whether a phrase begins with a verb and its object: `losing her keys`."""
    object_ = labels("function_words").get(after) in ("determiner", "preposition")
    return word.endswith("ing") and len(word) > 4 and (object_ or after in words("pronouns"))


def _is_new_phrase(tokens: list[str], at: int) -> bool:
    """Whether a possessive pronoun begins another phrase: `the book her sister`."""
    if tokens[at] not in _OWNERS:
        return False
    before = tokens[at - 1]
    return labels("function_words").get(before) is None and before.isalpha()
