"""Files of decisions: both forms, and every way to get them wrong."""

from __future__ import annotations

import pytest

from bench_samples import ITEMS
from coindex.benchmarks import gap_scorer
from coindex.errors import CoindexError, FormatError, InvalidValue
from coindex.evaluate.decision_files import ExternalDecisions, parse_predictions, write_decisions
from coindex.types.decision import Decision, match_decisions


def of(text: str, benchmark: str = "gap") -> ExternalDecisions:
    table = gap_scorer if benchmark == "gap" else None
    decisions, notes = parse_predictions(text.splitlines(keepends=True), "f", ITEMS, table)
    return ExternalDecisions("", "predictions", decisions, notes)


def test_json_lines_of_any_benchmark() -> None:
    found = of(
        '\n{"id": "p0", "chosen": [1]}\n\n{"id": "p1", "chosen": [], "scores": [0, 0.5]}\n', "x"
    )
    assert found.decisions == (Decision("p0", (1,)), Decision("p1", (), (0.0, 0.5)))
    assert not found.notes
    assert len(match_decisions(ITEMS, found.decisions).missing) == 8


def test_what_is_written_is_read() -> None:
    given = [
        Decision("p0", (0, 1)),
        Decision("p1", (), (0.25, 1.0)),
        Decision("p2", (), None, (1,)),
    ]
    assert list(of("".join(write_decisions(given)), "x").decisions) == given


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "p0"}', "f:1: 'chosen': expected a list of indices, found null"),
        ('{"id": "p0", "chosen": 1}', "f:1: 'chosen'"),
        ('{"id": "p0", "chosen": [true]}', "f:1: 'chosen'"),
        ('{"chosen": [1]}', "f:1: 'id'"),
        (
            '{"id": "zz", "chosen": [1]}',
            "f:1: expected the id of one of the 10 problems, found 'zz'",
        ),
        ('{"id": "p0", "chosen": [2]}', "f:1: p0: expected one of 2 candidates, found index 2"),
        ('{"id": "p0", "chosen": [1, 0]}', "f:1: p0: a decision's indices must rise"),
        ('{"id": "p0", "chosen": [1], "unsaid": [1]}', "f:1: p0: candidate 1 is chosen and left"),
        ('{"id": "p0", "chosen": [], "unsaid": [7]}', "found index 7"),
        ('{"id": "p0", "chosen": [], "scores": [1]}', "f:1: p0: expected 2 scores, found 1"),
        ('{"id": "p0", "chosen": [], "scores": ["a", 1]}', "f:1: 'scores': expected a list of num"),
        ('{"id": "p0", "chosen": [], "right": 1}', "f:1: unknown field 'right'"),
        ('{"id": "p0", "chosen": []}\n{"id": "p0", "chosen": []}', "f:2: expected one decision"),
        ('{"id": "p0", "chosen": []}\nnonsense', "f:2: expected a JSON object"),
        ("p0\tTRUE\tFALSE", 'f:1: expected lines such as {"id": "p0", "chosen": [0]}'),
        ("", "f:1: expected lines such as"),
    ],
)
def test_broken_json_lines(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        of(text, "x")
    assert message in str(caught.value)


def test_gaps_own_table() -> None:
    found = of("p0\tTRUE\tFALSE\np1\tfalse\tfalse\n")
    assert found.decisions == (Decision("p0", (0,)), Decision("p1"))
    assert not found.notes


def test_a_broken_table_of_gap_is_told() -> None:
    text = "p0\tTRUE\tFALSE\np0\tFALSE\tFALSE\nzz\tTRUE\tTRUE\np1\tyes\tTRUE\np2\tTRUE\n"
    found = of(text)
    assert found.decisions == (Decision("p0", (0,)), Decision("p1", (1,), None, (0,)))
    told = "\n".join(found.notes)
    assert "1 row of items that had one: the first counts (the first: f:2: " in told
    assert "1 row of unknown items: counted nowhere (the first: f:3: " in told
    assert "1 value other than TRUE or FALSE: nothing is said of that name (the first: f:4" in told
    assert "1 row without three columns" in told


def test_a_table_of_another_split() -> None:
    with pytest.raises(InvalidValue, match=r"f:1: .*no row is of these 10 items, p0 to p9"):
        of("test-1\tTRUE\tFALSE\n")
    with pytest.raises(InvalidValue) as caught:
        of("p0,TRUE,FALSE\n")
    assert "expected 3 columns" in str(caught.value)
    assert "another split" not in str(caught.value)
    with pytest.raises(CoindexError, match="expected rows of ID, A-coref, B-coref, found none"):
        of("")
