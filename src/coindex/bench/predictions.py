"""Files of decisions that were made elsewhere.

GAP's own table of TRUE and FALSE (see `coindex.benchmarks._gap_score`), and for
every benchmark JSON lines, one decision a line:

    {"id": "development-1", "chosen": [1]}

`chosen` are indices of candidates from 0, `[]` for none of them; `unsaid` and
`scores` may be there too. A problem without a line has no decision, and is counted.
A broken row of GAP's table is treated as the official scorer treats it, and told; a
broken line of JSON is an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from coindex.benchmarks._gap_score import read_predictions
from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.core.source import Source
from coindex.errors import InvalidValue
from coindex.formats._json import Fields, lines_of_objects, to_line
from coindex.scoring._words import count


@dataclass(frozen=True, slots=True)
class Predictions:
    """The decisions of a file, and what was wrong with it, in words."""

    decisions: tuple[Decision, ...]
    notes: tuple[str, ...] = ()


def read(
    lines: Iterable[str], name: str, problems: Sequence[Problem], benchmark: str
) -> Predictions:
    """The decisions of a file on some problems; its format is told by its first letter."""
    stream = iter(lines)
    first = next((line for line in stream if line.strip()), "")
    every = chain([first] if first else [], stream)
    if first.lstrip().startswith("{"):
        return Predictions(tuple(_read_json(every, Source(name), problems)))
    if benchmark != "gap":
        raise Source(name).error(
            1, f'expected lines such as {{"id": "{problems[0].id}", "chosen": [0]}}, found another'
        )
    return _read_gap(every, name, problems)


def write(decisions: Iterable[Decision]) -> Iterator[str]:
    """One line for each decision."""
    for decision in decisions:
        found: dict[str, object] = {"id": decision.id, "chosen": decision.chosen}
        if decision.unsaid:
            found["unsaid"] = decision.unsaid
        if decision.scores is not None:
            found["scores"] = decision.scores
        yield to_line(found)


def _read_gap(lines: Iterable[str], name: str, problems: Sequence[Problem]) -> Predictions:
    source = Source(name, collect=True)
    ids = [problem.id for problem in problems]
    found = read_predictions(lines, source, ids)
    if not found:
        first = str(source.findings[0]) if source.findings else name
        other = any(finding.rule == "id" for finding in source.findings)
        ask = ": is the file of another split?" if other else ""
        raise InvalidValue(
            f"{first}; no row is of these {len(ids)} items, {ids[0]} to {ids[-1]}{ask}"
        )
    counts = Counter(finding.rule for finding in source.findings)
    notes = [
        f"{count(number, noun)} {what} (the first: {_first(source, rule)})."
        for rule, number in counts.items()
        for noun, what in [_WRONG[rule]]
    ]
    return Predictions(tuple(found), tuple(notes))


_WRONG = {
    "columns": ("row", "without three columns: longer ones are read, too short ones passed over"),
    "id": ("row", "of unknown items: counted nowhere"),
    "same-id": ("row", "of items that had one: the first counts"),
    "answer": ("value", "other than TRUE or FALSE: nothing is said of that name"),
}
"""What the official scorer does with each mistake, in words."""


def _first(source: Source, rule: str) -> str:
    found = next(finding for finding in source.findings if finding.rule == rule)
    return f"{found.source}:{found.line}: {found.message}"


def _read_json(
    lines: Iterable[str], source: Source, problems: Sequence[Problem]
) -> Iterator[Decision]:
    sizes = {problem.id: len(problem.candidates) for problem in problems}
    seen: dict[str, int] = {}
    for number, found in lines_of_objects(lines, source):
        for decision in Fields.build(found, _decision, number, source):
            if decision.id not in sizes:
                message = f"expected the id of one of the {len(sizes)} problems,"
                raise source.error(number, f"{message} found {decision.id!r}")
            if decision.id in seen:
                message = f"expected one decision on {decision.id!r}, found another"
                raise source.error(number, f"{message} after line {seen[decision.id]}")
            seen[decision.id] = number
            _check(decision, sizes[decision.id], number, source)
            yield decision


def _decision(fields: Fields) -> Decision:
    id, chosen = fields.text("id"), fields.optional_ints("chosen")
    if chosen is None:
        raise fields.wrong("chosen", "a list of indices", None)
    scores = fields.take("scores")
    if scores is not None and not _are_numbers(scores):
        raise fields.wrong("scores", "a list of numbers", scores)
    unsaid = fields.ints("unsaid")
    fields.done()
    return Decision(id, chosen, None if scores is None else tuple(map(float, scores)), unsaid)


def _are_numbers(values: object) -> bool:
    return isinstance(values, list) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )


def _check(decision: Decision, size: int, number: int, source: Source) -> None:
    for index in (*decision.chosen[-1:], *decision.unsaid[-1:]):
        if index >= size:
            raise source.error(
                number, f"{decision.id}: expected one of {size} candidates, found index {index}"
            )
    if decision.scores is not None and len(decision.scores) != size:
        raise source.error(
            number, f"{decision.id}: expected {size} scores, found {len(decision.scores)}"
        )
