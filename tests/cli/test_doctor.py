"""`coindex doctor`: what is here, what is missing, and a self-test that can fail."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import coindex
from coindex import installation
from coindex.cli import cli, diagnosis
from coindex.cli.diagnosis import BROKEN, MISSING, OK, Finding
from coindex.cli.requirements import Requirement, parse_requirements
from coindex.installation import Installation


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["doctor", *arguments])


def test_a_healthy_installation() -> None:
    done = run("--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["version"] == coindex.__version__
    assert report["healthy"] is True
    rows = {(row["section"], row["name"]): row for row in report["findings"]}
    assert rows["versions", "coindex"]["detail"].startswith(coindex.__version__)
    assert rows["self-test", "resolve"]["state"] == OK
    assert rows["self-test", "convert and score"]["state"] == OK
    assert rows["models", "default"]["detail"].startswith("coref, substitution, parser; ")
    assert rows["packages", "numpy"]["state"] == OK


def test_lines_for_a_bug_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("COINDEX_DATA", str(tmp_path / "corpora"))
    monkeypatch.setenv("COINDEX_ANNOTATE_DATABASE", "postgresql://ann:secret@host/db")
    monkeypatch.setattr(diagnosis, "self_test", list)
    shown = run().stdout
    assert "secret" not in shown
    assert "COINDEX_ANNOTATE_DATABASE" in shown
    assert f"MISSING ~{os.sep}corpora (no such folder)" in shown


def test_a_failing_self_test_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(**settings: object) -> None:
        raise RuntimeError("no such instruction")

    monkeypatch.setattr(coindex, "load", fails, raising=False)
    findings = {each.name: each for each in diagnosis.self_test()}
    assert findings["resolve"] == Finding(
        "self-test", "resolve", BROKEN, "RuntimeError: no such instruction"
    )
    assert findings["convert and score"].state == OK
    done = run()
    assert done.exit_code == 1
    assert "resolve" in done.stdout
    assert "BROKEN RuntimeError: no such instruction" in done.stdout


def test_a_wrong_answer_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "ENTITIES", [["Alice", "his"], ["Bob", "she"]])
    findings = {each.name: each for each in diagnosis.self_test()}
    assert findings["resolve"].state == BROKEN
    assert findings["resolve"].detail.startswith("expected [['Alice', 'his']")


def test_missing_extras_have_their_line(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {
        "": (
            Requirement("numpy", "1.24", False, "1.20"),
            Requirement("click", "8.1", False, "8.2"),
        ),
        "train": (Requirement("torch", "2.4", False, ""),),
        "plot": (Requirement("matplotlib", "3.7", False, "3.9"),),
    }
    found = {each.name: each for each in diagnosis._packages(Installation(), rows)}
    assert found["numpy"].state == BROKEN
    assert found["numpy"].detail == "numpy>=1.24 (found 1.20)"
    assert found["numpy"].fix == "pip install coindex"
    assert found["click"] == Finding("packages", "click", OK, "8.2")
    assert found["train"].state == MISSING
    assert found["train"].detail == "torch>=2.4 (missing)"
    assert found["train"].fix == installation.Installation().install_line("train")
    assert found["plot"].state == OK


def test_a_model_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    from coindex.models.common import installed_models

    monkeypatch.setattr(installed_models, "entry_points", lambda **which: ())
    found = {each.name: each for each in diagnosis._models(Installation())}
    assert found["base"].state == MISSING
    assert found["base"].fix == "pip install coindex-base"


def test_lines_of_metadata() -> None:
    rows = parse_requirements([
        "click>=8.1", "dask[dataframe]>=2024.8; extra == 'dask'", "nothing-of-that-name",
        "tomli>=2.0; (python_version < '3.2') and extra == 'train'",
        "numpy==1.0; extra == \"old\"", "rich>=13; python_version >= '3.2'",
    ])  # fmt: skip
    assert [each.package for each in rows[""]] == ["click", "nothing-of-that-name", "rich"]
    assert rows["dask"][0].least == "2024.8"
    assert rows["old"][0].exact
    assert not rows["old"][0].satisfied
    assert "train" not in rows
    assert str(rows[""][1]) == "nothing-of-that-name (missing)"
    with pytest.raises(ValueError, match="expected a requirement"):
        parse_requirements(["; ;"])


@pytest.mark.parametrize(
    ("found", "least", "satisfied"),
    [("2.13.0+cpu", "2.4", True), ("2.4", "2.4.0", True), ("2.4.0rc1", "2.4", True),
     ("2.3.9", "2.4", False), ("10.0", "9.1", True), ("", "1", False), ("1.0", "", True)],
)  # fmt: skip
def test_versions_are_compared_by_their_numbers(found: str, least: str, satisfied: bool) -> None:
    assert Requirement("x", least, False, found).satisfied is satisfied


def test_source_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    first = next(iter(diagnosis._versions(Installation(), {})))
    assert first.detail.endswith("from source that is not installed")
