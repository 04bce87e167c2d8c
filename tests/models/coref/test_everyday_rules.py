"""What the rules make of short texts of daily use, with the shipped model."""

from __future__ import annotations

from typing import Any

import pytest

import coindex

MAIL = (
    "Hi team,\n\nQuick update from the call with Northwind. Priya showed them the demo; I'll send them our "
    "whitepaper today. Priya will follow up with Martin once she's back from her vacation.\n\nBest,\nTom\n"
)


@pytest.fixture(scope="module")
def resolver() -> Any:
    return coindex.load()


def together(document: coindex.Document, *texts: str) -> bool:
    """Whether one entity has mentions with these texts."""
    found = [[document.text_of(m) for m in e.mentions] for e in document.entities]
    return any(all(text in entity for text in texts) for entity in found)


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("Ann called Bob. He did not answer.", ("Bob", "He")),
        ("A man called Bob sat there. He ate.", ("A man called Bob", "He")),
        ("i spoke to sam. he is fine.", ("sam", "he")),
        ("Ann: I lost my hat, Ben\nBen: I have your hat\n", ("Ben", "I")),
        ("Ann: I lost my hat, Ben\nBen: I have your hat\n", ("Ann", "I", "your")),
        ("[12:03] ann: hey ben did you see it\n[12:04] ben: no, I did not\n[12:05] ann: ok\n",
         ("ben", "you", "I")),
        ('"You should leave," Karen told Mike. "I can\'t," he replied.', ("Mike", "I", "he")),
        ('Anna Schmidt won. Her coach, Peter Lang, cried. "I knew she could do it," he said.',
         ("Peter Lang", "I", "he")),
        ('Anna Schmidt won. Her coach, Peter Lang, cried. "I knew she could do it," he said.',
         ("Anna Schmidt", "Her", "she")),
        ("The Rovers lost again, and their coach says that he may resign.", ("their coach", "he")),
        ("MARA\nYou're late.\n\nIDRIS\n(taking off his coat)\nI know. I'm sorry.\n\nMARA\nSit down.\n",
         ("IDRIS", "his", "I")),
        ("Rowan goes by xe/xem. Rowan said that xe would come, and we paid xem.",
         ("Rowan", "xe", "xem")),
        ("Dr. Aurelio Conti wrote to Wanjiru Kimani. Wanjiru did not answer.",
         ("Wanjiru Kimani", "Wanjiru")),
        ("Robin Lee met us in town. Xe was late.", ("Robin Lee", "Xe")),
        ("Tomás lent Ingrid his bicycle.", ("Tomás", "his")),
        ("Judge Okafor fined the landlord. He appealed, but the judge did not change her mind.",
         ("Judge Okafor", "the judge", "her")),
        ("Brightloom, a software startup in Graz, hired Ann. The startup paid her well.",
         ("Brightloom", "The startup")),
        ("Please read the contract. I think it is ready.", ("the contract", "it")),
        (MAIL, ("Priya", "she", "her")),
        (MAIL, ("I", "Tom")),
        ("**@sarah_k**: my dog ate my homework\n**@mike99**: no way, did he?\n**@sarah_k**: she. "
         "I told my prof\n", ("@sarah_k", "my", "I")),
        ("Tesla Inc. said that it would recall 12,000 vehicles. The electric-car maker, which is based "
         "in Austin, said its engineers had found a bug. \"We will update them,\" it said.",
         ("Tesla Inc.", "The electric-car maker", "We")),
    ],
)  # fmt: skip
def test_mentions_of_one(resolver: Any, text: str, mentions: tuple[str, ...]) -> None:
    assert together(resolver.resolve(text), *mentions)


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("Ann called Bob. He did not answer.", ("Ann", "Bob")),
        ("Dr. Patel called Mrs. Nguyen. He was late.", ("Dr. Patel", "Mrs. Nguyen")),
        (MAIL, ("I", "Priya")),
        (MAIL, ("Tom", "Priya")),
        (
            "Michael from accounting has a beard; Michael from sales does not. Michael from sales wants one.",
            ("Michael from accounting", "Michael from sales"),
        ),
        (
            "The Bank of Elmouth lent it to the Bank of Norwick. The Bank of Norwick paid it back.",
            ("The Bank of Elmouth", "The Bank of Norwick"),
        ),
        (
            "The mayor of Lyon met the mayor of Turin. The mayor of Lyon laughed.",
            ("The mayor of Lyon", "the mayor of Turin"),
        ),
        ('"We close on Friday," she said.', ("Friday", "she")),
        ("I looked at the plan last night and think it is fine.", ("last night", "it")),
        (
            "It was raining when Ann reached the station, and it took her an hour.",
            ("the station", "it"),
        ),
        ("My assistant will send you the letter. He has been ill.", ("the letter", "He")),
        ("Ann, who left early, called Bob. He did not answer.", ("Ann", "Bob")),
        (
            "Detective Harlan questioned the suspect. He said that he had never met the victim.",
            ("He", "the victim"),
        ),
        ('"Mr. Osei promises a raise," her cousin replied. "He lies."', ("Mr. Osei", "her cousin")),
    ],
)
def test_mentions_of_two(resolver: Any, text: str, mentions: tuple[str, ...]) -> None:
    assert not together(resolver.resolve(text), *mentions)


@pytest.mark.parametrize(
    "text",
    [
        "Tim told the man in Tim's room. Tim's wife left.",
        'Jane Doe, who lives in Ohio (the "Contractor") agrees. The Contractor shall pay.',
        "Hi Priya,\n\nPriya, I got your note.\n\nTom\n",
    ],
)
def test_borders(resolver: Any, text: str) -> None:
    document = resolver.resolve(text)
    for entity in document.entities:
        for mention in entity.mentions:
            found = document.text_of(mention)
            assert not found.endswith("'s")
            assert not found.startswith("Hi ")
            assert found.count('"') in (0, 2)


@pytest.mark.parametrize(
    "text",
    [
        "Sen. Warren attacked Sen. Cruz. She said he lied.",
        "Ann lost her keys in Leeds. She had put them into the blue bag of her aunt.",
    ],
)
def test_singletons_leave_other_entities_as_they_are(resolver: Any, text: str) -> None:
    several = {entity.mentions for entity in resolver.resolve(text).entities}
    every = {entity.mentions for entity in coindex.load(singletons=True).resolve(text).entities}
    assert several <= every
    assert all(len(mentions) == 1 for mentions in every - several)


def test_singletons_are_more_entities(resolver: Any) -> None:
    text = "Ann lost her keys in Leeds, near the market."
    assert not together(resolver.resolve(text), "the market")
    assert together(coindex.load(singletons=True).resolve(text), "the market")


@pytest.mark.parametrize(
    "text",
    [
        "John met Paul. He was proud of him.",
        "John met Paul. He promised to help him.",
        "John told his son that he was proud of him.",
        "Ann met Eve. She spoke to Eve about her.",
        "The referee whistled. Arteta was angry. He would complain to the league about him.",
    ],
)
def test_a_subject_and_its_object_are_two(resolver: Any, text: str) -> None:
    document = resolver.resolve(text)
    last = [
        m for e in document.entities for m in e.mentions if m.start > 3 and m.end - m.start == 1
    ]
    pronouns = [m for m in last if document.text_of(m).lower() in ("he", "him", "she", "her")]
    entity_of = {m: at for at, e in enumerate(document.entities) for m in e.mentions}
    assert len(pronouns) == 2
    assert len({entity_of[m] for m in pronouns}) == 2
