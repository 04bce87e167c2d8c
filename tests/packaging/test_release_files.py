"""Files that stand beside the code at a release: licences, citation, workflow."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODELS = (
    ROOT / "src" / "coindex" / "assets" / "default",
    ROOT / "packages" / "coindex-base" / "src" / "coindex_base" / "model",
)
NAMES = {
    "litbank": "LitBank", "gum": "GUM", "ontogum": "OntoGUM", "fantasycoref": "FantasyCoref",
    "ezcoref": "ezCoref", "craft": "CRAFT", "email": "mails", "meantime": "MEANTIME",
    "redocred": "Re-DocRED", "gap": "GAP", "knowref": "KnowRef", "dpr": "DPR", "raw": "Wikipedia",
    "gen": "", "problems": "",
}  # fmt: skip
"""What the corpora of recipes are called in the tables; generated ones are made of the others."""


def corpora(folder: Path) -> set[str]:
    """The corpora that the metadata of a document model names."""
    trained = json.loads((folder / "model.json").read_text("utf-8"))["trained"]
    files = [file for part in trained["recipe"]["train"] for file in part["files"]]
    return {re.split(r"[:/]", file)[0] for file in files}


@pytest.mark.parametrize("folder", MODELS, ids=["default", "base"])
def test_every_corpus_of_a_model_is_in_the_table_of_licences(folder: Path) -> None:
    page = (ROOT / "docs" / "explanation" / "licences.md").read_text("utf-8")
    notice = (ROOT / "NOTICE").read_text("utf-8")
    found = corpora(folder)
    assert found <= set(NAMES), f"a new corpus: {found - set(NAMES)}"
    for name in found:
        assert NAMES[name] in page
        assert NAMES[name].replace("DPR", "Definite Pronoun") in notice


def test_every_encoder_is_named_with_its_licence() -> None:
    page = (ROOT / "docs" / "explanation" / "licences.md").read_text("utf-8")
    for encoder, licence in (
        ("all-mpnet-base-v2", "Apache-2.0"), ("gte-small", "MIT"), ("all-MiniLM-L6-v2", "Apache-2.0"),
    ):  # fmt: skip
        assert f"| {encoder} | {licence} |" in page
        assert encoder in (ROOT / "NOTICE").read_text("utf-8")
    base = (ROOT / "packages" / "coindex-base" / "NOTICE").read_text("utf-8")
    assert "all-mpnet-base-v2" in base


def test_the_workflow_runs_our_scripts_on_three_systems() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    jobs = workflow["jobs"]
    commands = {
        name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs.items()
    }
    assert ".ci/run" in commands["linux"]
    assert {"macos", "windows"} == {
        system.split("-")[0] for system in jobs["other-systems"]["strategy"]["matrix"]["system"]
    }
    assert any("-m pytest" in command for command in commands["other-systems"])
    assert any("pip-audit" in command for command in commands["audit"])
    assert "scripts/release smoke" in commands["packages"]
    for job in commands.values():
        for command in job:
            script = re.match(r"(\.ci/\w+|scripts/\w+)", command)
            assert script is None or (ROOT / script[1]).is_file()
    assert workflow["permissions"] == {"contents": "read"}


def test_the_list_of_components_is_made_without_paths() -> None:
    """A package that pip installs from a file has its path in the list of components."""
    script = (ROOT / "scripts" / "release").read_text("utf-8")
    listed = script[script.index('say "components') : script.index('say "vulnerabilities')]
    assert ".whl" not in listed
    assert "--no-index" in listed
    assert "grep '\"file:' dist/sbom.cdx.json" in listed


def test_the_citation_is_valid() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "version", "license"} <= set(citation)
    assert citation["license"] == "Apache-2.0"
