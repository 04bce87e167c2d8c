"""Plugins are modules: the module's name is the plugin's name.

Every folder named `builtin` holds the plugins of one family, which is named after the parent
folder: `formats/builtin/conll2012.py` is the plugin `conll2012` of the family
`formats`, `scoring/metrics/builtin/lea.py` the plugin `lea` of the family `metrics`.
`names("formats")` lists a family without importing its plugins; `load("formats", "conll2012")`
imports one. Other packages add plugins through entry points in the group `coindex.formats`, and
so on for each family. Underscores in a module's name are hyphens in the plugin's name.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import SourceFileLoader
from types import ModuleType

from coindex.errors import UnknownName

_ROOT = os.path.dirname(os.path.abspath(__file__))
_BUILTIN = "builtin"


def families() -> tuple[str, ...]:
    """The names of all plugin families, sorted; nothing is imported."""
    return tuple(sorted(_packages()))


def names(family: str) -> tuple[str, ...]:
    """The names of a family's plugins, sorted; nothing is imported."""
    return tuple(sorted({*_builtin(family), *_entry_points(family)}))


def builtin_names(family: str) -> tuple[str, ...]:
    """The names of coindex's own plugins only: looking up entry points takes time."""
    return tuple(sorted(_builtin(family)))


def only_builtin(family: str) -> bool:
    """Whether no other package adds plugins to a family."""
    return not _entry_points(family)


def load(family: str, name: str) -> ModuleType:
    """Import one plugin, or raise `UnknownName` with the known names."""
    if name in _builtin(family):
        module = name.replace("-", "_")
        return importlib.import_module(f"coindex.{_packages()[family]}.{_BUILTIN}.{module}")
    foreign = _entry_points(family)
    if name in foreign:
        return importlib.import_module(foreign[name])
    raise UnknownName(family.rstrip("s"), name, names(family))


def summary(family: str, name: str) -> str:
    """The first line of a plugin's docstring; a builtin plugin is not imported for it."""
    if name not in _builtin(family):
        return (load(family, name).__doc__ or "").strip().split("\n")[0]
    import linecache

    folder = _packages()[family].replace(".", os.sep)
    path = os.path.join(_ROOT, folder, _BUILTIN, f"{name.replace('-', '_')}.py")
    return linecache.getline(path, 1).strip().removeprefix("r").strip('"')


@cache
def _packages() -> dict[str, str]:
    """The package of each family, found by its `builtin` folder."""
    packages = {}
    for folder, below, _ in os.walk(_ROOT):
        if _BUILTIN in below:
            package = os.path.relpath(folder, _ROOT).replace(os.sep, ".")
            packages[package.rpartition(".")[2]] = package
        below[:] = [
            name
            for name in below
            if name.isidentifier() and name != _BUILTIN and not name.startswith("_")
        ]
    return packages


@cache
def _builtin(family: str) -> frozenset[str]:
    if family not in _packages():
        return frozenset()
    files = os.listdir(os.path.join(_ROOT, *_packages()[family].split("."), _BUILTIN))
    return frozenset(
        file[:-3].replace("_", "-")
        for file in files
        if file.endswith(".py") and not file.startswith("_")
    )


@cache
def _entry_points(family: str) -> dict[str, str]:
    group, groups = f"coindex.{family}", _installed_groups()
    if groups is not None and group not in groups:
        return {}
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=group)}


@cache
def _installed_groups() -> frozenset[str] | None:
    """The groups of entry points, of ours, that installed packages have; None if files do not say.

    A look at files is faster than metadata, which is read only for families that have plugins.
    """
    if any(_finds_packages(finder) for finder in sys.meta_path):
        return None
    groups: set[str] = set()
    for folder in dict.fromkeys(path or os.curdir for path in sys.path):
        if os.path.isfile(folder):
            return None  # a zip file
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.endswith((".dist-info", ".egg-info")):
                groups.update(_groups_of(folder, name))
    return frozenset(groups)


def _finds_packages(finder: object) -> bool:
    """Whether a finder knows installed packages that are not in the folders of `sys.path`."""
    own = getattr(finder, "__module__", "").startswith(("_frozen_importlib", "importlib."))
    return hasattr(finder, "find_distributions") and not own


def _groups_of(folder: str, name: str) -> Iterator[str]:
    """The groups of one package's entry points that are ours."""
    path = os.path.join(folder, name, "entry_points.txt")
    try:
        data = SourceFileLoader(name, path).get_data(path)
    except OSError:
        return
    for line in data.split(b"\n") if b"[coindex." in data else ():
        if line.strip().startswith(b"[coindex."):
            yield line.strip().strip(b"[]").decode()
