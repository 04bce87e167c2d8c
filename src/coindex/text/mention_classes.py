"""Three kinds of mentions: pronouns, names and nominals.

A pronoun is one token of the list `pronouns` (demonstratives, relatives and
`one` included) that is not tagged as a proper noun, such as `WHO` or `US`; or a
token tagged as a personal pronoun that the list lacks (`ya`, the `’s` of
`let’s`). A name is headed by a proper noun. Everything else is a nominal.

The head is the last noun before its postmodifiers (a preposition, a clause, a
comma, `and`); a possessed noun is the head of its possessor's phrase. So `the head
of Ford` and `Ford ’s new factory` are nominals, and `the Bank of England` is a
name. Heads are found with part-of-speech tags, the Penn Treebank's or the universal
ones. Without tags, case decides: the last word before the postmodifiers must be
capitalised. The first word of a sentence always is: it counts unless it may be a
plural (`Dogs`, but `James` is missed too). An untagged `US` is a pronoun.
"""

from __future__ import annotations

from coindex.text.noun_phrase import starts_sentence
from coindex.text.word_classes import POSSESSIVE_MARKS, normalize
from coindex.text.word_lists import labels, words
from coindex.types.document import Document
from coindex.types.mention import Mention

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
_FOLLOWERS = frozenset({"preposition", "verb", "other"})


def kind_of(document: Document, mention: Mention) -> str:
    """Whether a mention is a pronoun, a name or a nominal."""
    if pronoun_group(document, mention) is not None:
        return "pronoun"
    tags = _tags(document, mention)
    named = _named_by_tags(document, mention, tags) if tags else _named_by_case(document, mention)
    return "name" if named else "nominal"


def pronoun_group(document: Document, mention: Mention) -> str | None:
    """The group of a pronoun (`feminine`, `first`, ...), None for any other mention."""
    if mention.end - mention.start != 1:
        return None
    word = normalize(document.tokens[mention.start])
    tag = (_tags(document, mention) or [""])[0]
    group = labels("pronouns").get(word)
    if group is not None:
        return None if tag in _PROPER else group
    return OTHER if tag in _PRONOUN_TAGS else None


def pronoun_groups() -> tuple[str, ...]:
    """All groups, in the order of the list."""
    return *dict.fromkeys(labels("pronouns").values()), OTHER


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
    """Whether the last noun before the postmodifiers is a proper noun."""
    tokens = [normalize(document.tokens[token]) for token in mention.tokens]
    last = ""
    begun = joined = False
    for index, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
        if tag in _NOUNS:
            last, begun = tag, True
        elif tag == "POS" or token in POSSESSIVE_MARKS:
            begun = False  # the possessed noun follows, with its modifiers
        elif (tag in _NOT_WITHIN and (index or tag == "VB")) or (
            begun and not joined and _WITHIN.isdisjoint((token, tag))
        ):
            break
        joined = not _JOINERS.isdisjoint((token, tag))
    return last in _PROPER


def _named_by_case(document: Document, mention: Mention) -> bool:
    """Whether the last word before the postmodifiers is capitalised, not only by position."""
    core = _core(document, mention)
    if not core:
        return False
    head = core[-1]
    token = document.tokens[head]
    word = normalize(token)
    if not token[0].isupper() or word in words("function_words") or word in words("pronouns"):
        return False
    return not (word.endswith("s") and starts_sentence(document, head))


def _core(document: Document, mention: Mention) -> list[int]:
    """The words up to the head; those of a possessor if no possessed noun follows it."""
    labelled = labels("function_words")
    core: list[int] = []
    possessor: list[int] = []
    for index, token in enumerate(mention.tokens):
        word = normalize(document.tokens[token])
        if word in POSSESSIVE_MARKS:
            possessor, core = core or possessor, []
        elif any(map(str.isalpha, word)) and (not index or labelled.get(word) not in _FOLLOWERS):
            core.append(token)
        elif core and word not in _JOINERS:
            break
    return core or possessor
