"""docs/how-to/train.md, followed from a corpus of ten documents to a model that resolves them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import training_samples as samples
from coindex import plugins

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "train.md"
_BLOCK = re.compile(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_leads_to_a_model(tmp_path: Path) -> None:
    for package in ("torch", "transformers"):
        pytest.importorskip(package, reason="needs torch: pip install 'coindex[train]'")
    samples.corpus(tmp_path / "stories")
    samples.encoder(tmp_path / "tiny", positions=512)
    script = ["set -euo pipefail"]
    for language, options, body in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if options.startswith("file="):
            recipe = _small(body)
            (tmp_path / options.removeprefix("file=")).write_text(recipe, encoding="utf-8")
        elif language == "sh":
            script.append(re.sub(r"^export ENCODER=.*$", "export ENCODER=tiny", body, flags=re.M))
    assert sum(text.count("coindex train coref") for text in script) == 2
    done = _run("\n".join(script), tmp_path)
    assert "10 file(s) checked, 0 finding(s)" in done.stdout + done.stderr
    assert "my-model: trained: 20 epochs" in done.stdout
    facts = json.loads((tmp_path / "my-model" / "model.json").read_text(encoding="utf-8"))
    assert (facts["schemes"], facts["recipe"]["encoder"]) == (["mine"], "tiny")
    (scores,) = facts["dev"].values()
    assert scores["conll"] > 50
    assert (tmp_path / "my-model" / "training.svg").is_file()
    assert len((tmp_path / "my-model" / "log.jsonl").read_text().splitlines()) == 20
    assert len((tmp_path / "other" / "log.jsonl").read_text().splitlines()) == 2
    if "resolve" in plugins.builtin_names("cli"):
        found = _run("coindex resolve --model my-model stories/story-04.conll", tmp_path)
        assert found.stdout.strip()


def _small(recipe: str) -> str:
    """The page's recipe with rates for a random encoder, and sizes for a fast test."""
    sizes = "words = 100\nwindow = 64\noverlap = 16\nhidden = 16\nspan = 16\nwidth = 5\n"
    sizes += "encoder_rate = 2e-3\nhead_rate = 4e-3\naverage = 0.9\n"
    return sizes + recipe


def _run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done
