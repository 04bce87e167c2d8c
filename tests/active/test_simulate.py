"""Simulations: what is logged, resuming, replaying, curves and tests."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quizbowl_samples as samples
from coindex.active import simulation
from coindex.active.curves import compare, curves, documents_needed, sign_flip
from coindex.active.journal import Journal, Row
from coindex.active.report import as_json, draw_plot, tables
from coindex.active.simulation import Plan, simulate_seed, split_documents
from coindex.active.worker import Setup, Worker
from coindex.errors import InputError, InvalidValue, UnknownName
from coindex.models.mention_pair import train as learn
from coindex.models.mention_pair.train import TrainedModel
from coindex.types.document import Document
from coindex.types.progress import Progress

for _package in ("pycrfsuite", "sklearn"):
    pytest.importorskip(_package, reason="needs pip install 'coindex[train]'")

DOCUMENTS = samples.stories(14)
PLAN = Plan(("voting", "random"), seeds=2, rounds=3, start=3, pool=6, members=2)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    learner = samples.learner()
    return [row for seed in (1, 2) for row in simulate_seed(DOCUMENTS, learner, PLAN, seed)]


def test_every_document_has_one_role() -> None:
    for seed in range(5):
        dealt = split_documents(DOCUMENTS, PLAN, seed)
        keys = [d.key for group in (dealt.start, dealt.pool, dealt.held_out) for d in group]
        assert sorted(keys) == sorted(d.key for d in DOCUMENTS)
        assert (len(dealt.start), len(dealt.pool), len(dealt.held_out)) == (3, 6, 5)
    assert split_documents(DOCUMENTS[::-1], PLAN, 1) == split_documents(DOCUMENTS, PLAN, 1)
    assert len(split_documents(DOCUMENTS, replace(PLAN, aside=2), 1).held_out) == 2


def test_what_a_row_says(rows: list[Row]) -> None:
    assert len(rows) == 2 * 2 * 4
    for row in rows:
        assert row["annotated"] == 3 + row["round"]
        assert set(row["scores"]) == {"mentions", "muc", "b3", "ceafe", "conll"}
        assert (row["pick"] is None) == (row["round"] == 3)
        if row["pick"]:
            assert row["pick"]["rank"] == 1
            assert len(row["pick"]["models"]) == (2 if row["strategy"] == "voting" else 0)
    for seed in (1, 2):
        start = {row["model"] for row in rows if row["round"] == 0 and row["seed"] == seed}
        assert len(start) == 1, "all strategies start from the same model"


def test_what_is_picked_comes_from_the_pool_and_only_once(rows: list[Row]) -> None:
    for seed in (1, 2):
        pool = {d.key for d in split_documents(DOCUMENTS, PLAN, seed).pool}
        for strategy in PLAN.strategies:
            picks = [
                row["pick"]["document"]
                for row in rows
                if (row["seed"], row["strategy"]) == (seed, strategy) and row["pick"]
            ]
            assert len(set(picks)) == 3
            assert set(picks) <= pool


def test_a_replay_gives_the_same_rankings(rows: list[Row]) -> None:
    again = simulate_seed(DOCUMENTS[::-1], samples.learner(), PLAN, 1)
    assert again == [row for row in rows if row["seed"] == 1]


def test_an_interrupted_simulation_goes_on(rows: list[Row], tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.open({"plan": PLAN.as_json()}, fresh=False)

    class Stop(Exception):
        pass

    def stop(progress: Progress) -> None:
        if (progress.task, progress.done) == ("seed 1, voting", 2):
            raise Stop

    with pytest.raises(Stop):
        simulate_seed(DOCUMENTS, samples.learner(), PLAN, 1, journal, stop)
    assert len(journal.rows(1)) == 3
    file = tmp_path / "seed-1.jsonl"
    file.write_text(file.read_text() + '{"strategy": "vot', encoding="utf-8")  # killed in a line
    learner = samples.learner()
    trained = []
    whole = learner.train

    def watched(documents: Sequence[Document], seed: int = 1) -> TrainedModel:
        trained.append(len(documents))
        return whole(documents, seed)

    learner.train = watched  # type: ignore[method-assign]
    found = simulate_seed(DOCUMENTS, learner, PLAN, 1, journal)
    assert found == [row for row in rows if row["seed"] == 1]
    assert trained[0] == 6, "the first rounds are not trained again"
    assert journal.rows(1) == found


def test_another_simulations_folder_is_refused(tmp_path: Path) -> None:
    Journal(tmp_path).open({"plan": 1, "version": "a"}, fresh=False)
    Journal(tmp_path).open({"plan": 1, "version": "a"}, fresh=False)
    with pytest.raises(InputError, match=r"plan differ.*--fresh"):
        Journal(tmp_path).open({"plan": 2, "version": "a"}, fresh=False)
    (tmp_path / "seed-1.jsonl").write_text("{}\n", encoding="utf-8")
    Journal(tmp_path).open({"plan": 2}, fresh=True)
    assert Journal(tmp_path).rows(1) == []
    (tmp_path / "seed-1.jsonl").write_text("oops\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"seed-1\.jsonl:1: expected JSON"):
        Journal(tmp_path).rows(1)


def test_a_whole_simulation_in_a_folder(
    rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Setup, "learner", lambda self: samples.learner())
    monkeypatch.setattr(simulation, "make_parser", lambda name, cache: samples.WordParser())
    seen: list[Progress] = []
    found = simulation.simulate(DOCUMENTS, PLAN, folder=tmp_path, on_progress=seen.append)
    assert found == rows
    assert seen[-1] == Progress("seed 2, random", 3, 3)
    told = json.loads((tmp_path / "plan.json").read_text())
    assert told["documents"]["count"] == 14
    assert simulation.simulate(DOCUMENTS, PLAN, folder=tmp_path) == rows
    with pytest.raises(InputError, match="documents"):
        simulation.simulate(DOCUMENTS[1:] + samples.stories(1, 90), PLAN, folder=tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strategies": ()}, "found none"),
        ({"strategies": ("voting", "voting")}, "once"),
        ({"rounds": 7}, "at most the pool's 6"),
        ({"start": 0}, "start"),
        ({"members": 0}, "members"),
    ],
)
def test_plans_that_cannot_be(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        replace(PLAN, **change)


def test_a_plan_knows_its_strategies_and_its_documents() -> None:
    with pytest.raises(UnknownName, match="voting"):
        replace(PLAN, strategies=("best",))
    with pytest.raises(InvalidValue, match=r"at least 10 documents.*found 9"):
        split_documents(DOCUMENTS[:9], PLAN, 1)


def fake(strategy: str, seed: int, values: list[float]) -> list[Row]:
    return [
        {
            "strategy": strategy, "seed": seed, "round": at, "annotated": 10 + at,
            "scores": {"mentions": [1.0, 2.0, value], "muc": [1.0, 2.0, value],
                       "b3": [30.0, 2.0, value], "ceafe": [1.0, 2.0, value], "conll": [value]},
        }
        for at, value in enumerate(values)
    ]  # fmt: skip


FAKE = [
    *fake("voting", 1, [50, 54, 56]), *fake("voting", 2, [50, 55, 58]),
    *fake("random", 1, [50, 52, 54]), *fake("random", 2, [50, 51, 55]),
]  # fmt: skip


def test_curves_are_means_with_their_spread() -> None:
    (found,) = [
        each
        for each in curves(FAKE)
        if (each.strategy, each.metric, each.formula) == ("voting", "conll", "f1")
    ]
    assert found.annotated == (10, 11, 12)
    assert found.mean == (50, 54.5, 57)
    assert found.spread == (0, 0.5, 1)
    precision = [
        each for each in curves(FAKE) if (each.metric, each.formula) == ("b3", "precision")
    ]
    assert {each.mean for each in precision} == {(30.0, 30.0, 30.0)}


def test_two_strategies_are_compared_seed_by_seed() -> None:
    found = compare(FAKE, "voting", "random")
    assert found.difference == pytest.approx((4 / 3, 7 / 3))
    assert found.last == pytest.approx(2.5)
    assert found.sign_flip == 0.5, "two seeds: 2 of 4 sign patterns are as extreme"
    # t = (11 / 6) / 0.5 with one degree of freedom: p = 2 / pi * atan(1 / t)
    assert found.t_test == pytest.approx(2 / np.pi * np.arctan(3 / 11))
    same = compare(FAKE, "random", "random")
    assert (same.mean, same.sign_flip, same.t_test) == (0.0, 1.0, None)


def test_the_sign_flip_test_is_exact() -> None:
    assert sign_flip(np.array([1.0, 1, 1, 1, 1])) == 2 / 32
    assert sign_flip(np.array([1.0, -1])) == 1.0


def test_the_sign_flip_test_of_many_seeds_is_drawn() -> None:
    assert sign_flip(np.ones(40)) == 1 / 2**16, "only the pattern that was seen"
    assert sign_flip(np.array([1.0, -1] * 20)) == 1.0


def test_a_document_has_one_role_only() -> None:
    with pytest.raises(InvalidValue, match="each document once"):
        split_documents([*DOCUMENTS, DOCUMENTS[0]], PLAN, 1)


def test_documents_saved() -> None:
    found = documents_needed(FAKE)
    assert found.target == 54.5, "the lowest of the last means, unless told"
    assert dict(found.needed) == {"voting": 11, "random": 12}
    assert dict(documents_needed(FAKE, target=50).needed) == {"voting": 10, "random": 10}
    assert dict(documents_needed(FAKE, target=56).needed) == {"voting": 12, "random": None}


def test_tables_and_json(rows: list[Row]) -> None:
    titles = [grid.title for grid in tables(rows)]
    assert titles[:2] == ["Scores by documents annotated", "Paired tests over seeds"]
    told = json.loads(json.dumps(as_json(rows)))
    assert {each["metric"] for each in told["against-random"]} == {"mentions", "muc", "b3", "conll"}
    alone = [row for row in rows if row["strategy"] == "voting"]
    assert len(tables(alone)) == 2, "nothing to compare with"


def test_the_picture(rows: list[Row], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    one, two = tmp_path / "a.svg", tmp_path / "b.svg"
    draw_plot(rows, str(one))
    draw_plot(rows, str(two))
    assert one.read_bytes() == two.read_bytes()
    text = one.read_text(encoding="utf-8")
    assert text.count("<!-- voting -->") == 6, "one curve a panel"
    with pytest.raises(InputError, match="expected a folder"):
        draw_plot(rows, str(tmp_path / "no" / "a.svg"))


def test_an_interrupted_worker_ends_at_once() -> None:
    worker = Worker(Setup())
    waiting = worker._pool.submit(time.sleep, 3600)
    while not waiting.running():
        time.sleep(0.01)
    others = list(worker._pool._processes.values())
    with pytest.raises(KeyboardInterrupt), worker:
        raise KeyboardInterrupt
    assert others
    assert not any(process.is_alive() for process in others)


def test_a_process_that_died_is_replaced() -> None:
    """A server must not be left without a worker; what the dead one was asked is lost, and said."""
    pool = samples.stories(3, 60)
    with Worker(Setup()) as worker:
        first = worker.rank(pool, [], "longest").result(timeout=300)
        (process,) = worker._pool._processes.values()
        process.kill()
        process.join()
        again = None
        for _ in range(3):  # the pool may notice only when it is asked
            try:
                again = worker.rank(pool, [], "longest").result(timeout=300)
                break
            except BrokenProcessPool:
                continue
        assert again == first


def test_a_simulation_does_not_go_on_with_other_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "make_parser", lambda name, cache: samples.WordParser())
    file = tmp_path / "vectors.txt"
    file.write_text("she 1 0\n", encoding="utf-8")
    setup = Setup(vectors=(str(file),))
    journal = Journal(tmp_path / "runs")
    journal.open(simulation.dependencies(DOCUMENTS, PLAN, setup), fresh=False)
    journal.open(simulation.dependencies(DOCUMENTS, PLAN, setup), fresh=False)
    file.write_text("she 0 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="resolver differ"):
        journal.open(simulation.dependencies(DOCUMENTS, PLAN, setup), fresh=False)


def test_the_limit_of_what_is_kept_reaches_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "make_parser", lambda name, cache: samples.WordParser())
    assert Setup(vectors=("none",), words=77).learner().store.words == 77
