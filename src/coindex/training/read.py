"""The corpora of a recipe, read, chosen and checksummed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from coindex import data, formats
from coindex.core.document import Document
from coindex.core.problem import Problem
from coindex.errors import InputError
from coindex.training.config import Corpus


@dataclass(frozen=True, slots=True)
class Read:
    """The items of a corpus, and what its files are."""

    corpus: Corpus
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]
    checksums: tuple[tuple[str, str], ...]


def read(corpus: Corpus) -> Read:
    """Read a corpus; documents or problems, as it says."""
    paths = [path for name in corpus.files for path in _paths(name)]
    documents: list[Document] = []
    problems: list[Problem] = []
    for item in _items(corpus, paths):
        if isinstance(item, Problem):
            problems.append(item)
        else:
            documents.append(item)
    wrong = documents if corpus.partial else problems
    if wrong:
        expected = "problems" if corpus.partial else "documents"
        raise InputError(f"{', '.join(corpus.files)}: expected {expected}, found {wrong[0].id}")
    if not documents and not problems:
        raise InputError(f"{', '.join(corpus.files)}: expected examples, found none")
    sums = tuple((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths)
    return Read(corpus, tuple(documents), tuple(problems), sums)


def _items(corpus: Corpus, paths: list[Path]) -> Iterator[Document | Problem]:
    at = 0
    for path in paths:
        for item in formats.read(str(path)):
            place = at % corpus.every
            at += 1
            if (not corpus.only or place in corpus.only) and place not in corpus.but:
                yield item


def _paths(name: str) -> list[Path]:
    """The files behind a path, or behind a corpus with a split."""
    path = Path(name)
    if path.is_dir():
        return sorted(p for p in path.iterdir() if p.is_file())
    if path.exists():
        return [path]
    corpus, _, split = name.partition(":")
    if corpus not in data.names():
        raise InputError(f"{name}: expected a file, a folder or a corpus, found neither")
    return sorted(data.paths(corpus, split or None))
