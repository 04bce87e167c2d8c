"""`coindex train export`: files that need no torch, with cuts chosen on dev."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import coindex
import training_samples as samples
from coindex import formats
from coindex.cli import cli
from coindex.errors import InputError

pytest.importorskip("onnx", reason="needs onnx: pip install 'coindex[train]'")


def run(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["train", "export", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_trained_model_is_exported(trained: Path, tmp_path: Path) -> None:
    told = run(trained, "-o", tmp_path / "out")
    assert f"coindex resolve --model {tmp_path / 'out'}" in told
    names = {"encoder.onnx", "head.npz", "model.json", "tokenizer.json"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    assert coindex.load(tmp_path / "out").resolve("Ann lost her keys.").text
    facts = json.loads((tmp_path / "out" / "model.json").read_text())
    assert "tuned" not in facts


def test_exact_is_larger_and_the_same(trained: Path, exported: Path, tmp_path: Path) -> None:
    told = json.loads(run(trained, "-o", tmp_path / "out", "--exact", "--json"))
    assert told["bytes"]["encoder.onnx"] == (exported / "encoder.onnx").stat().st_size
    documents = samples.stories(5)
    assert coindex.load(tmp_path / "out").resolve(documents) == coindex.load(exported).resolve(
        documents
    )


def test_cuts_are_chosen_on_dev(trained: Path, tmp_path: Path) -> None:
    """Of a model whose recipe names dev corpora."""
    folder = tmp_path / "trained"
    shutil.copytree(trained, folder)
    facts = json.loads((folder / "model.json").read_text())
    stories = facts["recipe"]["train"][0]
    problems = str(tmp_path / "problems.jsonl")
    formats.write(problems, [samples.problem(n) for n in range(6)], "problem-jsonl")
    facts["recipe"]["dev"] = [
        stories,
        {**stories, "scheme": "every", "singletons": True},
        {"files": [problems], "scheme": "plain,every", "partial": True},
    ]
    (folder / "model.json").write_text(json.dumps(facts))
    told = json.loads(run(folder, "-o", tmp_path / "out", "--tune", "--json"))
    assert set(told["tuned"]) == {"plain", "every"}
    written = json.loads((tmp_path / "out" / "model.json").read_text())
    cuts = {scheme["name"]: scheme for scheme in written["schemes"]}
    for name, chosen in told["tuned"].items():
        assert cuts[name]["cut_mention"] == chosen["cut_mention"]
        assert cuts[name]["cut_link"] == chosen["cut_link"]
        assert len(chosen["dev"]) == 2
        assert chosen["calibration"].keys() == {"mentions", "links"}
        assert len(cuts[name]["link_calibration"]) == 2
        after, before = (
            sum(each[when] for each in chosen["dev"].values()) for when in ("after", "before")
        )
        assert after >= before > 0
    assert coindex.load(tmp_path / "out").resolve(samples.stories(2))


@pytest.mark.parametrize(
    ("folder", "options", "message"),
    [("empty", (), "expected a trained model with model.json"),
     ("trained", ("--tune",), "the recipe has no \\[\\[dev\\]\\] corpora")],
)  # fmt: skip
def test_what_is_missing_is_named(
    folder: str, options: tuple[str, ...], message: str, trained: Path, tmp_path: Path
) -> None:
    given = trained if folder == "trained" else tmp_path
    args = ["train", "export", str(given), "-o", str(tmp_path / "out"), *options]
    result = CliRunner().invoke(cli, args)
    assert isinstance(result.exception, InputError)
    assert re.search(message, str(result.exception))
