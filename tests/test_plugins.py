"""Plugins are files; errors say what there is; names load when used."""

from __future__ import annotations

import pickle
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import coindex
from coindex import plugins
from coindex.errors import FormatError, MissingExtra, UnknownName


def test_names_come_from_the_folder_and_import_nothing() -> None:
    assert "conll2012" in plugins.names("formats")
    assert "document-jsonl" in plugins.names("formats")
    assert not any(name.startswith("_") for name in plugins.names("formats"))
    assert plugins.names("no-such-group") == ()


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"unknown format 'xml'; expected one of: .*conll2012"):
        plugins.load("formats", "xml")


def test_other_packages_add_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", "somebody.mine", "coindex.formats")
    module = ModuleType("somebody.mine")
    monkeypatch.setitem(sys.modules, "somebody", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "somebody.mine", module)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])
    monkeypatch.setattr(plugins, "_installed_groups", lambda: {"coindex.formats"})
    plugins._entry_points.cache_clear()
    try:
        assert "mine" in plugins.names("formats")
        assert plugins.load("formats", "mine") is module
    finally:
        monkeypatch.undo()
        plugins._entry_points.cache_clear()


def test_metadata_is_read_only_for_families_that_packages_add_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    info = tmp_path / "somebody-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: somebody\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[coindex.models]\nbig = somebody:PATH\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(sys, "meta_path", [])
    asked: list[str] = []

    def entry_points(group: str) -> list[EntryPoint]:
        asked.append(group)
        return []

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    plugins._installed_groups.cache_clear()
    plugins._entry_points.cache_clear()
    try:
        assert plugins._installed_groups() == frozenset({"coindex.models"})
        assert plugins.only_builtin("formats")
        assert asked == []
        assert plugins.only_builtin("models")
        assert asked == ["coindex.models"]
    finally:
        monkeypatch.undo()
        plugins._installed_groups.cache_clear()
        plugins._entry_points.cache_clear()


def test_public_names_are_all_there() -> None:
    for name in coindex.__all__:
        assert getattr(coindex, name) is not None
        assert name in dir(coindex)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = coindex.nothing


def test_errors_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(FormatError("f", 3, "expected a, found b")))
    assert str(error) == "f:3: expected a, found b"
    assert error.line == 3


def test_a_missing_extra_gives_the_install_line() -> None:
    assert str(MissingExtra("matplotlib", "plot")).endswith("[plot]'")


@pytest.mark.parametrize("family", plugins.families())
def test_a_summary_is_the_first_line_of_the_docstring(family: str) -> None:
    for name in plugins.names(family):
        documented = plugins.load(family, name).__doc__ or ""
        assert plugins.summary(family, name) == documented.strip().split("\n")[0] != ""
