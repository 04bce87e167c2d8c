"""10,000 random actions (50 runs of 200), and what hypothesis finds, against a simple model.

The model keeps whole states and goes back to them; it knows nothing of records, changes
or events. After every action the stored sheet must be the model's state, actions that make
no sense must be refused by both, and in the end the doctor rebuilds all sheets.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sqlalchemy.event import listen

from annotate_help import WORDS, Bench, Time, event
from coindex.annotate.store.database import Database
from coindex.annotate.store.doctor import examine
from coindex.annotate.store.events import state_json
from coindex.annotate.store.migrate import migrate

MENTIONS = [f"m{number}" for number in range(8)]
GROUPS = [f"g{number}" for number in range(5)]
PLACES = [(a, b) for a in range(5) for b in range(a + 1, 6)] + [(8, len(WORDS) + 2)]

mention = st.sampled_from(MENTIONS)
some = st.lists(mention, min_size=1, max_size=3, unique=True)
group = st.sampled_from(GROUPS)
place = st.sampled_from(PLACES)


class Model:
    """Mentions with spans and sets of groups; groups with names; a list of past states."""

    def __init__(self) -> None:
        self.mentions: dict[str, dict[str, Any]] = {}
        self.groups: dict[str, str] = {}
        self.note = ""
        self.past: list[tuple[str, Any]] = []
        self.future: list[tuple[str, Any]] = []

    def state(self) -> Any:
        return copy.deepcopy((self.mentions, self.groups, self.note))

    def put(self, state: Any) -> None:
        self.mentions, self.groups, self.note = copy.deepcopy(state)

    def empty(self, id: str) -> bool:
        return all(id not in each["groups"] for each in self.mentions.values())

    def taken(self, where: tuple[int, int]) -> bool:
        return any(each["place"] == where for each in self.mentions.values())


class Editor(RuleBasedStateMachine):
    """The model and the store side by side."""

    bench: Bench
    number = 0

    def __init__(self) -> None:
        super().__init__()
        Editor.number += 1
        self.model = Model()
        document = self.bench.text(f"run-{Editor.number}")
        self.bench.sheet = self.sheet = self.bench.assign(document, self.bench.user)
        self.revision = 0

    def act(self, can: bool, kind: str, change: Any = None, **payload: Any) -> None:
        """Do an action on both sides; `change` does it to the model."""
        given = event(kind, self.revision, **payload)
        result = self.bench.send([given])[0]
        assert (result["status"] == "stored") == can, (kind, payload, result)
        if can:
            self.revision = result["revision"]
            before = self.model.state()
            change()
            self.model.past.append((given.id, before))
            self.model.future.clear()

    @rule(id=mention, where=place, to=group, fresh=st.booleans())
    def add(self, id: str, where: tuple[int, int], to: str, fresh: bool) -> None:
        model = self.model
        good = where[1] <= len(WORDS) and not model.taken(where) and id not in model.mentions

        def change() -> None:
            model.groups.setdefault(to, "")
            model.mentions[id] = {"place": where, "groups": {to}, "note": ""}

        more = {"new_group": {"id": to, "name": ""}} if fresh else {}
        can = good and (to in model.groups) != fresh
        self.act(can, "mention.add", change, mention=id, spans=[list(where)], group=to, **more)

    @rule(ids=some)
    def remove(self, ids: list[str]) -> None:
        def change() -> None:
            for id in ids:
                del self.model.mentions[id]

        self.act(self.all(ids), "mention.remove", change, mentions=ids)

    def all(self, ids: list[str]) -> bool:
        return all(id in self.model.mentions for id in ids)

    @rule(ids=some, to=group, also=st.booleans())
    def move(self, ids: list[str], to: str, also: bool) -> None:
        def change() -> None:
            for id in ids:
                own = self.model.mentions[id]
                own["groups"] = (own["groups"] if also else set()) | {to}

        can = self.all(ids) and to in self.model.groups
        kind = "mention.also" if also else "mention.move"
        self.act(can, kind, change, mentions=ids, group=to)

    @rule(id=mention, out=group)
    def leave(self, id: str, out: str) -> None:
        own = self.model.mentions.get(id)
        can = own is not None and out in own["groups"] and len(own["groups"]) > 1
        change = lambda: own["groups"].discard(out)  # type: ignore[index]  # noqa: E731
        self.act(can, "mention.leave", change, mentions=[id], group=out)

    @rule(id=mention, where=place)
    def resize(self, id: str, where: tuple[int, int]) -> None:
        own = self.model.mentions.get(id)
        free = not self.model.taken(where) or (own is not None and own["place"] == where)
        can = own is not None and free and where[1] <= len(WORDS)

        def change() -> None:
            self.model.mentions[id]["place"] = where

        self.act(can, "mention.resize", change, mention=id, spans=[list(where)])

    @rule(id=mention, text=st.sampled_from(["", "a", "<b>é🙂"]))
    def annotate(self, id: str, text: str) -> None:
        def change() -> None:
            self.model.mentions[id]["note"] = text

        self.act(id in self.model.mentions, "mention.note", change, mention=id, text=text)

    @rule(id=group, name=st.sampled_from(["", "Ann", "Bo"]))
    def rename(self, id: str, name: str) -> None:
        change = lambda: self.model.groups.update({id: name})  # noqa: E731
        self.act(id in self.model.groups, "group.rename", change, group=id, name=name)

    @rule(id=group)
    def drop(self, id: str) -> None:
        can = id in self.model.groups and self.model.empty(id)
        self.act(can, "group.remove", lambda: self.model.groups.pop(id), group=id)

    @rule(gone=group, into=group)
    def merge(self, gone: str, into: str) -> None:
        can = {gone, into} <= set(self.model.groups) and gone != into

        def change() -> None:
            del self.model.groups[gone]
            for own in self.model.mentions.values():
                own["groups"] = {into if each == gone else each for each in own["groups"]}

        self.act(can, "group.merge", change, from_=[gone], into=into)

    @rule(ids=some, left=group, new=group)
    def split(self, ids: list[str], left: str, new: str) -> None:
        inside = self.all(ids) and all(left in self.model.mentions[id]["groups"] for id in ids)
        can = inside and left in self.model.groups and new not in self.model.groups

        def change() -> None:
            self.model.groups[new] = ""
            for id in ids:
                self.model.mentions[id]["groups"] -= {left}
                self.model.mentions[id]["groups"] |= {new}

        fresh = {"id": new, "name": ""}
        self.act(can, "group.split", change, mentions=ids, from_=left, new_group=fresh)

    @rule(text=st.sampled_from(["", "hard", "easy"]))
    def describe(self, text: str) -> None:
        def change() -> None:
            self.model.note = text

        self.act(True, "document.note", change, text=text)

    @rule(forth=st.booleans())
    def back(self, forth: bool) -> None:
        source, sink = self.model.past, self.model.future
        if forth:
            source, sink = sink, source
        if not source:
            return
        id, state = source.pop()
        result = self.bench.do("redo" if forth else "undo", base=self.revision, event=id)
        assert result["status"] == "stored"
        self.revision = result["revision"]
        sink.append((id, self.model.state()))
        self.model.put(state)

    @invariant()
    def same(self) -> None:
        with self.bench.database.read() as connection:
            found = json.loads(state_json(connection, self.sheet))
        mentions = {
            id: {"place": tuple(own["spans"][0]), "groups": set(own["groups"]), "note": own["note"]}
            for id, own in found["mentions"].items()
        }
        groups = {id: own["name"] for id, own in found["groups"].items()}
        assert (mentions, groups, found["document"]["note"]) == self.model.state()
        orders = [own["order"] for own in found["groups"].values()]
        assert len(set(orders)) == len(orders)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(str(tmp_path / "model.db"), Time())
    # What the disk does is tested elsewhere; here it would only be waited for.
    listen(made.engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous=OFF"))
    migrate(made, None)
    Editor.bench = Bench(made)
    yield made
    made.close()


def test_runs_that_hypothesis_finds(database: Database) -> None:
    case: Any = Editor.TestCase
    case.settings = settings(max_examples=10, stateful_step_count=50, deadline=None)
    case().runTest()
    assert examine(database).problems == ()


def test_ten_thousand_actions(database: Database) -> None:
    chance = random.Random(20261115)
    for _ in range(50):
        editor = Editor()
        for _ in range(200):
            kind = chance.choice(KINDS)
            getattr(editor, kind)(**drawn(chance, editor.model, kind))
            editor.same()
    health = examine(database)
    assert health.problems == ()
    assert health.events > 6000  # the others were refused, by the model too


ARGUMENTS = {
    "add": ("id", "where", "to", "fresh"), "remove": ("ids",), "move": ("ids", "to", "also"),
    "leave": ("id", "out"), "resize": ("id", "where"), "annotate": ("id", "text"),
    "rename": ("id", "name"), "drop": ("id",), "merge": ("gone", "into"),
    "split": ("ids", "left", "new"), "describe": ("text",), "back": ("forth",),
}  # fmt: skip
KINDS = [*ARGUMENTS, "add", "add", "add", "move", "split", "back", "back", "annotate"]


def drawn(chance: random.Random, model: Model, kind: str) -> dict[str, Any]:
    """Arguments that mostly make sense."""
    known = list(model.mentions) if model.mentions and chance.random() < 0.95 else MENTIONS
    groups = list(model.groups) if model.groups and chance.random() < 0.95 else GROUPS
    new = [each for each in GROUPS if each not in model.groups] or GROUPS
    fresh = chance.random() < 0.5
    about = groups if kind in ("rename", "drop") else known
    if kind == "add":
        about = [each for each in MENTIONS if each not in model.mentions] or MENTIONS
    first = chance.choice(known)
    inside = sorted(model.mentions[first]["groups"]) if first in model.mentions else groups
    values = {
        "id": chance.choice(about), "ids": [first], "where": chance.choice(PLACES),
        "to": chance.choice(new if fresh and kind == "add" else groups), "fresh": fresh,
        "also": chance.random() < 0.6, "out": chance.choice(groups), "gone": chance.choice(groups),
        "into": chance.choice(groups), "left": chance.choice(inside), "new": chance.choice(new),
        "text": chance.choice(["", "a", "<b>"]), "name": chance.choice(["", "Ann"]),
        "forth": chance.random() < 0.4,
    }  # fmt: skip
    return {name: values[name] for name in ARGUMENTS[kind]}
