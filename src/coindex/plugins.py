"""Plugins are files: the module's name is the plugin's name.

`names("formats")` lists a folder without importing anything in it, and
`load("formats", "conll2012")` imports one module. Other packages add their own
through entry points in the group `coindex.formats`, and so on for each folder.
Underscores in a file's name are hyphens in the plugin's name.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from types import ModuleType

from coindex.errors import UnknownName

_ROOT = os.path.dirname(os.path.abspath(__file__))


def names(group: str) -> tuple[str, ...]:
    """The names of a group's plugins, sorted; nothing is imported."""
    return tuple(sorted({*_own(group), *_foreign(group)}))


def own_names(group: str) -> tuple[str, ...]:
    """The names of coindex's own plugins alone: entry points take time to look up."""
    return tuple(sorted(_own(group)))


def load(group: str, name: str) -> ModuleType:
    """Import one plugin, or raise `UnknownName` with the names there are."""
    if name in _own(group):
        return importlib.import_module(f"coindex.{group}.{name.replace('-', '_')}")
    foreign = _foreign(group)
    if name in foreign:
        return importlib.import_module(foreign[name])
    raise UnknownName(group.rstrip("s"), name, names(group))


@cache
def _own(group: str) -> frozenset[str]:
    folder = os.path.join(_ROOT, group)
    files = os.listdir(folder) if os.path.isdir(folder) else []
    return frozenset(
        file[:-3].replace("_", "-")
        for file in files
        if file.endswith(".py") and not file.startswith("_")
    )


@cache
def _foreign(group: str) -> dict[str, str]:
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=f"coindex.{group}")}
