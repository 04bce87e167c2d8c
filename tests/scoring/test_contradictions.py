"""Contradictions of clusters: each kind, its exceptions, and silence on gold corpora."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex import formats
from coindex.scoring.contradictions import KINDS, contradictions, count
from coindex.text.word_lists import words as decoder_words
from coindex.types.document import Document
from probe_samples import Words, resolved


def kinds(text: str, cluster: list[Words], speakers: tuple[str, ...] | None = None) -> list[str]:
    return [each.kind for each in contradictions(resolved(text, cluster, speakers=speakers))]


@pytest.mark.parametrize(
    ("text", "cluster", "expected"),
    [
        ("He saw that she left.", ["He", "she"], ["gender"]),
        ("He or she left. He sang.", ["He", "she", ("He", 1)], []),
        ("I saw that you left.", ["I", "you"], ["person"]),
        ("I left. “You sang,” she said.", ["I", "You"], []),
        ("ann: i left\nbo: you did", ["i", "you"], []),
        ("I said “you left”.", ["I", "you"], []),
        ("“I saw you,” he said.", ["I", "you"], ["person"]),
        ("Ann Lee met Bo Lee.", ["Ann Lee", "Bo Lee"], ["given-name"]),
        ("Robert Lee is Bob Lee, R. Lee, Dr. Lee.", ["Robert Lee", "Bob Lee", "R. Lee", "Dr. Lee"], []),
        ("Ann Lee met Kwame Osei.", ["Ann Lee", "Kwame Osei"], ["full-name"]),
        ("Ann Lee is Ann Osei.", ["Ann Lee", "Ann Osei"], []),
        ("the Grace Hall and the Rose Garden", ["the Grace Hall", "the Rose Garden"], []),
        ("Mr. Lee said she left.", ["Mr. Lee", "she"], ["noun"]),
        ("His mother said he left.", ["His mother", "he"], ["noun"]),
        ("Priya said he left.", ["Priya", "he"], ["noun"]),
        ("Alex said he left.", ["Alex", "he"], []),
        ("William James said James left. She sang.", [("James", 1), "She"], []),
        ("James left. She sang.", ["James", "She"], ["noun"]),
        ("Dr. William Rose said he left. Rose sang.", [("Rose", 1), "he"], []),
        ("Dr. Lee said she left.", ["Dr. Lee", "she"], []),
        ("He said they left.", ["He", "they"], ["number"]),
        ("The person said they left as he had.", ["The person", "they", "he"], []),
        ("The team said it won. They sang.", ["The team", "it", "They"], []),
        ("Acme said it won. They sang.", ["Acme", "it", "They"], []),
        ("The cup broke. It fell when they fell.", ["The cup", "It", "they"], ["number"]),
        ("Alex left xe's home. They sang.", ["Alex", "xe", "They"], []),
        ("the red car hit the blue car", ["the red car", "the blue car"], ["modifier"]),
        ("the red car hit the car", ["the red car", "the car"], []),
        ("the red car hit the blue van", ["the red car", "the blue van"], []),
        ("the first man in a red hat, the second man", ["the first man", "the second man"], ["modifier"]),
        ("Ann and Bo left. She sang.", ["Ann and Bo", "She"], []),
        ("HE SAW THAT SHE LEFT", ["HE", "SHE"], ["gender"]),
        ("The US said it left.", ["The US", "it"], []),
    ],
)  # fmt: skip
def test_kinds(text: str, cluster: list[Words], expected: list[str]) -> None:
    assert kinds(text, cluster) == expected


def test_speakers() -> None:
    text = "I saw you . I sang ."
    plain = resolved(text, ["I", ("I", 1)])
    two = ("Ann",) * 4 + ("Bo",) * (len(plain) - 4)
    assert kinds(text, ["I", ("I", 1)], speakers=two) == ["speaker"]
    assert kinds(text, ["I", ("I", 1)], speakers=("Ann",) * len(plain)) == []
    assert kinds(text, [("I", 1), "you"], speakers=two) == [], "you of Ann is Bo"
    assert kinds(text, [("I", 1), "you"], speakers=("Ann",) * len(plain)) == ["person"]


@pytest.mark.parametrize(
    "text",
    [
        "Ann: I saw you.\nBo: I know.",
        "[12:03] ann: I saw you.\n[12:04] bo: I know.",
        "<ann> I saw you.\n<bo> I know.",
        "Q: I saw you?\nA: I know.",
    ],
)
def test_labels_of_lines_are_speakers(text: str) -> None:
    assert kinds(text, ["I", ("I", 1)]) == ["speaker"]
    assert kinds(text, ["I", "you"]) == ["person"]
    assert kinds(text, ["you", ("I", 1)]) == []


def test_other_labels_are_none() -> None:
    text = "Subject: I saw you.\nDate: Monday. I know."
    assert kinds(text, ["I", ("I", 1)]) == []


def test_a_contradiction_says_where_it_is() -> None:
    document = resolved("Rain. He saw that she left.", ["He", "she"], id="d")
    (found,) = contradictions(document)
    assert (found.document, found.entity) == ("d", 0)
    assert [document.text_of(mention) for mention in found.mentions] == ["He", "she"]
    assert found.reason == "'He' and 'she': masculine and feminine"


def test_clusters_are_counted_not_pairs() -> None:
    text = "He saw that she left, and they saw him and her. It rained."
    document = resolved(text, ["He", "she", "they", "him", "her"], ["It"])
    counted = count([document, resolved("He left him.", ["He", "him"])])
    assert (counted.documents, counted.clusters, counted.contradictory) == (2, 2, 1)
    assert dict(counted.kinds) == {kind: int(kind in ("gender", "number")) for kind in KINDS}
    assert counted.rate == 500
    assert count([Document("e", "")]).rate is None


def test_the_lists_are_not_those_of_the_decoder() -> None:
    """No module of the resolver or of `text` names the checker, and it names none of theirs."""
    root = Path(formats.__file__).parents[1]
    own = root / "scoring" / "contradictions"
    assert not any("coindex.text" in path.read_text("utf-8") for path in own.glob("*.py"))
    for package in ("text", "transform", "models", "resolvers", "assets"):
        for path in (root / package).rglob("*.py"):
            assert "contradictions" not in path.read_text("utf-8"), path
    assert decoder_words("titles"), "the decoder's own list is elsewhere"


GOLD = {
    "gum/gum.dev.gold_conll.xz": 10,
    "gum/ontogum.dev.gold_conll.xz": 10,
    "litbank/conll/*.conll": 15,
}
"""The most contradictory clusters per 1,000 that gold may show: its own slips, and ours."""


@pytest.mark.data
@pytest.mark.parametrize("name", GOLD)
def test_gold_is_nearly_free_of_contradictions(name: str, data: Path) -> None:
    paths = sorted(data.glob(name))
    documents = [
        each for path in paths for each in formats.read(path) if isinstance(each, Document)
    ]
    rate = count(documents).rate
    assert rate is not None
    assert rate <= GOLD[name]
