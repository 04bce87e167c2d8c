"""`coindex.io` is the only module that opens files.

The rule knows no exceptions: data files of the package are read with `io.package_text`, bytes
with `io.read_bytes`, and a library that writes to a path gets one from `io.replace_file`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import coindex

ROOT = Path(coindex.__file__).parent
METHODS = {"read_text", "write_text", "read_bytes", "write_bytes"}
OPENERS = {"bz2", "codecs", "gzip", "lzma", "os", "shutil"}
COPIES = {"copy", "copy2", "copyfile", "copyfileobj"}


def opened(source: str) -> Iterator[int]:
    """The lines of a module that open a file."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name):
            if called.id == "open":
                yield node.lineno
            continue
        if not isinstance(called, ast.Attribute):
            continue
        owner = called.value.id if isinstance(called.value, ast.Name) else ""
        if owner == "io":
            continue
        mode = not node.args or isinstance(node.args[0], ast.Constant)
        if (
            called.attr in METHODS
            or (called.attr == "open" and (owner in OPENERS or mode))
            or (owner == "shutil" and called.attr in COPIES)
        ):
            yield node.lineno


def test_the_rule_sees_what_opens_files() -> None:
    lines = [
        'open("a")', 'path.open("w")', "path.open()", "(folder / name).read_text()",
        "file.write_bytes(data)", 'gzip.open(path, "rt")', "os.open(path, 0)",
        "shutil.copyfile(one, other)",
    ]  # fmt: skip
    assert list(opened("\n".join(lines))) == list(range(1, len(lines) + 1))
    assert not list(opened("io.read_text(path)\nself.open(connection, user)\nurl.open_now()"))


def test_no_other_module_opens_files() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in sorted(ROOT.rglob("*.py"))
        if file != ROOT / "io.py"
        for line in opened(file.read_text(encoding="utf-8"))
    ]
    assert not found, f"use coindex.io instead: {', '.join(found)}"
