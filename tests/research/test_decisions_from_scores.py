"""The scores that a lent GPU brings home, as decisions and kept runs: made-up scores of dev sets."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")

from research.models import make_runs, pronoun_plan, pronoun_prepare, pronoun_scores
from research.results.runs import read_run
from research.results.task import Corpora, task_of

from coindex.errors import InputError
from coindex.models.pronoun.ensemble import MemberWeights
from coindex.types.decision import Decision

MODELS = Path(__file__).parents[2] / "research" / "models"
NAME = "dpr:dev:given"


@pytest.fixture
def module(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The script with one small dev set."""
    monkeypatch.setenv("COINDEX_DATA", str(data))
    monkeypatch.setattr(pronoun_scores, "DEV", (NAME,))
    monkeypatch.setattr(pronoun_scores, "TEST", (NAME,))
    monkeypatch.setattr(pronoun_scores, "SWITCHED", NAME)
    _clear_caches()
    yield pronoun_scores
    _clear_caches()


def _clear_caches() -> None:
    """Other tests may read the same sets from another folder."""
    for cached in (
        pronoun_scores.problems_of, pronoun_scores.queries_of, pronoun_scores.veto_decisions,
    ):  # fmt: skip
        cached.cache_clear()


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
    metadata = {
        "kind": "substitution",
        "parameters": 7,
        "weights": "0" * 64,
        "recipe": {"both": both},
    }
    (folder / "model.json").write_text(json.dumps(metadata))


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
    chosen = {key: [d.chosen for d in systems.decisions(key, NAME)] for key in rows}
    assert set(chosen["one.1"]) == {(0,)}  # it always takes the first name
    right = sum(a == p.answer for a, p in zip(chosen["two.1"], problems, strict=True))
    assert right >= len(problems) - 5  # both ways round that goes; four cannot be switched
    assert systems.run_metadata("all.1").parameters == 14
    assert systems.weights("alike", "given") == MemberWeights((0.0, 0.0, 1.0, 1.0))
    assert systems.dev_decisions("alike", NAME) == systems.decisions("alike", NAME)
    assert systems.run_metadata("alike").seed is None
    assert set(chosen["vetoed"]) == {(1,)}
    assert systems.run_metadata("vetoed").signature == "two.1+last-only"
    module.write_runs(systems, tmp_path)
    run, corpora = read_run(tmp_path / "all.1.json.xz"), Corpora()
    assert [d.chosen for _, d in run.matched(task_of(NAME), corpora)] == chosen["all.1"]
    assert len(run.after(task_of(NAME), corpora) or ()) == len(corpora.copies(task_of(NAME)))


def test_a_set_without_copies_has_no_scores(module: Any, tmp_path: Path) -> None:
    """As WNLI, of which no problem can be switched."""
    none = np.zeros(0)
    (tmp_path / "one-1").mkdir()
    rows: dict[str, Any] = {"x": none, "x|counts": none.astype(int)}
    np.savez(tmp_path / "one-1" / "scores.npz", **rows)
    assert module.Systems(tmp_path, {})._scores("one-1", "x") == []


def test_times_are_shared_and_added(module: Any, tmp_path: Path) -> None:
    from research.results.runs import RunMetadata, write_run

    for name, ms in (("a", 2.5), ("b", 4.0), ("c", None)):
        write_run(tmp_path / f"{name}.json.xz", RunMetadata(name, "first", None, 7, ms), {})
    for name, members in (("two", "a+b"), ("three", "a+c")):
        metadata = RunMetadata(name, "ensemble", signature=members)
        write_run(tmp_path / f"{name}.json.xz", metadata, {})
    make_runs.sum_run(Namespace(out=[str(tmp_path / "two.json.xz")]))
    assert read_run(tmp_path / "two.json.xz").metadata.ms_per_item == 6.5
    with pytest.raises(InputError, match=r"three.json.xz: expected members that are timed.*'c'"):
        make_runs.sum_run(Namespace(out=[str(tmp_path / "three.json.xz")]))
    files = [str(tmp_path / f"{name}.json.xz") for name in ("a", "c")]
    with pytest.raises(InputError, match="runs of one resolver and size"):
        make_runs.time_run(Namespace(out=[*files, str(tmp_path / "two.json.xz")], model=None))
    make_runs.time_run(Namespace(out=files, model=None))
    one, other = (read_run(file).metadata.ms_per_item for file in files)
    assert one == other is not None


def test_the_sets_have_names_that_runs_can_store() -> None:
    for name in (*pronoun_scores.DEV, *pronoun_scores.TEST, pronoun_scores.SWITCHED):
        assert str(task_of(name)) == name
    prepared = {f"{name}:{way}" for name, way in pronoun_prepare.SETS}
    assert {*pronoun_scores.DEV, *pronoun_scores.TEST} <= prepared


def test_every_system_has_a_job_and_a_row_on_the_page() -> None:
    listed = json.loads((MODELS / "pronoun" / "systems.json").read_text())
    keys = [f"{each['system']}.{each.get('seed')}" for each in listed]
    assert len(set(keys)) == len(keys)
    page = (MODELS / "pronoun" / "results.toml").read_text()
    jobs = {job.name for job in pronoun_plan.all_jobs()}
    for each in listed:
        assert f'name = "{each["system"]}"' in page
        assert "members" in each or each["job"] in jobs
