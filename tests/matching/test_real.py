"""Minimum spans on a real corpus with gold trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex import Document, formats
from coindex.core.mention import reading_order
from coindex.matching import mina

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
