"""Reading and writing every format; each is one file of this folder.

    for document in formats.read("dev.conll"):
        ...
    formats.write("dev.jsonl", documents, "document-jsonl")

A file's format is recognised by its content. What a target format cannot hold
is taken out before writing and counted: see `Losses`.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from coindex import io, plugins
from coindex.core import features, problem_features
from coindex.core.document import Document
from coindex.core.source import Source
from coindex.errors import FormatError, InvalidValue, UsageError
from coindex.formats._contract import Format
from coindex.formats._contract import Item as Item
from coindex.formats._standoff import file_name

HEAD = 60
"""How many lines are looked at to recognise a format."""


def names(kind: str | None = None) -> tuple[str, ...]:
    """The formats there are, or those for "document" or "problem" items."""
    every = plugins.names("formats")
    return every if kind is None else tuple(name for name in every if kind == load(name).KIND)


def load(name: str) -> Format:
    """A format by its name."""
    module: Any = plugins.load("formats", name)
    return module  # type: ignore[no-any-return]


def sniff(head: list[str], source: str = "<input>") -> str:
    """The name of the format that a file's first lines are in."""
    if not any(line.strip() for line in head):
        raise FormatError(source, None, "expected a corpus, found an empty file")
    found = [name for name in names() if name != "text" and load(name).sniff(head)]
    if len(found) > 1:
        raise FormatError(source, 1, f"could be {' or '.join(found)}: say which with --from")
    if not found and (looks := _structured(head)):
        message = f"expected a format coindex knows, found {looks} of another kind"
        raise FormatError(source, 1, f"{message}: name it with --from (text reads it as it stands)")
    return found[0] if found else "text"


def _structured(head: list[str]) -> str | None:
    """What a file looks like, if it does not look like plain text."""
    lines = [line.strip() for line in head if line.strip()]
    start = "".join(lines[:2])[:200].replace(" ", "")
    if start.startswith(("{", "[{")):
        return "JSON"
    if re.match(r"<[?!A-Za-z]", start):
        return "XML"
    if re.match(r"#(begin|newdoc|global\.|sent_id)", start, re.IGNORECASE):
        return "a CoNLL header"
    tabbed = sum("\t" in line for line in lines)
    return "a table by tabs" if tabbed > 1 and tabbed > len(lines) / 2 else None


def read(
    path: str | os.PathLike[str], format: str | None = None, source: Source | None = None
) -> Iterator[Item]:
    """The items of a file, one by one; the file is open while they are taken."""
    with io.open_lines(path) as lines:
        yield from read_lines(lines, format, source or Source(lines.name), path)


