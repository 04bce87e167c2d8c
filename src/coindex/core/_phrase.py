"""The part of a mention that names: without clauses, apposition and possessive mark.

`the old man , who had lost his dog` says more than a name should; `the old man`
is enough. With part-of-speech tags a phrase ends before the first verb after its
noun; without, the lists of words decide, and some clauses stay.
"""

from __future__ import annotations

from bisect import bisect_right
from unicodedata import category

from coindex.core.document import Document
from coindex.core.mention import Mention
from coindex.core.span import Span
from coindex.core.words import labels, words

_POSSESSIVE = frozenset({"'s", "'"})
_AND = frozenset({"and", "or", "&"})
_IN_NAMES = frozenset({"at", "in", "for", "on"})
_ARTICLES = frozenset({"a", "an", "the"})
_SUBJECTS = frozenset({"i", "you", "he", "she", "we", "they"})
_CUT = frozenset({"--", "—", "–", "...", "…", "[", "{"})
_VERBS = frozenset({"VB", "VBD", "VBP", "VBZ", "MD", "VBG", "VBN", "VERB", "AUX"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "NOUN", "PROPN"})
_QUOTES = frozenset({"``", "“", '"', "‘"})


def plain(token: str) -> str:
    """A token in small letters with a straight apostrophe."""
    return token.replace("’", "'").lower()


def opens(document: Document, token: int) -> bool:
    """Whether a sentence or a quotation begins with a token, so that it has a capital anyway."""
    first = document.sentences[bisect_right(document.sentences, token) - 1]
    before = document.tokens[first:token]
    if before and before[-1] in _QUOTES:
        return True
    return not any(char.isalnum() for word in before for char in word)


def core_of(document: Document, mention: Mention, named: bool) -> Span:
    """The tokens of a mention that name it; of a broken one those of the part with the head."""
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
    while stop > start + 1 and _hangs(document.tokens[stop - 1]):
        stop -= 1
    return Span(_bare(document, start, stop), stop) if named else Span(start, stop)


def apposed(document: Document, mention: Mention) -> Span | None:
    """The name at the end of a description: `the head of the archive , Priya Nair`.

    Two words with capitals at least, after a word without: `a town near Leeds , England`
    and `a town near the sea , Maine` name no one.
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


def _bare(document: Document, start: int, stop: int) -> int:
    """Where a name begins that stands after what its bearer is: `her cousin Edith`.

    After `the` it must have two words: `the singer Nina Simone`, but `the river Don`.
    """
    at = stop
    while at > start and document.tokens[at - 1][0].isupper():
        at -= 1
    if not start < at < stop or not _is_common(document.tokens[at - 1]):
        return start
    before = {plain(token) for token in document.tokens[start:at]}
    if not before.isdisjoint(words("mention_tails") | _AND | _POSSESSIVE):
        return start
    return start if "the" in before and stop - at < 2 else at


def _is_common(token: str) -> bool:
    """Whether a token is a common noun or an adjective: in small letters, of no closed class."""
    known = words("function_words") | words("name_particles")
    return token.isalpha() and token.islower() and token not in known


def _is_mark(token: str) -> bool:
    """Whether a token is punctuation; an emoji or a combining mark belongs to its name."""
    return all(char in "`´" or category(char)[0] == "P" for char in token)


def _hangs(token: str) -> bool:
    """Whether a phrase cannot end in this token."""
    word = plain(token)
    return word in _POSSESSIVE or word in _AND or word == "of" or _is_mark(token)


def _ends_before(document: Document, start: int, at: int, end: int, named: bool) -> bool:
    """Whether what names is over before the token `at`."""
    token = document.tokens[at]
    word = plain(token)
    if "-" in document.tokens[at - 1 : at + 2]:
        return False
    if word == ",":
        return not (_before_noun(document, at - 1) or _goes_on(document, at, end))
    if word in _CUT or word in _SUBJECTS:
        return True
    if word in _IN_NAMES:
        return not (named and _capital_follows(document, at, end))
    if word in _ARTICLES:
        return not (_leads_on(document, at - 1) or (named and _capital_follows(document, at, end)))
    if word in words("mention_tails"):
        return word != "of" and word not in _AND
    return _is_verb(document, start, at)


def _leads_on(document: Document, at: int) -> bool:
    """Whether an article may stand after this token: `all the men`, `one of the men`."""
    word = plain(document.tokens[at])
    return word in words("function_words") or not word.isalpha()


def _is_verb(document: Document, start: int, at: int) -> bool:
    """Whether a verb that follows the noun stands here."""
    if document.pos is not None and document.pos[at]:
        noun = any(tag in _NOUNS for tag in document.pos[start:at])
        return noun and document.pos[at] in _VERBS
    return labels("function_words").get(document.tokens[at]) == "verb"


def _before_noun(document: Document, at: int) -> bool:
    """Whether an adjective stands here, so that the noun is still to come."""
    if document.pos is not None and document.pos[at]:
        return document.pos[at] in ("JJ", "JJR", "JJS", "ADJ")
    return labels("function_words").get(plain(document.tokens[at])) == "adjective"


def _goes_on(document: Document, comma: int, end: int) -> bool:
    """Whether a suffix (`Jr.`) or the rest of a list (`Ann , Bo and Cy`) follows a comma."""
    rest = [plain(token) for token in document.tokens[comma + 1 : end]]
    if rest and rest[0].rstrip(".") in words("name_suffixes"):
        return True
    joint = next((at for at, word in enumerate(rest) if word in _AND), None)
    if joint is None or joint + 1 == len(rest):
        return False
    tails = words("mention_tails") - _AND - {",", "of"}
    items = document.tokens[comma + 1 : comma + 1 + joint]
    return tails.isdisjoint(rest[:joint]) and all(
        token[0].isupper() for token in (*items[:1], document.tokens[comma + 2 + joint])
    )


def _capital_follows(document: Document, at: int, end: int) -> bool:
    rest = document.tokens[at + 1 : end]
    if rest and plain(rest[0]) == "the":
        rest = rest[1:]
    return bool(rest) and rest[0][0].isupper()
