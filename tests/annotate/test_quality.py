"""Agreement, alpha, kappa, consensus, majority, adjudication, gold, and the ezCoref corpus."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from sqlalchemy import func, select

from annotate_help import Time
from annotate_web import World, problem, text
from coindex.annotate import projects
from coindex.annotate.exchange import ezcoref
from coindex.annotate.quality import (
    accuracy_check,
    adjudication,
    consensus,
    krippendorff,
    leaderboard,
)
from coindex.annotate.quality.agreement import OPTIONS, agreement, similarity
from coindex.annotate.quality.majority import agreed_groups, majority
from coindex.annotate.store.database import Database
from coindex.annotate.store.doctor import examine
from coindex.annotate.store.tables import assignments, events
from coindex.annotate.web import quality_routes
from coindex.builders.consensus import consensus as consensus_of
from coindex.formats.builtin import document_jsonl, gap, knowref, problem_jsonl
from coindex.scoring.scorer import score_pairs
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span
from strategies import documents

Chains = list[list[tuple[int, int]]]


def made(chains: Chains, name: str = "d") -> Document:
    entities = tuple(Entity(tuple(Mention.at(*span) for span in chain)) for chain in chains)
    return replace(text(name), entities=entities)


A, B, C, D = (0, 1), (2, 3), (6, 7), (8, 9)


def alpha(documents: list[list[Document]]) -> float | None:
    counts = (krippendorff.count(each) for each in documents)
    return krippendorff.score(sum(counts, krippendorff.AlphaCounts()))


def test_alpha_of_equals_is_one_and_of_nothing_is_none() -> None:
    assert alpha([[made([[A, C], [B]])] * 3]) == 1.0
    assert alpha([[made([]), made([])]]) is None


def test_alpha_by_hand() -> None:
    # Units A and C. One says {A, C} of both; the other {A} and {C}: both pairs are subsets.
    # Observed: each unit 2 * 1/3, four values: (2/3 + 2/3) / 4 = 1/3.
    # Expected: values AC, AC, A, C: 2 * (2 * 1/3 + 2 * 1/3 + 1) / (4 * 3) = (14/3) / 12 = 7/18.
    found = alpha([[made([[A, C]]), made([[A], [C]])]])
    assert found == pytest.approx(1 - (1 / 3) / (7 / 18))


def test_alpha_of_two_documents_is_of_all_their_values() -> None:
    one = [made([[A, C]]), made([[A], [C]])]
    two = [made([[B]]), made([])]
    # Values: AC AC A C | B' and nothing. Observed: (4/3 + 2) / 6. Pairs (ordered) of one
    # document: 14/3 and 2; across: 4 * 2 * 2, all at distance 1.
    expected = (14 / 3 + 2 + 16) / 30
    assert alpha([one, two]) == pytest.approx(1 - (10 / 3 / 6) / expected)


def test_distance_is_passonneau_s() -> None:
    def chain(letters: str) -> frozenset[tuple[Span, ...]]:
        return frozenset((Span(ord(each), ord(each) + 1),) for each in letters)

    others = ("ab", "a", "abc", "bc", "c", "")
    values = [krippendorff.distance(chain("ab"), chain(other)) for other in others]
    assert values == [0, 1 / 3, 1 / 3, 2 / 3, 1, 1]


def test_agreement_is_symmetric_and_complete() -> None:
    one, two, three = made([[A, C], [B]]), made([[A, C]]), made([[A], [C], [B]])
    found = agreement({"d": {1: one, 2: two, 3: three}, "e": {1: one}})
    assert [(row["a"], row["b"]) for row in found["pairs"]] == [(1, 2), (1, 3), (2, 3)]
    assert found["pairs"][0]["mentions"] == pytest.approx(80)
    assert len(found["documents"]) == 1
    assert [row["id"] for row in found["by_annotator"]] == [1, 2, 3]
    assert similarity(one, two) == pytest.approx(similarity(two, one))
    assert "docs:1" in found["signature"]
    assert agreement({})["overall"]["conll"] is None


def test_fleiss_of_his_own_example() -> None:
    # Fleiss (1971), the worked example with 14 raters, 10 items, 5 categories: kappa 0.210.
    rows = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]  # fmt: skip
    said = [
        [label for label, n in zip(consensus.LABELS, row, strict=True) for _ in range(n)]
        for row in rows
    ]
    found = consensus.fleiss(said)
    assert found is not None
    assert found.value == pytest.approx(0.210, abs=0.0005)
    assert (found.items, found.raters) == (10, 14)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert consensus.fleiss([]) is None
    assert consensus.fleiss([["A", "A"], ["A", "A"]]) is None


@pytest.mark.parametrize(
    ("said", "raters", "agree", "label"),
    [
        ("A A B", 3, 2, "first"), ("B neither B", 3, 2, "second"), ("A B neither", 3, 2, "no consensus"),
        ("both both A", 3, 2, "both"), ("? ? A", 3, 2, "not sure"), ("A A", 3, 2, "not judged"),
        ("A A B B", 3, 2, "no consensus"), ("A A A A A B", 6, 5, "first"),
        ("A A A A B B", 6, 5, "no consensus"), ("neither " * 6, 6, 5, "neither"),
    ],
)  # fmt: skip
def test_consensus_is_that_of_the_papers(said: str, raters: int, agree: int, label: str) -> None:
    assert consensus_of("p", said.split(), raters, agree) == label


def test_what_all_have_and_what_most_have() -> None:
    one, two, three = made([[A, C], [B, D]]), made([[A, C, D], [B]]), made([[A, C], [B]])
    places = [[place[0].start for place in group] for group in agreed_groups([one, two, three])]
    assert places == [[0, 6], [2]]
    most = majority([one, two, three])
    assert [[m.start for m in e.mentions] for e in most.entities] == [[0, 6], [2], [8]]


def test_one_mistake_does_not_fuse_two_chains() -> None:
    right, wrong = made([[A, C], [B, D]]), made([[A, C, B, D]])
    assert majority([right, right, wrong]) == right


def test_equal_annotations_agree_by_100_whatever_they_hold() -> None:
    for chains in ([], [[A], [B]], [[A, C], [B]], PLURAL):
        one = made(chains)
        assert agreement_of(one, one) == {"conll": 100, "b3": 100, "mentions": 100}
        assert accuracy_check.compare(one, one)["scores"]["conll"]["f1"] == 100
    # MUC has no link on either side: the mean of B³ (2/3) and CEAFe (2/3).
    assert similarity(made([[A], [B]]), made([[A]])) == pytest.approx(200 / 3)
    assert similarity(made([]), made([[A]])) == 0
    assert similarity(made([[A, B]]), made([[A], [B]])) < 60  # a link on one side: MUC is 0
    assert accuracy_check.compare(made([[A]]), made([[A]]))["scores"]["muc"]["f1"] is None
    found = agreement({"d": {1: made([]), 2: made([])}, "e": {1: made([[A]]), 2: made([[A]])}})
    assert found["overall"]["conll"] == found["by_annotator"][0]["conll"] == 100
    assert "undefined:left-out" in found["signature"]


R, J, THEY, HE, SHE = (0, 1), (2, 3), (10, 11), (4, 5), (6, 7)
PLURAL = [[R, HE, THEY], [J, SHE, THEY]]


def shape(document: Document) -> set[frozenset[tuple[int, int]]]:
    return {frozenset((m.start, m.end) for m in e.mentions) for e in document.entities}


def test_a_plural_antecedent_is_kept_by_the_majority() -> None:
    both, one = made(PLURAL), made([[R, HE, THEY], [J, SHE]])
    assert shape(majority([both, both, one])) == shape(both)
    assert shape(majority([both, one, one])) == shape(one)
    early = made([[(0, 1), (4, 5)], [(0, 1), (6, 7)]])  # the plural one comes first
    assert shape(majority([early] * 3)) == shape(early)


def test_a_plural_antecedent_is_kept_where_all_agree() -> None:
    both, one = made(PLURAL), made([[R, HE, THEY], [J, SHE]])
    groups = [{place[0].start for place in group} for group in agreed_groups([both, both])]
    assert groups == [{0, 4, 10}, {2, 6, 10}]
    groups = [{place[0].start for place in group} for group in agreed_groups([both, one])]
    assert groups == [{0, 4, 10}, {2, 6}]
    state = adjudication.agreed_records([both, both])
    assert sorted(each["groups"] for key, each in state.items() if key.startswith("mentions/")) == [
        ["g1"], ["g1"], ["g1", "g2"], ["g2"], ["g2"],
    ]  # fmt: skip


@given(document=documents())
@hypothesis_settings(max_examples=200)
def test_equal_annotations_are_their_own_majority(document: Document) -> None:
    def whole(found: Document) -> set[frozenset[Any]]:
        return {frozenset(m.spans for m in e.mentions) for e in found.entities}

    assert whole(majority([document] * 3)) == whole(document)
    assert {frozenset(group) for group in agreed_groups([document] * 2)} == whole(document)
    three = adjudication.with_aliases([(at, f"p{at}", document) for at in range(3)], "x")
    assert adjudication.disagreements(three, adjudication.agreed_records([document] * 3)) == []
    assert agreement_of(document, document) == {"conll": 100, "b3": 100, "mentions": 100}


def agreement_of(one: Document, two: Document) -> dict[str, Any]:
    found = agreement({"d": {1: one, 2: two}})
    (pair,) = found["pairs"]
    assert found["overall"]["conll"] == pytest.approx(similarity(one, two))
    return {name: pytest.approx(pair[name]) for name in ("conll", "b3", "mentions")}


@pytest.fixture
def world(light: Database) -> World:
    return World(light)


def annotate(world: World, name: str, chains: Chains, *, flag: bool = False) -> int:
    client = world[name]
    sheet: int = client.post(f"/api/projects/{world.project}/next")["sheet"]
    base = 0
    for number, chain in enumerate(chains):
        new: Any = {"id": f"g{number}", "name": ""}
        for span in chain:
            id = f"m{span[0]}-{span[1]}"
            more = {"new_group": new} if new else {}
            told = client.act(
                sheet,
                "mention.add",
                base,
                mention=id,
                spans=[list(span)],
                group=f"g{number}",
                **more,
            )
            assert told["status"] == "stored"
            base, new = base + 1, None
    client.act(sheet, "document.done", base, done=True)
    return sheet


@pytest.mark.parametrize(
    ("one", "other"),
    [([[A, B, C], [D]], [[A, C], [B, D]]), ([[A], [B, C], [D]], [[A, C], [B], [D]]), ([[A, B, C]], [[A], [B], [C, D]])],
)  # fmt: skip
def test_the_queue_counts_what_the_editor_asks(world: World, one: Any, other: Any) -> None:
    world.fill(1)
    annotate(world, "annotator", one)
    annotate(world, "second", other)
    client = world["adjudicator"]
    (waiting,) = client.get(f"/api/projects/{world.project}/adjudication")["documents"]
    sheet = client.post("/api/documents/1/adjudicate")["sheet"]
    asked = 0
    for each in client.get(f"/api/sheets/{sheet}/disagreements")["disagreements"]:
        effects = {json.dumps(option["events"]) for option in each["options"]}
        asked += effects != {"[]"}
    assert waiting["disagreements"] == asked


def test_from_two_annotators_over_adjudication_to_gold(world: World) -> None:
    world.fill(1)
    annotate(world, "annotator", [[A, C], [B]])
    annotate(world, "second", [[A, C, D]])
    base = f"/api/projects/{world.project}"
    found = world["manager"].get(f"{base}/agreement")
    assert found["pairs"][0]["mentions"] == pytest.approx(200 / 3)
    client = world["adjudicator"]
    (waiting,) = client.get(f"{base}/adjudication")["documents"]
    assert (waiting["status"], waiting["disagreements"]) == ("waiting", 2)
    sheet = client.post("/api/documents/1/adjudicate")["sheet"]
    assert client.post("/api/documents/1/adjudicate")["sheet"] == sheet
    assert world["manager"].ask("POST", "/api/documents/1/adjudicate").status_code == 409
    state = client.get(f"/api/sheets/{sheet}")["state"]
    assert sorted(each["spans"] for each in state["mentions"].values()) == [[[0, 1]], [[6, 7]]]
    told = client.get(f"/api/sheets/{sheet}/disagreements")
    assert [each["name"] for each in told["annotators"]] == [None, None]
    assert [each["kind"] for each in told["disagreements"]] == ["mention", "mention"]
    assert [each["words"] for each in told["disagreements"]] == ["Bo", "him"]
    revision = 1
    for each in told["disagreements"]:
        keep = next(o for o in each["options"] if o["text"] != "not a mention")
        drop = next(o for o in each["options"] if o["text"] == "not a mention")
        chosen = keep if each["words"] == "Bo" else drop
        for event in chosen["events"]:
            assert (
                client.act(sheet, event["kind"], revision, **event["payload"])["status"] == "stored"
            )
            revision += 1
        client.act(sheet, "decide", revision, disagreement=each["id"], choice=chosen["choice"])
        revision += 1
    client.act(sheet, "document.done", revision, done=True)
    (waiting,) = client.get(f"{base}/adjudication")["documents"]
    assert (waiting["status"], waiting["disagreements"]) == ("done", 0)
    answer = world["manager"].ask("GET", f"{base}/export?which=gold")
    (gold,) = document_jsonl.read(answer.text.splitlines(), Source("x"))
    assert [[m.start for m in e.mentions] for e in gold.entities] == [[0, 6], [2]]


def begun(world: World) -> int:
    world.fill(1)
    annotate(world, "annotator", [[A, C], [B]])
    annotate(world, "second", [[A, C, D]])
    sheet: int = world["adjudicator"].post("/api/documents/1/adjudicate")["sheet"]
    return sheet


def one_waiting(world: World, name: str) -> Any:
    (found,) = world[name].get(f"/api/projects/{world.project}/adjudication")["documents"]
    return found


def test_an_adjudication_that_is_left_can_be_taken_over(database: Database, time: Time) -> None:
    world = World(database)
    sheet = begun(world)
    first, other = world["adjudicator"], world["manager"]
    first.act(sheet, "document.note", 1, text="begun")
    found = one_waiting(world, "manager")
    assert (found["by"], found["mine"], found["free"]) == ("adjudicator", False, False)
    time.pass_(59 * 60)
    answer = other.ask("POST", "/api/documents/1/adjudicate")
    assert (answer.status_code, answer.json()["error"]["by"]) == (409, "adjudicator")
    first.post(f"/api/sheets/{sheet}/beat", {"client": "t"})  # a sign of life renews it
    time.pass_(59 * 60)
    assert other.ask("POST", "/api/documents/1/adjudicate").status_code == 409
    time.pass_(2 * 60)
    assert one_waiting(world, "manager")["free"]
    assert other.post("/api/documents/1/adjudicate")["sheet"] == sheet
    told = other.get(f"/api/sheets/{sheet}")
    assert (told["mine"], told["state"]["document"]["note"]) == (True, "begun")
    assert other.act(sheet, "document.flag", 2, unsure=True)["status"] == "stored"
    # Who was before may read it, is told so when they write, and cannot take it back at once.
    assert first.get(f"/api/sheets/{sheet}")["mine"] is False
    event = {"id": "late", "base": 2, "kind": "document.note", "payload": {"text": "late"}}
    late = first.ask("POST", f"/api/sheets/{sheet}/events", {"client": "t", "events": [event]})
    assert (late.status_code, late.json()["error"]["code"]) == (403, "forbidden")
    assert first.ask("POST", "/api/documents/1/adjudicate").status_code == 409
    entries = world["administrator"].get("/api/audit?limit=20")["entries"]
    (entry,) = [each for each in entries if each["action"] == "adjudication taken over"]
    assert (entry["user"], entry["detail"]["from"]) == ("manager", "adjudicator")
    other.act(sheet, "document.done", 3, done=True)
    with database.read() as connection:
        rows = connection.execute(
            select(events.c.user).where(events.c.assignment == sheet)
        ).scalars()
        assert list(rows) == [first.id, first.id, other.id, other.id], "who did what stays"
    assert examine(database).problems == ()
    path = f"/api/projects/{world.project}/export?which=sheets"
    written = world["administrator"].ask("GET", path)
    copy = projects.create(database, "copy", "document", {})
    assert world["administrator"].upload(copy, written.content).json()["imported"]["sheets"] == 3
    again = world["administrator"].ask("GET", f"/api/projects/{copy}/export?which=sheets")
    assert again.content == written.content


def test_a_manager_releases_an_adjudication(world: World) -> None:
    sheet = begun(world)
    adjudicator, manager = world["adjudicator"], world["manager"]
    assert manager.ask("POST", "/api/documents/1/adjudicate").status_code == 409
    manager.ok("DELETE", f"/api/documents/1/assign/{adjudicator.id}")
    adjudicator.post(f"/api/sheets/{sheet}/beat", {"client": "t"})  # a tab that is still open
    adjudicator.act(sheet, "document.note", 1, text="the last of mine")
    assert one_waiting(world, "manager")["free"]
    assert manager.post("/api/documents/1/adjudicate")["sheet"] == sheet
    manager.act(sheet, "document.done", 2, done=True)
    # A finished one is a decision: it is free only when it was released.
    found = one_waiting(world, "adjudicator")
    assert (found["status"], found["free"]) == ("done", False)
    assert adjudicator.ask("POST", "/api/documents/1/adjudicate").status_code == 409
    manager.ok("DELETE", f"/api/documents/1/assign/{manager.id}")
    assert adjudicator.post("/api/documents/1/adjudicate")["sheet"] == sheet
    assert adjudicator.act(sheet, "document.done", 3, done=False)["status"] == "stored"


def test_two_who_begin_together_have_one_adjudication(database: Database) -> None:
    world = World(database)
    world.fill(1)
    annotate(world, "annotator", [[A, C], [B]])
    annotate(world, "second", [[A, C, D]])
    people = [world["adjudicator"], world["manager"]]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda who: who.ask("POST", "/api/documents/1/adjudicate"), people))
    assert sorted(each.status_code for each in answers) == [200, 409]
    with database.read() as connection:
        count = select(func.count()).where(assignments.c.purpose == "adjudicate")
        assert connection.execute(count).scalar_one() == 1


def test_names_are_shown_when_asked_for_and_that_is_on_record(world: World) -> None:
    world.fill(1)
    annotate(world, "annotator", [[A]])
    annotate(world, "second", [[B]])
    sheet = world["adjudicator"].post("/api/documents/1/adjudicate")["sheet"]
    told = world["adjudicator"].get(f"/api/sheets/{sheet}/disagreements?names=1")
    assert {each["name"] for each in told["annotators"]} == {"annotator", "second"}
    actions = [each["action"] for each in world["administrator"].get("/api/audit")["entries"]]
    assert "names shown" in actions


def test_a_different_grouping_is_a_disagreement_that_can_be_settled(world: World) -> None:
    world.fill(1)
    annotate(world, "annotator", [[A, C], [B, D]])
    annotate(world, "second", [[A, C, D], [B]])
    client = world["adjudicator"]
    sheet = client.post("/api/documents/1/adjudicate")["sheet"]
    found = client.get(f"/api/sheets/{sheet}/disagreements")["disagreements"]
    about = next(each for each in found if each["spans"] == [[8, 9]])
    assert about["kind"] == "group"
    with_bo = next(o for o in about["options"] if o["text"] == "with “Bo”")
    (event,) = with_bo["events"]
    assert client.act(sheet, event["kind"], 1, **event["payload"])["status"] == "stored"
    state = client.get(f"/api/sheets/{sheet}")["state"]
    groups = {each["spans"][0][0]: each["groups"] for each in state["mentions"].values()}
    assert groups[8] == groups[2] != groups[0]


def test_a_plural_antecedent_is_a_choice_of_adjudication(world: World) -> None:
    world.fill(1)
    annotate(world, "annotator", [[R, HE], [J, SHE], [THEY]])
    sheet = annotate(world, "second", [[R, HE], [J, SHE]])
    second = world["second"]
    base = second.get(f"/api/sheets/{sheet}")["revision"]
    second.act(sheet, "mention.add", base, mention="they", spans=[list(THEY)], group="g0")
    second.act(sheet, "mention.also", base + 1, mentions=["they"], group="g1")
    client = world["adjudicator"]
    sheet = client.post("/api/documents/1/adjudicate")["sheet"]
    about = client.get(f"/api/sheets/{sheet}/disagreements")["disagreements"]
    (they,) = [each for each in about if each["spans"] == [list(THEY)]]
    (plural,) = [
        o for o in they["options"] if o["text"] == "with “Ann”, “York” and with “Bo”, “she”"
    ]
    assert [each["kind"] for each in plural["events"]] == ["mention.move", "mention.also"]
    for number, event in enumerate(plural["events"]):
        told = client.act(sheet, event["kind"], number + 1, **event["payload"])
        assert told["status"] == "stored"
    again = client.get(f"/api/sheets/{sheet}/disagreements")["disagreements"]
    (they,) = [each for each in again if each["spans"] == [list(THEY)]]
    assert [o["events"] for o in they["options"] if o["text"] == plural["text"]] == [[]]
    client.act(sheet, "document.done", 3, done=True)
    path = f"/api/projects/{world.project}/export?which=gold"
    content = world["manager"].ask("GET", path).text
    (gold,) = document_jsonl.read(content.splitlines(), Source("x"))
    assert shape(gold) == shape(made(PLURAL))


def test_two_options_never_read_the_same() -> None:
    words = text("d", ["he", "and", "he", "and", "he", "slept"])
    one = replace(
        words, entities=(Entity((Mention.at(0, 1), Mention.at(4, 5))), Entity((Mention.at(2, 3),)))
    )
    two = replace(
        words, entities=(Entity((Mention.at(2, 3), Mention.at(4, 5))), Entity((Mention.at(0, 1),)))
    )
    own = adjudication.with_aliases([(1, "a", one), (2, "b", two)], "x")
    for each in adjudication.disagreements(own, adjudication.agreed_records([one, two])):
        assert len({option["text"] for option in each["options"]}) == 2


def test_gold_by_the_papers_rule_is_to_be_verified(world: World) -> None:
    world.fill(1)
    world["manager"].ok("PATCH", f"/api/projects/{world.project}", {"settings": {"annotators": 5}})
    same = [[A, C], [B]]
    for name in ("annotator", "second", "adjudicator"):
        annotate(world, name, same)
    path = f"/api/projects/{world.project}/gold"
    body = {"rule": "paper", "least": 4, "similarity": 90}
    (told,) = world["adjudicator"].post(path, body)["documents"]
    assert (told["status"], told["agreeing"], told["sheet"]) == ("too few", 3, None)
    annotate(world, "manager", same)
    (told,) = world["adjudicator"].post(path, body)["documents"]
    assert (told["status"], told["agreeing"]) == ("to verify", 4)
    sheet = world["adjudicator"].get(f"/api/sheets/{told['sheet']}")
    assert len(sheet["state"]["mentions"]) == 3
    assert sheet["status"] == "open"
    world["adjudicator"].act(told["sheet"], "document.done", 1, done=True)
    (told,) = world["adjudicator"].post(path, body)["documents"]
    assert told["status"] == "gold"


def test_pronoun_mode_from_items_to_gap_and_knowref(world: World, tmp_path: Path) -> None:
    world.bring([problem(f"p-{number}") for number in range(12)], project=world.problems)
    meant = {"annotator": 0, "second": 0, "adjudicator": 1}
    orders = set()
    for name, wanted in meant.items():
        client = world[name]
        for _ in range(12):
            sheet = client.post(f"/api/projects/{world.problems}/next")["sheet"]
            found = client.get(f"/api/sheets/{sheet}")
            shown = [each["text"] for each in found["document"]["candidates"]]
            again = client.get(f"/api/sheets/{sheet}")["document"]["candidates"]
            assert [each["text"] for each in again] == shown  # the order is stored
            orders.add(tuple(shown))
            number = int(found["document"]["name"][2:])
            label = "AB"[shown.index(("Ann", "Bea")[wanted])]
            choice = {3: "N", 4: "T", 5: "?"}.get(number, label)
            told = client.act(sheet, "answer", choice=choice)
            assert told["status"] == "stored"
            if choice == label:
                assert told["changes"][0]["after"]["answer"]["meant"] == [wanted]
    assert orders == {("Ann", "Bea"), ("Bea", "Ann")}
    base = f"/api/projects/{world.problems}"
    found = world["manager"].get(f"{base}/consensus")
    assert found["counts"] == {"first": 9, "neither": 1, "both": 1, "not sure": 1}
    assert found["kappa"]["raters"] == 3
    assert found["items"][0]["judgements"] == ["A", "A", "B"]
    written = world["manager"].ask("GET", f"{base}/export?which=gold&format=gap")
    rows = list(gap.read(written.text.splitlines(keepends=True), Source("x")))
    assert rows[0].answer == (0,)
    lost = json.loads(written.headers["x-coindex-lost"])
    assert lost["left_out"] == {"not sure": 1, "both": 1}  # GAP keeps "neither" alone of these
    assert sum(each["kept"] for each in found["items"]) == len(rows) == 10
    assert {each.answer for each in rows} == {(), (0,)}
    written = world["manager"].ask("GET", f"{base}/export?which=gold&format=knowref")
    assert next(iter(knowref.read(written.text.splitlines(keepends=True), Source("x")))).answer == (
        0,
    )
    judged = world["manager"].ask("GET", f"{base}/export?which=judgements")
    first = next(iter(problem_jsonl.read(judged.text.splitlines(keepends=True), Source("x"))))
    assert first.meta_value("judgements") == "A A B"


@pytest.mark.parametrize(
    ("protocol", "kept"),
    [("gap", {"first": (0,), "second": (1,), "neither": ()}), ("knowref", {"first": (0,), "second": (1,)})],
)  # fmt: skip
def test_what_is_discarded_is_what_the_papers_discard(
    protocol: str, kept: dict[str, tuple[int, ...]]
) -> None:
    labels = ("first", "second", "neither", "both", "not sure", "no consensus", "not judged")
    found = {label: consensus.with_consensus(problem("p"), label, protocol) for label in labels}
    assert {label: each.answer for label, each in found.items() if each is not None} == kept


def test_a_project_by_knowrefs_rules_keeps_single_names_alone(world: World) -> None:
    manager, base = world["manager"], f"/api/projects/{world.problems}"
    told = manager.ok("PATCH", base, {"settings": {"protocol": "knowref"}})["project"]["settings"]
    assert (told["raters"], told["agree"]) == (6, 5)
    manager.ok("PATCH", base, {"settings": {"raters": 2, "agree": 2}})
    assert manager.ask("PATCH", base, {"settings": {"protocol": "other"}}).status_code == 422
    world.bring([problem("p-0"), problem("p-1")], project=world.problems)
    for name in ("annotator", "second"):
        for _ in range(2):
            sheet = world[name].post(f"{base}/next")["sheet"]
            found = world[name].get(f"/api/sheets/{sheet}")["document"]
            shown = [each["text"] for each in found["candidates"]]
            choice = "N" if found["name"] == "p-1" else "AB"[shown.index("Ann")]
            world[name].act(sheet, "answer", choice=choice)
    told = manager.get(f"{base}/consensus")
    assert [(each["consensus"], each["kept"]) for each in told["items"]] == [("first", True), ("neither", False)]  # fmt: skip
    written = manager.ask("GET", f"{base}/export?which=gold&format=knowref")
    assert json.loads(written.headers["x-coindex-lost"])["left_out"] == {"neither": 1}
    assert len(list(knowref.read(written.text.splitlines(keepends=True), Source("x")))) == 1
    manager.ok("PATCH", base, {"settings": {"protocol": "gap", "raters": 2}})
    assert [each["kept"] for each in manager.get(f"{base}/consensus")["items"]] == [True, True]


class Counted:
    """A function that counts how often it was called."""

    def __init__(self, real: Any) -> None:
        self.real, self.calls = real, 0

    def __call__(self, *given: Any, **more: Any) -> Any:
        self.calls += 1
        return self.real(*given, **more)


def test_agreement_is_made_once_and_never_stale(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(agreement)
    monkeypatch.setattr(quality_routes, "agreement", counted)
    monkeypatch.setattr(leaderboard, "agreement", counted)
    manager, base = world["manager"], f"/api/projects/{world.project}"

    def now() -> Any:
        return manager.get(f"{base}/agreement")["overall"]["mentions"], counted.calls

    def shown() -> list[Any]:
        rows = manager.get(f"{base}/leaderboard")["rows"]
        return [(each["shown_name"], each["mentions"], each["agreement"]) for each in rows]

    world.fill(2)
    assert now() == (None, 1)
    sheets_ = [annotate(world, name, [[A], [B]]) for name in ("annotator", "second")]
    assert now() == (100, 2)
    assert now() == (100, 2), "asked again: kept"
    assert shown() == []
    world["annotator"].ok("PATCH", "/api/me", {"shown_name": "Ann"})
    assert shown() == [("Ann", 2, 100)], "names are those of now"
    assert shown() == [("Ann", 2, 100)]
    made = counted.calls
    assert made == 3
    # Taken up again: not finished, so not counted. Changed: an event in an open sheet alone.
    second = world["second"]
    second.act(sheets_[1], "document.done", 3, done=False)
    assert now() == (None, made + 1)
    second.act(sheets_[1], "mention.remove", 4, mentions=["m2-3"])
    assert now() == (None, made + 1), "an open sheet changes nothing"
    second.act(sheets_[1], "document.done", 5, done=True)
    assert now() == (pytest.approx(200 / 3), made + 2)
    assert shown() == [("Ann", 2, pytest.approx(200 / 3))]
    second.act(sheets_[1], "undo", 6, event=second.get(f"/api/sheets/{sheets_[1]}")["undo"][-1])
    assert now()[0] is None
    other = world["annotator"].get(f"/api/projects/{world.project}/sheets")["sheets"]
    assert [each["status"] for each in other] == ["done"]


def test_two_sheets_that_change_places_are_not_taken_for_each_other(world: World) -> None:
    """The same number of finished sheets, and the same sum of revisions."""
    manager, base = world["manager"], f"/api/projects/{world.project}"
    manager.ok("PATCH", base, {"settings": {"annotators": 3}})
    world.fill(1)
    sheets_ = {
        name: annotate(world, name, chains)
        for name, chains in (("annotator", [[A]]), ("second", [[A]]), ("adjudicator", [[B]]))
    }
    for name in ("second", "adjudicator"):
        world[name].act(sheets_[name], "document.done", 2, done=False)
    world["second"].act(sheets_["second"], "document.done", 3, done=True)
    assert manager.get(f"{base}/agreement")["overall"]["mentions"] == 100
    world["second"].act(sheets_["second"], "document.done", 4, done=False)
    world["adjudicator"].act(sheets_["adjudicator"], "document.done", 3, done=True)
    assert manager.get(f"{base}/agreement")["overall"]["mentions"] == 0


def test_judgements_are_ready_to_be_finished(world: World, tmp_path: Path) -> None:
    from coindex.builders.consensus import judgements
    from coindex.builders.gap.finish import finished
    from coindex.builders.gap.rules import gap_rules
    from coindex.builders.protocol import Dropped

    world.bring([problem("p-1")], project=world.problems)
    for name in ("annotator", "second", "adjudicator"):
        sheet = world[name].post(f"/api/projects/{world.problems}/next")["sheet"]
        shown = world[name].get(f"/api/sheets/{sheet}")["document"]["candidates"]
        world[name].act(
            sheet, "answer", choice=shown[0]["label"] if shown[0]["text"] == "Ann" else "B"
        )
    path = f"/api/projects/{world.problems}/export?which=judgements"
    content = world["manager"].ask("GET", path).text
    (found,) = problem_jsonl.read([content], Source("x"))
    assert judgements(found) == ("A", "A", "A")
    (dropped,) = finished([found], gap_rules())
    assert isinstance(dropped, Dropped)
    assert dropped.reason == "gender"  # labelled; one alone is not balanced


def test_one_answer_a_rater_and_item(world: World) -> None:
    world.bring([problem("p-1")], project=world.problems)
    client = world["annotator"]
    sheet = client.post(f"/api/projects/{world.problems}/next")["sheet"]
    client.act(sheet, "answer", choice="A")
    client.act(sheet, "answer", 1, choice="N")
    (item,) = world["manager"].get(f"/api/projects/{world.problems}/consensus")["items"]
    assert item["judgements"] == ["neither"]
    assert client.act(sheet, "answer", 2, choice="C")["status"] == "invalid"


@pytest.mark.data
def test_ezcoref_the_majority_is_better_than_the_mean_annotator(data: Path) -> None:
    passages = list(ezcoref.read_passages(data / "ezcoref"))
    assert len(passages) == 170
    assert {len(each.annotations) for each in passages} == {5}
    golds = [each for each in passages if each.gold is not None]
    assert len(golds) == 44

    def f1(pairs: Any) -> float:
        return score_pairs(pairs, OPTIONS).scores["conll"].f1

    most = f1([(each.gold, majority(list(each.annotations.values()))) for each in golds])
    each_ = fmean(
        f1([(each.gold, list(each.annotations.values())[k]) for each in golds]) for k in range(5)
    )
    assert most == pytest.approx(52.78, abs=0.01)
    assert each_ == pytest.approx(49.52, abs=0.01)
