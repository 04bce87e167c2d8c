"""An annotator's whole document as the start of an adjudication."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from annotate_web import World, text
from coindex.annotate.quality.adjudication import agreed_records
from coindex.annotate.quality.adjudication_start import adoption_events
from coindex.annotate.store.actions import act
from coindex.annotate.store.database import Database
from coindex.annotate.store.records import (
    Records,
    TextBounds,
    apply_changes,
    changes,
    records_in,
)
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from strategies import documents

Chains = list[list[tuple[int, int]]]
A, B, C, D = (0, 1), (2, 3), (6, 7), (8, 9)


def made(chains: Chains) -> Document:
    entities = tuple(Entity(tuple(Mention.at(*span) for span in chain)) for chain in chains)
    return replace(text("d"), entities=entities)


def after(records: Records, document: Document) -> Records:
    """The records after the events, each by the server's own rules."""
    records = dict(records)
    for event in adoption_events(document, records):
        puts = act(event["kind"], event["payload"], records, TextBounds(len(document.tokens)))
        apply_changes(records, changes(records, puts))
    return records


def chains_in(records: Records) -> list[list[Any]]:
    groups: dict[str, list[Any]] = {id: [] for id in records_in(records, "groups")}
    for mention in records_in(records, "mentions").values():
        for group in mention["groups"]:
            groups[group].append(mention["spans"])
    return sorted(sorted(chain) for chain in groups.values())


def chains_of(document: Document) -> list[list[Any]]:
    return sorted(
        sorted([[span.start, span.end] for span in mention.spans] for mention in entity.mentions)
        for entity in document.entities
    )


@given(one=documents(), two=documents())
@settings(max_examples=200, deadline=None)
def test_the_state_becomes_the_annotators_version(one: Document, two: Document) -> None:
    tokens = min(len(one.tokens), len(two.tokens))
    entities = [
        Entity(inside)
        for entity in two.entities
        if (inside := tuple(m for m in entity.mentions if m.spans[-1].end <= tokens))
    ]
    other = replace(one, entities=tuple(entities)) if tokens else one
    start = agreed_records([one])
    adopted = after(start, other)
    assert chains_in(adopted) == chains_of(other)
    assert adoption_events(other, adopted) == [], "nothing is left to do"
    assert chains_in(after(adopted, one)) == chains_of(one), "and back again"


def test_what_both_have_keeps_its_group_and_its_comment() -> None:
    start = agreed_records([made([[A, C], [B]])])
    (mention,) = [key for key, each in start.items() if each.get("spans") == [[0, 1]]]
    start[mention] = {**start[mention], "note": "see line 3"}
    adopted = after(start, made([[A, C, D]]))
    assert adopted[mention] == start[mention]
    assert chains_in(adopted) == [[[[0, 1]], [[6, 7]], [[8, 9]]]]
    kinds = [each["kind"] for each in adoption_events(made([[A, C, D]]), start)]
    assert kinds == ["mention.remove", "mention.add", "group.remove"]


@pytest.fixture
def world(light: Database) -> World:
    return World(light)


def annotate(world: World, name: str, chains: Chains) -> None:
    client = world[name]
    sheet = client.post(f"/api/projects/{world.project}/next")["sheet"]
    base = 0
    for number, chain in enumerate(chains):
        for at, span in enumerate(chain):
            new = {} if at else {"new_group": {"id": f"g{number}", "name": ""}}
            client.act(sheet, "mention.add", base, mention=f"m{base}", spans=[list(span)], group=f"g{number}", **new)  # fmt: skip
            base += 1
    client.act(sheet, "document.done", base, done=True)


def test_by_the_api(world: World) -> None:
    world.fill(1)
    annotate(world, "annotator", [[A, C], [B]])
    annotate(world, "second", [[A, C, D]])
    client = world["adjudicator"]
    sheet = client.post("/api/documents/1/adjudicate")["sheet"]
    aliases = [each["alias"] for each in client.get(f"/api/sheets/{sheet}/disagreements")["annotators"]]  # fmt: skip
    sizes = set()
    for alias in aliases:
        events = client.get(f"/api/sheets/{sheet}/start?annotator={alias}")["events"]
        for event in events:
            base = client.get(f"/api/sheets/{sheet}")["revision"]
            assert client.act(sheet, event["kind"], base, **event["payload"])["status"] == "stored"
        state = client.get(f"/api/sheets/{sheet}")["state"]
        sizes.add((len(state["mentions"]), len(state["groups"])))
        options = [o for each in client.get(f"/api/sheets/{sheet}/disagreements")["disagreements"] for o in each["options"] if alias in o["by"]]  # fmt: skip
        assert all(o["events"] == [] for o in options), "all that they chose is there"
    assert sizes == {(3, 2), (3, 1)}
    assert client.ask("GET", f"/api/sheets/{sheet}/start?annotator=x").status_code == 422
    assert world["annotator"].ask("GET", f"/api/sheets/{sheet}/start?annotator=a").status_code in (403, 404)  # fmt: skip
    own = world["annotator"].get(f"/api/projects/{world.project}/sheets")["sheets"][0]["id"]
    assert world["annotator"].ask("GET", f"/api/sheets/{own}/start?annotator=a").status_code == 409


def test_an_option_has_its_groups_and_mentions(world: World) -> None:
    world.fill(1)
    annotate(world, "annotator", [[A, C], [B, D]])
    annotate(world, "second", [[A, C, D], [B]])
    client = world["adjudicator"]
    sheet = client.post("/api/documents/1/adjudicate")["sheet"]
    found = client.get(f"/api/sheets/{sheet}/disagreements")["disagreements"]
    (about,) = [each for each in found if each["spans"] == [[8, 9]]]
    groups = client.get(f"/api/sheets/{sheet}")["state"]["groups"]
    assert "'" not in "".join(option["text"] for option in about["options"])
    for option in about["options"]:
        (chain,) = option["chains"]
        assert chain["group"] in groups
        assert chain["size"] == len(chain["mentions"]) in (1, 2)
    words = {o["chains"][0]["mentions"][0]["words"] for o in about["options"]}
    assert words == {"Ann", "Bo"}
