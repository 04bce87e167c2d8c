"""A document of 10,000 words with 3,000 mentions in 300 groups, and keys to press on it."""

from __future__ import annotations

import random
from typing import Any

from coindex.types.document import Document

WORDS, MENTIONS, GROUPS = 10_000, 3_000, 300
KEYS = ("n", "j", "k", "ArrowRight", "Shift+ArrowRight", "ArrowDown", "1", "2", "q", "Shift+3", "+",
        "z", "f", "]", "x", "Space", "Alt+ArrowUp", "p")  # fmt: skip
OPENED = "new Promise(done => { const look = () => coindex.timing.opened === null ? setTimeout(look, 5) : done(coindex.timing.opened); look(); })"  # fmt: skip


def large() -> Document:
    """The text."""
    rows = [[f"word{n}" for n in range(at, at + 25)] for at in range(0, WORDS, 25)]
    return Document.of("large", rows)


def spans() -> list[tuple[int, int]]:
    """Where the mentions are, many within others."""
    chance = random.Random(5)
    found: set[tuple[int, int]] = set()
    while len(found) < MENTIONS:
        start = chance.randrange(WORDS)
        end = min(start + chance.choice((1, 1, 2, 3, 5, 9)), start // 25 * 25 + 25)
        found.add((start, end))
    return sorted(found)


def group(number: int) -> int:
    """Every group has a mention; a few have hundreds."""
    if number < GROUPS:
        return number
    return int(random.Random(number).paretovariate(0.7)) % GROUPS


def batches() -> list[dict[str, Any]]:
    """The requests that make all mentions."""
    events, made = [], set()
    for number, (start, end) in enumerate(spans()):
        id = f"g{group(number)}"
        payload: dict[str, Any] = {"mention": f"m{number}", "spans": [[start, end]], "group": id}
        if id not in made:
            made.add(id)
            payload["new_group"] = {"id": id, "name": ""}
        events.append({"id": f"e{number}", "base": 0, "kind": "mention.add", "payload": payload, "at": 0})  # fmt: skip
    return [
        {"client": "filler", "events": events[at : at + 500]} for at in range(0, len(events), 500)
    ]


def press(page: Any, count: int, pause: int, each: Any = None) -> None:
    """Keys at random all over the document, with pauses in ms; `each` is called around every key."""
    chance = random.Random(7)
    for step in range(count):
        if step % 20 == 0:
            page.evaluate("token => coindex.editor.goto(token)", chance.randrange(WORDS))
            page.wait_for_timeout(200)
        key = chance.choice(KEYS)
        if each is not None:
            each(key, True)
        page.keyboard.press(key)
        page.wait_for_timeout(pause)
        if each is not None:
            each(key, False)
    page.wait_for_timeout(300)
