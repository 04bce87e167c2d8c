"""docs/how-to/pronoun.md, followed from an encoder to resolvers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import training_samples as samples
from coindex.models.common.recipe import shipped_recipes
from coindex.models.pronoun import recipe as recipe_overrides

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "pronoun.md"
_BLOCK = re.compile(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_leads_to_models(tiny: Path, tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'coindex[train]'")
    found = [samples.problem(number) for number in range(16)]
    samples.write(tmp_path / "problems.jsonl", found[:12], "problem-jsonl")
    samples.write(tmp_path / "dev.jsonl", found[12:], "problem-jsonl")
    free = [replace(samples.problem(number), answer=None) for number in range(16, 20)]
    samples.write(tmp_path / "items.jsonl", free, "problem-jsonl")
    script = ["set -euo pipefail"]
    for language, given, body in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if given.startswith("file="):
            body = f"window = 64\n{body}"
            (tmp_path / given.removeprefix("file=")).write_text(body, encoding="utf-8")
        elif language == "sh":
            body = re.sub(r"^export ENCODER=.*$", f"export ENCODER={tiny}", body, flags=re.M)
            heads = "--set stage.1.files=problems.jsonl -o heads"
            script.append(body.replace("-o heads", heads).replace("--sure 6", "--sure 0"))
        elif language == "py":
            script.append(f"python - <<'END'\n{body}END")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "mine: trained; dev mean" in done.stdout
    assert "ensemble (crossed)" in done.stdout
    assert "F1 of each head, given candidates" in done.stdout
    assert "\nanswers: 4" in done.stdout
    assert "exported answers: 4" in done.stdout
    assert "her means: Susan" in done.stdout
    assert "4 of 4 problem(s) answered" in done.stderr
    kinds = [json.loads((tmp_path / name / "model.json").read_text())["kind"]
             for name in ("heads", "mine", "both")]  # fmt: skip
    assert kinds == ["attention", "substitution", "ensemble"]


def test_every_recipe_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in shipped_recipes(recipe_overrides.SHIPPED):
        assert f"`{name}`" in text
