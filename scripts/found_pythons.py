"""The Pythons of this machine, for the scripts that try several."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path


def find_pythons(versions: Iterable[str]) -> list[str]:
    """The interpreters of these versions (3.12) that are here, the newest of each."""
    return [program for program in map(find_python, versions) if program]


def find_python(version: str) -> str | None:
    """The interpreter of a version (3.12, 3.12.1): one of pyenv, or the system's."""
    folders = Path.home().glob(".pyenv/versions/3.*")
    managed = [
        folder / "bin" / "python"
        for folder in sorted(folders, key=lambda folder: [int(n) for n in re.findall(r"\d+", folder.name)])
        if f"{folder.name}.".startswith(f"{version}.")
    ]  # fmt: skip
    usable = [str(program) for program in managed if program.is_file()]
    return usable[-1] if usable else shutil.which(f"python{version}")
