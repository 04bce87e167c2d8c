"""Suggestions of a resolver: which can run here, their progress and failures, what annotators see."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from time import sleep
from typing import Any

import pytest

from annotate_web import World, problem
from coindex.annotate.assignments.resolver_choices import resolver_choices
from coindex.annotate.store.database import Database
from coindex.errors import InputError
from coindex.types.decision import Decision
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span


@pytest.fixture
def world(light: Database) -> World:
    return World(light)


class Instant:
    """Resolves at once: the first two words are one chain; of a problem, the last name."""

    def __init__(self, fails: tuple[str, ...] = ()) -> None:
        self.fails = fails

    def suggest(self, resolver: str, item: Any) -> Future[Any]:
        done: Future[Any] = Future()
        if resolver == "random" or item.id in self.fails:
            done.set_exception(InputError("no model") if item.id in self.fails else OSError("no"))
        elif isinstance(item, Document):
            second = Mention((Span(1, 2),), attrs=(("confidence", "0.900"), ("link", "0.800")))
            pair = Entity((Mention.at(0, 1), second))
            done.set_result(replace(item, entities=(pair,)))
        else:
            done.set_result(Decision(item.id, (len(item.candidates) - 1,)))
        return done

    def close(self) -> None:
        pass


def test_a_resolver_suggests_for_all_documents(world: World) -> None:
    world.fill(2)
    world.services.suggestions.suggester = Instant()
    manager, path = world["manager"], f"/api/projects/{world.project}/suggest"
    assert manager.get(path)["state"] == "never"
    assert manager.ask("POST", path, {"resolver": "nonsense"}).status_code == 422
    assert manager.ask("POST", path, {"resolver": "neural:nowhere"}).status_code == 422
    manager.post(path, {"resolver": "random"})
    told = manager.get(path)
    assert (told["state"], told["message"], told["done"]) == ("failed", "OSError: no", 2)
    assert [each["name"] for each in told["failed"]] == ["work-0", "work-1"]
    manager.post(path, {"resolver": "neural"})
    told = manager.get(path)
    assert told["message"] == "4 suggestions in 2 documents"
    assert (told["done"], told["total"], told["failed"], told["chosen"]) == (2, 2, [], "neural")
    sheet = world["annotator"].post(f"/api/projects/{world.project}/next")["sheet"]
    found = world["annotator"].get(f"/api/sheets/{sheet}")["state"]["suggestions"]
    assert [each["resolver"] for each in found.values()] == ["neural", "neural"]
    assert [each.get("confidence") for each in found.values()] == [None, 0.72]
    settings = manager.get(f"/api/projects/{world.project}")["project"]["settings"]
    assert settings["suggestions"] == "neural"
    base = f"/api/projects/{world.project}"
    assert manager.ask("PATCH", base, {"settings": {"suggestions": "nonsense"}}).status_code == 422
    manager.ok("PATCH", base, {"settings": {"suggestions": None}})
    sheet = world["second"].post(f"{base}/next")["sheet"]
    assert world["second"].get(f"/api/sheets/{sheet}")["state"]["suggestions"] == {}
    manager.ok("PATCH", base, {"settings": {"suggestions": "neural"}})
    assert manager.get(path)["state"] == "ready"


def test_a_document_that_fails_does_not_stop_the_others(world: World) -> None:
    manager, path = world["manager"], f"/api/projects/{world.project}/suggest"
    assert manager.ask("POST", path, {"resolver": "neural"}).status_code == 409, "nothing to do"
    world.fill(3)
    world.services.suggestions.suggester = Instant(fails=("work-1",))
    manager.post(path, {"resolver": "neural"})
    told = manager.get(path)
    assert told["state"] == "ready"
    assert told["message"] == "4 suggestions in 2 documents; 1 document failed"
    assert told["failed"] == [{"name": "work-1", "reason": "no model"}]


class Slow:
    """Resolves when it is told to."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Any, Future[Any]]] = []

    def suggest(self, resolver: str, item: Any) -> Future[Any]:
        self.waiting.append((item, Future()))
        return self.waiting[-1][1]

    def close(self) -> None:
        pass


def test_progress_is_told_and_what_is_given_up_is_not_stored(world: World) -> None:
    world.fill(3)
    slow = Slow()
    world.services.suggestions.suggester = slow
    manager, base = world["manager"], f"/api/projects/{world.project}"
    told = manager.post(f"{base}/suggest", {"resolver": "neural"})
    assert (told["state"], told["done"], told["total"]) == ("running", 0, 3)
    item, future = slow.waiting[0]
    future.set_result(replace(item, entities=(Entity((Mention.at(0, 1),)),)))
    told = manager.get(f"{base}/suggest")
    assert (told["state"], told["done"], told["total"]) == ("running", 1, 3)
    manager.ok("PATCH", base, {"settings": {"suggestions": "neural"}})
    assert len(slow.waiting) == 3, "a project has one job at a time"
    manager.ok("PATCH", base, {"settings": {"suggestions": None}})
    for item, future in slow.waiting[1:]:
        future.set_result(replace(item, entities=(Entity((Mention.at(0, 1),)),)))
    assert manager.get(f"{base}/suggest")["state"] == "never"
    sheet = world["annotator"].post(f"{base}/next")["sheet"]
    assert world["annotator"].get(f"/api/sheets/{sheet}")["state"]["suggestions"] == {}


def test_the_resolvers_that_can_run_here(world: World) -> None:
    told = world["manager"].get(f"/api/projects/{world.project}/suggest")["resolvers"]
    assert told[0] == {
        "id": "neural", "name": "default model", "about": "finds mentions and chains",
    }  # fmt: skip
    assert {each.id.partition(":")[0] for each in resolver_choices("problem")} == {
        "substitution",
        "neural",
    }


def test_a_resolver_in_its_own_process(world: World) -> None:
    world.bring([Document.of("d", [["Ann", "lost", "her", "keys", "."]])])
    manager, path = world["manager"], f"/api/projects/{world.project}/suggest"
    try:
        manager.post(path, {"resolver": "neural"})
        for _ in range(1200):
            if manager.get(path)["state"] != "running":
                break
            sleep(0.05)
    finally:
        world.services.suggestions.close()
    assert manager.get(path)["state"] == "ready", manager.get(path)
    sheet = world["annotator"].post(f"/api/projects/{world.project}/next")["sheet"]
    found = world["annotator"].get(f"/api/sheets/{sheet}")["state"]["suggestions"].values()
    assert [[0, 1]] in [each["spans"] for each in found]
    assert all(0 <= each["confidence"] <= 1 for each in found)


def test_a_problem_gets_a_suggested_answer(world: World) -> None:
    world.services.suggestions.suggester = Instant()
    manager, base = world["manager"], f"/api/projects/{world.problems}"
    world.bring([problem("p-1")], project=world.problems)
    manager.post(f"{base}/suggest", {"resolver": "substitution"})
    assert manager.get(f"{base}/suggest")["message"] == "1 suggestion in 1 problem"
    sheet = world["annotator"].post(f"{base}/next")["sheet"]
    found = world["annotator"].get(f"/api/sheets/{sheet}")
    names = [each["text"] for each in found["document"]["candidates"]]
    shown = names["AB".index(found["suggestion"]["choice"])]
    assert shown == problem("p-1").candidates[-1].text, "whatever the order in which they are shown"
    assert found["suggestion"]["resolver"] == "substitution"
    assert found["state"]["document"]["answer"] is None, "it is no answer"
