"""The user's own corpora: registered where they are, nothing is copied.

Each is described by a JSON file like those of the catalogue, in the subfolder `corpora` of
coindex's own folder: `$COINDEX_HOME`, or the system's folder for user data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from coindex import io, plugins
from coindex.datasets import catalogue, checksums
from coindex.datasets.catalogue import Citation, Corpus, File, Licence
from coindex.errors import InputError, UnknownName, UsageError


def user_data_folder() -> Path:
    """Coindex's own folder for this user; it need not exist."""
    named = os.environ.get("COINDEX_HOME")
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("coindex", appauthor=False))


def own_names() -> tuple[str, ...]:
    """The names of the user's own corpora, sorted."""
    folder = user_data_folder() / "corpora"
    return tuple(sorted(path.stem for path in folder.glob("*.json"))) if folder.is_dir() else ()


def shadowed_names() -> tuple[str, ...]:
    """The user's own corpora that have the name of a corpus of the catalogue."""
    return tuple(sorted({*own_names()} & {*catalogue.names()}))


def all_names() -> tuple[str, ...]:
    """Every corpus: the catalogue's and the user's own."""
    return tuple(sorted({*own_names(), *catalogue.names()}))


def load(name: str) -> Corpus:
    """A corpus of either kind, or `UnknownName` with the known names."""
    if name in catalogue.names():
        return catalogue.load(name)
    if name in own_names():
        return catalogue.read(_entry(name))
    raise UnknownName("corpus", name, all_names())


def add(
    name: str,
    paths: Iterable[str | os.PathLike[str]],
    *,
    licence: str | None = None,
    citation: str | None = None,
    format: str | None = None,
    force: bool = False,
) -> Corpus:
    """Register files, or all files of folders, under a name; returns the new entry."""
    _check_name(name, force)
    if format is not None and format not in plugins.names("formats"):
        raise UnknownName("format", format, plugins.names("formats"))
    files = tuple(
        File(str(path), checksums.sha256(path), path.stat().st_size, format)
        for path in _expand(paths)
    )
    if not files:
        raise InputError(f"{name}: expected at least one file, found none")
    corpus = Corpus(
        name=name,
        title=name,
        what=f"your own, {len(files)} file{'s' if len(files) > 1 else ''}",
        licence=Licence(licence, "as you stated it" if licence else "none stated", False),
        citations=(Citation(citation),) if citation else (),
        homepage=None,
        files=files,
        own=True,
    )
    target = _entry(name)
    io.make_folder(target.parent)
    io.write_text(target, [json.dumps(corpus_as_json(corpus), ensure_ascii=False, indent=2), "\n"])
    return corpus


def corpus_as_json(corpus: Corpus) -> dict[str, Any]:
    """The entry of a corpus as JSON values, in the catalogue's form; `evaluation_only` if it is."""
    value = asdict(corpus)
    for file in value["files"]:
        file["counts"] = dict(file["counts"])
    if not corpus.evaluation_only:
        del value["evaluation_only"]
    return value


def _check_name(name: str, force: bool) -> None:
    if not catalogue.is_name(name):
        raise UsageError(f"a corpus is named with a-z, 0-9, '-', '_' and '.'; found {name!r}")
    if name in catalogue.names():
        raise UsageError(f"{name!r} is a corpus of the catalogue; choose another name")
    if name in own_names() and not force:
        raise UsageError(f"you have a corpus {name!r} already; replace it with --force")


def _entry(name: str) -> Path:
    return user_data_folder() / "corpora" / f"{name}.json"


def _expand(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The given files, and those in the given folders except hidden ones, without repeats."""
    files: dict[Path, None] = {}
    for each in paths:
        path = Path(each).absolute()
        if not path.exists():
            raise InputError(f"{os.fspath(each)}: no such file")
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            parts = file.relative_to(path).parts
            if file.is_file() and not any(part.startswith(".") for part in parts):
                files[Path(os.path.normpath(file))] = None
    return list(files)
