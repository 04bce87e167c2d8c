"""Large documents with thousands of mentions, and keys to press on them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from coindex.types.document import Document

KEYS = ("n", "j", "k", "ArrowRight", "Shift+ArrowRight", "ArrowDown", "1", "2", "q", "Shift+3", "+",
        "z", "f", "]", "x", "Space", "Alt+ArrowUp", "p")  # fmt: skip
OPENED = "new Promise(done => { const look = () => coindex.timing.opened === null ? setTimeout(look, 5) : done(coindex.timing.opened); look(); })"  # fmt: skip
SENTENCE = 25
BATCH = 500


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a document is, and the time in which it must open, in milliseconds."""

    words: int
    mentions: int
    groups: int
    opens_within: int

    def document(self) -> Document:
        """The text."""
        rows = [
            [f"word{n}" for n in range(at, at + SENTENCE)] for at in range(0, self.words, SENTENCE)
        ]
        return Document.of("large", rows)

    def spans(self) -> list[tuple[int, int]]:
        """Where the mentions are, many within others."""
        chance = random.Random(5)
        found: set[tuple[int, int]] = set()
        while len(found) < self.mentions:
            start = chance.randrange(self.words)
            longest = start // SENTENCE * SENTENCE + SENTENCE
            found.add((start, min(start + chance.choice((1, 1, 2, 3, 5, 9)), longest)))
        return sorted(found)

    def group(self, number: int) -> int:
        """Every group has a mention; a few have hundreds."""
        if number < self.groups:
            return number
        return int(random.Random(number).paretovariate(0.7)) % self.groups

    def payloads(self) -> list[dict[str, Any]]:
        """What the events say that make all mentions."""
        found, made = [], set()
        for number, (start, end) in enumerate(self.spans()):
            id = f"g{self.group(number)}"
            payload: dict[str, Any] = {"mention": f"m{number}", "spans": [[start, end]]}
            payload["group"] = id
            if id not in made:
                made.add(id)
                payload["new_group"] = {"id": id, "name": ""}
            found.append(payload)
        return found

    def batches(self) -> list[dict[str, Any]]:
        """The requests that make all mentions."""
        events = [
            {"id": f"e{number}", "base": 0, "kind": "mention.add", "payload": payload, "at": 0}
            for number, payload in enumerate(self.payloads())
        ]
        return [
            {"client": "filler", "events": events[at : at + BATCH]}
            for at in range(0, len(events), BATCH)
        ]

    def press(self, page: Any, count: int, pause: int, each: Any = None) -> None:
        """Keys at random all over the document, with pauses in ms; `each` is called around every key."""
        chance = random.Random(7)
        for step in range(count):
            if step % 20 == 0:
                page.evaluate("token => coindex.editor.goto(token)", chance.randrange(self.words))
                page.wait_for_timeout(200)
            key = chance.choice(KEYS)
            if each is not None:
                each(key, True)
            page.keyboard.press(key)
            page.wait_for_timeout(pause)
            if each is not None:
                each(key, False)
        page.wait_for_timeout(300)


LARGE = Scale(10_000, 3_000, 300, 800)
HUGE = Scale(100_000, 20_000, 2_000, 1_500)


def worked(page: Any) -> Callable[[], float]:
    """How long the page's main thread has been at work, in ms of its own time (not the wall's)."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        found: float = {row["name"]: row["value"] for row in metrics}["TaskDuration"] * 1000
        return found

    return read


def fill(database: Any, assignment: int, user: int, scale: Scale) -> None:
    """Store the events that make all mentions, and the records that they give, without a server."""
    from sqlalchemy import insert, update

    from coindex.annotate.store import tables
    from coindex.annotate.store.records import Change, Records, new_group, new_mention

    records: Records = {}
    events: list[dict[str, Any]] = []
    groups = 0
    for number, payload in enumerate(scale.payloads()):
        key = f"mentions/{payload['mention']}"
        made = {key: new_mention(payload["spans"], payload["group"])}
        if "new_group" in payload:
            made = {f"groups/{payload['group']}": new_group(groups), **made}
            groups += 1
        changes = [Change(name, None, value).as_json() for name, value in made.items()]
        records.update(made)
        events.append(
            {"id": f"e{number}", "assignment": assignment, "revision": number + 1, "base": number,
             "client": "filler", "user": user, "kind": "mention.add", "payload": payload,
             "changes": changes, "at": 0, "client_time": 0}
        )  # fmt: skip
    rows = [
        {"assignment": assignment, "key": key, "value": value} for key, value in records.items()
    ]
    with database.write() as connection:
        connection.execute(insert(tables.events), events)
        connection.execute(insert(tables.records), rows)
        own = tables.assignments.c.id == assignment
        connection.execute(update(tables.assignments).where(own).values(revision=len(events)))
