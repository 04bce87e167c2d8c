"""Every example in the README and in docs/ is run; what it prints is what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

import service_samples
from coindex import plugins

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINKED = [
    *PAGES,
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "research").rglob("*.md")),
]
SERVICE_PAGE, ADDRESS = "service.md", "127.0.0.1:8660"
_BLOCK = re.compile(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def blocks(page: Path) -> Iterator[tuple[str, str, str]]:
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield match[1], match[2], match[3]


def run(command: str, folder: Path, path: str) -> list[str]:
    done = subprocess.run(
        ["bash", "-c", f"{command} 2>&1"],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": path,
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "80",
        },
    )
    assert done.returncode in (0, 1), done.stdout
    return done.stdout.splitlines()


def agrees(expected: list[str], found: list[str]) -> bool:
    """Line for line; `...` stands for any number of lines."""
    if not expected:
        return not found
    if expected[0] == "...":
        return any(agrees(expected[1:], found[at:]) for at in range(len(found) + 1))
    return (
        bool(found)
        and expected[0].rstrip() == found[0].rstrip()
        and agrees(expected[1:], found[1:])
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the examples in it, and a copy of the package to add files to."""
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignored, copy_function=copy)
    return tmp_path


def copy(source: str, target: str) -> None:
    """A copy of a file; weights, which no example changes, are linked where that is possible."""
    if source.endswith((".onnx", ".npz")):
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copy2(source, target)


@pytest.fixture
def service_address(tmp_path: Path) -> Iterator[str]:
    """The address of a service that runs while the examples that use one do."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    with service_samples.running(tmp_path) as service:
        yield f"127.0.0.1:{service.port}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_do_what_they_say(
    page: Path, place: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(place)
    namespace: dict[str, object] = {}
    left_out: list[str] = []
    address = request.getfixturevalue("service_address") if page.name == SERVICE_PAGE else ADDRESS
    for language, options, text in blocks(page):
        body = text.replace(ADDRESS, address)
        if missing := [name for name in needed(options) if not available(name)]:
            left_out += missing
        elif language == "console":
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, *expected = part.splitlines()
                found = run(command, place, str(place / "src"))
                assert agrees(expected, found), f"$ {command}\n" + "\n".join(found)
        elif options.startswith("file="):
            (place / options.removeprefix("file=")).write_text(body, encoding="utf-8")
        elif language == "python":
            if "needs=data" in options:
                monkeypatch.setenv("COINDEX_DATA", str(request.getfixturevalue("data")))
            exec(compile(body, page.name, "exec"), namespace)
    if left_out:
        pytest.skip(f"all but the examples that need {', '.join(sorted(set(left_out)))} were run")


def needed(options: str) -> list[str]:
    """The packages and programs that a block needs: ```console needs=pyspark,java"""
    names = options.partition("needs=")[2].split(" ")[0]
    return [name for name in names.split(",") if name and name != "data"]


def available(name: str) -> bool:
    return shutil.which(name) is not None or find_spec(name) is not None


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
        target = page.parent / link if link else page
        assert target.exists(), f"{page.name} links to {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page.name} links to {link}#{anchor}"


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


def test_the_reference_is_new() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "reference"), "--check"])
    assert done.returncode == 0, "run scripts/reference"


def test_every_format_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    for name in plugins.names("formats"):
        assert f"| `{name}` |" in page


def test_every_command_is_in_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for name in plugins.builtin_names("cli"):
        assert f"coindex {name}" in text
