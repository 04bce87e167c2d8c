"""Noun phrases: the core of a mention, and whether `her` begins one.

The core of a mention names its entity, without clauses, apposition and possessive mark: `the old
man` of `the old man , who had lost his dog`. With part-of-speech tags the core ends before the
first verb after its noun; without tags, word lists decide, and some clauses remain.

`her` is possessive (`her keys`) or an object (`saw her`). A tag decides if there is one: PRP$ or
PRP. Otherwise a longer mention that begins with the word makes it possessive; then the word
before it may decide (`because her back`, `gave her advice`), then a following word that can
begin a noun. A verb after it is not recognised: `saw her walk` is taken for `her walk`. On
OntoGUM without its tags this is right for 97 of 100 (see docs/how-to/resolving.md).
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from unicodedata import category

from coindex.text.word_classes import ARTICLES, COORDINATORS, POSSESSIVE_MARKS, normalize
from coindex.text.word_lists import labels, words
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.span import Span

_IN_NAMES = frozenset({"at", "in", "for", "on"})
_SUBJECTS = frozenset({"i", "you", "he", "she", "we", "they"})
_BREAKS = frozenset({"--", "—", "–", "...", "…", "[", "{"})
_VERBS = frozenset({"VB", "VBD", "VBP", "VBZ", "MD", "VBG", "VBN", "VERB", "AUX"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "NOUN", "PROPN"})
PRONOUN_CASES = ("subject", "object", "determiner", "possessive", "reflexive")
"""The cases of a personal pronoun, in the order of the list `pronoun_sets`."""

_QUOTES = frozenset({"``", "“", '"', "‘"})


@cache
def possessive_words() -> frozenset[str]:
    """The possessive determiners, in lower case: `my`, `her`, `whose`."""
    return frozenset(word for word, kind in labels("mention_starts").items() if kind == "owned")


def starts_sentence(document: Document, token: int) -> bool:
    """Whether a token begins a sentence or a quotation, and so is capitalised in any case."""
    first = document.sentences[bisect_right(document.sentences, token) - 1]
    before = document.tokens[first:token]
    if before and before[-1] in _QUOTES:
        return True
    return not any(char.isalnum() for word in before for char in word)


def core_span(document: Document, mention: Mention, named: bool) -> Span:
    """The tokens of a mention's core; of a discontinuous mention, in the span with its head."""
    spans = mention.spans
    span = next((s for s in spans if mention.head is not None and mention.head in s), spans[0])
    start, end = span.start, span.end
    while start < end and _is_mark(document.tokens[start]):
        start += 1
    if start == end:
        return span
    stop = next(
        (at for at in range(start + 1, end) if _ends_before(document, start, at, end, named)), end
    )
    while stop > start + 1 and _cannot_end(document.tokens[stop - 1]):
        stop -= 1
    return Span(_name_start(document, start, stop), stop) if named else Span(start, stop)


def apposed_name(document: Document, mention: Mention) -> Span | None:
    """The name at the end of a description: `the head of the archive , Priya Nair`.

    It has at least two capitalised words, after a word in lower case: `a town near Leeds ,
    England` and `a town near the sea , Maine` name no person.
    """
    end = mention.end
    while end > mention.start and _is_mark(document.tokens[end - 1]):
        end -= 1
    start = end
    while start > mention.start and document.tokens[start - 1][0].isupper():
        start -= 1
    if end - start < 2 or start - mention.start < 3 or document.tokens[start - 1] != ",":
        return None
    return Span(start, end) if document.tokens[start - 2].islower() else None


def _name_start(document: Document, start: int, stop: int) -> int:
    """The start of a name that follows a description of its bearer: `her cousin [Edith]`.

    After `the` it must have two words: `the singer Nina Simone`, but `the river Don`.
    """
    at = stop
    while at > start and document.tokens[at - 1][0].isupper():
        at -= 1
    if not start < at < stop or not _is_common(document.tokens[at - 1]):
        return start
    before = {normalize(token) for token in document.tokens[start:at]}
    if not before.isdisjoint(words("mention_tails") | COORDINATORS | POSSESSIVE_MARKS):
        return start
    return start if "the" in before and stop - at < 2 else at


def _is_common(token: str) -> bool:
    """Whether a token is a common noun or an adjective: lower case, in no closed class."""
    known = words("function_words") | words("name_particles")
    return token.isalpha() and token.islower() and token not in known


def _is_mark(token: str) -> bool:
    """Whether a token is punctuation; an emoji or a combining mark belongs to its name."""
    return all(char in "`´" or category(char)[0] == "P" for char in token)


def _cannot_end(token: str) -> bool:
    """Whether a phrase cannot end in this token."""
    word = normalize(token)
    return word in POSSESSIVE_MARKS or word in COORDINATORS or word == "of" or _is_mark(token)


def _ends_before(document: Document, start: int, at: int, end: int, named: bool) -> bool:
    """Whether the core ends before the token `at`."""
    token = document.tokens[at]
    word = normalize(token)
    if "-" in document.tokens[at - 1 : at + 2]:
        return False
    if word == ",":
        return not (_before_noun(document, at - 1) or _list_continues(document, at, end))
    if word in _BREAKS or word in _SUBJECTS:
        return True
    if word in _IN_NAMES:
        return not (named and _capital_follows(document, at, end))
    if word in ARTICLES:
        return not (
            _may_precede_article(document, at - 1)
            or (named and _capital_follows(document, at, end))
        )
    if word in words("mention_tails"):
        return word != "of" and word not in COORDINATORS
    return _is_verb(document, start, at)


