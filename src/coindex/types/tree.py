"""Constituency trees in the notation of CoNLL-2012: one fragment per token.

`(NP(NP*` opens two phrases before its word, `*))` closes two after it. The tree
of any token span can be built from its fragments alone: phrases that open within
the span are its nodes, and those that do not close within it end where it ends.
The tree of a mention is built this way, whether or not the mention is a phrase of
the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from coindex.errors import InvalidValue

_FRAGMENT = re.compile(r"\(([^()*\s]*)|(\*)|(\))")
_PENN = re.compile(r"\(|\)|[^\s()]+")
_PENN_PART = re.compile(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)|\(\s*([^\s()]*)|(\))|[^\s()]+")

_PHRASES = frozenset({"NP", "NML", "NX", "QP", "VP"})

DUMMY = "X"
"""The tag of the root of a token span that is not a phrase."""


@dataclass(slots=True)
class Node:
    """A phrase: its tag, and its children in order (words are token indices)."""

    tag: str
    children: list[Node | int] = field(default_factory=list)

    @property
    def words(self) -> list[int]:
        """The words that are children of this node."""
        return [child for child in self.children if isinstance(child, int)]

    @property
    def phrases(self) -> list[Node]:
        """The phrases that are children of this node."""
        return [child for child in self.children if isinstance(child, Node)]

    def leaves(self) -> Iterator[int]:
        """Every word below this node, in order."""
        for child in self.children:
            if isinstance(child, int):
                yield child
            else:
                yield from child.leaves()


def bare_tag(tag: str) -> str:
    """A tag without its function (`NP-SBJ`, `NP=2`)."""
    return re.split(r"[-=]", tag, maxsplit=1)[0] if tag[:1] != "-" else tag


def subtree(parse: Sequence[str], start: int, end: int) -> Node:
    """The tree over tokens `start` up to `end`: its phrase, or a dummy root over several.

    A noun or verb phrase that begins with the span but ends after it counts as a phrase too.
    """
    root = Node(DUMMY)
    stack = [root]
    for token in range(start, end):
        for tag, word, close in _FRAGMENT.findall(parse[token]):
            if word:
                stack[-1].children.append(token)
            elif close:
                if len(stack) > 1:
                    stack.pop()
            else:
                node = Node(bare_tag(tag))
                stack[-1].children.append(node)
                stack.append(node)
    unclosed = stack[1:]  # phrases that do not close within the span
    node = root
    while len(node.children) == 1 and isinstance(node.children[0], Node):
        node = node.children[0]
        if not any(node is each for each in unclosed):
            return node
    return node if node.tag in _PHRASES else Node(DUMMY, node.children)


Tree = tuple[list[str], list[str], list[str]]
"""A tree as its words, their tags, and their fragments."""

TRACE = "-NONE-"
"""The tag of a word that treebanks insert where the text has none."""


def without_traces(tree: Tree) -> Tree:
    """A tree without traces, and without the phrases that hold nothing else.

    >>> without_traces((["Ann", "*T*"], ["NN", "-NONE-"], ["(S(NP*)", "(VP*))"]))
    (['Ann'], ['NN'], ['(S(NP*))'])
    """
    words: list[str] = []
    tags: list[str] = []
    fragments: list[str] = []
    opened: list[str] = []  # phrases that have no word yet
    for word, tag, fragment in zip(*tree, strict=True):
        before, _, closed = fragment.partition("*")
        opened += re.findall(r"\([^(]*", before)
        if tag != TRACE:
            words.append(word)
            tags.append(tag)
            fragments.append("".join([*opened, "*"]))
            opened.clear()
        for bracket in closed:
            if opened:
                opened.pop()
            else:
                fragments[-1] += bracket
    return words, tags, fragments


def read_penn(text: str) -> Iterator[Tree]:
    """The trees of Penn brackets.

    >>> next(read_penn("(S (NP (NN Ann)) (VP (VBD slept)))"))
    (['Ann', 'slept'], ['NN', 'VBD'], ['(S(NP*)', '(VP*))'])
    """
    start = depth = 0
    for match in _PENN.finditer(text):
        if match[0] == "(":
            start = start if depth else match.start()
            depth += 1
        elif depth == 0:
            actual = "')' closes nothing" if match[0] == ")" else f"found {match[0]!r}"
            raise InvalidValue(f"line {_line(text, match.start())}: expected '(', {actual}")
        elif match[0] == ")":
            depth -= 1
            if depth == 0:
                yield _penn_tree(text[start : match.end()], _line(text, start))
    if depth:
        raise InvalidValue(f"line {_line(text, start)}: {depth} bracket(s) are never closed")


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _penn_tree(text: str, line: int) -> Tree:
    """One tree: `(TAG word)` is a word, any other bracket a phrase."""
    words: list[str] = []
    tags: list[str] = []
    fragments: list[str] = []
    pending = ""
    for match in _PENN_PART.finditer(text):
        tag, word, phrase, close = match.groups()
        if word is not None:
            words.append(word)
            tags.append(tag)
            fragments.append(f"{pending}*")
            pending = ""
        elif close:
            if not fragments:
                raise InvalidValue(f"line {line}: the tree has no words")
            fragments[-1] += ")"
        elif phrase is not None:
            pending += f"({phrase or 'TOP'}"
        else:
            raise InvalidValue(f"line {line}: expected a bracket, found {match[0]!r}")
    return words, tags, fragments
