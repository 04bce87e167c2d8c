"""Parse trees from another file, laid over documents that have none.

Penn brackets, a tree a sentence in the order of the documents, or documents with
a parse column, by id. The words must be the same (brackets and quotes may be
written as treebanks do). Zeros stand in no tree and get an empty fragment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from coindex import formats, io
from coindex.core.document import Document
from coindex.core.source import Source
from coindex.core.tree import Tree, read_penn
from coindex.errors import InvalidValue, UsageError
from coindex.scoring.align import Mismatch

_TREEBANK = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"', "“": '"', "”": '"', "`": "'", "‘": "'", "’": "'",
}  # fmt: skip


def layer(path: str, files: int = 1) -> Callable[[Iterable[Document]], Iterator[Document]]:
    """How to lay a file's trees over documents: brackets, if it starts with one, or documents."""
    text = io.read_text(path)
    if text.lstrip().startswith("("):
        if files > 1:
            raise UsageError("--trees with Penn brackets, one a sentence, goes with a single file")
        return lambda documents: with_trees(documents, text, path)
    lines = re.findall(r".*\n|.+", text)
    items = formats.read_lines(lines, None, Source(path), path)
    trees = [item for item in items if isinstance(item, Document) and item.parse is not None]
    if not trees:
        raise Mismatch(f"{path}: expected Penn brackets or documents with a parse column")
    return lambda documents: overlay(documents, trees, path)


def with_trees(documents: Iterable[Document], text: str, source: str) -> Iterator[Document]:
    """Documents with trees from Penn brackets; there must be as many as sentences."""
    trees = _trees(text, source)
    for document in documents:
        words: list[str] = []
        tags: list[str] = []
        bits: list[str] = []
        for number, span in enumerate(document.sentence_spans(), 1):
            wanted = [
                document.tokens[i] for i in range(span.start, span.end) if i not in document.zeros
            ]
            if not wanted:
                continue
            tree = next(trees, ([], [], []))
            where = f"{source}: {document.key}: sentence {number}"
            _same_words(wanted, tree[0], where)
            for known, new in zip((words, tags, bits), tree, strict=True):
                known += new
        yield _laid(document, tags, bits)
    left = sum(1 for _ in trees)
    if left:
        raise Mismatch(f"{source}: expected a tree for each sentence, found {left} more")


def _trees(text: str, source: str) -> Iterator[Tree]:
    try:
        yield from read_penn(text)
    except InvalidValue as error:
        raise Mismatch(f"{source}: {error}") from error


def overlay(
    documents: Iterable[Document], trees: Iterable[Document], source: str
) -> Iterator[Document]:
    """Documents with the trees of others: those of the same id, over the same words."""
    known: dict[str, Document] = {}
    for tree in trees:
        known.setdefault(tree.id, tree)
        known[tree.key] = tree
    for document in documents:
        found = known.get(document.key) or known.get(document.id)
        if found is None or found.parse is None:
            raise Mismatch(f"{source}: expected trees for {document.key!r}, found none")
        places = [i for i in range(len(found)) if i not in frozenset(found.zeros)]
        zeros = frozenset(document.zeros)
        wanted = [token for index, token in enumerate(document.tokens) if index not in zeros]
        _same_words(wanted, [found.tokens[i] for i in places], f"{source}: {document.key}")
        tags = [found.pos[i] for i in places] if found.pos is not None else [""] * len(places)
        yield _laid(document, tags, [found.parse[i] for i in places])


def _laid(document: Document, tags: Sequence[str], bits: Sequence[str]) -> Document:
    zeros = frozenset(document.zeros)
    pairs = iter(zip(tags, bits, strict=True))
    columns = [("", "") if i in zeros else next(pairs) for i in range(len(document))]
    pos, parse = (tuple(row[side] for row in columns) for side in (0, 1))
    return replace(document, pos=pos if any(pos) else document.pos, parse=parse)


def _same_words(wanted: Sequence[str], found: Sequence[str], where: str) -> None:
    for one, other in zip(wanted, found, strict=False):
        if one != other and _TREEBANK.get(one, one) != _TREEBANK.get(other, other):
            raise Mismatch(f"{where}: expected a tree over {one!r}, found {other!r}")
    if len(wanted) != len(found):
        said = " ".join(found)[:60]
        raise Mismatch(
            f"{where}: expected a tree of {len(wanted)} words for {' '.join(wanted)[:60]!r},"
            f" found {len(found)}: {said!r}"
        )
