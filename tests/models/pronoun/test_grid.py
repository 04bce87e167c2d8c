"""Searching settings: combinations, the best one, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
from click.testing import CliRunner

import training_samples as samples
from coindex.cli import cli
from coindex.errors import UsageError
from coindex.models.common.trainer import TrainingResult
from coindex.models.pronoun.train import combinations, search


def test_combinations() -> None:
    assert combinations(["a=1,2", "b=3, 4"]) == [
        ("a=1", "b=3"), ("a=1", "b=4"), ("a=2", "b=3"), ("a=2", "b=4"),
    ]  # fmt: skip
    for wrong in ("a", "=1", "a="):
        with pytest.raises(UsageError, match=r"expected values such as"):
            combinations([wrong])


def test_the_best_by_dev(tmp_path: Path) -> None:
    means = {"a=1": 50.0, "a=2": 70.0, "a=3": 70.0}

    def run(changes: tuple[str, ...], folder: Path) -> TrainingResult:
        return TrainingResult(folder, False, {"mean": means[changes[0]]})

    found = search(["a=1,2,3"], tmp_path, run)
    assert found.values["best"]["changes"] == ["a=2"]
    assert found.values["best"]["folder"] == str(tmp_path / "grid-002")
    assert found.lines == ("70.00  a=2", "70.00  a=3", "50.00  a=1")
    assert json.loads((tmp_path / "grid.json").read_text()) == found.values
    with pytest.raises(UsageError, match="needs a"):
        search(["a=1"], tmp_path, lambda changes, folder: TrainingResult(folder, False, {}))


def test_the_command(tiny: Path, tmp_path: Path) -> None:
    found = [samples.problem(number) for number in range(16)]
    train = samples.write(tmp_path / "t.jsonl", found[:12], "problem-jsonl")
    dev = samples.write(tmp_path / "d.jsonl", found[12:], "problem-jsonl")
    (tmp_path / "r.toml").write_text(
        f'kind = "substitution"\nencoder = "{tiny}"\nwindow = 64\nseeds = [3, 4]\n'
        f'[[stage]]\nloss = "choice"\nfiles = ["{train}"]\n[[dev]]\nfiles = ["{dev}"]\n',
        encoding="utf-8",
    )
    args = ["train", "pronoun", "--recipe", str(tmp_path / "r.toml"), "-o", str(tmp_path / "out"),
            "--device", "cpu", "--grid", "stage.1.rate=1e-3,1e-4"]  # fmt: skip
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == 0, (done.output, done.exception)
    assert len(done.stdout.splitlines()) == 2
    facts = json.loads((tmp_path / "out" / "grid-002" / "model.json").read_text())
    assert (facts["seed"], facts["recipe"]["stage"][0]["rate"]) == (3, 1e-4)
    wrong = CliRunner().invoke(cli, ["train", "pronoun", "--recipe", "attention", "--encoder",
                                     str(tiny), "-o", str(tmp_path / "x"), "--grid", "keep=2,3"])  # fmt: skip
    assert "not for attention" in str(wrong.exception)
