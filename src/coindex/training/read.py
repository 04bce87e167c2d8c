"""The corpora of a recipe, read, chosen and checksummed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from coindex import data, formats
from coindex.core.document import Document
from coindex.core.problem import Problem
from coindex.core.switch import Refused, switch
from coindex.data.verify import sha256
from coindex.errors import InputError
from coindex.training.config import Corpus


@dataclass(frozen=True, slots=True)
class Read:
    """The items of a corpus, and what its files are: path and sha256."""

    corpus: Corpus
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]
    checksums: tuple[tuple[Path, str], ...]


def read(corpus: Corpus) -> Read:
    """Read a corpus; documents or problems, as it says."""
    name = ", ".join(corpus.files)
    paths = [path for file in corpus.files for path in _paths(file)]
    documents: list[Document] = []
    problems: list[Problem] = []
    for item in _items(corpus, formats.expand(paths)):
        if isinstance(item, Problem):
            problems.append(item)
        else:
            documents.append(item)
    wrong = documents if corpus.partial else problems
    if wrong:
        expected = "problems" if corpus.partial else "documents"
        raise InputError(f"{name}: expected {expected}, found {wrong[0].id}")
    if not documents and not problems:
        raise InputError(f"{name}: expected examples, found none")
    if corpus.switched:
        copies = (switch(problem) for problem in tuple(problems))
        problems += [copy for copy in copies if not isinstance(copy, Refused)]
    sums = tuple((path, sha256(path)) for path in paths)
    if corpus.unlabelled:
        sums = _folders(sums)
    return Read(corpus, tuple(documents), tuple(problems), sums)


def checksums(reads: Iterable[Read]) -> dict[str, str]:
    """The sha256 of every file once, by its name; with its folder where names are the same."""
    sums = {path.resolve(): total for found in reads for path, total in found.checksums}
    names = [path.name for path in sums]
    return {
        path.name if names.count(path.name) == 1 else f"{path.parent.name}/{path.name}": total
        for path, total in sums.items()
    }


def _folders(sums: Iterable[tuple[Path, str]]) -> tuple[tuple[Path, str], ...]:
    """Thousands of texts are named by folder: the sha256 of a line "NAME SUM" for each file."""
    lines: dict[Path, list[str]] = {}
    for path, total in sums:
        lines.setdefault(path.parent, []).append(f"{path.name} {total}\n")
    return tuple(
        (folder, hashlib.sha256("".join(sorted(found)).encode()).hexdigest())
        for folder, found in lines.items()
    )


def _items(corpus: Corpus, paths: Iterable[str]) -> Iterator[Document | Problem]:
    at = 0
    for path in paths:
        for item in formats.read(path):
            place = at % corpus.every
            at += 1
            if (not corpus.only or place in corpus.only) and place not in corpus.but:
                yield item


def _paths(name: str) -> list[Path]:
    """The files behind a path, or behind a corpus with a split; hidden files are not meant."""
    path = Path(name).expanduser()
    if path.is_dir():
        return sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
    if path.exists():
        return [path]
    corpus, _, split = name.partition(":")
    if corpus not in data.names():
        raise InputError(f"{name}: expected a file, a folder or a corpus, found neither")
    return sorted(data.paths(corpus, split or None))