def expand(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Paths to read one by one: a folder of two-file documents becomes its documents."""
    first = {getattr(load(name), "PARTS", ("",))[0] for name in names()} - {""}
    second = {part for name in names() for part in getattr(load(name), "PARTS", ())[1:]}
    found: list[str] = []
    for path in map(Path, paths):
        inside = sorted(path.iterdir()) if path.is_dir() else []
        found += [str(each) for each in inside if each.suffix in first] or [str(path)]
    stems = {str(Path(path).with_suffix("")) for path in found if Path(path).suffix in first}
    return [
        path
        for path in found
        if Path(path).suffix not in second or str(Path(path).with_suffix("")) not in stems
    ]


def read_lines(
    lines: Iterable[str],
    format: str | None,
    source: Source,
    path: str | os.PathLike[str] | None = None,
) -> Iterator[Item]:
    """The items of an open file; `path` is where a two-file format finds its other file."""
    stream = iter(lines)
    head = list(islice(stream, HEAD))
    format = format or _by_suffix(path) or sniff(head, source.name)
    module = load(format)
    source.format = format
    if not any(line.strip() for line in head) and not hasattr(module, "PARTS"):
        raise source.error(None, f"expected {format}, found an empty file")
    if hasattr(module, "PARTS"):
        items = _read_parts(module, path, source)
    else:
        items = module.read(chain(head, stream), source)
    try:
        yield from items
    except InvalidValue as error:
        raise source.error(source.line_of(None), str(error)) from error


def _by_suffix(path: str | os.PathLike[str] | None) -> str | None:
    """A two-file format is told by its files' names: either alone says too little."""
    if path is None or os.fspath(path) == "-":
        return None
    name = Path(path)
    for format in names():
        first, *others = getattr(load(format), "PARTS", (None,))
        if first and (
            name.suffix == first or (name.suffix in others and name.with_suffix(first).exists())
        ):
            return format
    return None


def _read_parts(
    module: Format, path: str | os.PathLike[str] | None, source: Source
) -> Iterator[Item]:
    suffixes: tuple[str, str] = module.PARTS  # type: ignore[attr-defined]
    if path is None or os.fspath(path) == "-":
        raise UsageError(f"this format is read from two files ({' and '.join(suffixes)}), not -")
    stem = Path(path).with_suffix("") if Path(path).suffix in suffixes else Path(path)
    first, second = (stem.with_name(stem.name + suffix) for suffix in suffixes)
    source.name = str(first)
    with io.open_lines(first) as lines:
        yield from module.read(lines, source, io.read_text(second))  # type: ignore[call-arg]


@dataclass
class Losses:
    """What a target format could not hold, and what it holds in an odd way."""

    format: str
    written: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    noted: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        """A line for each, with its count and what became of it."""
        for name, count in self.lost.items():
            yield f"{self.format} cannot hold {name}: {count} {features.fate(name)}"
        for reason, count in self.refused.items():
            yield f"{self.format} cannot hold {count} problem(s), left out: {reason}"
        for remark, count in self.noted.items():
            yield f"{self.format}: {count} {remark}"


def reduced(items: Iterable[Item], losses: Losses) -> Iterator[Item]:
    """The items without what the target cannot hold, which `losses` counts."""
    module = load(losses.format)
    reduce = _reduced_document if module.KIND == "document" else _reduced_problem
    for item in items:
        kind = "document" if isinstance(item, Document) else "problem"
        if kind != module.KIND:
            raise UsageError(f"{losses.format} holds {module.KIND}s, this is a {kind}: {item.id}")
        for kept in reduce(item, module, losses):
            losses.written += 1
            yield kept


def _reduced_document(document: Any, module: Format, losses: Losses) -> Iterator[Item]:
    kept, lost = features.reduce(document, module.HOLDS | getattr(module, "WRITES", frozenset()))
    losses.lost.update(lost)
    if hasattr(module, "remarks"):
        losses.noted.update({text: n for text, n in module.remarks(kept).items() if n})
    yield kept


def _reduced_problem(problem: Any, module: Any, losses: Losses) -> Iterator[Item]:
    kept, lost = problem_features.reduce(problem, module.HOLDS)
    reason = module.refuse(kept)
    if reason:
        losses.refused[reason] += 1
        return
    losses.lost.update(lost)
    yield kept


def lines(items: Iterable[Item], format: str, losses: Losses | None = None) -> Iterator[str]:
    """The lines of a one-file format."""
    losses = losses or Losses(format)
    module = load(format)
    if hasattr(module, "PARTS"):
        raise UsageError(f"{format} is written as two files a document: name a folder with -o")
    return module.write(reduced(items, losses))


def write(
    path: str | os.PathLike[str],
    items: Iterable[Item],
    format: str,
    losses: Losses | None = None,
) -> Losses:
    """Write items to a file (to a folder for a two-file format); says what was lost."""
    losses = losses or Losses(format)
    module = load(format)
    if hasattr(module, "PARTS"):
        _write_parts(Path(path), module, reduced(items, losses))
    else:
        io.write_text(path, lines(items, format, losses))
    return losses


def _write_parts(folder: Path, module: Any, items: Iterable[Item]) -> None:
    io.make_folder(folder)
    taken: set[str] = set()
    for item in items:
        stem = _file_name(item.id, taken)
        for suffix, chunks in zip(module.PARTS, module.write_parts(item), strict=True):
            io.write_text(folder / f"{stem}{suffix}", chunks)


def _file_name(id: str, taken: set[str]) -> str:
    """A file name for an id: no folders, no repeats."""
    stem = file_name(id)
    name, number = stem, 1
    while name.lower() in taken:
        number += 1
        name = f"{stem}-{number}"
    taken.add(name.lower())
    return name
