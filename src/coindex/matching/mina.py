"""MINA (Moosavi et al. 2019): the same minimum span, from the key's parse trees.

The minimum span of a mention is found breadth-first in its tree: only phrases
with acceptable tags are entered (those of noun phrases, or VP for verb phrases),
and of these, the ones nearest to the root that have words of their own, not
only determiners and conjunctions, give those words. A mention that is no phrase
gets a dummy root; one for which nothing is found keeps all its words. Marks of
punctuation are not words. Key and response are both reduced on the key's trees.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable

from coindex.core.document import Document
from coindex.core.mention import Mention
from coindex.core.tree import DUMMY, Node, subtree
from coindex.errors import UsageError

NOUN_TAGS = frozenset({"NP", "NML", "QP", "NX"})
VERB_TAGS = frozenset({"VP"})
WEAK = frozenset({"DT", "CC"})
PUNCTUATION = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"})


def pair(
    key: Document, response: Document
) -> tuple[Callable[[Mention], Hashable], Callable[[Mention], Hashable]]:
    """Both sides by their minimum spans on the key's trees."""
    if key.parse is None:
        raise UsageError(
            f"{key.key}: minimum spans need parse trees: a key in CoNLL-2012 with a parse column,"
            " or --trees FILE with Penn brackets, a tree a sentence"
        )
    cache: dict[tuple[int, int], tuple[int, ...]] = {}

    def identity(mention: Mention) -> Hashable:
        if len(mention.spans) > 1:
            return mention.tokens
        place = mention.start, mention.end
        if place not in cache:
            cache[place] = minimum_span(key, *place)
        return cache[place]

    return identity, identity


def minimum_span(document: Document, start: int, end: int) -> tuple[int, ...]:
    """The tokens of the minimum span of the tokens from `start` up to `end`."""
    if end - start == 1 or document.parse is None:
        return tuple(range(start, end))
    return found_span(document, subtree(document.parse, start, end)) or tuple(range(start, end))


def found_span(document: Document, root: Node) -> tuple[int, ...]:
    """The minimum span in a mention's tree; empty if there is none."""
    tags = _acceptable(root)
    nearest: int | None = None
    found: list[int] = []
    queue = deque([(root, 0)])
    while queue:
        node, depth = queue.popleft()
        if nearest is not None and depth > nearest:
            break
        if node.tag in tags:
            words = [word for word in node.words if _is_word(document, word)]
            if any(_tag(document, word) not in WEAK for word in words):
                found += words
                nearest = depth
        elif depth or root.tag != DUMMY:
            continue
        queue.extend((phrase, depth + 1) for phrase in node.phrases)
    return tuple(sorted(found))


def _acceptable(root: Node) -> frozenset[str]:
    """The tags to enter: by the root, and under a dummy root by what hangs on it."""
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
