"""Where a corpus is: in `$COINDEX_DATA` first, then in coindex's own folder.

A user's own corpora lie where the user said; see `register`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from coindex.data import register
from coindex.data.catalogue import Corpus, File
from coindex.errors import InputError, UnknownName, UsageError


class NotHere(InputError):
    """A corpus, or a file of one, that is in none of the places looked in."""


def roots() -> tuple[tuple[str, Path], ...]:
    """The folders looked in, each with what it is called, in order."""
    named = os.environ.get("COINDEX_DATA")
    own = ("coindex's own folder", register.home() / "data")
    return (("$COINDEX_DATA", Path(named).expanduser().absolute()), own) if named else (own,)


def locate(file: File) -> Path | None:
    """The first place that has a file, unverified; None if there is none."""
    if Path(file.path).is_absolute():
        own = Path(file.path)
        return own if own.is_file() else None
    places = (root / file.path for _, root in roots())
    return next((place for place in places if place.is_file()), None)


def found(corpus: Corpus) -> Iterator[tuple[File, Path | None]]:
    """Every file of a corpus with its place."""
    return ((file, locate(file)) for file in corpus.files)


def path(name: str, which: str | None = None) -> Path:
    """Where one file of a corpus is.

    `which` is a split, a file's name, or its path in the data folder; it can be
    left out for a corpus of a single file. Raises `NotHere`, saying what to do.
    """
    several = _chosen(register.load(name), which)
    if len(several) > 1:
        raise UsageError(
            f"{name}{f' {which}' if which else ''} is {len(several)} files, "
            f"expected one of: {_few([_base(file) for file in several])}"
        )
    return _place(name, several)[0]


def paths(name: str, which: str | None = None) -> tuple[Path, ...]:
    """Where all files of a corpus, or of one split of it, are."""
    return _place(name, _chosen(register.load(name), which))


def not_here(name: str, files: list[File]) -> NotHere:
    """The error for files that were not found: what, where, and what to do."""
    what = _few([file.path for file in files])
    if Path(files[0].path).is_absolute():
        advice = f"put back what is missing, or: coindex data add {name} PATH... --force"
        return NotHere(f"{name}: not found: {what}; {advice}")
    looked = ", ".join(
        f"{label} ({root}{'' if root.is_dir() else ', no such folder'})" for label, root in roots()
    )
    advice = "set COINDEX_DATA to the folder that holds it"
    if any(file.url for file in files):
        advice += f", or: coindex data get {name}"
    else:
        advice += f"; how to get it: coindex data show {name}"
    return NotHere(f"{name}: not found: {what}; looked in {looked}; {advice}")


def _place(name: str, files: list[File]) -> tuple[Path, ...]:
    places = [(file, locate(file)) for file in files]
    missing = [file for file, place in places if place is None]
    if missing:
        raise not_here(name, missing)
    return tuple(place for _, place in places if place is not None)


def _chosen(corpus: Corpus, which: str | None) -> list[File]:
    """The files that `which` means: if it is left out those of a format, or all."""
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
