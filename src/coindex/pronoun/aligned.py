"""Whether a mention of a cluster is the same as a name of a problem, by its head.

GAP (Webster et al. 2018, section 4.2) says only "using mention heads for
alignment". Here: the mention has the name's very words, or both have the same
head ("President Ann Lee" and "Ann Lee"), or the mention is a part of the name that
its head stands in ("Lee"). "Ann Lee 's brother" is headed by "brother" and "the
city" is a part of "the city councilmen" but no name, so neither is the same; and
"Ann Lee and Bob" are two, whichever of them a treebank takes for the head.
"""

from __future__ import annotations

import re

from coindex.core.document import Document
from coindex.core.kinds import kind_of
from coindex.core.mention import Mention
from coindex.core.span import Span
from coindex.core.words import labels
from coindex.matching._heads import dependency_head, tree_head

_POSSESSIVES = frozenset({"'s", "'", "’s", "’"})
_JOINERS = frozenset({"-", "–", "&", "/"})
_COORDINATORS = frozenset({"and", "or", "&", "nor"})
_FOLLOWERS = frozenset({"preposition", "verb", "other"})
_SUFFIX = re.compile(r"(?:jr|sr|[ivx]+)\.?", re.IGNORECASE)


def aligned(document: Document, mention: Mention, name: Mention) -> bool:
    """Whether a mention is one of the name at this very place."""
    if mention.tokens == name.tokens:
        return True
    head = head_of(document, mention)
    if head not in name.tokens or _joined(document, mention, name):
        return False
    if head == head_of(document, name):
        return True
    part = set(mention.tokens) <= set(name.tokens)
    return part and head in _core(document, name) and kind_of(document, name) == "name"


def head_of(document: Document, mention: Mention) -> int:
    """The head: told, or by the document's trees or dependencies, or by word lists."""
    if mention.head is not None:
        return mention.head
    bare = _bare(document, mention)
    if bare.start + 1 == bare.end:
        return bare.start
    if document.parse is not None:
        return tree_head(document, bare)
    if document.heads is not None:
        return dependency_head(document, bare)
    return _core(document, bare)[-1]


def _bare(document: Document, mention: Mention) -> Mention:
    """The mention without marks, `'s`, `Jr.` or `III` at its end."""
    tokens = list(mention.tokens)
    while len(tokens) > 1 and _is_tail(document.tokens[tokens[-1]]):
        tokens.pop()
    return Mention((Span(tokens[0], tokens[-1] + 1),))


def _core(document: Document, mention: Mention) -> list[int]:
    """The tokens up to what follows the head; what is owned, not its owner."""
    labelled = labels("function_words")
    found: list[int] = []
    for token in _bare(document, mention).tokens:
        word = document.tokens[token].replace("’", "'").lower()
        if word in _POSSESSIVES:
            found = []
        elif _has_letter(word) and (not found or labelled.get(word) not in _FOLLOWERS):
            found.append(token)
        elif found and word not in _JOINERS:
            break
    return found or [mention.start]


def _joined(document: Document, mention: Mention, name: Mention) -> bool:
    """Whether the mention joins the name to another: `and` beside it, within the mention."""
    beside = {name.start - 1, name.end} & set(mention.tokens)
    return any(document.tokens[token].lower() in _COORDINATORS for token in beside)


def _is_tail(token: str) -> bool:
    return token in _POSSESSIVES or not _has_letter(token) or _SUFFIX.fullmatch(token) is not None


def _has_letter(token: str) -> bool:
    return any(map(str.isalnum, token))
