"""The files of a corpus on this machine: in `$COINDEX_DATA`, then in coindex's own folder.

The user's own corpora stay where they are; see `registry`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from coindex import io
from coindex.datasets import catalogue, registry
from coindex.datasets.catalogue import Corpus, File
from coindex.errors import InputError, UnknownName, UsageError


class CorpusNotFound(InputError):
    """A corpus, or a file of one, that is in none of the folders searched."""


def data_folders() -> tuple[tuple[str, Path], ...]:
    """The folders that are searched, in order, each with a label."""
    named = os.environ.get("COINDEX_DATA")
    own = ("coindex's own folder", registry.user_data_folder() / "data")
    return (("$COINDEX_DATA", Path(named).expanduser().absolute()), own) if named else (own,)


def locate_file(file: File) -> Path | None:
    """The first copy of a file, unverified; None if there is none."""
    if Path(file.path).is_absolute():
        own = Path(file.path)
        return own if own.is_file() else None
    copies = (folder / file.path for _, folder in data_folders())
    return next((copy for copy in copies if copy.is_file()), None)


def locate_files(corpus: Corpus) -> Iterator[tuple[File, Path | None]]:
    """Every file of a corpus with its path, or None if it was not found."""
    return ((file, locate_file(file)) for file in corpus.files)


def corpus_row(corpus: Corpus) -> dict[str, Any]:
    """A corpus in short, as JSON values, with the folder of its files or None."""
    paths = [path for _, path in locate_files(corpus)]
    existing = [path for path in paths if path is not None]
    return {
        "name": corpus.name,
        "what": corpus.what,
        "licence": str(corpus.licence),
        "redistributable": corpus.licence.redistributable,
        "citation": corpus.cite,
        "where": str(existing[0].parent) if existing else None,
        "files": len(paths),
        "found": len(existing),
    }


def file_row(
    file: File, path: Path | None, verified: bool, mismatches: Mapping[Path, str]
) -> dict[str, Any]:
    """A file with its path, as JSON values, and with its mismatch if it was verified."""
    row: dict[str, Any] = {
        "file": file.path,
        "format": file.format,
        "split": file.split,
        "where": str(path) if path is not None else None,
    }
    if verified:
        row["verified"] = path is not None and path not in mismatches
        row["fault"] = mismatches.get(path) if path is not None else "not found"
    return row


def path(name: str, which: str | None = None) -> Path:
    """The path of one file of a corpus.

    `which` is a split, a file's name, or its path in the data folder; it can be
    omitted for a corpus of a single file. Raises `CorpusNotFound`, with advice, if there is none.
    """
    several = _chosen(registry.load(name), which)
    if len(several) > 1:
        raise UsageError(
            f"{name}{f' {which}' if which else ''} is {len(several)} files, "
            f"expected one of: {_few([_base(file) for file in several])}"
        )
    return _found_paths(name, several)[0]


def paths(name: str, which: str | None = None) -> tuple[Path, ...]:
    """The paths of all files of a corpus, or of one split of it."""
    return _found_paths(name, _chosen(registry.load(name), which))


def named_files(name: str) -> tuple[str, list[Path]]:
    """The corpus and the files that a path or a corpus names, as `email:train` or `stories`.

    A folder names its files, without hidden ones. The corpus of a path is that of the catalogue
    if the file belongs to one, and otherwise the name of the file or folder without suffixes.
    """
    path = Path(name).expanduser()
    if path.exists():
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        files = [file for file in inside if file.is_file() and not file.name.startswith(".")]
        return _corpus_of(files) or io.stem(path.name), files if path.is_dir() else [path]
    corpus, _, split = name.partition(":")
    if corpus not in registry.all_names():
        raise InputError(f"{name}: expected a file, a folder or a corpus, found neither")
    return corpus, sorted(paths(corpus, split or None))


def training_files(name: str) -> tuple[str, list[Path]]:
    """Like `named_files`; an error if nothing may be trained on that corpus."""
    corpus, files = named_files(name)
    if corpus in registry.all_names() and registry.load(corpus).evaluation_only:
        raise InputError(
            f"{name}: expected a corpus for training, found {corpus}, which is for scoring only:"
            f" coindex data show {corpus}"
        )
    return corpus, files


def _corpus_of(files: Iterable[Path]) -> str | None:
    """The corpus of the catalogue that the first of some files belongs to."""
    first = next((file.resolve() for file in files), None)
    if first is None:
        return None
    for name in catalogue.names():
        for file in catalogue.load(name).files:
            found = locate_file(file)
            if found is not None and found.name == first.name and found.resolve() == first:
                return name
    return None


def not_found_error(name: str, files: list[File]) -> CorpusNotFound:
    """The error for files that were not found: which, where they were searched, what to do."""
    what = _few([file.path for file in files])
    if Path(files[0].path).is_absolute():
        advice = f"put back what is missing, or: coindex data add {name} PATH... --force"
        return CorpusNotFound(f"{name}: not found: {what}; {advice}")
    looked = ", ".join(
        f"{label} ({root}{'' if root.is_dir() else ', no such folder'})"
        for label, root in data_folders()
    )
    advice = "set COINDEX_DATA to the folder that holds it"
    if any(file.url for file in files):
        advice += f", or: coindex data get {name}"
    else:
        advice += f"; how to get it: coindex data show {name}"
    return CorpusNotFound(f"{name}: not found: {what}; looked in {looked}; {advice}")


def _found_paths(name: str, files: list[File]) -> tuple[Path, ...]:
    paths = [(file, locate_file(file)) for file in files]
    missing = [file for file, path in paths if path is None]
    if missing:
        raise not_found_error(name, missing)
    return tuple(path for _, path in paths if path is not None)


def _chosen(corpus: Corpus, which: str | None) -> list[File]:
    """The files that `which` selects; by default those with a format, or all."""
    if which is None:
        return [file for file in corpus.files if file.format] or list(corpus.files)
    chosen = [file for file in corpus.files if file.split == which]
    chosen = chosen or [file for file in corpus.files if which in (file.path, _base(file))]
    if not chosen:
        known = [*corpus.splits, *sorted({_base(file) for file in corpus.files})]
        raise UnknownName(f"split or file of {corpus.name}", which, known[:40])
    return chosen


def _base(file: File) -> str:
    return Path(file.path).name if Path(file.path).is_absolute() else PurePosixPath(file.path).name


def _few(texts: list[str]) -> str:
    more = f" and {len(texts) - 3} more" if len(texts) > 3 else ""
    return ", ".join(texts[:3]) + more
