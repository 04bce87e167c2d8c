"""The score of GAP, and the prediction files of its official scorer.

Webster et al. (2018), section 4.1. Each name of each item is one decision, yes
or no. Counted by the gender of the pronoun; precision, recall and F1 overall,
masculine and feminine; bias is feminine F1 over masculine F1.

A name without a decision (its row is missing) is a false negative by the rules of GAP, whatever
the answer: a missing row costs recall, even where "no" would have been right. Zero over zero is
zero; bias is undefined if an F1 is zero.

A prediction file has one row per item, separated by tabs: ID, A-coref, B-coref; TRUE or FALSE in
any case; a header is allowed. A broken row raises an error. If the source collects findings, the
row is recorded and treated as the official scorer treats it: an invalid value is no decision, the
first of two rows counts, unknown ids are ignored.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from coindex.errors import InvalidValue
from coindex.scoring.contingency import Floats
from coindex.types.decision import Decision, MatchedDecisions, answer_of
from coindex.types.source import Source

GROUPS = ("masculine", "feminine", "other")
COUNTS = ("tp", "fp", "tn", "fn")

_COLUMNS = ("ID", "A-coref", "B-coref")
_VALUES = {"true": True, "false": False}
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Part:
    """Precision, recall and F1 in percent, and the four counts behind them."""

    precision: float
    recall: float
    f1: float
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GapScore:
    """The figures of GAP; `missing` is how many items had no row."""

    overall: Part
    masculine: Part
    feminine: Part
    bias: float | None
    missing: int = 0


def count(matched: MatchedDecisions) -> Floats:
    """For each item its counts, `GROUPS` by `COUNTS`; sums of them are scored."""
    result = np.zeros((len(matched), len(GROUPS), len(COUNTS)))
    for row, (problem, decision) in enumerate(matched):
        answer = answer_of(problem)
        group = GROUPS.index(problem.group) if problem.group in GROUPS else GROUPS.index("other")
        for index in range(len(problem.candidates)):
            if index in decision.undecided:
                cell = "fn"
            elif index in decision.chosen:
                cell = "tp" if index in answer else "fp"
            else:
                cell = "fn" if index in answer else "tn"
            result[row, group, COUNTS.index(cell)] += 1
    return result


def score(totals: Floats) -> Floats:
    """Any number of totals at once, `(..., 3, 4)` in, `(..., 3, 3)` out, in percent.

    Rows are overall, masculine, feminine; columns are precision, recall, F1.
    """
    overall = totals.sum(axis=-2, keepdims=True)
    rows = np.concatenate([overall, totals[..., :2, :]], axis=-2)
    tp, fp, _, fn = np.moveaxis(rows, -1, 0)
    precision = _ratio(100 * tp, tp + fp)
    recall = _ratio(100 * tp, tp + fn)
    f1 = _ratio(2 * precision * recall, precision + recall)
    return np.stack([precision, recall, f1], axis=-1)


def bias(masculine: float, feminine: float) -> float | None:
    """Feminine F1 over masculine F1; None where either is zero."""
    return feminine / masculine if masculine and feminine else None


def gap_score(matched: MatchedDecisions) -> GapScore:
    """The figures over all items."""
    totals = count(matched).sum(axis=0)
    scores = score(totals)
    overall = _part(scores[0], totals.sum(axis=0))
    masculine, feminine = (_part(scores[1 + at], totals[at]) for at in (0, 1))
    missing = len(matched.missing)
    return GapScore(overall, masculine, feminine, bias(masculine.f1, feminine.f1), missing)


def _part(scores: Floats, counts: Floats) -> Part:
    precision, recall, f1 = map(float, scores)
    return Part(precision, recall, f1, tuple(map(int, counts)))


def read_predictions(
    lines: Iterable[str], source: Source, ids: Collection[str] | None = None
) -> list[Decision]:
    """The decisions of a prediction file; with `ids`, one on any other item is a mistake."""
    known = None if ids is None else frozenset(ids)
    result: dict[str, Decision] = {}
    first: dict[str, int] = {}
    number = 0
    for number, fields in _rows(lines, source):
        if len(fields) != len(_COLUMNS):
            expected = f"expected {len(_COLUMNS)} columns ({', '.join(_COLUMNS)})"
            source.mistake(number, "columns", f"{expected}, found {len(fields)}")
        if len(fields) < len(_COLUMNS):
            continue
        id = fields[0]
        if not id or (known is not None and id not in known):
            what = "an id" if known is None else f"the id of one of the {len(known)} items"
            source.mistake(number, "id", f"expected {what}, found {_shown(id)}")
        elif id in first:
            message = f"expected one row for {_shown(id)}, found another after line {first[id]}"
            source.mistake(number, "same-id", message)
        else:
            first[id] = number
            result[id] = _decision(id, fields, number, source)
    if not number:
        raise source.error(None, f"expected rows of {', '.join(_COLUMNS)}, found none")
    return list(result.values())


def write_predictions(decisions: Iterable[Decision]) -> Iterator[str]:
    """One row for each decision, as the official scorer reads them: no header.

    A decision that says nothing is a missing row.
    """
    for decision in decisions:
        if any(char in decision.id for char in '\t\n\r"'):
            raise InvalidValue(f"{decision.id!r}: an id of GAP has no tab, line break or quote")
        if any(index > 1 for index in (*decision.chosen, *decision.undecided)):
            raise InvalidValue(f"{decision.id}: GAP has two candidates, found a third")
        if decision.undecided == (0, 1):
            continue
        if decision.undecided:
            raise InvalidValue(f"{decision.id}: expected yes or no for both names, found one")
        values = [str(index in decision.chosen).upper() for index in (0, 1)]
        yield "\t".join([decision.id, *values]) + "\n"


def _rows(lines: Iterable[str], source: Source) -> Iterator[tuple[int, list[str]]]:
    """The rows that are neither blank nor a header, with the lines they end on."""
    rows = csv.reader(lines, delimiter="\t")
    begun = False
    while True:
        try:
            fields = next(rows, None)
        except csv.Error as error:
            raise source.error(
                rows.line_num, f"expected columns by tabs, found: {error}"
            ) from error
        if fields is None:
            return
        if not any(field.strip() for field in fields):
            continue
        if begun or tuple(fields) != _COLUMNS:
            source.begin(rows.line_num)
            yield rows.line_num, fields
        begun = True


def _decision(id: str, fields: Sequence[str], number: int, source: Source) -> Decision:
    chosen, undecided = [], []
    for index, value in enumerate(fields[1 : len(_COLUMNS)]):
        decided = _VALUES.get(value.lower())
        if decided is None:
            undecided.append(index)
            name = _COLUMNS[1 + index]
            message = f"expected TRUE or FALSE in the column {name}, found {_shown(value)}"
            source.mistake(number, "answer", message)
        elif decided:
            chosen.append(index)
    return Decision(id, tuple(chosen), None, tuple(undecided))


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}...")


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0)
