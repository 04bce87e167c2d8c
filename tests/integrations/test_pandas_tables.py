"""Mentions, entities and scores as data frames."""

from __future__ import annotations

import pytest

import coindex
from coindex import Document, Entity, InvalidValue, Mention
from coindex.transform.resolved_entities import resolved_entities

pytest.importorskip("pandas", reason="needs pip install 'coindex[dataframes]'")

STORY = Document.of(
    "story",
    [["Ann", "fed", "her", "dog", "."], ["It", "slept", "."]],
    [
        Entity((Mention.at(0, 1), Mention.at(2, 3)), id="ann"),
        Entity((Mention.at(2, 4), Mention.at(5, 6))),
    ],
)
OTHER = Document.of("other", [["Bo", "saw", "him", "."]], [Entity((Mention.at(0, 1),))])


def test_mentions_are_in_reading_order_with_their_offsets() -> None:
    frame = STORY.to_pandas()
    assert list(frame.text) == ["Ann", "her dog", "her", "It"]
    assert list(frame.entity) == [1, 2, 1, 2]
    assert list(frame.kind) == ["name", "nominal", "pronoun", "pronoun"]
    assert list(frame.sentence) == [0, 0, 0, 1]
    for row in frame.itertuples():
        assert STORY.text[row.start : row.end] == row.text
        assert STORY.tokens[row.first_token : row.end_token] == tuple(row.text.split())
    assert frame.confidence.isna().all()


def test_entities_of_several_documents() -> None:
    frame = coindex.to_pandas([STORY, OTHER], "entities")
    assert list(frame.document) == ["story", "story", "other"]
    assert list(frame.mentions) == [2, 2, 1]
    assert list(frame.names + frame.nominals + frame.pronouns) == [2, 2, 1]
    assert list(frame.name) == [each.name for d in (STORY, OTHER) for each in resolved_entities(d)]


def test_what_a_resolver_is_sure_of_is_in_the_table() -> None:
    document = coindex.load(threads=1).resolve("Ann lost her keys. She was late.")
    frame = document.to_pandas()
    assert frame.confidence.between(0, 1).all()
    assert frame.link.notna().sum() == 2, "the first mention of an entity has no link"


def test_scores_of_systems_with_intervals() -> None:
    keys = [STORY, OTHER]
    bare = [Document.of(d.id, [d.tokens], d.entities[:1]) for d in keys]
    results = [coindex.score(keys, keys, name="gold"), coindex.score(keys, bare, name="bare")]
    frame = coindex.to_pandas(results)
    assert list(frame.system.unique()) == ["gold", "bare"]
    for row in frame[frame.metric == "conll"].itertuples():
        result = results[["gold", "bare"].index(row.system)]
        assert row.f1 == result.scores["conll"].f1
        assert row.low <= row.f1 <= row.high
        assert row.signature == result.signature
    assert results[0].to_pandas().equals(frame[frame.system == "gold"].reset_index(drop=True))


def test_scores_of_documents() -> None:
    result = coindex.score([STORY, OTHER], [STORY, OTHER], metrics="muc")
    frame = result.to_pandas("documents")
    assert list(zip(frame.document, frame.metric, strict=True)) == [("story", "muc"), ("other", "muc")]  # fmt: skip
    assert coindex.score(STORY, STORY).to_pandas().low.isna().all(), "one document: no interval"


def test_what_is_no_table_or_no_document_is_refused() -> None:
    with pytest.raises(InvalidValue, match="mentions, entities, found 'scores'"):
        STORY.to_pandas("scores")
    with pytest.raises(InvalidValue, match="expected documents"):
        coindex.to_pandas(["text"])  # type: ignore[arg-type]


def test_no_documents_make_an_empty_table_with_its_columns() -> None:
    frame = coindex.to_pandas([])
    assert len(frame) == 0
    assert "entity" in frame.columns
