"""The files of a collection: files, folders with all that is below them, and globs."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from coindex import formats, io
from coindex.builders.sources import list_files
from coindex.errors import InputError
from coindex.types.text_values import shown_path

STDIN = "-"
OUTPUT_SUFFIXES = (".skipped.jsonl", ".parts")
"""What is written beside the output: the reasons of skipped texts, and parts to resume from."""

_SPECIAL = "*?["


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read.

    path     to open it
    target   its path in a tree of outputs, as text that UTF-8 can hold
    id       of its document, if it is plain text
    size     in bytes; 0 if unknown
    """

    path: str
    target: str
    id: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Inputs:
    """All files to read.

    several   whether they are a collection: a folder, a glob, or more than one file
    """

    files: tuple[InputFile, ...]
    several: bool

    @property
    def size(self) -> int:
        """How many bytes there are to read; 0 if that is not known."""
        sizes = [file.size for file in self.files]
        return sum(sizes) if all(sizes) else 0


def find_inputs(paths: Sequence[str], patterns: Sequence[str] = ()) -> Inputs:
    """The files that paths name, in their order, those of a folder sorted by path.

    patterns   globs such as `*.txt`, of which a file of a folder or glob has to match one
    """
    files: list[InputFile] = []
    collection = len(paths) > 1
    for path in paths or (STDIN,):
        if path == STDIN:
            files.append(InputFile(STDIN, "stdin", "stdin"))
        elif Path(path).is_dir():
            collection = True
            files += _in_folder(path, patterns, alone=len(paths) == 1)
        elif not os.path.exists(path) and any(char in path for char in _SPECIAL):
            collection = True
            files += map(_named, _expanded(path, patterns))
        else:
            files.append(_named(path))
    return Inputs(tuple(_with_sizes(_with_distinct_ids(files))), collection)


def without_outputs(inputs: Inputs, named: Sequence[str], target: Path) -> Inputs:
    """The inputs without what this command writes, or wrote before: it may be in their folder.

    target   the file or the folder to write

    A file or folder that is named as input is not overwritten: that is an error.
    """
    own = target.absolute()
    for name in named:
        if name != STDIN and Path(name).absolute() == own:
            raise InputError(
                f"{target}: expected another place to write than an input, found {name}"
            )
    written = {own, *(own.with_name(own.name + suffix) for suffix in OUTPUT_SUFFIXES)}
    kept = tuple(
        file
        for file in inputs.files
        if file.path == STDIN
        or not written.intersection((path := Path(file.path).absolute(), *path.parents))
    )
    return replace(inputs, files=kept)


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a path below a folder matches one of the patterns, or there are none.

    A pattern without `/` is for the last part of the path.
    """
    bare = PurePosixPath(name).name
    return not patterns or any(
        fnmatch(name if "/" in pattern else bare, pattern) for pattern in patterns
    )


def text_id(path: str) -> str:
    """The id of a text by its path: without the suffixes of the last part."""
    parent = PurePosixPath(path).parent
    return str(parent / io.stem(path)) if parent.parts else io.stem(path)


def distinct_ids(ids: Sequence[tuple[str, str]]) -> list[str]:
    """Ids of texts that differ wherever their paths do.

    ids   the usual id of each text, with its path

    Those that would be equal keep their suffix (`a.txt`, `a.md`), or have as many folders before
    them as it takes (`x/a`, `y/a`).
    """
    texts = list(dict.fromkeys(ids))
    steps = [0] * len(texts)
    while True:
        names = [_longer_id(id, path, step) for (id, path), step in zip(texts, steps, strict=True)]
        counts = Counter(names)
        alike = [n for n, name in enumerate(names) if counts[name] > 1]
        longer = [n for n in alike if steps[n] <= len(PurePosixPath(texts[n][1]).parts)]
        if not longer:
            break
        for number in longer:
            steps[number] += 1
    found = dict(zip(texts, names, strict=True))
    return [found[text] for text in ids]


def _longer_id(id: str, path: str, step: int) -> str:
    """The id of a text after some steps: as it is, with its suffix, with more and more folders."""
    if step == 0:
        return id
    parts = PurePosixPath(path).parts
    if step == 1:
        return str(PurePosixPath(id).parent / parts[-1])
    return text_id("/".join(parts[-step:])) if step <= len(parts) else path


def relative_path(path: str) -> str:
    """A path that stays below the folder it is put in: without root, `.` and `..`."""
    parts = PurePosixPath(Path(path).as_posix().replace("\\", "/")).parts
    parts = tuple(map(shown_path, parts))
    kept = [part.strip("/").replace(":", "_") for part in parts if part not in (".", "..", "/")]
    return "/".join(part for part in kept if part) or "_"


def _named(path: str) -> InputFile:
    return InputFile(path, relative_path(path), io.stem(shown_path(path)))


def _expanded(glob_pattern: str, patterns: Sequence[str]) -> list[str]:
    """The files of a glob that match the patterns too."""
    every = sorted(each for each in glob.glob(glob_pattern, recursive=True) if os.path.isfile(each))
    found = [each for each in every if matches(Path(each).as_posix(), patterns)]
    if not found:
        raise _none_match(glob_pattern, patterns if every else (), len(every))
    return formats.expand_paths(found)


def _none_match(where: str, patterns: Sequence[str], files: int) -> InputError:
    if not patterns:
        return InputError(f"{where}: expected files that match it, found none")
    wanted = " or ".join(map(repr, patterns))
    return InputError(f"{where}: expected files that match {wanted}, found none of {files}")


def _in_folder(folder: str, patterns: Sequence[str], alone: bool) -> Iterator[InputFile]:
    """The files of a folder; of a document in two files the one with its annotation."""
    known = formats.expand_paths([folder])
    if known == [str(Path(folder))] or patterns:
        files = list_files(folder)
        known = formats.expand_paths(
            file for file in files if matches(Path(file).relative_to(folder).as_posix(), patterns)
        )
        if not known:
            raise _none_match(folder, patterns, len(files))
    for path in known:
        inside = shown_path(Path(path).relative_to(folder).as_posix())
        target = inside if alone else relative_path(path)
        yield InputFile(path, target, text_id(inside))


def _with_distinct_ids(files: Sequence[InputFile]) -> list[InputFile]:
    ids = distinct_ids([(file.id, file.target) for file in files])
    return [replace(file, id=id) for file, id in zip(files, ids, strict=True)]


def _with_sizes(files: Sequence[InputFile]) -> Iterator[InputFile]:
    for file in files:
        try:
            size = os.stat(file.path).st_size if file.path != STDIN else 0
        except OSError:
            size = 0  # the error is told when it is read
        yield InputFile(file.path, file.target, file.id, size)
