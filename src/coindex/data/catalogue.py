"""The corpora coindex knows of: licence, citation, files and their checksums.

Each corpus is one file, `catalogue/NAME.json`; nothing about a corpus is code.
A corpus of very many files keeps their names, sizes and checksums beside it in
a `.sums` file, one line each, which an entry names with `"sums"`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from coindex import io
from coindex.errors import FormatError, UnknownName

FOLDER = Path(__file__).with_name("catalogue")
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Citation:
    """The paper to cite for a corpus; a user's own may be a title alone, in free text."""

    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""

    @property
    def short(self) -> str:
        """As in running text: `Webster et al. 2018`."""
        if not self.authors:
            return self.title
        names = [author.split()[-1] for author in self.authors]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        return f"{who} {self.year}"

    def __str__(self) -> str:
        if not self.authors:
            return self.title
        return f"{', '.join(self.authors)} ({self.year}). {self.title}. {self.venue}."


@dataclass(frozen=True, slots=True)
class Licence:
    """What one may do with a corpus; `spdx` is None where none with an id is stated."""

    spdx: str | None
    note: str
    redistributable: bool

    def __str__(self) -> str:
        return self.spdx or self.note.partition(";")[0] or "none stated"

    @property
    def full(self) -> str:
        """The licence with all that is to be said of it."""
        pass_on = "you may pass it on" if self.redistributable else "do not pass it on"
        note = f" ({self.note})" if self.spdx and self.note else ""
        return f"{self.spdx or self.note}{note}; {pass_on}"


@dataclass(frozen=True, slots=True)
class File:
    """One file: `path` is relative to a data folder, or absolute for a user's own.

    `format` is None for what is not a corpus (a licence, a table); `split` is
    the label of the part it belongs to; `url` is None where it cannot be
    downloaded as it is, and `note` then says how to get it.
    """

    path: str
    sha256: str
    bytes: int
    format: str | None = None
    split: str | None = None
    url: str | None = None
    counts: tuple[tuple[str, int], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus and all that is known of it; `own` if the user added it."""

    name: str
    title: str
    what: str
    licence: Licence
    citations: tuple[Citation, ...]
    homepage: str | None
    files: tuple[File, ...]
    own: bool = False

    @property
    def splits(self) -> tuple[str, ...]:
        """The labels of its parts, in the order of its files."""
        return tuple(dict.fromkeys(file.split for file in self.files if file.split))

    @property
    def cite(self) -> str:
        """Its citations in short."""
        return "; ".join(citation.short for citation in self.citations) or "-"


def names() -> tuple[str, ...]:
    """The names of the corpora of the catalogue, sorted."""
    files = (name for name in os.listdir(FOLDER) if name.endswith(".json"))
    return tuple(sorted(name.removesuffix(".json") for name in files))


@cache
def load(name: str) -> Corpus:
    """A corpus of the catalogue, or `UnknownName` with the names there are."""
    if name not in names():
        raise UnknownName("corpus", name, names())
    return read(FOLDER / f"{name}.json")


def read(path: Path) -> Corpus:
    """A corpus from its JSON file, checked."""
    try:
        value = json.loads(io.read_text(path))
        corpus = _corpus(value, path)
    except json.JSONDecodeError as error:
        raise FormatError(str(path), error.lineno, f"expected JSON: {error.msg}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        kind = type(error).__name__
        raise FormatError(str(path), None, f"not a catalogue entry: {kind}: {error}") from error
    if corpus.name != path.stem:
        raise FormatError(
            str(path), None, f"expected the name {path.stem!r}, found {corpus.name!r}"
        )
    return corpus


def is_name(text: str) -> bool:
    """Whether a text can name a corpus: small letters, digits, `-`, `_` and `.`."""
    return _NAME.fullmatch(text) is not None


def _corpus(value: Mapping[str, Any], path: Path) -> Corpus:
    files = [file for entry in value["files"] for file in _files(entry, path.parent)]
    paths = {file.path for file in files}
    if len(paths) != len(files):
        raise ValueError("a path is listed twice")
    licence = value["licence"]
    return Corpus(
        name=value["name"],
        title=value["title"],
        what=value["what"],
        licence=Licence(licence["spdx"], licence["note"], licence["redistributable"]),
        citations=tuple(_citation(each) for each in value["citations"]),
        homepage=value["homepage"],
        files=tuple(files),
        own=value.get("own", False),
    )


def _citation(value: Mapping[str, Any]) -> Citation:
    return Citation(value["title"], tuple(value["authors"]), value["year"], value["venue"])


def _files(entry: Mapping[str, Any], folder: Path) -> list[File]:
    """One file, or the files of a `.sums` list, which share all but name and checksum."""
    values = dict(entry)
    sums = values.pop("sums", None)
    values["counts"] = tuple(values.get("counts", {}).items())
    if sums is None:
        return [_file(values)]
    files = []
    for line in io.read_text(folder / sums).splitlines():
        sha256, size, name = line.split(" ", 2)
        each = {**values, "path": f"{values['path']}/{name}", "sha256": sha256, "bytes": int(size)}
        file = _file(each)
        files.append(replace(file, url=file.url and f"{file.url}/{name}"))
    return files


def _file(values: Mapping[str, Any]) -> File:
    file = File(**values)
    if not _SHA256.fullmatch(file.sha256):
        raise ValueError(f"{file.path}: not a sha256: {file.sha256!r}")
    if file.bytes < 0 or ".." in Path(file.path).parts:
        raise ValueError(f"{file.path}: a size below 0, or a path that leaves its folder")
    return file
