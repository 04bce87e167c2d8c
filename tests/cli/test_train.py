"""`coindex train coref`: options, messages, JSON, interrupts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import training_samples as samples
from coindex.cli import cli
from coindex.errors import CoindexError, MissingExtra, UsageError
from coindex.report.progress_bar import progress_bar
from coindex.types.progress import Progress

WHY = "needs torch: pip install 'coindex[train]'"


def run(*args: str, fails: type[BaseException] | None = None) -> Result:
    done = CliRunner().invoke(cli, ["train", "coref", *args])
    if fails is None:
        assert done.exit_code == 0, (done.output, done.exception)
    else:
        assert isinstance(done.exception, fails), done.output
    return done


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe, its corpus and its encoder."""
    torch = pytest.importorskip("torch", reason=WHY)
    pytest.importorskip("transformers", reason=WHY)
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("train")
    encoder, corpus = samples.encoder(folder / "encoder"), samples.corpus(folder / "stories", 4)
    values = samples.recipe(Path("no-encoder"), corpus, corpus)
    (folder / "r.toml").write_text(samples.toml(values), encoding="utf-8")
    assert encoder == folder / "encoder"
    return folder


def test_a_run_its_lines_and_its_end(place: Path) -> None:
    given = ["--recipe", str(place / "r.toml"), "--encoder", str(place / "encoder"),
             "--device", "cpu", "-o", str(place / "out")]  # fmt: skip
    done = run(*given)
    said = done.stderr.splitlines()
    assert said[0].startswith("training on cpu: ")
    assert [line.split(":")[0] for line in said[1:]] == ["train", "dev", "epoch 1/2", "epoch 2/2"]
    assert done.stdout.startswith(f"{place / 'out'}: trained: 2 epochs, the weights are of ")
    again = run(*given)
    assert "is trained already (--fresh trains anew)" in again.stdout
    anew = run(*given, "--fresh", "--set", "epochs=1", "--json")
    found = json.loads(anew.stdout)
    assert (found["finished"], found["epochs"], found["best"]) == ("now", 1, 1)
    other = run(*given, fails=CoindexError)
    assert "finished model of another recipe (epochs differ)" in str(other.exception)


def test_an_interrupt_says_how_to_go_on(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from coindex.models.coref.train import trainer

    def stop(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(trainer, "train", stop)
    done = CliRunner().invoke(
        cli, ["train", "coref", "--recipe", str(place / "r.toml"), "-o", str(place / "stopped")]
    )
    assert done.exit_code != 0
    assert "run the same command again to resume after the last epoch" in done.stderr


def test_a_gpu_that_is_not_there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    done = run("--recipe", str(place / "r.toml"), "-o", "x", "--device", "cuda", fails=UsageError)
    assert "torch finds no GPU here" in str(done.exception)


def test_a_bar_on_a_terminal(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress_bar() as on_progress:
        on_progress(Progress("epoch 1/2", 1, 3))
        click.echo("a [line]", err=True)
        on_progress(Progress("epoch 1/2", 3, 3))
    seen = capsys.readouterr()
    assert "a [line]" in seen.err
    assert seen.out == ""


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_without_torch_the_install_line_is_given(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coindex.cli import train as train_options

    monkeypatch.setattr(
        train_options, "find_spec", lambda name: None if name == package else object()
    )
    done = run("--recipe", "base", "-o", str(tmp_path / "x"), fails=MissingExtra)
    assert str(done.exception) == str(MissingExtra(package, "train"))
    assert not (tmp_path / "x").exists()


def test_mistakes_are_found_before_torch_is_needed(tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    done = run("--recipe", "bass", "-o", out, fails=CoindexError)
    assert "unknown recipe 'bass'; expected one of: base, base-open, finetune, small" in str(
        done.exception
    )
    done = run("--recipe", "base", "-o", out, "--set", "epoch=3", fails=CoindexError)
    assert "did you mean epochs?" in str(done.exception)
    done = run("--recipe", "base", "-o", out, "--set", "epochs", fails=UsageError)
    assert "a setting, KEY=VALUE" in str(done.exception)


def test_the_old_name_of_recipe_is_deprecated(tmp_path: Path) -> None:
    done = run("--config", "bass", "-o", str(tmp_path / "x"), fails=CoindexError)
    assert done.stderr == "coindex: --config is deprecated: use --recipe\n"
    assert "unknown recipe 'bass'" in str(done.exception)
