"""The MINA paper's algorithm to the letter: the same minimum span, which was `mina` in version 0.1.

A breadth-first search of the mention's tree enters only phrases with acceptable tags: those of
noun phrases, or VP for verb phrases. The minimum span holds the words directly below the
phrases nearest to the root that have any besides determiners and conjunctions. A mention that
is not a phrase gets a dummy root. A mention whose search finds nothing keeps all its words.
Punctuation marks are not words. Key and response are both reduced on the key's trees.
The authors' program reads trees otherwise: see `mina`.
"""

from __future__ import annotations

from collections import deque

from coindex.scoring.matching.minimum_spans import by_minimum_span
from coindex.scoring.matching.protocol import Identify
from coindex.types.document import Document
from coindex.types.tree import DUMMY, Node, subtree

TITLE = "strict MINA spans"
ORDER = 25
IN_RANKINGS = False
REVISION = 1

NOUN_TAGS = frozenset({"NP", "NML", "QP", "NX"})
VERB_TAGS = frozenset({"VP"})
WEAK = frozenset({"DT", "CC"})
PUNCTUATION = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"})


def pair(key: Document, response: Document) -> tuple[Identify, Identify]:
    """Both sides by their minimum spans on the key's trees."""
    return by_minimum_span(key, minimum_span)


def minimum_span(document: Document, start: int, end: int) -> tuple[int, ...]:
    """The tokens of the minimum span of the tokens from `start` up to `end`."""
    if end - start == 1 or document.parse is None:
        return tuple(range(start, end))
    return search_tree(document, subtree(document.parse, start, end)) or tuple(range(start, end))


def search_tree(document: Document, root: Node) -> tuple[int, ...]:
    """The minimum span in the tree of a mention; empty if there is none."""
    tags = _acceptable(root)
    nearest: int | None = None
    minimum: list[int] = []
    queue = deque([(root, 0)])
    while queue:
        node, depth = queue.popleft()
        if nearest is not None and depth > nearest:
            break
        if node.tag in tags:
            words = [word for word in node.words if _is_word(document, word)]
            if any(_tag(document, word) not in WEAK for word in words):
                minimum += words
                nearest = depth
        elif depth or root.tag != DUMMY:
            continue
        queue.extend((phrase, depth + 1) for phrase in node.phrases)
    return tuple(sorted(minimum))


def _acceptable(root: Node) -> frozenset[str]:
    """The tags to enter, by the tag of the root, or of the phrases below a dummy root."""
    tags = [root.tag] if root.tag != DUMMY else [phrase.tag for phrase in root.phrases]
    if not NOUN_TAGS.isdisjoint(tags):
        return NOUN_TAGS
    return VERB_TAGS if "VP" in tags else frozenset()


def _tag(document: Document, word: int) -> str:
    return document.pos[word] if document.pos is not None else ""


def _is_word(document: Document, word: int) -> bool:
    tag = _tag(document, word)
    if tag and tag not in ("-", "_"):
        return tag not in PUNCTUATION
    return any(char.isalnum() for char in document.tokens[word])
