"""The scores that a lent GPU brings home, as decisions and kept runs: made-up scores of dev sets."""

from __future__ import annotations

import importlib
import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coindex.bench.runs import read_run
from coindex.bench.task import Corpora, task_of
from coindex.core.decision import Decision
from coindex.errors import InputError
from coindex.pronoun.ensemble import Weights

MODELS = Path(__file__).parents[2] / "models"
NAME = "dpr:dev:given"


@pytest.fixture
def module(data: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script, looking at one small dev set alone."""
    monkeypatch.setenv("COINDEX_DATA", str(data))
    monkeypatch.syspath_prepend(str(MODELS))
    found = importlib.import_module("pronoun_scores")
    monkeypatch.setattr(found, "DEV", (NAME,))
    monkeypatch.setattr(found, "TEST", (NAME,))
    monkeypatch.setattr(found, "SWITCHED", NAME)
    yield found
    sys.modules.pop("pronoun_scores")


def write(module: Any, folder: Path, noise: float, *, both: bool = False) -> None:
    """Scores that favour the right candidate, less a love for the first name of the two."""
    rng = np.random.default_rng(1)
    kept: dict[str, Any] = {}
    for name in (NAME, f"{NAME}:switched"):
        rows = []
        for problem in module.problems_of(name):
            row = rng.normal(0, noise, len(problem.candidates))
            row[(problem.answer or (0,))[0]] += 1
            rows.append([*row[:1] + 3, *row[1:]])
        kept[name] = np.array([one for row in rows for one in row], dtype=np.float32)
        kept[f"{name}|counts"] = np.array([len(row) for row in rows])
    folder.mkdir(parents=True)
    np.savez(folder / "scores.npz", **kept)
    facts = {"kind": "substitution", "parameters": 7, "weights": "0" * 64, "recipe": {"both": both}}
    (folder / "model.json").write_text(json.dumps(facts))


def test_scores_become_decisions_and_runs(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(module, tmp_path / "one-1", 0.1)
    write(module, tmp_path / "two-1", 0.1, both=True)
    rows = {
        "one.1": {"system": "one", "seed": 1, "job": "one-1"},
        "two.1": {"system": "two", "seed": 1, "job": "two-1"},
        "all.1": {"system": "all", "seed": 1, "members": ["one.1", "two.1"]},
        "alike": {"system": "alike", "equal": True, "members": ["one.1", "two.1"]},
        "vetoed": {
            "system": "vetoed", "equal": True, "members": ["two.1"], "vetoes": ["last-only"],
        },
    }  # fmt: skip
    assert [module.key_of(row) for row in rows.values()] == list(rows)
    systems = module.Systems(tmp_path, rows)
    problems = module.problems_of(NAME)

    def bars_the_first(name: str, settings: Any) -> Any:
        assert (name, settings.candidates) == ("last-only", "given")
        return Namespace(decide=lambda every: [Decision(p.id, (), (-1.0, 0.0)) for p in every])

    monkeypatch.setattr(module.resolvers, "decider", bars_the_first)
    said = {key: [d.chosen for d in systems.decisions(key, NAME)] for key in rows}
    assert set(said["one.1"]) == {(0,)}  # it always takes the first name
    right = sum(a == p.answer for a, p in zip(said["two.1"], problems, strict=True))
    assert right >= len(problems) - 5  # both ways round that goes; four cannot be switched
    assert systems.told("all.1").parameters == 14
    assert systems.weights("alike", "given") == Weights((0.0, 0.0, 1.0, 1.0))
    assert systems.crossed("alike", NAME) == systems.decisions("alike", NAME)
    assert systems.told("alike").seed is None
    assert set(said["vetoed"]) == {(1,)}
    assert systems.told("vetoed").signature == "two.1+last-only"
    module.keep(systems, tmp_path)
    run, corpora = read_run(tmp_path / "all.1.json.xz"), Corpora()
    assert [d.chosen for _, d in run.matched(task_of(NAME), corpora)] == said["all.1"]
    assert len(run.after(task_of(NAME), corpora) or ()) == len(corpora.copies(task_of(NAME)))


def test_a_set_without_copies_has_no_scores(module: Any, tmp_path: Path) -> None:
    """As WNLI, of which no problem can be switched."""
    none = np.zeros(0)
    (tmp_path / "one-1").mkdir()
    np.savez(tmp_path / "one-1" / "scores.npz", **{"x": none, "x|counts": none.astype(int)})
    assert module.Systems(tmp_path, {})._scores("one-1", "x") == []


def test_times_are_shared_and_added(module: Any, tmp_path: Path) -> None:
    from coindex.bench.runs import Facts, write_run

    runs = importlib.import_module("runs")
    for name, ms in (("a", 2.5), ("b", 4.0), ("c", None)):
        write_run(tmp_path / f"{name}.json.xz", Facts(name, "first", None, 7, ms), {})
    for name, members in (("two", "a+b"), ("three", "a+c")):
        facts = Facts(name, "ensemble", signature=members)
        write_run(tmp_path / f"{name}.json.xz", facts, {})
    runs.sum_run(Namespace(out=[str(tmp_path / "two.json.xz")]))
    assert read_run(tmp_path / "two.json.xz").facts.ms_per_item == 6.5
    with pytest.raises(InputError, match=r"three.json.xz: expected members that are timed.*'c'"):
        runs.sum_run(Namespace(out=[str(tmp_path / "three.json.xz")]))
    files = [str(tmp_path / f"{name}.json.xz") for name in ("a", "c")]
    with pytest.raises(InputError, match="runs of one resolver and size"):
        runs.time_run(Namespace(out=[*files, str(tmp_path / "two.json.xz")], model=None))
    runs.time_run(Namespace(out=files, model=None))
    one, other = (read_run(file).facts.ms_per_item for file in files)
    assert one == other is not None


def test_the_sets_have_names_that_runs_can_keep(module: Any) -> None:
    fresh = importlib.reload(module)
    for name in (*fresh.DEV, *fresh.TEST, fresh.SWITCHED):
        assert str(task_of(name)) == name
    prepare = importlib.import_module("pronoun_prepare")
    made = {f"{name}:{way}" for name, way in prepare.SETS}
    assert {*fresh.DEV, *fresh.TEST} <= made


def test_every_system_has_a_job_and_a_place_on_the_page() -> None:
    listed = json.loads((MODELS / "pronoun" / "systems.json").read_text())
    keys = [f"{each['system']}.{each.get('seed')}" for each in listed]
    assert len(set(keys)) == len(keys)
    page = (MODELS / "pronoun" / "results.toml").read_text()
    sys.path.insert(0, str(MODELS))
    try:
        jobs = {job["name"] for job in importlib.import_module("pronoun_plan").everything()}
    finally:
        sys.path.remove(str(MODELS))
    for each in listed:
        assert f'name = "{each["system"]}"' in page
        assert "members" in each or each["job"] in jobs
