"""Minimum spans on real corpora with gold trees, and parity with the MINA authors' program.

The words of its minimum spans are in `mina/` of the folder of corpora.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coindex import Document, formats, io
from coindex.scoring.matching.builtin import mina, mina_strict
from coindex.types.mention import reading_order

pytestmark = pytest.mark.data


def test_minimum_spans_lie_within_their_mentions(data: Path) -> None:
    total = shorter = 0
    for document in formats.read(data / "gum" / "ontogum.dev.gold_conll.xz"):
        assert isinstance(document, Document)
        for mention in document.mentions:
            span = mina.minimum_span(document, mention.start, mention.end)
            assert span
            assert set(span) <= set(mention.tokens)
            total += 1
            shorter += len(span) < len(mention.tokens)
    assert total == 3818
    assert shorter > total / 12


def test_a_rule_depends_on_the_span_alone(data: Path) -> None:
    document = next(iter(formats.read(data / "gum" / "ontogum.dev.gold_conll.xz")))
    assert isinstance(document, Document)
    of_key, of_response = mina.pair(document, document)
    for mention in document.mentions:
        assert of_key(mention) == of_response(mention)
        assert reading_order(mention)


SPANS = {"ontogum.dev": 8944, "ontogum.test": 8586, "gum.dev": 20214}


@pytest.mark.parametrize("name", SPANS)
def test_words_of_the_authors_program(data: Path, name: str) -> None:
    """Gold mentions, and spans cut or extended at random; all of them are equal."""
    items = formats.read(data / "gum" / f"{name}.gold_conll.xz")
    known = {item.key: item for item in items if isinstance(item, Document)}
    rows = io.read_text(str(data / "mina" / f"{name}.jsonl.xz")).splitlines()
    assert len(rows) == SPANS[name]
    for row in map(json.loads, rows):
        document = known[row["doc"]]
        found = mina.minimum_span(document, row["start"], row["end"])
        assert [document.tokens[token] for token in found] == row["minimum"], row


def test_mentions_where_version_0_1_differed_from_the_program(data: Path) -> None:
    """`mina` has the program's words, `mina-strict` those of version 0.1."""
    rows = io.read_text(str(data / "mina" / "differences.jsonl.xz")).splitlines()
    assert len(rows) == 3476
    for row in map(json.loads, rows):
        document = Document.of("d", [row["text"]], pos=tuple(row["pos"]), parse=tuple(row["parse"]))
        for search, side in ((mina.minimum_span, "authors"), (mina_strict.minimum_span, "ours")):
            found = search(document, 0, len(document))
            assert [document.tokens[token] for token in found] == row[side], (side, row)
