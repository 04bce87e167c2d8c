"""The trees of one corpus file laid over the documents of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from coindex.core.document import Document
from coindex.scoring.align import Mismatch, align


def overlay(
    documents: Iterable[Document], trees: Iterable[Document], source: str
) -> Iterator[Document]:
    """Documents with the trees of others: those of the same id, over the same tokens.

    Zeros stand in no tree, so they are left out.
    """
    known: dict[str, Document] = {}
    for tree in trees:
        if tree.parse is not None:
            known.setdefault(tree.id, tree)
            known[tree.key] = tree
    for document in documents:
        found = known.get(document.key) or known.get(document.id)
        if found is None:
            raise Mismatch(f"{source}: expected trees for {document.key!r}, found none")
        notes: list[str] = []
        plain, tree = next(align([document], [found], zeros="drop", name=source, notes=notes))
        if notes:
            raise Mismatch(f"{notes[0].partition(' (')[0]}: these are trees of other words")
        yield replace(plain, parse=tree.parse, pos=tree.pos)
