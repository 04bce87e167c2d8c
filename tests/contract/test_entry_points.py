"""Plugins of other packages: one of every family, in a real package that is really installed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import coindex
from coindex import plugins

PACKAGE = Path(__file__).resolve().parents[1] / "fixtures" / "plugin_package"
ENTRY = re.compile(r'entry-points."coindex\.(\w+)"\]\n([\w-]+) =')
PLUGINS = dict(ENTRY.findall((PACKAGE / "pyproject.toml").read_text("utf-8")))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package in it, installed by pip."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
               "--no-build-isolation", "--disable-pip-version-check", "--target", str(folder),
               str(PACKAGE)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def run(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs Python with the package installed, in a folder of this test's own."""
    monkeypatch.chdir(tmp_path)
    return Run(site, tmp_path)


class Run:
    """Commands in an environment that has the package."""

    def __init__(self, site: Path, folder: Path) -> None:
        source = Path(coindex.__file__).parent.parent
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(site), str(source)]),
            "COINDEX_CACHE": str(folder / "cache"),
            "PYTHONIOENCODING": "utf-8",
        }

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, env=self.environment
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def coindex(self, *arguments: str) -> str:
        """The output of a command."""
        return self("-m", "coindex", *arguments)


def test_the_package_has_a_plugin_of_every_family() -> None:
    assert tuple(sorted(PLUGINS)) == plugins.families()


@pytest.mark.parametrize(("family", "name"), sorted(PLUGINS.items()))
def test_it_is_listed_and_loaded(family: str, name: str, run: Run) -> None:
    code = f"from coindex import plugins; print(plugins.load({family!r}, {name!r}).__name__)"
    assert run("-c", code).startswith("coindex_sample.")
    if family != "cli":  # `coindex --help` lists commands
        assert name in json.loads(run.coindex("list", "--json"))[family]


def test_the_command_is_run(run: Run) -> None:
    assert run.coindex("sample-hello") == "hello from another package\n"
    assert "sample-hello" in run.coindex("--help")


def test_the_format_is_read_and_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Ann saw Eve.", encoding="utf-8")
    out = run.coindex("convert", "in.txt", "--from", "text", "--to", "sample-lines")
    assert out == "#sample-lines\nAnn saw Eve.\n"
    (tmp_path / "out.txt").write_text(out, encoding="utf-8")
    assert run.coindex("convert", "out.txt", "--to", "text") == "Ann saw Eve.\n"


def test_the_metric_and_the_matching_rule_score(run: Run, tmp_path: Path) -> None:
    rows = ["#begin document (d);", "Ann (1)", "saw -", "her (1)", "#end document", ""]
    (tmp_path / "key.conll").write_text("\n".join(rows), encoding="utf-8")
    arguments = ("key.conll", "key.conll", "--metrics", "sample-links", "--match", "sample-start")
    scored = json.dumps(json.loads(run.coindex("score", *arguments, "--json")))
    assert "sample-links" in scored
    assert "match:sample-start" in scored


def test_the_resolver_is_run_on_the_benchmark(run: Run) -> None:
    arguments = ("sample-pair", "--resolver", "sample-last", "--json")
    (table,) = json.loads(run.coindex("bench", *arguments))["benchmarks"]
    (system,) = table["systems"]
    assert system["figures"]["accuracy"]["value"] == 50


def test_the_builder_builds_from_the_source(run: Run, tmp_path: Path) -> None:
    text = "=sample=\nAnn Eve met when she left .\nNobody came .\n"
    (tmp_path / "pages.txt").write_text(text, encoding="utf-8")
    run.coindex("build", "sample-she", "pages.txt", "-o", "built.jsonl")
    (item,) = coindex.read(tmp_path / "built.jsonl")
    assert item.id == "page-1"


def test_the_generator_changes_documents(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Ann saw Eve.", encoding="utf-8")
    run.coindex("generate", "sample-shout", "in.txt", "-o", "out.jsonl")
    (document,) = coindex.read(tmp_path / "out.jsonl")
    assert document.text == "ANN SAW EVE."


def test_the_strategy_ranks(run: Run, tmp_path: Path) -> None:
    for name, text in (("long", "Ann saw Eve and Eve saw Ann."), ("short", "Ann left.")):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    arguments = ("rank", "long.txt", "short.txt", "--strategy", "sample-shortest", "--json")
    ranking = json.loads(run.coindex("active", *arguments))
    assert json.dumps(ranking).index("short") < json.dumps(ranking).index("long")


def test_the_measurement_is_made(run: Run) -> None:
    arguments = ("--resolver", "neural", "--measure", "sample-length", "--json")
    card = json.loads(run.coindex("audit", *arguments))
    assert card["measurements"]["sample-length"]["figures"]["with-clusters"]["value"] > 50
    assert card["summary"][0]["group"] == "sample"
