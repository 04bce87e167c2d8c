"""Trees for documents before they are scored: from a file, or by the shipped parser.

Scoring reads the trees that documents have and knows nothing of where they come from; the
signature of the scores states which parser made them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coindex.scoring.external_trees import load_trees
from coindex.types.document import Document
from coindex.types.progress import OnProgress, ignore_progress

AUTO = "auto"
"""The name that stands for predicted trees where a file's name is expected."""


@dataclass(frozen=True, slots=True)
class TreesAdded:
    """Documents with trees.

    parsed      how many documents got predicted trees
    signature   the parser that made them; empty if none did
    """

    documents: list[Document]
    parsed: int = 0
    signature: str = ""


def add_trees(
    documents: Iterable[Document], trees: str, files: int = 1,
    on_progress: OnProgress = ignore_progress,
) -> TreesAdded:  # fmt: skip
    """Documents with the trees of a file, or with predicted ones.

    trees   a file (see `scoring.external_trees`), or `auto`: documents without trees are parsed
    files   how many files the documents are of
    """
    if trees != AUTO:
        return TreesAdded(list(load_trees(trees, files)(documents)))
    given = list(documents)
    if all(document.parse is not None for document in given):
        return TreesAdded(given)
    return add_predicted_trees(given, on_progress=on_progress)


def add_predicted_trees(
    documents: Iterable[Document], folder: Path | None = None, *, again: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> TreesAdded:  # fmt: skip
    """Documents without trees, or all of them, parsed; the others as they are.

    folder   of another parser than the shipped one
    again    whether documents that have trees are parsed too
    """
    from coindex.assets import DEFAULT_MODEL
    from coindex.models.parser.infer import ParserEngine

    engine = ParserEngine(folder or DEFAULT_MODEL, os.cpu_count() or 1)
    given = list(documents)
    chosen = [again or document.parse is None for document in given]
    without = (document for document, each in zip(given, chosen, strict=True) if each)
    parsed = engine.parse(without, on_progress)
    result = [
        next(parsed) if each else document for document, each in zip(given, chosen, strict=True)
    ]
    return TreesAdded(result, sum(chosen), engine.signature if any(chosen) else "")