def _may_precede_article(document: Document, at: int) -> bool:
    """Whether an article may follow this token: `all the men`, `one of the men`."""
    word = normalize(document.tokens[at])
    return word in words("function_words") or not word.isalpha()


def _is_verb(document: Document, start: int, at: int) -> bool:
    """Whether this token is a verb after the noun."""
    if document.pos is not None and document.pos[at]:
        noun = any(tag in _NOUNS for tag in document.pos[start:at])
        return noun and document.pos[at] in _VERBS
    return labels("function_words").get(document.tokens[at]) == "verb"


def _before_noun(document: Document, at: int) -> bool:
    """Whether this token is an adjective, so that the noun follows."""
    if document.pos is not None and document.pos[at]:
        return document.pos[at] in ("JJ", "JJR", "JJS", "ADJ")
    return labels("function_words").get(normalize(document.tokens[at])) == "adjective"


def _list_continues(document: Document, comma: int, end: int) -> bool:
    """Whether a suffix (`Jr.`) or the rest of a list (`Ann , Bo and Cy`) follows a comma."""
    rest = [normalize(token) for token in document.tokens[comma + 1 : end]]
    if rest and rest[0].rstrip(".") in words("name_suffixes"):
        return True
    joint = next((at for at, word in enumerate(rest) if word in COORDINATORS), None)
    if joint is None or joint + 1 == len(rest):
        return False
    tails = words("mention_tails") - COORDINATORS - {",", "of"}
    items = document.tokens[comma + 1 : comma + 1 + joint]
    return tails.isdisjoint(rest[:joint]) and all(
        token[0].isupper() for token in (*items[:1], document.tokens[comma + 2 + joint])
    )


def _capital_follows(document: Document, at: int, end: int) -> bool:
    rest = document.tokens[at + 1 : end]
    if rest and normalize(rest[0]) == "the":
        rest = rest[1:]
    return bool(rest) and rest[0][0].isupper()


_TAGS = {"PRP$": True, "PRP": False}


def is_possessive_her(document: Document, token: int, longest: int) -> bool:
    """Whether the `her` at a token is a possessive.

    longest  the end of the longest mention that begins with the token
    """
    tag = document.pos[token] if document.pos is not None else ""
    if tag in _TAGS:
        return _TAGS[tag]
    sentence = bisect_right(document.sentences, token)
    end = document.sentences[sentence] if sentence < len(document.sentences) else len(document)
    if token + 1 >= end:
        return False
    if starts_sentence(document, token):  # an object cannot be there
        return True
    word = normalize(document.tokens[token + 1])
    if word in ("and", "or"):
        return False
    if longest > token + 1:
        return True
    known = _possessive_by_context(document, token, end)
    return _begins_noun(document, token, word) if known is None else known


def _possessive_by_context(document: Document, token: int, end: int) -> bool | None:
    """Whether the word before `her` makes it possessive; None if that does not decide."""
    before = labels("before_her").get(normalize(document.tokens[token - 1])) if token else None
    after = [normalize(each) for each in document.tokens[token + 1 : min(token + 5, end)]]
    if before == "clause":
        return True
    if before == "gives" and "to" not in after:
        return after[0] == "own"
    if before == "lets":
        return False
    classes = labels("function_words")
    if before == "does" and len(after) > 1 and classes.get(after[1]) == "determiner":
        return classes.get(after[0], "none") == "determiner"
    return None


def _begins_noun(document: Document, token: int, word: str) -> bool:
    """Whether a word after `her` begins the possessed noun."""
    if not word[0].isalnum():
        return word in ("``", "“", "‘")
    known = labels("after_her").get(word)
    if known is not None:
        return known == "noun"
    label = labels("function_words").get(word, "none")
    if label in ("none", "adjective"):
        return not (label == "none" and word.endswith("ly"))
    before = normalize(document.tokens[token - 1]) if token else ""
    return label == "verb" and labels("function_words").get(before) == "preposition"


_CASES = {
    "he": "subject", "she": "subject", "him": "object", "hers": "possessive",
    "himself": "reflexive", "herself": "reflexive",
}  # fmt: skip


def pronoun_case(document: Document, token: int, longest: int) -> str | None:
    """The case of a `he` or `she` in any form; None for other words.

    It is one of `PRONOUN_CASES`: a `determiner` stands before a noun (`his hat`), a `possessive`
    does not (`it is his`).

    longest  the end of the longest mention that begins with the token
    """
    word = normalize(document.tokens[token])
    if word == "her":
        return "determiner" if is_possessive_her(document, token, longest) else "object"
    if word != "his":
        return _CASES.get(word)
    if longest > token + 1:
        return "determiner"
    sentence = bisect_right(document.sentences, token)
    end = document.sentences[sentence] if sentence < len(document.sentences) else len(document)
    if token + 1 >= end:
        return "possessive"
    return (
        "determiner"
        if _begins_noun(document, token, document.tokens[token + 1].lower())
        else "possessive"
    )
