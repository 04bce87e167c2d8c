"""Writing items in a format, and counting what the format cannot store."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from coindex import io
from coindex.errors import UsageError
from coindex.formats.protocol import (
    BinaryFormat,
    DocumentFormat,
    Item,
    ProblemFormat,
    TwoFileFormat,
    load,
)
from coindex.transform.reduce import consequence, reduce_document, reduce_problem
from coindex.types.document import Document
from coindex.types.problem import Problem


@dataclass
class ConversionLosses:
    """What a target format could not store.

    written  the number of items written
    lost     features left out or changed, by name
    refused  problems left out, by reason
    noted    the format's remarks on how something was written
    """

    format: str
    written: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    noted: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        """One line for each entry, with its count and the consequence."""
        for name, count in self.lost.items():
            yield f"{self.format} cannot hold {name}: {count} {consequence(name)}"
        for reason, count in self.refused.items():
            yield f"{self.format} cannot hold {count} problem(s), left out: {reason}"
        for remark, count in self.noted.items():
            yield f"{self.format}: {count} {remark}"


def is_two_file(format: str) -> bool:
    """Whether a format writes two files per document, and so needs a folder."""
    return isinstance(load(format), TwoFileFormat)


def is_single(format: str) -> bool:
    """Whether a file of a format holds one document alone."""
    module = load(format)
    return isinstance(module, DocumentFormat) and module.ONE_DOCUMENT


def reduce_items(items: Iterable[Item], losses: ConversionLosses) -> Iterator[Item]:
    """The items without what the target cannot store, which `losses` counts."""
    module = load(losses.format)
    of_problems = module if isinstance(module, ProblemFormat) else None
    of_documents = None if isinstance(module, ProblemFormat) else module
    for item in items:
        reduced: Item | None
        if of_problems and isinstance(item, Problem):
            reduced = _reduce_problem(item, of_problems, losses)
        elif of_documents and isinstance(item, Document):
            reduced = _reduce_document(item, of_documents, losses)
        else:
            kind = "document" if isinstance(item, Document) else "problem"
            raise UsageError(f"{losses.format} holds {module.KIND}s, this is a {kind}: {item.id}")
        if reduced is not None:
            losses.written += 1
            yield reduced


def _reduce_document(
    item: Document, module: DocumentFormat | TwoFileFormat | BinaryFormat, losses: ConversionLosses
) -> Document:
    document, lost = reduce_document(item, module.SUPPORTS | module.WRITES_ONLY)
    losses.lost.update(lost)
    losses.noted.update({text: n for text, n in module.remarks(document).items() if n})
    return document


def _reduce_problem(
    item: Problem, module: ProblemFormat, losses: ConversionLosses
) -> Problem | None:
    problem, lost = reduce_problem(item, module.SUPPORTS)
    reason = module.refuse(problem)
    if reason:
        losses.refused[reason] += 1
        return None
    losses.lost.update(lost)
    return problem


_NEEDS_FOLDER = "{} is written as two files a document: name a folder with -o"


def write_lines(
    items: Iterable[Item], format: str, losses: ConversionLosses | None = None
) -> Iterator[str]:
    """The lines of a one-file format."""
    module = load(format)
    if isinstance(module, TwoFileFormat):
        raise UsageError(_NEEDS_FOLDER.format(format))
    if isinstance(module, BinaryFormat):
        raise UsageError(f"{format} is not text: name a file with -o")
    reduced = reduce_items(items, losses or ConversionLosses(format))
    if isinstance(module, ProblemFormat):
        return module.write(item for item in reduced if isinstance(item, Problem))
    return module.write(item for item in reduced if isinstance(item, Document))


def is_binary(format: str) -> bool:
    """Whether a format is not text."""
    return isinstance(load(format), BinaryFormat)


def write_binary(
    items: Iterable[Item], format: str, losses: ConversionLosses | None = None
) -> bytes:
    """The content of a file of a binary format."""
    module = load(format)
    if not isinstance(module, BinaryFormat):
        raise UsageError(f"{format} is text, expected a binary format")
    reduced = reduce_items(items, losses or ConversionLosses(format))
    return module.write_binary(item for item in reduced if isinstance(item, Document))


def write(
    path: str | os.PathLike[str],
    items: Iterable[Item],
    format: str,
    losses: ConversionLosses | None = None,
) -> ConversionLosses:
    """Write items to a file, or to a folder for a two-file format; returns what was lost."""
    losses = losses or ConversionLosses(format)
    module = load(format)
    if isinstance(module, BinaryFormat):
        if os.fspath(path) == "-":
            raise UsageError(f"{format} is not text: name a file with -o")
        io.write_bytes(path, write_binary(items, format, losses))
        return losses
    if isinstance(module, TwoFileFormat):
        if os.fspath(path) == "-":
            raise UsageError(_NEEDS_FOLDER.format(format))
        _write_folder(Path(path), module, reduce_items(items, losses))
    else:
        io.write_text(path, write_lines(items, format, losses))
    return losses


def _write_folder(folder: Path, module: TwoFileFormat, items: Iterable[Item]) -> None:
    io.make_folder(folder)
    taken: set[str] = set()
    for item in items:
        if isinstance(item, Document):
            stem = unused_name(io.file_name(item.id), taken)
            for suffix, lines in zip(module.PARTS, module.write_parts(item), strict=True):
                io.write_text(folder / f"{stem}{suffix}", lines)


def unused_name(stem: str, taken: set[str]) -> str:
    """The name itself, or with a number if it is taken (ignoring case)."""
    name, number = stem, 1
    while name.lower() in taken:
        number += 1
        name = f"{stem}-{number}"
    taken.add(name.lower())
    return name
