"""Whether `her` is possessive (`her keys`) or an object (`saw her`).

A tag decides where there is one: PRP$ or PRP. Else a longer mention that begins with
the word makes it possessive; then the word before it may tell (`because her back`,
`gave her advice`), then a following word that can begin a noun. What no list can tell is
a verb after it: `saw her walk` is taken for `her walk`. On OntoGUM without its tags this
is right for 97 of 100 (see docs/resolving.md).
"""

from __future__ import annotations

from bisect import bisect_right

from coindex.core._phrase import opens, plain
from coindex.core.document import Document
from coindex.core.words import labels

_TAGS = {"PRP$": True, "PRP": False}


def is_possessive(document: Document, token: int, longest: int) -> bool:
    """Whether the `her` at a token owns what follows.

    longest  the end of the longest mention that begins with the token
    """
    tag = document.pos[token] if document.pos is not None else ""
    if tag in _TAGS:
        return _TAGS[tag]
    sentence = bisect_right(document.sentences, token)
    end = document.sentences[sentence] if sentence < len(document.sentences) else len(document)
    if token + 1 >= end:
        return False
    if opens(document, token):  # no object stands there
        return True
    word = plain(document.tokens[token + 1])
    if word in ("and", "or"):
        return False
    if longest > token + 1:
        return True
    known = _by_what_is_before(document, token, end)
    return _begins_noun(document, token, word) if known is None else known


def _by_what_is_before(document: Document, token: int, end: int) -> bool | None:
    """Whether the word before `her` makes it possessive; None if it does not tell."""
    before = labels("before_her").get(plain(document.tokens[token - 1])) if token else None
    after = [plain(each) for each in document.tokens[token + 1 : min(token + 5, end)]]
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
    """Whether a word after `her` begins the noun that she owns."""
    if not word[0].isalnum():
        return word in ("``", "“", "‘")
    known = labels("after_her").get(word)
    if known is not None:
        return known == "noun"
    label = labels("function_words").get(word, "none")
    if label in ("none", "adjective"):
        return not (label == "none" and word.endswith("ly"))
    before = plain(document.tokens[token - 1]) if token else ""
    return label == "verb" and labels("function_words").get(before) == "preposition"
