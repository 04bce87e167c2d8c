"""Three kinds of mentions: pronouns, names and nominals.

A pronoun is one token of the list `pronouns` (demonstratives, relatives and
`one` too) that is not tagged as a proper noun, such as `WHO` or `US`; or one
tagged as a personal pronoun that the list does not have (`ya`, the `’s` of
`let’s`). A name is headed by a proper noun, everything else is a nominal.

The head is the last noun before whatever follows it (a preposition, a clause,
a comma, `and`); what a possessor owns comes after the possessor. So `the head
of Ford` and `Ford ’s new factory` are nominals, and `the Bank of England` is a
name. It is found on part-of-speech tags, the Penn Treebank's or the universal
ones. Without tags, capital letters decide: the last word before what follows
must have one. A word that opens a sentence has one anyway: it counts unless it
may be a plural (`Dogs`, but `James` is lost too). An untagged `US` is a pronoun.
"""

from __future__ import annotations

from bisect import bisect_right

from coindex.core.document import Document
from coindex.core.mention import Mention
from coindex.core.words import labels, words

KINDS = ("pronoun", "name", "nominal")
OTHER = "other"

_NO_TAG = frozenset({"", "-", "_", "*"})
_PROPER = frozenset({"NNP", "NNPS", "PROPN"})
_NOUNS = _PROPER | {"NN", "NNS", "NOUN"}
_PRONOUN_TAGS = frozenset({"PRP", "PRP$"})
_JOINERS = frozenset({"HYPH", "-", "–", "&", "/"})
_BEFORE_NOUN = frozenset({"JJ", "JJR", "JJS", "CD", "AFX", "ADJ", "NUM", "``", "''"})
_WITHIN = _JOINERS | _BEFORE_NOUN
_NOT_WITHIN = frozenset({"IN", "ADP", "VB", "VBD", "VBP", "VBZ", "MD"})
_POSSESSIVES = frozenset({"'s", "'"})
_FOLLOWERS = frozenset({"preposition", "verb", "other"})


def kind_of(document: Document, mention: Mention) -> str:
    """Whether a mention is a pronoun, a name or a nominal."""
    if pronoun_group(document, mention) is not None:
        return "pronoun"
    tags = _tags(document, mention)
    named = _named_by_tags(document, mention, tags) if tags else _named_by_case(document, mention)
    return "name" if named else "nominal"


def pronoun_group(document: Document, mention: Mention) -> str | None:
    """The group of a pronoun (`feminine`, `first`, ...), None for what is no pronoun."""
    if mention.end - mention.start != 1:
        return None
    word = _plain(document.tokens[mention.start])
    tag = (_tags(document, mention) or [""])[0]
    group = labels("pronouns").get(word)
    if group is not None:
        return None if tag in _PROPER else group
    return OTHER if tag in _PRONOUN_TAGS else None


def pronoun_groups() -> tuple[str, ...]:
    """The groups there are, in the order of the list."""
    return *dict.fromkeys(labels("pronouns").values()), OTHER


def _plain(token: str) -> str:
    return token.replace("’", "'").lower()


def _tags(document: Document, mention: Mention) -> list[str] | None:
    """The tags of a mention's tokens, from the first column that has any."""
    tokens = mention.tokens
    if document.pos is not None:
        tags = [document.pos[token] for token in tokens]
        if not _NO_TAG.issuperset(tags):
            return tags
    layer = document.layer("upos") if document.layers else None
    if layer is not None:
        tags = [layer[token] for token in tokens]
        if not _NO_TAG.issuperset(tags):
            return tags
    return None


def _named_by_tags(document: Document, mention: Mention, tags: list[str]) -> bool:
    """Whether the last noun before what follows the head is a proper noun."""
    tokens = [_plain(document.tokens[token]) for token in mention.tokens]
    last = ""
    begun = joined = False
    for index, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
        if tag in _NOUNS:
            last, begun = tag, True
        elif tag == "POS" or token in _POSSESSIVES:
            begun = False  # what is owned comes now, with modifiers of its own
        elif (tag in _NOT_WITHIN and (index or tag == "VB")) or (
            begun and not joined and _WITHIN.isdisjoint((token, tag))
        ):
            break
        joined = not _JOINERS.isdisjoint((token, tag))
    return last in _PROPER


def _named_by_case(document: Document, mention: Mention) -> bool:
    """Whether the last word before what follows the head has a capital that says something."""
    core = _core(document, mention)
    if not core:
        return False
    head = core[-1]
    token = document.tokens[head]
    word = _plain(token)
    if not token[0].isupper() or word in words("function_words") or word in words("pronouns"):
        return False
    return not (word.endswith("s") and _opens(document, head))


def _core(document: Document, mention: Mention) -> list[int]:
    """The tokens with letters up to what follows the head; a possessor without what it owns."""
    labelled = labels("function_words")
    found: list[int] = []
    possessor: list[int] = []
    for index, token in enumerate(mention.tokens):
        word = _plain(document.tokens[token])
        if word in _POSSESSIVES:
            possessor, found = found or possessor, []
        elif any(map(str.isalpha, word)) and (not index or labelled.get(word) not in _FOLLOWERS):
            found.append(token)
        elif found and word not in _JOINERS:
            break
    return found or possessor


def _opens(document: Document, token: int) -> bool:
    """Whether no word of its sentence stands before a token, or a quotation opens there."""
    first = document.sentences[bisect_right(document.sentences, token) - 1]
    before = document.tokens[first:token]
    if before and before[-1] in ("``", "“", '"', "‘"):
        return True
    return not any(char.isalnum() for word in before for char in word)
