"""Explanations: the terms of every metric add up to its counts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from coindex import formats
from coindex.cli import cli
from coindex.errors import UsageError
from coindex.scoring import metrics
from coindex.scoring.counting import count
from coindex.scoring.error_analysis import find_errors
from coindex.scoring.explanation import explain, find_pair
from coindex.scoring.scorer import ScoringOptions, document_contingency
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

COUNTING = [name for name in metrics.names() if not metrics.load(name).AVERAGE_OF]
EXPLAINED = ["mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea"]
WORDS = [["Ann", "met", "Bo", "."], ["She", "told", "him", "that", "Bo", "slept", "."]]


def entity(*spans: tuple[int, int]) -> Entity:
    return Entity(tuple(Mention.at(*span) for span in spans))


KEY = Document.of("d", WORDS, [entity((0, 1), (4, 5)), entity((2, 3), (6, 7), (8, 9))], part=0)
RESPONSE = Document.of(
    "d", WORDS, [entity((0, 1), (4, 5), (6, 7)), entity((8, 9), (9, 10))], part=0
)


def random_document(rng: random.Random) -> Document:
    """Entities over forty tokens; some mentions are in several of them."""
    groups: list[set[tuple[int, int]]] = [set() for _ in range(6)]
    for _ in range(30):
        start = rng.randrange(39)
        rng.choice(groups).add((start, start + rng.randrange(1, 3)))
    return Document.of("d", [["w"] * 40], [entity(*sorted(group)) for group in groups if group])


@pytest.mark.parametrize("repeats", ["largest", "first", "all"])
@pytest.mark.parametrize("singletons", ["keep", "drop"])
@pytest.mark.parametrize("name", COUNTING)
def test_terms_add_up_to_the_counts(name: str, singletons: str, repeats: str) -> None:
    options = ScoringOptions((name,), singletons=singletons, repeats=repeats)
    rng = random.Random(5)
    for _ in range(15):
        pair = random_document(rng), random_document(rng)
        wanted = count(name, document_contingency(*pair, options))
        (metric,) = explain(pair, options).metrics
        np.testing.assert_allclose(metric.counts, wanted)
        np.testing.assert_allclose(np.sum([t.counts for t in metric.terms], axis=0), wanted)


@pytest.mark.parametrize("name", EXPLAINED)
def test_the_metrics_of_entities_have_terms_of_entities(name: str) -> None:
    (metric,) = explain((KEY, RESPONSE), ScoringOptions((name,))).metrics
    keys = {term.key for term in metric.terms} - {None}
    responses = {term.response for term in metric.terms} - {None}
    assert keys == responses == {0, 1}


def test_the_fractions_of_mentions_add_up_to_b3() -> None:
    rng = random.Random(7)
    options = ScoringOptions(("b3",))
    for _ in range(10):
        found = explain((random_document(rng), random_document(rng)), options)
        recall, _, precision, _ = found.metrics[0].counts
        assert sum(mention.recall for mention in found.mentions) == pytest.approx(recall)
        assert sum(mention.precision for mention in found.mentions) == pytest.approx(precision)


def test_by_hand() -> None:
    found = explain((KEY, RESPONSE), ScoringOptions(tuple(EXPLAINED)))
    assert found.key == ("Ann", "Bo")
    assert found.response == ("Ann", "Bo")
    terms = {
        metric.name: [(term.key, term.response, term.counts, term.detail) for term in metric.terms]
        for metric in found.metrics
    }
    assert terms["muc"][1] == (1, None, (0, 2, 0, 0), "3 - 3 parts (1 unmatched)")
    assert terms["b3"][2][3] == "2 × 2/3 (K1) + 1 × 1/3 (K2)"
    assert terms["ceafe"][0] == (0, 0, (0.8, 1, 0.8, 1), "2 × 2 / (2 + 3)")
    assert terms["lea"][0] == (0, None, (2, 2, 0, 0), "2 × 1/1 links")
    assert terms["blanc"][-1][2] == (0, 0, 0, 2, 6, 6)  # Ann and Bo, She and Bo
    status = {each.words: (each.key, each.response) for each in found.mentions}
    assert status == {
        "Ann": (0, 0), "Bo": (1, 1), "She": (0, 0), "him": (1, 0), "slept": (None, 1),
    }  # fmt: skip
    assert found.errors == find_errors([(KEY, RESPONSE)], ScoringOptions(), examples=10**6)


def test_a_document_is_found_by_its_key_or_its_id() -> None:
    other = Document.of("d", WORDS, part=1)
    assert find_pair([(KEY, RESPONSE)], "d")[0] is KEY
    assert find_pair([(KEY, RESPONSE), (other, other)], "d part 1")[0] is other
    with pytest.raises(UsageError, match="found 'd': d part 0, d part 1"):
        find_pair([(KEY, RESPONSE), (other, other)], "d")
    with pytest.raises(UsageError, match="expected the name of a document, found 'x': d part 0"):
        find_pair([(KEY, RESPONSE)], "x")


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    paths = [str(tmp_path / "key.conll"), str(tmp_path / "response.conll")]
    for path, document in zip(paths, (KEY, RESPONSE), strict=True):
        formats.write(path, [document], "conll2012")
    return ["score", *paths, "--metrics", "all", "--explain", "d"]


def test_on_a_terminal(command: list[str]) -> None:
    shown = CliRunner().invoke(cli, command).output
    assert "[Ann]K1·R1 met [Bo]K2 ." in shown
    assert "response.conll: d part 0: CEAFe" in shown
    assert "2 × 2 / (2 + 3)" in shown
    assert "extra mention: 1 of 1" in shown


def test_as_json(command: list[str]) -> None:
    found = json.loads(CliRunner().invoke(cli, [*command, "--json"]).output)["systems"][0]
    explanation = found["explanation"]
    assert explanation["document"] == "d part 0"
    for name in EXPLAINED:
        metric = explanation["metrics"][name]
        sums = np.sum([term["counts"] for term in metric["terms"]], axis=0)
        np.testing.assert_allclose(sums, found["scores"][name]["counts"])
        np.testing.assert_allclose(sums, [each["value"] for each in metric["counts"]])
    assert explanation["mentions"][0]["status"] == "matched"
    assert explanation["errors"]["errors"]["extra_mention"]["count"] == 1


def test_on_a_page(command: list[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert CliRunner().invoke(cli, [*command, "--html", str(page)]).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert '<a href="#t2">response.conll: d part 0</a>' in text
    assert (
        '<b class="extra">[</b>slept<b class="extra" title="in the response only; R2: Bo">]' in text
    )
    assert "<script" not in text


def test_the_page_shows_any_words_as_text(tmp_path: Path) -> None:
    evil = Document.of("<i>", [["<script>", "&"]], [entity((0, 1), (1, 2))])
    path, page = tmp_path / "a.jsonl", tmp_path / "page.html"
    formats.write(path, [evil], "document-jsonl")
    command = ["score", str(path), str(path), "--explain", "<i>", "--html", str(page)]
    assert CliRunner().invoke(cli, command).exit_code == 0
    assert "<script" not in page.read_text(encoding="utf-8")
