"""The catalogue of corpora: licence, citation, files and their checksums.

Each corpus is described by one file, `entries/NAME.json`; nothing about a corpus is code. The
names, sizes and checksums of a corpus of very many files are in a `.sums` file, one line per
file, which an entry names with `"sums"`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from coindex import io
from coindex.errors import FormatError, UnknownName

FOLDER = Path(__file__).with_name("entries")
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
    """The licence of a corpus; `spdx` is None if it has no SPDX id."""

    spdx: str | None
    note: str
    redistributable: bool

    def __str__(self) -> str:
        return self.spdx or self.note.partition(";")[0] or "none stated"

    @property
    def full(self) -> str:
        """The licence with its note, and whether the corpus may be redistributed."""
        pass_on = "you may pass it on" if self.redistributable else "do not pass it on"
        note = f" ({self.note})" if self.spdx and self.note else ""
        return f"{self.spdx or self.note}{note}; {pass_on}"


@dataclass(frozen=True, slots=True)
class File:
    """One file: `path` is relative to a data folder, or absolute for a user's own.

    `format` is None for other files of a corpus (a licence, a table); `split` is the name of the
    split it belongs to; `url` is None if it cannot be downloaded as it is, and `note` then says
    how to get it.
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
    """The entry of a corpus.

    own              whether the user added it
    evaluation_only  whether it may only be scored on, and nothing may be trained on it
    """

    name: str
    title: str
    what: str
    licence: Licence
    citations: tuple[Citation, ...]
    homepage: str | None
    files: tuple[File, ...]
    own: bool = False
    evaluation_only: bool = False

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of its splits, in the order of its files."""
        return tuple(dict.fromkeys(file.split for file in self.files if file.split))

    @property
    def cite(self) -> str:
        """Its citations in short."""
        return "; ".join(citation.short for citation in self.citations) or "-"

    def terms(self) -> Iterator[str]:
        """The licence and the citations in full, line by line."""
        yield f"licence: {self.licence.full}"
        for citation in self.citations:
            yield f"cite: {citation}"

    def describe(self) -> Iterator[str]:
        """The whole entry as text, line by line."""
        yield f"{self.name}: {self.title}"
        yield self.what
        yield from self.terms()
        if self.homepage:
            yield f"homepage: {self.homepage}"
        for file in self.files:
            yield ""
            label = ", ".join(each for each in (file.format, file.split) if each)
            counts = "".join(f", {count:,} {what}" for what, count in file.counts)
            yield f"{file.path}{f' ({label})' if label else ''}: {file.bytes:,} bytes{counts}"
            yield f"  sha256 {file.sha256}"
            if file.url:
                yield f"  {file.url}"
            if file.note:
                yield f"  {file.note}"


def names() -> tuple[str, ...]:
    """The names of the corpora of the catalogue, sorted."""
    files = (name for name in os.listdir(FOLDER) if name.endswith(".json"))
    return tuple(sorted(name.removesuffix(".json") for name in files))


@cache
def load(name: str) -> Corpus:
    """A corpus of the catalogue, or `UnknownName` with the known names."""
    if name not in names():
        raise UnknownName("corpus", name, names())
    return read(FOLDER / f"{name}.json")


def read(path: Path) -> Corpus:
    """Read and validate the JSON file of a corpus."""
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
    """Whether a text can name a corpus: lower-case letters, digits, `-`, `_` and `.`."""
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
        citations=tuple(
            Citation(each["title"], tuple(each["authors"]), each["year"], each["venue"])
            for each in value["citations"]
        ),
        homepage=value["homepage"],
        files=tuple(files),
        own=value.get("own", False),
        evaluation_only=value.get("evaluation_only", False),
    )


def _files(entry: Mapping[str, Any], folder: Path) -> list[File]:
    """One file, or the files of a `.sums` list, which share all but name, size and checksum."""
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
