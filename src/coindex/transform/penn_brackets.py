"""Trees as Penn brackets, one line for each sentence: what most tools for trees read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from coindex.types.document import Document

_PART = re.compile(r"\([^()*\s]*|\*|\)")
_ESCAPED = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
UNKNOWN = "XX"
"""The tag of a word that has none."""


def penn_brackets(words: Sequence[str], tags: Sequence[str], fragments: Sequence[str]) -> str:
    """The tree of a sentence.

    >>> penn_brackets(["Ann", "slept"], ["NNP", "VBD"], ["(TOP(S(NP*)", "(VP*)))"])
    '(TOP (S (NP (NNP Ann)) (VP (VBD slept))))'
    """
    parts: list[str] = []
    for word, tag, fragment in zip(words, tags, fragments, strict=True):
        for part in _PART.findall(fragment):
            leaf = f"({tag or UNKNOWN} {escaped(word)})"
            parts.append(leaf if part == "*" else part)
    return " ".join(parts).replace(" )", ")")


def escaped(word: str) -> str:
    """A word as it is written in brackets: without white space, brackets spelt out."""
    if word in _ESCAPED:
        return _ESCAPED[word]
    text = word.replace("(", "-LRB-").replace(")", "-RRB-")
    return "_".join(text.split()) or "_"


def document_brackets(document: Document) -> Iterator[str]:
    """The tree of each sentence of a document that has trees; zeros are left out."""
    if document.parse is None:
        return
    zeros = frozenset(document.zeros)
    tags = document.pos or ("",) * len(document)
    for span in document.sentence_spans():
        read = [at for at in range(span.start, span.end) if at not in zeros]
        if read:
            columns = (document.tokens, tags, document.parse)
            yield penn_brackets(*([column[at] for at in read] for column in columns))
