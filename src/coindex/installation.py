"""How coindex is installed here, and so what installs one of its extras.

From a package index that is `pip install 'coindex[train]'`; from a clone the folder takes the
place of the name, and an editable installation stays one.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

NAME = "coindex"
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass(frozen=True, slots=True)
class Installation:
    """Where coindex was installed from.

    folder     of the clone, "" if it came from a package index or as a wheel
    editable   whether changes in the clone have an effect without installing it again
    """

    folder: str = ""
    editable: bool = False

    def install_line(self, *extras: str, current: str | None = None) -> str:
        """The command that installs extras; `current` is the folder in which it is to be run."""
        chosen = f"[{','.join(extras)}]" if extras else ""
        if not self.folder:
            return f"pip install {_quoted(NAME + chosen)}"
        here = os.path.abspath(os.getcwd() if current is None else current)
        folder = "." if here == self.folder else self.folder
        return f"pip install {'-e ' if self.editable else ''}{_quoted(folder + chosen)}"

    def package_line(self, package: str, current: str | None = None) -> str:
        """The command that installs another package of ours: the clone has it in `packages`."""
        source = os.path.join(self.folder, "packages", package)
        if not self.folder or not os.path.isdir(source):
            return f"pip install {package}"
        here = os.path.abspath(os.getcwd() if current is None else current)
        if here == self.folder:
            return f"pip install ./packages/{package}"
        return f"pip install {_quoted(source)}"


def _quoted(argument: str) -> str:
    """An argument as the system's shells take it: brackets have a meaning in some."""
    if sys.platform == "win32":
        return f'"{argument}"'
    from shlex import quote

    return quote(argument)


def this_installation() -> Installation:
    """How the coindex that runs was installed."""
    if os.path.isfile(os.path.join(_ROOT, "pyproject.toml")):
        return Installation(_ROOT, editable=True)  # its own source runs
    return _installed_from(_direct_url())


def _direct_url() -> str | None:
    """What pip noted about the source of an installation that did not come from an index."""
    from importlib.machinery import SourceFileLoader
    from importlib.metadata import PackageNotFoundError, files

    try:
        noted = [file for file in files(NAME) or () if file.name == "direct_url.json"]
        paths = [str(file.locate()) for file in noted]
        return SourceFileLoader(NAME, paths[0]).get_data(paths[0]).decode() if paths else None
    except (PackageNotFoundError, OSError):
        return None


def _installed_from(record: str | None) -> Installation:
    import json
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    if record is None:
        return Installation()
    try:
        noted = json.loads(record)
        address, folder = urlsplit(noted["url"]), noted.get("dir_info")
    except (ValueError, KeyError, TypeError):
        return Installation()
    if address.scheme != "file" or folder is None:
        return Installation()  # a wheel, an archive or a repository: no folder to install again
    path = os.path.abspath(url2pathname(address.path))
    if not os.path.isfile(os.path.join(path, "pyproject.toml")):
        return Installation()  # the clone is gone
    return Installation(path, editable=bool(folder.get("editable")))
