"""MINA (Moosavi et al. 2019): the same minimum span, as the authors' program finds it.

The tree of a mention has the phrases that open within it. Adjacent words of one phrase, between
two brackets, form a chunk, which is taken whole or not at all. A chunk has content if one of its
words has a letter or a digit and is no determiner, conjunction or preposition. The steps:

1. A mention that is several trees gets a dummy root, which counts as a noun phrase.
2. If chunks directly below the root have content, they are the minimum span, whatever the root.
3. Otherwise each noun phrase below the root is searched for its own chunks with content that are
   nearest to it, through noun phrases alone. Below a verb phrase, or below another root that has
   verb phrases but no noun phrases as children, verb phrases are searched instead.
4. If there are none, the first noun or verb phrase further down sets the tags to enter.
5. If nothing is found, the mention keeps all its words.

Two peculiarities of the program are kept, since they change words. A chunk before a phrase is
lost if no word of it has only letters or only digits (`U.S.`, `3.5`). If the words at the
beginning of the mention belong to a phrase that opens before it, they stand for that phrase.
`mina-strict` is the paper's algorithm to the letter; docs/explanation/minimum-spans.md compares the two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from coindex.scoring.matching.minimum_spans import by_minimum_span
from coindex.scoring.matching.protocol import Identify
from coindex.types.document import Document

TITLE = "MINA spans"
ORDER = 20
IN_RANKINGS = True
REVISION = 2

_FRAGMENT = re.compile(r"\(([^()*\s]*)|(\*)|(\))")

# Tags are compared by their first two letters: NM is NML, NP is NP-SBJ too.
_NOUN_TAGS = frozenset({"NP", "NM", "QP", "NX"})
_VERB_TAGS = frozenset({"VP"})
_TAGS_BY_ROOT = {"NP": _NOUN_TAGS, "NM": _NOUN_TAGS, "VP": _VERB_TAGS}
_WEAK = frozenset({"DT", "CC", "IN"})
_BRACKETS = frozenset({"-LRB-", "-RRB-"})

Tokens = tuple[int, ...]


@dataclass(slots=True)
class Node:
    """A phrase with its tag, or a chunk with its words."""

    tag: str = ""
    words: Tokens = ()
    children: list[Node] = field(default_factory=list)


def pair(key: Document, response: Document) -> tuple[Identify, Identify]:
    """Both sides by their minimum spans on the key's trees."""
    return by_minimum_span(key, minimum_span)


def minimum_span(document: Document, start: int, end: int) -> Tokens:
    """The tokens of the minimum span of the tokens from `start` up to `end`."""
    parse = document.parse
    if parse is None or _one_chunk(parse[start:end]):
        return tuple(range(start, end))
    return search(document, start, end) or tuple(range(start, end))


def _one_chunk(fragments: tuple[str, ...]) -> bool:
    """Whether there is no bracket between the words; most mentions are so, and keep all of them."""
    return ")" not in "".join(fragments[:-1]) and "(" not in "".join(fragments[1:])


def search(document: Document, start: int, end: int) -> Tokens:
    """The minimum span of the tokens from `start` up to `end`; empty if the tree has none."""
    chunks = search_chunks(document, start, end)
    return tuple(sorted(token for chunk in chunks for token in chunk))


def search_chunks(document: Document, start: int, end: int) -> list[Tokens]:
    """The chunks of the minimum span, each with its tokens."""
    trees = chunk_trees(document, start, end)
    root = trees[0] if len(trees) == 1 else Node("NP", children=trees)
    if _has_content(document, root):
        return [root.words]
    chunks = [child for child in root.children if _has_content(document, child)]
    return [chunk.words for chunk in chunks or _below(document, root)]


def chunk_trees(document: Document, start: int, end: int) -> list[Node]:
    """The trees over the tokens from `start` up to `end`, with chunks for words."""
    top = Node()
    path = [top]
    words: list[int] = []
    for token in range(start, end):
        for tag, word, close in _FRAGMENT.findall((document.parse or ())[token]):
            if word:
                words.append(token)
                continue
            if close:
                _add_chunk(path[-1], words)
                del path[max(1, len(path) - 1) :]
            else:
                _open(path, tag[:2], _before_phrase(document, words))
            words = []
    _add_chunk(path[-1], words)
    return top.children


def _open(path: list[Node], tag: str, words: list[int]) -> None:
    """Go down to a new phrase, after the chunk that precedes it.

    At the top, that chunk stands for the phrase that it is in, and has the new one as its child.
    """
    chunk = _add_chunk(path[-1], words)
    if chunk and len(path) == 1:
        path.append(chunk)
    phrase = Node(tag)
    path[-1].children.append(phrase)
    path.append(phrase)


def _add_chunk(phrase: Node, words: list[int]) -> Node | None:
    if not words:
        return None
    chunk = Node(words=tuple(words))
    phrase.children.append(chunk)
    return chunk


def _before_phrase(document: Document, words: list[int]) -> list[int]:
    """The words of a chunk before a phrase, or none if it is lost."""
    plain = (document.tokens[word] for word in words)
    return words if any(word.isalpha() or word.isdigit() for word in plain) else []


def _below(document: Document, root: Node) -> list[Node]:
    """The chunks with content that are not directly below the root."""
    tags = _TAGS_BY_ROOT.get(root.tag) or _tags_by_children(root)
    phrases = [child for child in root.children if child.tag in tags]
    if phrases:
        return [chunk for phrase in phrases for chunk in _nearest(document, phrase, tags)]
    return [] if root.words else _nearest(document, root, frozenset())


def _tags_by_children(root: Node) -> frozenset[str]:
    tags = {child.tag for child in root.children}
    return _VERB_TAGS if "VP" in tags and tags.isdisjoint(("NP", "NM")) else _NOUN_TAGS


def _nearest(document: Document, root: Node, tags: frozenset[str]) -> list[Node]:
    """The chunks with content nearest to the root, through phrases with these tags alone.

    Without tags every phrase is entered, and no chunk is taken, until a noun or verb phrase is
    met; then its tags count.
    """
    level = [root]
    while level:
        below: list[Node] = []
        for phrase in level:
            tags = tags or _TAGS_BY_ROOT.get(phrase.tag, tags)
            if phrase.tag in tags:
                below += phrase.children
            elif not tags:
                below += (child for child in phrase.children if child.tag)
        chunks = [node for node in below if _has_content(document, node)]
        if chunks:
            return chunks
        level = [node for node in below if node.tag]
    return []


def _has_content(document: Document, node: Node) -> bool:
    """Whether a node is a chunk with a word that can be part of a minimum span by itself."""
    return any(_is_content(document, word) for word in node.words)


def _is_content(document: Document, word: int) -> bool:
    if document.pos is not None and document.pos[word] in _WEAK:
        return False
    text = document.tokens[word]
    letters = text == "%" or any(char.isalpha() or char.isdigit() for char in text)
    return letters and text not in _BRACKETS
