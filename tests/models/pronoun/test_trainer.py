"""Runs from a recipe to a folder: stages, resuming to the same bits, errors, resolvers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
import torch

import training_samples as samples
from coindex import resolvers
from coindex.cli import cli
from coindex.errors import InputError, MissingExtra
from coindex.models.common.trainer import TrainingError
from coindex.models.pronoun.query import own_candidates
from coindex.models.pronoun.recipe import Recipe, parse_recipe
from coindex.models.pronoun.train.trainer import PronounTrainer, train_seed

WAYS = {"given": own_candidates}


@pytest.fixture(scope="module", autouse=True)
def _no_corpora(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Test sets are not compared with, so that runs are the same everywhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COINDEX_DATA", str(tmp_path_factory.mktemp("none")))
        yield


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty pages of plain text."""
    path = tmp_path_factory.mktemp("pages") / "pages.jsonl"
    rows = [{"id": str(n), "title": f"t{n}", "text": samples.story(n).text * 2} for n in range(40)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Dev problems whose sentences are not those of training."""
    found = []
    for number in range(12):
        made = samples.problem(number)
        text = made.text.replace(" met ", " and ")
        found.append(type(made)(
            made.id, text, made.target.__class__(text.index(". ") + 2, len(text) - 7),
            tuple(type(c)(c.text) for c in made.candidates), made.answer,
        ))  # fmt: skip
    return samples.write(tmp_path_factory.mktemp("dev") / "dev.jsonl", found, "problem-jsonl")


def masked_lm(tiny: Path, pages: Path, problems: Path, dev: Path, **more: Any) -> Recipe:
    text = {"files": [str(pages)], "loss": "text", "pieces": 32, "batch": 8, "held": 0.2,
            "rate": 2e-3, "head_rate": 4e-3, "parts": 2}  # fmt: skip
    crem = {"files": [str(problems)], "loss": "margin", "batch": 8, "rate": 2e-3,
            "head_rate": 2e-3, "epochs": 2, "switched": True, "alpha": 5.0}  # fmt: skip
    return parse_recipe(
        {"kind": "masked-lm", "encoder": str(tiny), "window": 64, "stage": [text, crem],
         "dev": [{"files": [str(dev)]}], **more}
    )  # fmt: skip


def weights(folder: Path) -> dict[str, torch.Tensor]:
    found: dict[str, torch.Tensor] = torch.load(folder / "weights.pt", weights_only=True)
    return found


def same(one: Path, other: Path) -> bool:
    a, b = weights(one), weights(other)
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.fixture(scope="module")
def whole(
    tiny: Path, pages: Path, problems: Path, others: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Recipe, Path]:  # fmt: skip
    """A masked-lm run from beginning to end."""
    made = masked_lm(tiny, pages, problems, others)
    out = tmp_path_factory.mktemp("whole")
    done = train_seed(made, out, WAYS)
    assert not done.finished_before
    return made, out


def test_the_folder_of_a_run(whole: tuple[Recipe, Path]) -> None:
    made, out = whole
    rows = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4]
    assert rows[1]["perplexity"] < rows[0]["perplexity"]
    assert rows[1]["loss"] < rows[0]["loss"]
    assert "dev" not in rows[0]
    assert rows[3]["dev"]["mean"] >= 0
    facts = json.loads((out / "model.json").read_text())
    assert len(facts["probes"]) == 10
    assert facts["weights"] == hashlib.sha256((out / "weights.pt").read_bytes()).hexdigest()
    assert facts["stages"][0]["perplexity"] == rows[1]["perplexity"]
    assert facts["dev"]["mean"] == max(row["dev"]["mean"] for row in rows[2:])
    text = (out / "README.md").read_text()
    assert "## Probes" in text
    assert "not compared with wsc: it is not here" in text
    assert not (out / "state.pt").exists()
    assert not (out / "best.pt").exists()
    assert train_seed(made, out, WAYS).finished_before


@pytest.mark.parametrize("stop", [1, 2, 3])
def test_a_run_that_is_stopped_ends_with_the_same_bits(
    whole: tuple[Recipe, Path], tmp_path: Path, stop: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "coindex")
    made, out = whole
    trainer = PronounTrainer(made, tmp_path, WAYS, "cpu", 1)
    original, count = trainer._run_epoch, 0

    def one() -> None:
        nonlocal count
        if count == stop:
            raise KeyboardInterrupt
        count += 1
        original()

    trainer._run_epoch = one  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    train_seed(made, tmp_path, WAYS)
    assert any(text.startswith("resuming after epoch") for text in caplog.messages)
    assert same(out, tmp_path)
    strip = lambda path: [  # noqa: E731
        {k: v for k, v in json.loads(line).items() if k != "seconds"}
        for line in (path / "log.jsonl").read_text().splitlines()
    ]
    assert strip(out) == strip(tmp_path)


def test_a_stop_before_the_first_checkpoint_of_a_stage(
    whole: tuple[Recipe, Path], tmp_path: Path
) -> None:
    """The next stage's best weights are on disk already, those of the stage before are not."""
    made, out = whole
    trainer = PronounTrainer(made, tmp_path, WAYS, "cpu", 1)
    original, count = trainer.save_checkpoint, 0

    def save() -> None:
        nonlocal count
        count += 1
        if count == 4:  # two parts of text, the change of stages, the first epoch of problems
            raise KeyboardInterrupt
        original()

    trainer.save_checkpoint = save  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    train_seed(made, tmp_path, WAYS)
    assert same(out, tmp_path)


def test_another_seed_is_no_other_recipe(whole: tuple[Recipe, Path]) -> None:
    made, out = whole
    more = replace(made, seeds=(1, 2))
    assert train_seed(more, out, WAYS, seed=1).finished_before
    with pytest.raises(InputError, match="holds a finished model of seed 1, expected 2"):
        train_seed(more, out, WAYS, seed=2)


def test_a_resolver_of_the_model(whole: tuple[Recipe, Path]) -> None:
    _, out = whole
    settings = resolvers.ResolverSettings(model=str(out))
    resolver = resolvers.load("masked-lm", settings)
    assert isinstance(resolver, resolvers.Decider)
    items = [samples.problem(n) for n in range(20)]
    found = list(resolver.decide(items))
    assert [each.id for each in found] == [each.id for each in items]
    assert all(each.scores and max(each.scores) == each.scores[each.chosen[0]] for each in found)
    assert resolver.signature.startswith("masked-lm|candidates:given|model:")
    ready = set(resolvers.available(settings))
    assert "masked-lm" in ready
    assert "substitution" not in ready
    with pytest.raises(InputError, match="of the kind substitution, found masked-lm"):
        resolvers.load("substitution", settings)


def test_other_recipes_data_and_seeds_are_refused(
    whole: tuple[Recipe, Path], tiny: Path, pages: Path, problems: Path, others: Path,
    tmp_path: Path,
) -> None:  # fmt: skip
    _, out = whole
    other = masked_lm(tiny, pages, problems, others, window=60)
    with pytest.raises(InputError, match=r"finished model of another recipe \(window differ\)"):
        train_seed(other, out, WAYS)
    trainer = PronounTrainer(other, tmp_path, WAYS, "cpu", 1)
    trainer._run_epoch()
    with pytest.raises(InputError, match="the data or the seed is not what it was"):
        train_seed(other, tmp_path, WAYS, seed=2)
    with pytest.raises(InputError, match=r"holds a checkpoint of another recipe"):
        train_seed(whole[0], tmp_path, WAYS)


def test_going_on_from_a_trained_model(
    whole: tuple[Recipe, Path], problems: Path, others: Path, tmp_path: Path
) -> None:
    stage = {"files": [str(problems)], "loss": "margin", "batch": 8, "most": 16}
    made = parse_recipe(
        {"kind": "masked-lm", "start": str(whole[1]), "window": 64, "stage": [stage]}
    )
    done = train_seed(made, tmp_path, WAYS)
    assert done.dev == {}
    assert not same(whole[1], tmp_path)


def test_substitution_learns_its_problems_and_says_neither(tiny: Path, tmp_path: Path) -> None:
    found = [samples.problem(n) for n in range(32)]
    none = [type(p)(f"n{p.id}", p.text.replace("She", "It").replace("He", "It"),
                    p.target.__class__(p.target.start, p.target.start + 2), p.candidates, ())
            for p in found[:8]]  # fmt: skip
    path = samples.write(tmp_path / "p.jsonl", [*found, *none], "problem-jsonl")
    stage = {"files": [str(path)], "loss": "choice", "batch": 8, "rate": 2e-3, "head_rate": 4e-3,
             "epochs": 12}  # fmt: skip
    values = {"kind": "substitution", "encoder": str(tiny), "window": 64, "stage": [stage],
              "dev": [{"files": [str(path)]}], "neither": True, "test": False}  # fmt: skip
    done = train_seed(parse_recipe(values), tmp_path / "out", WAYS)
    assert done.dev["mean"] > 75
    facts = json.loads((tmp_path / "out" / "model.json").read_text())
    assert facts["neither"] is not None
    resolver = resolvers.load(
        "substitution", resolvers.ResolverSettings(model=str(tmp_path / "out"))
    )
    assert isinstance(resolver, resolvers.Decider)
    decisions = list(resolver.decide([*found, *none]))
    right = [d.chosen == p.answer for d, p in zip(decisions, [*found, *none], strict=True)]
    assert 100 * sum(right) / len(right) == pytest.approx(done.dev["mean"], abs=6)


def test_a_loss_that_is_no_number(
    whole: tuple[Recipe, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "coindex.models.pronoun.masked_lm.MaskedLM.text_loss",
        lambda self, *_: next(self.parameters()).sum() * float("nan"),
    )
    with pytest.raises(TrainingError, match="no longer a number"):
        train_seed(whole[0], tmp_path, WAYS)


def test_what_is_in_dev_is_not_learnt(tiny: Path, problems: Path, tmp_path: Path) -> None:
    stage = {"files": [str(problems)], "loss": "choice"}
    values = {"kind": "substitution", "encoder": str(tiny), "window": 64, "stage": [stage],
              "dev": [{"files": [str(problems)]}]}  # fmt: skip
    with pytest.raises(InputError, match="expected problems to learn from, found none"):
        train_seed(parse_recipe(values), tmp_path, WAYS)


def test_the_command_with_two_seeds(tiny: Path, problems: Path, tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(
        f'kind = "substitution"\nencoder = "{tiny}"\nwindow = 64\nseeds = [1, 2]\n'
        f'[[stage]]\nloss = "choice"\nfiles = ["{problems}"]\nepochs = 1\n', encoding="utf-8",
    )  # fmt: skip
    args = ["train", "pronoun", "--recipe", str(tmp_path / "r.toml"), "-o", str(tmp_path / "out"),
            "--device", "cpu"]  # fmt: skip
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == 0, (done.output, done.exception)
    assert done.stdout.splitlines() == [
        f"{tmp_path / 'out' / f'seed-{n}'}: trained" for n in (1, 2)
    ]
    assert not same(tmp_path / "out" / "seed-1", tmp_path / "out" / "seed-2")
    again = CliRunner().invoke(cli, [*args, "--json"])
    assert [m["finished"] for m in json.loads(again.stdout)["models"]] == ["before", "before"]
    anew = CliRunner().invoke(cli, [*args, "--fresh", "--set", "seeds=[1]"])
    assert anew.exit_code == 0, (anew.output, anew.exception)


def test_the_command_without_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coindex.cli.train.find_spec", lambda name: None)
    done = CliRunner().invoke(
        cli, ["train", "pronoun", "--recipe", "attention", "-o", str(tmp_path / "x")]
    )
    assert str(done.exception) == str(MissingExtra("torch", "train"))
