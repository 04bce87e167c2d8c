"""Models by name: the shipped one, those that other packages install, and folders.

A package installs a model by an entry point in the group `coindex.models`, which names the path
of the model's folder, such as `base = "coindex_base:MODEL"`. Names come before folders: a folder
of the same name is given as `./base`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from coindex.assets import DEFAULT_MODEL
from coindex.errors import InputError
from coindex.installation import this_installation

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "coindex.models"
DEFAULT = "default"
PACKAGES = {"base": "coindex-base"}
"""The packages of our own models that are installed separately."""


def entry_points(group: str, name: str | None = None) -> Iterable[EntryPoint]:
    """What installed packages state, as `importlib.metadata` has it: its import takes 20 ms."""
    from importlib import metadata

    found = metadata.entry_points(group=group)
    return found if name is None else found.select(name=name)


def model_names() -> tuple[str, ...]:
    """The names of the models that are installed, the shipped one first."""
    return (DEFAULT, *sorted(point.name for point in entry_points(group=GROUP)))


def find_model(name: str | PathLike[str] | None) -> Path:
    """The folder or file of a model by its name or path; None is the shipped one.

    An `InputError` says how to install a model of ours that is missing. Whether a path holds a
    model is checked where it is read.
    """
    given = DEFAULT if name is None else fspath(name)
    installed = installed_folder(given)
    if installed is not None:
        return installed
    path = Path(given).expanduser()
    if given in PACKAGES and not path.exists():
        line = this_installation().package_line(PACKAGES[given])
        raise InputError(f"the model {given} is not installed; install it with: {line}")
    return path


def no_model(path: Path, file: str) -> InputError:
    """The error for a path that holds no model; it lists the names, if this may be meant as one.

    file   that a model's folder has
    """
    if str(path) == path.name and not path.exists():
        names = ", ".join(dict.fromkeys((*model_names(), *PACKAGES)))
        return InputError(
            f"{path}: expected the name of a model ({names}) or its folder, found neither"
        )
    return InputError(f"{path}: expected a model's folder with {file}, found none")


def installed_folder(name: str) -> Path | None:
    """The folder of an installed model by its name, or None if there is no such name."""
    if name == DEFAULT:
        return DEFAULT_MODEL
    if not name or os.sep in name or "/" in name:
        return None
    for point in entry_points(group=GROUP, name=name):
        return _folder(point)
    return None


def model_label(folder: Path) -> str:
    """A short name of a model's folder for signatures: its name where it is installed."""
    for point in entry_points(group=GROUP):
        if _folder(point) == folder:
            return point.name
    return folder.name


def _folder(point: EntryPoint) -> Path:
    try:
        folder = point.load()
    except (ImportError, AttributeError) as error:
        raise InputError(f"the model {point.name} cannot be loaded: {error}") from None
    if not isinstance(folder, Path):
        raise InputError(
            f"the model {point.name}: expected {point.value} to be the path of a folder,"
            f" found the type {type(folder).__name__}"
        )
    return folder
