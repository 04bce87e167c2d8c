"""How coindex was installed, and the line that installs an extra from there."""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path

import pytest

import coindex
from coindex import installation
from coindex.errors import MissingExtra
from coindex.installation import Installation, this_installation

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path(coindex.__file__).parent


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder that looks like a clone, whose name needs quotes."""
    folder = tmp_path / "my clone"
    (folder / "packages" / "coindex-base").mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    return folder


@pytest.fixture(autouse=True)
def posix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")


def test_from_a_package_index(tmp_path: Path) -> None:
    index = Installation()
    assert index.install_line("train") == "pip install 'coindex[train]'"
    assert index.install_line("spacy", "build") == "pip install 'coindex[spacy,build]'"
    assert index.package_line("coindex-base") == "pip install coindex-base"


def test_from_a_clone(clone: Path) -> None:
    copied, editable = Installation(str(clone)), Installation(str(clone), editable=True)
    assert copied.install_line("plot", current=str(clone)) == "pip install '.[plot]'"
    assert editable.install_line("plot", current=str(clone)) == "pip install -e '.[plot]'"
    elsewhere = editable.install_line("plot", current=str(clone.parent))
    assert elsewhere == f"pip install -e '{clone}[plot]'"
    assert (
        editable.package_line("coindex-base", str(clone)) == "pip install ./packages/coindex-base"
    )
    source = clone / "packages" / "coindex-base"
    assert copied.package_line("coindex-base", str(clone.parent)) == f"pip install '{source}'"
    assert copied.package_line("coindex-other") == "pip install coindex-other"


def test_quotes_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert Installation().install_line("train") == 'pip install "coindex[train]"'


def test_what_pip_notes(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(record: object) -> Installation:
        text = record if isinstance(record, str) or record is None else json.dumps(record)
        monkeypatch.setattr(installation, "_direct_url", lambda: text)
        return this_installation()

    monkeypatch.setattr(installation, "_ROOT", str(clone.parent))
    folder = clone.as_uri()
    assert found(None) == Installation()
    assert found({"url": folder, "dir_info": {}}) == Installation(str(clone))
    assert found({"url": folder, "dir_info": {"editable": True}}) == Installation(str(clone), True)
    assert found({"url": f"{folder}/gone", "dir_info": {}}) == Installation()
    wheel = {"url": f"{folder}/coindex-0.2.0-py3-none-any.whl", "archive_info": {}}
    assert found(wheel) == Installation()
    assert found({"url": "https://example.org/coindex.git", "vcs_info": {}}) == Installation()
    for broken in ("", "[]", "{}", "not json"):
        assert found(broken) == Installation()


def test_the_note_of_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pip writes it, in a folder of installed packages."""
    info = tmp_path / "coindex-9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: coindex\nVersion: 9.9\n")
    (info / "direct_url.json").write_text('{"url": "file:///x", "dir_info": {}}')
    (info / "RECORD").write_text(f"{info.name}/direct_url.json,,\n{info.name}/RECORD,,\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert installation._direct_url() == '{"url": "file:///x", "dir_info": {}}'
    (info / "RECORD").write_text(f"{info.name}/RECORD,,\n")
    assert installation._direct_url() is None
    monkeypatch.setattr(installation, "NAME", "nothing-of-that-name")
    assert installation._direct_url() is None


def test_source_that_runs_in_a_clone(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "_ROOT", str(clone))
    assert this_installation() == Installation(str(clone), editable=True)
    monkeypatch.chdir(clone)
    message = "this needs torch; install it with: pip install -e '.[train]'"
    assert str(MissingExtra("torch", "train")) == message


def extras() -> dict[str, set[str]]:
    """The packages of each extra in pyproject.toml, with those of the extras it names."""
    text = (
        (ROOT / "pyproject.toml").read_text("utf-8").partition("[project.optional-dependencies]")[2]
    )
    table = text.partition("\n[")[0]
    rows = dict(re.findall(r"^(\w+) = \[(.*?)\]$", table, re.MULTILINE | re.DOTALL))
    found = {
        name: {each.lower() for each in re.findall(r'"([A-Za-z0-9_.-]+)', packages)}
        for name, packages in rows.items()
    }
    for name, packages in rows.items():
        for other in re.findall(r"coindex\[([\w,]+)\]", packages):
            for each in other.split(","):
                found[name] |= found[each]
    return found


def named_extras() -> set[tuple[str, str]]:
    """Modules and extras that the source names in `import_extra` and `MissingExtra`."""
    pairs = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("import_extra", "MissingExtra"):  # fmt: skip
                values = [each.value for each in node.args if isinstance(each, ast.Constant)]
                if len(values) == len(node.args) and len(values) >= 2:
                    pairs.add((str(values[2] if len(values) > 2 else values[0]), str(values[1])))
    return pairs


def test_every_extra_that_a_message_names_has_the_package() -> None:
    known = extras()
    assert {"train", "spacy", "plot"} <= set(known)
    named = named_extras()
    assert len(named) > 10
    for package, extra in named:
        assert extra in known, f"no extra {extra}"
        bare = package.split(" ")[0].split(".")[0].lower()
        if bare != "an":  # an English spaCy pipeline
            assert bare in known[extra], f"{package} is not in {extra}"


def test_no_other_module_writes_an_install_line() -> None:
    """Lines that are written elsewhere would be wrong in a clone."""
    for path in SOURCE.rglob("*.py"):
        if path.name not in ("installation.py",):
            found = re.findall(r"pip install [^\n]*coindex[^\n]*", path.read_text("utf-8"))
            assert not found, f"{path.name}: {found}"
