"""Parse trees from another file, added to documents.

The file has Penn brackets, one tree per sentence in the order of the documents, or documents
with a parse column, matched by id. The words must be the same, except that brackets and quotes
may be escaped as in treebanks. Traces of a treebank (`-NONE-`) are left out where the documents have no
words for them. Zeros are not part of a tree and get an empty fragment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from coindex import formats, io
from coindex.errors import InvalidValue, UsageError
from coindex.scoring.alignment import Mismatch
from coindex.types.document import Document
from coindex.types.source import Source
from coindex.types.tree import Tree, read_penn, without_traces

_TREEBANK = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"', "“": '"', "”": '"', "`": "'", "‘": "'", "’": "'",
}  # fmt: skip


def load_trees(path: str, files: int = 1) -> Callable[[Iterable[Document]], Iterator[Document]]:
    """A function that adds the trees of a file to documents.

    The file has Penn brackets if it starts with one, else documents.
    """
    text = io.read_text(path)
    if text.lstrip().startswith("("):
        if files > 1:
            raise UsageError(
                "--trees with Penn brackets, one tree per sentence, needs a single file"
            )
        return lambda documents: add_penn_trees(documents, text, path)
    lines = re.findall(r".*\n|.+", text)
    items = formats.read_lines(lines, None, Source(path), path)
    trees = [item for item in items if isinstance(item, Document) and item.parse is not None]
    if not trees:
        raise Mismatch(f"{path}: expected Penn brackets or documents with a parse column")
    return lambda documents: add_document_trees(documents, trees, path)


def add_penn_trees(documents: Iterable[Document], text: str, source: str) -> Iterator[Document]:
    """Documents with trees from Penn brackets; there must be one tree per sentence."""
    trees = _trees(text, source)
    for document in documents:
        tags: list[str] = []
        fragments: list[str] = []
        for number, span in enumerate(document.sentence_spans(), 1):
            tokens = [
                document.tokens[i] for i in range(span.start, span.end) if i not in document.zeros
            ]
            if not tokens:
                continue
            tree: Tree = next(trees, ([], [], []))
            if len(tree[0]) != len(tokens):
                tree = without_traces(tree)
            tree_words, tree_tags, tree_fragments = tree
            _check_words(tokens, tree_words, f"{source}: {document.key}: sentence {number}")
            tags += tree_tags
            fragments += tree_fragments
        yield _with_parse(document, tags, fragments)
    surplus = sum(1 for _ in trees)
    if surplus:
        raise Mismatch(f"{source}: expected a tree for each sentence, found {surplus} more")


def _trees(text: str, source: str) -> Iterator[Tree]:
    try:
        yield from read_penn(text)
    except InvalidValue as error:
        raise Mismatch(f"{source}:{str(error).removeprefix('line ')}") from error


def add_document_trees(
    documents: Iterable[Document], trees: Iterable[Document], source: str
) -> Iterator[Document]:
    """Documents with the trees of other documents that have the same id and words."""
    known: dict[str, Document] = {}
    for tree in trees:
        known.setdefault(tree.id, tree)
        known[tree.key] = tree
    for document in documents:
        other = known.get(document.key) or known.get(document.id)
        if other is None or other.parse is None:
            raise Mismatch(f"{source}: expected trees for {document.key!r}, found none")
        indices = [i for i in range(len(other)) if i not in frozenset(other.zeros)]
        zeros = frozenset(document.zeros)
        tokens = [token for index, token in enumerate(document.tokens) if index not in zeros]
        _check_words(tokens, [other.tokens[i] for i in indices], f"{source}: {document.key}")
        tags = [other.pos[i] for i in indices] if other.pos is not None else [""] * len(indices)
        yield _with_parse(document, tags, [other.parse[i] for i in indices])


def _with_parse(document: Document, tags: Sequence[str], fragments: Sequence[str]) -> Document:
    zeros = frozenset(document.zeros)
    pairs = iter(zip(tags, fragments, strict=True))
    columns = [("", "") if i in zeros else next(pairs) for i in range(len(document))]
    pos, parse = (tuple(row[side] for row in columns) for side in (0, 1))
    return replace(document, pos=pos if any(pos) else document.pos, parse=parse)


def _check_words(tokens: Sequence[str], words: Sequence[str], where: str) -> None:
    for one, other in zip(tokens, words, strict=False):
        if one != other and _TREEBANK.get(one, one) != _TREEBANK.get(other, other):
            raise Mismatch(f"{where}: expected a tree over {one!r}, found {other!r}")
    if len(tokens) != len(words):
        raise Mismatch(
            f"{where}: expected a tree of {len(tokens)} words for {' '.join(tokens)[:60]!r},"
            f" found {len(words)}: {' '.join(words)[:60]!r}"
        )
