"""Errors agree with the table of the metrics, and known damage is found again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import Document, Entity, Mention, formats
from coindex.scoring.alignment import align
from coindex.scoring.error_analysis import ERRORS, ErrorReport, find_errors
from coindex.scoring.scorer import ScoringOptions, document_contingency
from coindex.transform.edit import count_shared_spans
from strategies import documents, entity_sets


def _counts(report: ErrorReport) -> dict[str, int]:
    return {each.error: each.count for each in report.errors if each.count}


def _assert_consistent(pairs: list[tuple[Document, Document]], options: ScoringOptions) -> None:
    report = find_errors(pairs, options)
    wanted = dict.fromkeys(ERRORS, 0)
    for key, response in pairs:
        table = document_contingency(key, response, options)
        matched, cells = int(table.overlaps.sum()), len(table.rows)
        rows, columns = len(np.unique(table.rows)), len(np.unique(table.columns))
        found = (
            int(table.key.sum()) - matched,
            int(table.response.sum()) - matched,
            len(table.key) - rows,
            len(table.response) - columns,
            cells - rows,
            cells - columns,
        )
        for error, number in zip(ERRORS, found, strict=True):
            wanted[error] += number
    assert {each.error: each.count for each in report.errors} == wanted
    assert all(sum(each.by_kind.values()) == each.count for each in report.errors)
    assert all(len(each.examples) == min(each.entities, 5) for each in report.errors)


@st.composite
def sided(draw: st.DrawFn) -> tuple[Document, Document]:
    """A document, and the same with other entities."""
    key = draw(documents())
    new = draw(entity_sets(len(key))) if len(key) > 1 else []
    return key, replace(key, entities=tuple(new))


@given(st.lists(sided(), min_size=1, max_size=3), st.sampled_from(["keep", "drop"]))
def test_counts_agree_with_the_table(
    pairs: list[tuple[Document, Document]], singletons: str
) -> None:
    _assert_consistent(pairs, ScoringOptions(singletons=singletons))


@given(documents())
def test_no_errors_against_itself(document: Document) -> None:
    assert _counts(find_errors([(document, document)], ScoringOptions())) == {}


def _read(data: Path, name: str) -> list[Document]:
    path = data / "gum" / f"{name}.dev.gold_conll.xz"
    return [cast(Document, item) for item in formats.read(path)]


@pytest.mark.data
@pytest.mark.parametrize("match", ["exact", "mina", "mina-strict", "head", "partial"])
def test_real_documents(data: Path, match: str) -> None:
    pairs = list(align(_read(data, "ontogum"), _read(data, "gum")))
    _assert_consistent(pairs, ScoringOptions(match=match))
    if match == "exact":
        found = {each.error: each.count for each in find_errors(pairs, ScoringOptions()).errors}
        assert found == dict(zip(ERRORS, (129, 4209, 0, 3154, 2, 73), strict=True))


@pytest.mark.data
def test_known_damage_is_found(data: Path) -> None:
    for key in [each for each in _read(data, "ontogum") if not count_shared_spans(each)][:10]:
        big, other, *rest = sorted(key.entities, key=len, reverse=True)
        mentions = big.mentions
        taken = {mention.spans for mention in key.mentions}
        free = next(m for i in range(len(key)) if (m := Mention.at(i, i + 1)).spans not in taken)
        damage = {
            ("missing mention",): [replace(big, mentions=mentions[1:]), other, *rest],
            ("conflated",): [replace(big, mentions=mentions + other.mentions), *rest],
            ("divided",): [Entity(mentions[:2]), Entity(mentions[2:]), other, *rest],
            ("extra mention",): [replace(big, mentions=(*mentions, free)), other, *rest],
            ("extra mention", "extra entity"): [big, other, *rest, Entity((free,))],
        }
        for errors, entities in damage.items():
            report = find_errors([(key, replace(key, entities=tuple(entities)))], ScoringOptions())
            assert _counts(report) == dict.fromkeys(errors, 1)
            shown = report.of(errors[0]).examples[0].spans
            if errors == ("missing mention",):
                assert shown == tuple((s.start, s.end) for s in mentions[0].spans)
            if "extra mention" in errors:
                assert shown == ((free.start, free.end),)
