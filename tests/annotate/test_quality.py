"""Agreement, alpha, kappa, consensus, majority, adjudication, gold, and the ezCoref corpus."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from annotate_web import World, problem, text
from coindex import formats
from coindex.annotate import alpha, consensus, ezcoref
from coindex.annotate.agreement import OPTIONS, agreement, similarity
from coindex.annotate.database import Database
from coindex.annotate.majority import agreed, majority
from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.source import Source
from coindex.formats import gap, knowref, problem_jsonl
from coindex.scoring.run import score_pairs

Chains = list[list[tuple[int, int]]]


def made(chains: Chains, name: str = "d") -> Document:
    entities = tuple(Entity(tuple(Mention.at(*span) for span in chain)) for chain in chains)
    return replace(text(name), entities=entities)


A, B, C, D = (0, 1), (2, 3), (6, 7), (8, 9)


def test_alpha_of_equals_is_one_and_of_nothing_is_none() -> None:
    assert alpha.alpha([[made([[A, C], [B]])] * 3]) == 1.0
    assert alpha.alpha([[made([]), made([])]]) is None


def test_alpha_by_hand() -> None:
    # Units A and C. One says {A, C} of both; the other {A} and {C}: both pairs are subsets.
    # Observed: each unit 2 * 1/3, four values: (2/3 + 2/3) / 4 = 1/3.
    # Expected: values AC, AC, A, C: 2 * (2 * 1/3 + 2 * 1/3 + 1) / (4 * 3) = (14/3) / 12 = 7/18.
    found = alpha.alpha([[made([[A, C]]), made([[A], [C]])]])
    assert found == pytest.approx(1 - (1 / 3) / (7 / 18))


def test_alpha_of_two_documents_is_of_all_their_values() -> None:
    one = [made([[A, C]]), made([[A], [C]])]
    two = [made([[B]]), made([])]
    # Values: AC AC A C | B' and nothing. Observed: (4/3 + 2) / 6. Pairs (ordered) of one
    # document: 14/3 and 2; across: 4 * 2 * 2, all at distance 1.
    expected = (14 / 3 + 2 + 16) / 30
    assert alpha.alpha([one, two]) == pytest.approx(1 - (10 / 3 / 6) / expected)


def test_distance_is_passonneau_s() -> None:
    one = frozenset({"a", "b"})
    values = [alpha.distance(one, frozenset(other)) for other in ("ab", "a", "abc", "bc", "c", "")]  # type: ignore[arg-type]
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
    assert consensus.consensus(said.split(), raters, agree) == label


def test_what_all_have_and_what_most_have() -> None:
    one, two, three = made([[A, C], [B, D]]), made([[A, C, D], [B]]), made([[A, C], [B]])
    places = [[place[0].start for place in group] for group in agreed([one, two, three])]
    assert places == [[0, 6], [2]]
    most = majority([one, two, three])
    assert [[m.start for m in e.mentions] for e in most.entities] == [[0, 6], [2], [8]]


def test_one_mistake_does_not_fuse_two_chains() -> None:
    right, wrong = made([[A, C], [B, D]]), made([[A, C, B, D]])
    assert majority([right, right, wrong]) == right


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
    (gold,) = formats.load("document-jsonl").read(answer.text.splitlines(), Source("x"))
    assert [[m.start for m in e.mentions] for e in gold.entities] == [[0, 6], [2]]


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
    with_bo = next(o for o in about["options"] if o["text"] == "with 'Bo'")
    (event,) = with_bo["events"]
    assert client.act(sheet, event["kind"], 1, **event["payload"])["status"] == "stored"
    state = client.get(f"/api/sheets/{sheet}")["state"]
    groups = {each["spans"][0][0]: each["groups"] for each in state["mentions"].values()}
    assert groups[8] == groups[2] != groups[0]


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
    assert lost["left_out"] == {"not sure": 1}
    written = world["manager"].ask("GET", f"{base}/export?which=gold&format=knowref")
    assert next(iter(knowref.read(written.text.splitlines(keepends=True), Source("x")))).answer == (
        0,
    )
    judged = world["manager"].ask("GET", f"{base}/export?which=judgements")
    first = next(iter(problem_jsonl.read(judged.text.splitlines(keepends=True), Source("x"))))
    assert first.fact("judgements") == "A A B"


def test_judgements_are_ready_to_be_finished(world: World, tmp_path: Path) -> None:
    from coindex.corpora._consensus import judgements
    from coindex.corpora._gap_finish import finish

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
    done = finish([found], {found.id: judgements(found)})
    assert [drop.reason for drop in done.dropped] == [
        "gender"
    ]  # labelled; one alone is not balanced


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
    passages = list(ezcoref.read(data / "ezcoref"))
    assert len(passages) == 170
    assert {len(each.made) for each in passages} == {5}
    golds = [each for each in passages if each.gold is not None]
    assert len(golds) == 44

    def f1(pairs: Any) -> float:
        return score_pairs(pairs, OPTIONS).scores["conll"].f1

    most = f1([(each.gold, majority(list(each.made.values()))) for each in golds])
    each_ = fmean(
        f1([(each.gold, list(each.made.values())[k]) for each in golds]) for k in range(5)
    )
    assert most == pytest.approx(52.77, abs=0.01)
    assert each_ == pytest.approx(49.52, abs=0.01)
