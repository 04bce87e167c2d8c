"""The trainers of the drivers: a tiny model is trained as the ordinary trainers train it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("transformers")
import numpy as np
import torch
from research.models import coref_device, device_session
from research.models.average_weights import average
from research.models.pronoun_job import CachingTokenizer, score_sets, train_job
from research.models.pronoun_plan import Job
from research.models.pronoun_prepare import dump, write_prepared

import training_samples as samples
from coindex.models.common.checkpoint import STATE
from coindex.models.common.subwords import TextTokenizer
from coindex.models.coref.recipe import parse_recipe
from coindex.models.coref.train.trainer import CorefTrainer
from coindex.models.coref.weights import load_trained
from coindex.models.pronoun.candidate_rows import problem_rows
from coindex.models.pronoun.query import own_candidates
from coindex.models.pronoun.recipe import load_recipe
from coindex.models.pronoun.train.dev_sets import load_dev_sets
from coindex.models.pronoun.train.stages import load_stages
from coindex.models.pronoun.train.trainer import train_seed

pytestmark = pytest.mark.slow

RECIPE = """
kind = "substitution"
encoder = "mpnet"
window = 64
test = false

[[stage]]
files = ["problems.jsonl"]
batch = 8
epochs = 1

[[dev]]
files = ["problems.jsonl"]
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A work folder with an encoder, a recipe, and problems."""
    monkeypatch.setenv("W", str(tmp_path))
    monkeypatch.setenv("COINDEX_DATA", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    samples.encoder(tmp_path / "mpnet")
    problems = [samples.problem(number) for number in range(16)]
    samples.write(tmp_path / "problems.jsonl", problems, "problem-jsonl")
    (tmp_path / "trial.toml").write_text(RECIPE)
    return tmp_path


def same_weights(one: Path, two: Path) -> bool:
    a, b = (torch.load(folder / "weights.pt", weights_only=True) for folder in (one, two))
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def test_a_job_trains_as_the_ordinary_trainer_does(work: Path) -> None:
    finders = {"given": own_candidates}
    tokenizer = TextTokenizer(str(work / "mpnet"))
    recipe = load_recipe("trial.toml", (), str(work / "mpnet"))
    dev = load_dev_sets(recipe.dev, finders)
    model = cast(Any, SimpleNamespace(tokenizer=tokenizer))
    write_prepared(work / "prepared", "m-trial.toml.xz", load_stages(recipe, model, dev, 1), dev)
    rows = [problem_rows(query, tokenizer, 64) for query in dev[0].queries]
    dump(work / "prepared" / "m-sets.xz", {"all": rows, "none": []})

    out = work / "jobs" / "trial"
    scores = train_job(Job("trial", "trial.toml", 1), ["stage.1.epochs=2"], out, "cpu")
    changed = load_recipe("trial.toml", ["stage.1.epochs=2"], str(work / "mpnet"))
    expected = train_seed(changed, work / "expected", finders, "cpu", seed=1)
    assert scores == dict(expected.dev)
    assert same_weights(out, work / "expected")
    assert not (out / STATE).exists()

    score_sets(out, "m", "cpu")
    stored = np.load(out / "scores.npz")
    assert stored["all|counts"].tolist() == [2] * 16
    assert len(stored["all"]) == 32
    assert train_job(Job("trial", "trial.toml", 1), [], out, "cpu") == scores


def test_the_caching_tokenizer_returns_the_same_subwords(work: Path) -> None:
    plain, caching = TextTokenizer(str(work / "mpnet")), CachingTokenizer(str(work / "mpnet"))
    text = samples.story(1).text
    assert caching.of(text) == plain.of(text)
    assert caching.of(text) is caching.of(text)


def test_a_coref_run_ends_in_time_with_scored_weights(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coref_device, "ProcessPoolExecutor", ThreadPoolExecutor)
    samples.corpus(work / "stories")
    values = samples.recipe(work / "mpnet", work / "stories")
    recipe = parse_recipe({**values, "dev": values["train"], "epochs": 500, "check": 500})
    limit = device_session.elapsed() + coref_device._MARGIN + 2.0
    trainer = coref_device.TimedTrainer(recipe, work / "out", "cpu", seconds=limit)
    with pytest.raises(coref_device.OutOfTime):
        trainer.run()
    assert trainer.step > 0
    assert max(group["lr"] for group in trainer.optimizer.param_groups) < recipe.encoder_rate
    assert trainer.score_now()["mean"] >= 0
    assert (work / "out" / "weights.pt").is_file()
    assert not (work / "out" / STATE).exists()


def test_the_mean_of_two_runs_is_a_model(work: Path) -> None:
    samples.corpus(work / "stories")
    recipe = samples.recipe(work / "mpnet", work / "stories")
    folders = [work / name for name in ("one", "two")]
    for seed, folder in enumerate(folders):
        CorefTrainer(parse_recipe({**recipe, "epochs": 1, "seed": seed}), folder).run()
    average(work / "mean", folders)
    one, two, mean = (
        torch.load(f / "weights.pt", weights_only=True) for f in (*folders, work / "mean")
    )
    for name, value in mean.items():
        if value.is_floating_point():
            expected = (one[name].float() + two[name].float()) / 2
            assert torch.allclose(value.float(), expected, atol=1e-3)
    load_trained(work / "mean")
