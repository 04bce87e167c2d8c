"""The package coindex-base: built with a tiny model, really installed, found by its name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import coindex
import training_samples as samples
from coindex.errors import InputError
from coindex.models.common import installed_models

PACKAGE = Path(__file__).resolve().parents[2] / "packages" / "coindex-base"
WHY = "needs torch: pip install 'coindex[train]'"


def install(source: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps",
               "--no-build-isolation", "--disable-pip-version-check", "--target", str(site),
               str(source)]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True)


def copy(folder: Path) -> Path:
    """The package without weights."""
    return Path(shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("model")))


@pytest.fixture(scope="module")
def site(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package installed, with a document and a pronoun model."""
    pytest.importorskip("onnx", reason=WHY)
    from coindex.models.coref.export import export
    from coindex.models.pronoun import substitution, weights
    from coindex.models.pronoun.export import export as export_pronoun

    home = tmp_path_factory.mktemp("base")
    source = copy(home / "source")
    out = export(trained, source / "src" / "coindex_base" / "model", bits="5")
    model = substitution.new_substitution(str(trained.parent / "encoder"), 0, 1)
    recipe = {"window": 64, "neither": False}
    weights.save_model(home / "pronoun", model, {"kind": "substitution", "recipe": recipe})
    export_pronoun(home / "pronoun", out)
    done = install(source, home / "site")
    assert done.returncode == 0, done.stderr
    return home / "site"


def run(site: Path, *arguments: str) -> str:
    """The output of Python with the package installed."""
    paths = [str(site), str(Path(coindex.__file__).parent.parent)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_it_is_listed_and_resolves(site: Path, tmp_path: Path) -> None:
    listed = json.loads(run(site, "-m", "coindex", "list", "models", "--json"))["models"]
    assert list(listed) == ["default", "base"]
    assert Path(listed["base"]) == site / "coindex_base" / "model"
    samples.write(tmp_path / "a.conll", samples.stories(1), "conll2012")
    arguments = ("resolve", str(tmp_path / "a.conll"), "--model", "base", "--json")
    assert json.loads(run(site, "-m", "coindex", *arguments))
    code = "import coindex; print(len(coindex.load('base').resolve('Ann met Bob. She slept.')))"
    assert run(site, "-c", code).strip() == "7"


def test_its_pronoun_model_decides(site: Path) -> None:
    code = (
        "from coindex import resolvers;"
        "settings = resolvers.ResolverSettings(model='base', threads=1);"
        "print(resolvers.load('substitution', settings).signature)"
    )
    assert run(site, "-c", code).startswith("substitution|candidates:given|model:base-")


def test_a_build_without_weights_fails(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    source = copy(tmp_path / "source")
    done = install(source, tmp_path / "site")
    assert done.returncode != 0
    assert "lacks model.json, encoder.onnx, head.npz, tokenizer.json" in done.stderr + done.stdout
    assert not (tmp_path / "site" / "coindex_base").exists()


def test_names_come_before_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(installed_models, "entry_points", lambda **which: ())
    assert installed_models.find_model(None) == installed_models.find_model("default")
    assert installed_models.find_model("mine") == Path("mine")
    with pytest.raises(InputError, match=r"base is not installed.* pip install .*coindex-base"):
        coindex.load("base")
    (tmp_path / "base").mkdir()
    assert installed_models.find_model("base") == Path("base")
    assert installed_models.installed_folder("./default") is None


def test_what_an_entry_point_must_give(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    points = [EntryPoint("odd", "json:dumps", installed_models.GROUP)]
    monkeypatch.setattr(installed_models, "entry_points", lambda **which: points)
    with pytest.raises(InputError, match="the model odd: expected json:dumps to be the path"):
        installed_models.find_model("odd")
    points[0] = EntryPoint("odd", "no_such_module:MODEL", installed_models.GROUP)
    with pytest.raises(InputError, match="the model odd cannot be loaded"):
        installed_models.find_model("odd")
