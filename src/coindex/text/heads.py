"""The head word of a mention: by Collins' rules on a tree, or from dependencies."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from coindex.errors import UsageError
from coindex.text.word_lists import labels
from coindex.types.document import Document
from coindex.types.mention import Mention, reading_order
from coindex.types.tree import DUMMY, Node, subtree

_NOUN_PHRASES = frozenset({"NP", "NML", "NX", DUMMY})
_NOUN_STEPS: tuple[tuple[str, frozenset[str]], ...] = (
    ("right", frozenset({"NN", "NNP", "NNPS", "NNS", "NX", "POS", "JJR"})),
    ("left", frozenset({"NP", "NML"})),
    ("right", frozenset({"$", "ADJP", "PRN"})),
    ("right", frozenset({"CD"})),
    ("right", frozenset({"JJ", "JJS", "RB", "QP"})),
)


def head_finder(document: Document) -> Callable[[Mention], int]:
    """How to find the head of a mention of this document, or of one over its tokens."""
    if document.parse is not None:
        return lambda mention: tree_head(document, mention)
    if document.heads is not None:
        return lambda mention: dependency_head(document, mention)
    raise UsageError(
        f"{document.key}: heads need a key with parse trees or dependencies: CoNLL-2012 with a"
        " parse column, CoNLL-U, a file of trees in Penn brackets (option trees), or the shipped"
        " parser (trees auto)"
    )


def mention_heads(document: Document, mentions: Iterable[Mention]) -> Callable[[Mention], int]:
    """The annotated head of each mention, or else the one that the document's trees give.

    Trees are needed only if one of the mentions has no annotated head.
    """
    if all(mention.head is not None for mention in mentions):
        return lambda mention: mention.start if mention.head is None else mention.head
    find = head_finder(document)
    cache: dict[tuple[int, ...], int] = {}

    def head(mention: Mention) -> int:
        if mention.head is not None:
            return mention.head
        spans = reading_order(mention)
        if spans not in cache:
            cache[spans] = find(mention)
        return cache[spans]

    return head


def dependency_head(document: Document, mention: Mention) -> int:
    """The token of a mention whose governor is outside it; the first if there are several.

    Empty tokens have no governor, so they head a mention only if it has no other token.
    """
    zeros = document.zeros
    tokens = tuple(t for t in mention.tokens if t not in zeros) if zeros else mention.tokens
    tokens = tokens or mention.tokens
    inside = frozenset(tokens)
    heads = document.heads or ()
    return next((token for token in tokens if heads[token] not in inside), tokens[0])


def tree_head(document: Document, mention: Mention) -> int:
    """The head of a mention by Collins' rules, on the tree of its span."""
    if mention.end - mention.start == 1 or document.parse is None:
        return mention.start
    node: Node | int = subtree(document.parse, mention.start, mention.end)
    while isinstance(node, Node):
        node = _head_child(document, node)
    inside = mention.tokens
    return node if node in inside else inside[-1]


def _head_child(document: Document, node: Node) -> Node | int:
    children = node.children
    if not children:  # a phrase without words cannot have a head
        raise UsageError(f"{document.key}: the tree has an empty {node.tag}")
    if node.tag in _NOUN_PHRASES:
        return _noun_head(document, children)
    rule = labels("head_rules").get(node.tag, "left").split()
    ordered = children if rule[0] == "left" else children[::-1]
    for tag in rule[1:]:
        for child in ordered:
            if _tag(document, child) == tag:
                return child
    return ordered[0]


def _noun_head(document: Document, children: list[Node | int]) -> Node | int:
    """The rules for noun phrases, as the MINA paper lists them."""
    last = children[-1]
    if isinstance(last, int) and _tag(document, last) == "POS":
        return last
    for side, tags in _NOUN_STEPS:
        ordered: Iterable[Node | int] = children if side == "left" else reversed(children)
        for child in ordered:
            if _tag(document, child) in tags:
                return child
    return last


def _tag(document: Document, child: Node | int) -> str:
    if isinstance(child, Node):
        return child.tag
    return document.pos[child] if document.pos is not None else ""
