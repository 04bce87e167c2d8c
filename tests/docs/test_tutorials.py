"""The tutorials lead to what they promise: what tests/docs/test_docs.py cannot see by itself.

`console` and `python` examples are run by test_docs.py; the tutorial of the annotation app by
tests/annotate/browser/test_tutorial.py. Here: training, and the paragraph for a paper.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coindex import formats, scoring
from coindex.scoring.api import score
from coindex.types.document import Document

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "docs" / "tutorials"
_SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_there_are_six_and_each_says_what_one_has_at_the_end() -> None:
    names = {path.stem for path in TUTORIALS.glob("*.md")} - {"index", "notebooks"}
    assert len(names) == 6
    index = (TUTORIALS / "index.md").read_text(encoding="utf-8")
    for name in names:
        assert f"({name}.md)" in index
        assert "\n## What you have\n" in (TUTORIALS / f"{name}.md").read_text(encoding="utf-8")


def test_ten_documents_teach_a_model(tmp_path: Path) -> None:
    for package in ("torch", "transformers"):
        pytest.importorskip(package, reason="needs torch: pip install 'coindex[train]'")
    page = (TUTORIALS / "train-on-ten-documents.md").read_text(encoding="utf-8")
    script = "\n".join(["set -euo pipefail", *_SHELL.findall(page)])
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "COLUMNS": "100"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "14 file(s) checked, 0 finding(s)" in done.stdout + done.stderr
    assert (tmp_path / "tuned" / "training.svg").is_file()
    key = [one for path in sorted((tmp_path / "test").iterdir()) for one in documents(path)]
    before, after = (documents(tmp_path / f"{name}.conll") for name in ("before", "after"))
    gain = score(key, after).scores["conll"].f1 - score(key, before).scores["conll"].f1
    assert gain >= 2, "the page says about five"
    assert len(json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))) > 0


def documents(path: Path) -> list[Document]:
    return [item for item in formats.read(path) if isinstance(item, Document)]


def test_the_paragraph_repeats_the_figures_of_the_page() -> None:
    page = (TUTORIALS / "score-two-systems.md").read_text(encoding="utf-8")
    quoted = " ".join(re.findall(r"^> (.+)$", page, re.MULTILINE))
    printed = page.split("## 5.")[0]
    assert f"(`{'+'.join(scoring.metrics.expand('conll'))}|match:exact" in quoted
    figures = re.findall(r"(?<![.\d])\d+\.\d(?![.\d])", quoted)
    assert len(figures) >= 11
    rounded = {f"{float(each):.1f}" for each in re.findall(r"\d+\.\d\d\b", printed)}
    assert set(figures) <= rounded
