"""Errors: golden values on small documents."""

from __future__ import annotations

import json
from collections.abc import Iterable

from coindex import Document, Entity, Mention, Span
from coindex.report.score_details import error_json, error_tables
from coindex.scoring.error_analysis import (
    ERRORS,
    EntityPart,
    ErrorExample,
    ErrorReport,
    find_errors,
)
from coindex.scoring.scorer import ScoringOptions

WORDS = [
    "Ann",
    "saw",
    "Bob",
    ".",
    "She",
    "fed",
    "the",
    "old",
    "dog",
    "and",
    "it",
    "bit",
    "him",
    "in",
    "the",
    "leg",
    ".",
]
ANN, BOB, SHE, DOG, IT, HIM, LEG = (
    Mention.at(*span) for span in ((0, 1), (2, 3), (4, 5), (6, 9), (10, 11), (12, 13), (14, 16))
)


def _document(*entities: Iterable[Mention], id: str = "d") -> Document:
    return Document.of(id, [WORDS[:4], WORDS[4:]], [Entity(tuple(e)) for e in entities])


KEY = _document([ANN, SHE], [BOB, HIM], [DOG, IT])
RESPONSE = _document([ANN, SHE, BOB], [HIM], [LEG])


def _counts(report: ErrorReport) -> dict[str, int]:
    return {each.error: each.count for each in report.errors if each.count}


def test_golden() -> None:
    report = find_errors([(KEY, RESPONSE)], ScoringOptions())
    assert (report.key_mentions, report.response_mentions, report.matched) == (6, 5, 4)
    assert _counts(report) == {
        "missing mention": 2,
        "extra mention": 1,
        "missing entity": 1,
        "extra entity": 1,
        "divided": 1,
        "conflated": 1,
    }
    missing = report.of("missing mention")
    assert missing.by_kind == {"pronoun": 1, "name": 0, "nominal": 1}
    assert missing.examples[0] == ErrorExample(
        "d",
        ((6, 9),),
        "the old dog",
        "nominal",
        "Ann saw Bob . She fed [the old dog] and it bit him in the",
    )
    assert report.of("divided").examples[0].pieces == (EntityPart("Bob", 1), EntityPart("him", 1))
    assert report.of("divided").by_kind == {"pronoun": 1, "name": 0, "nominal": 0}
    conflated = report.of("conflated").examples[0]
    assert conflated.context == "[Ann] saw Bob . She fed the"
    assert conflated.pieces == (EntityPart("Ann", 2), EntityPart("Bob", 1))
    assert report.of("extra entity").examples[0].words == "the leg"


def test_pieces_are_counted() -> None:
    one = _document([ANN, SHE, BOB, HIM, DOG])
    many = _document([ANN, SHE], [BOB], [HIM], [IT])
    for pair, error in (((one, many), "divided"), ((many, one), "conflated")):
        counted = find_errors([pair], ScoringOptions()).of(error)
        assert (counted.count, counted.entities) == (2, 1)
        assert [piece.mentions for piece in counted.examples[0].pieces] == [2, 1, 1]
        assert sum(counted.by_kind.values()) == counted.count


def test_conflated_pieces_are_called_what_the_key_calls_them() -> None:
    counted = find_errors([(KEY, _document([SHE, HIM]))], ScoringOptions()).of("conflated")
    assert counted.examples[0].pieces == (EntityPart("Ann", 1), EntityPart("Bob", 1))
    assert counted.by_kind == {"pronoun": 1, "name": 0, "nominal": 0}


def test_singletons_may_be_left_out() -> None:
    found = _counts(find_errors([(KEY, RESPONSE)], ScoringOptions(singletons="drop")))
    assert found == {"missing mention": 3, "missing entity": 1, "conflated": 1}


def test_examples_are_few_and_spread() -> None:
    pairs = [
        (_document([ANN, SHE], [HIM, BOB], id=name), _document(id=name)) for name in ("a", "b", "c")
    ]
    examples = find_errors(pairs, ScoringOptions(), examples=4).of("missing mention").examples
    assert len({(each.document, each.words) for each in examples}) == 4
    assert [each.document for each in examples[:3]] == ["a", "b", "c"]
    assert len({each.words for each in examples}) == 4
    assert find_errors(pairs, ScoringOptions(), examples=0).of("missing mention").examples == ()


def test_gaps_are_shown() -> None:
    split = Mention((Span(0, 1), Span(2, 3)))
    (example,) = (
        find_errors([(_document([split]), _document())], ScoringOptions()).errors[0].examples
    )
    assert (example.words, example.spans) == ("Ann … Bob", ((0, 1), (2, 3)))
    assert example.context.startswith("[Ann] saw [Bob] .")


def test_grids_and_json() -> None:
    report = find_errors([(KEY, RESPONSE)], ScoringOptions())
    first, *others = error_tables(report)
    assert first.columns == ("error", "count", "places", "pronoun", "name", "nominal")
    assert [row[0] for row in first.rows] == list(ERRORS)
    assert [grid.title for grid in others][-2:] == ["divided: 1 of 1", "conflated: 1 of 1"]
    assert others[-1].rows[0][-1] == "Ann (2) | Bob (1)"
    for grid in (first, *others):
        assert {len(row) for row in grid.rows} == {len(grid.columns)}
    plain = json.loads(json.dumps(error_json(report)))
    assert plain["errors"]["divided"]["examples"][0]["pieces"][0] == {"name": "Bob", "mentions": 1}
    assert plain["matched"] == 4
