"""The architecture: layers import only lower layers, files no siblings, nothing heavy."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import coindex

ROOT = Path(coindex.__file__).parent
LAYERS = {
    "errors": 0, "plugins": 0, "io": 0, "core": 0, "words": 0,
    "arrays": 1,
    "formats": 2, "matching": 2, "metrics": 2, "parsing": 2,
    "scoring": 3, "neural": 3, "quizbowl": 3, "sources": 3, "data": 3, "benchmarks": 3, "corpora": 3, "stats": 3, "view": 3,
    "resolvers": 4, "pronoun": 4, "training": 4, "active": 4,
    "bench": 5, "build": 5, "annotate": 5, "integrations": 5,
    "cli": 6,
}  # fmt: skip
WITHIN = {("pronoun", "training"), ("resolvers", "pronoun")}
"""Imports within a layer that are allowed, one way only: home and target."""
PLUGINS = {
    "formats",
    "matching",
    "metrics",
    "benchmarks",
    "corpora",
    "sources",
    "resolvers",
    "active",
    "cli",
}
OUTSIDE = {0: set(), 1: {"numpy"}, 2: {"numpy", "scipy"}, 3: {"numpy", "scipy"}, 6: {"click"}}
HEAVY = ("torch", "transformers", "spacy", "scipy", "starlette", "numpy", "click", "rich", "pooch")

MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem in LAYERS)


def _home(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[0].removesuffix(".py")


def _imports(path: Path, *, top: bool) -> Iterator[str]:
    """The modules a file imports, at its top level or anywhere."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = _top(tree) if top else ast.walk(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer"
            module = node.module or ""
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _top(tree: ast.Module) -> Iterator[ast.AST]:
    stack: list[ast.AST] = list(tree.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            stack.extend(ast.iter_child_nodes(node))


def _target(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "coindex" and len(parts) > 1 and parts[1] in LAYERS else None


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_imports_only_lower_layers(path: Path) -> None:
    home = _home(path)
    for module in _imports(path, top=False):
        target = _target(module)
        if target is None or target == home:
            continue
        lower = LAYERS[target] < LAYERS[home] or {home, target} <= {
            "errors",
            "io",
            "plugins",
            "core",
            "words",
        }
        lower = lower or (home, target) in WITHIN
        assert lower or (LAYERS[home] == 3 == LAYERS[target]), f"{home} may not import {module}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_plugin_imports_no_sibling(path: Path) -> None:
    home = _home(path)
    if home not in PLUGINS or path.stem == "__init__":
        return
    for module in _imports(path, top=False):
        parts = module.split(".")
        if parts[:2] == ["coindex", home] and len(parts) > 2:
            sibling = (ROOT / home / f"{parts[2]}.py").exists() or (ROOT / home / parts[2]).is_dir()
            assert not sibling or parts[2].startswith("_"), f"{path.name} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_imported_from_outside_at_the_top(path: Path) -> None:
    allowed = OUTSIDE.get(LAYERS[_home(path)])
    if allowed is None:
        return
    outside = {module.split(".")[0] for module in _imports(path, top=True)} - {
        "coindex",
        "__future__",
    }
    foreign = {name for name in outside if name and name not in sys.stdlib_module_names}
    assert foreign <= allowed, f"{path.name} imports {foreign - allowed} at the top"


def test_the_layers_are_those_of_the_folder() -> None:
    found = {
        path.name.removesuffix(".py") for path in ROOT.iterdir() if not path.name.startswith("_")
    }
    assert found - {"models", "py.typed"} <= set(LAYERS)


@pytest.mark.parametrize(
    ("statement", "banned"),
    [
        ("import coindex", HEAVY),
        ("import coindex; coindex.Document", HEAVY),
        ("import coindex.formats as f; [f.load(name) for name in f.names()]", HEAVY),
        ("import coindex.cli", tuple(name for name in HEAVY if name != "click")),
    ],
)
def test_import_is_light(statement: str, banned: tuple[str, ...]) -> None:
    code = f"import sys; {statement}; print(sorted(set({banned!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_files_and_functions_stay_small() -> None:
    for path in MODULES:
        source = path.read_text(encoding="utf-8")
        assert source.count("\n") <= 400, f"{path.name} has {source.count(chr(10))} lines"
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                size = node.end_lineno - node.lineno + 1
                assert size <= 50, f"{path.name}: {node.name} has {size} lines"
