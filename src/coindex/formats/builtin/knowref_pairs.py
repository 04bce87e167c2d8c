"""KnowRef's training tables: each problem as two rows, a name in the pronoun's place in each.

    index  sentence1     sentence2                  label  candidate0  candidate1
    0      Ann met Mary  after Mary called .        1      Ann         Mary
    0      Ann           met Mary after Ann called .  0    Ann         Mary

with tabs between the columns. The two sentence columns are one text, split after the first
mention of the row's name, which carries no information. The label is 1 in the row of the
right name. The rows of a problem are adjacent, either name first. The pronoun itself is not
in the file: the text has a blank `_` instead, and a possessive pronoun leaves no ending
("Anna past suggests").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from coindex.formats.phrase_offsets import find
from coindex.formats.problem_checks import not_one_answer, not_two, round_trip_change
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars

KIND = "problem"
SUPPORTS: frozenset[str] = frozenset()

_HEADER = ("index", "sentence1", "sentence2", "label", "candidate0", "candidate1")
_LABELS = ("0", "1")


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    index: str
    words: tuple[str, ...]
    label: str
    names: tuple[str, str]


def sniff(head: Sequence[str]) -> bool:
    """The header is the first line."""
    return bool(head) and tuple(head[0].rstrip("\r\n").split("\t")) == _HEADER


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The problems of a table."""
    rows = _rows(lines, source)
    for row in rows:
        other = next(rows, None)
        if other is None or other.index != row.index:
            raise source.error(row.line, f"expected two rows of {row.index!r}, found one")
        with source.errors_at(row.line):
            problem = _problem((row, other), source)
        yield problem


def _rows(lines: Iterable[str], source: Source) -> Iterator[_Row]:
    for number, line in enumerate(lines, 1):
        cells = line.rstrip("\r\n").split("\t")
        if number == 1:
            if tuple(cells) != _HEADER:
                raise source.error(1, f"expected the header {' '.join(_HEADER)}, found {line!r}")
            continue
        if not line.strip():
            continue
        if len(cells) != len(_HEADER):
            raise source.error(number, f"expected {len(_HEADER)} columns, found {len(cells)}")
        index, first, second, label, one, two = cells
        if label not in _LABELS:
            raise source.error(number, f"'label': expected 0 or 1, found {label[:20]!r}")
        yield _Row(number, index, (*first.split(), *second.split()), label, (one, two))


def _problem(pair: tuple[_Row, _Row], source: Source) -> Problem:
    line, names = pair[0].line, pair[0].names
    if pair[1].names != names:
        raise source.error(pair[1].line, f"expected the names {names}, found {pair[1].names}")
    match = next(
        (
            (at, order)
            for order in ((0, 1), (1, 0))
            for at in range(len(pair[0].words))
            if _fits(pair, [names[which].split() for which in order], at)
        ),
        None,
    )
    if match is None:
        raise source.error(line, f"expected rows that differ in {' and '.join(names)} alone")
    at, order = match
    before, after = pair[0].words[:at], pair[0].words[at + len(names[order[0]].split()) :]
    text = " ".join((*before, "_", *after))
    start = len(" ".join(before)) + (1 if before else 0)
    answer = tuple(sorted(order[which] for which in (0, 1) if pair[which].label == "1"))
    return Problem(
        pair[0].index,
        text,
        Chars(start, start + 1),
        tuple(Candidate(name, find(text, name)) for name in names),
        answer,
    )


def _fits(pair: tuple[_Row, _Row], names: list[list[str]], at: int) -> bool:
    """Whether the rows have these names at a word, and are the same before and after."""
    first, second = (list(row.words) for row in pair)
    ends = [at + len(name) for name in names]
    return (
        first[:at] == second[:at]
        and first[at : ends[0]] == names[0]
        and second[at : ends[1]] == names[1]
        and first[ends[0] :] == second[ends[1] :]
    )


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    if problem.pronoun != "_":
        return "its pronoun is not a blank '_'"
    if problem.answer is None:
        return "its answer is not known"
    return not_two(problem) or not_one_answer(problem) or round_trip_change(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """A header, then two rows per problem."""
    yield "\t".join(_HEADER) + "\n"
    for problem in items:
        names = [candidate.text for candidate in problem.candidates]
        before, after = problem.text[: problem.target.start], problem.text[problem.target.end :]
        for at, name in enumerate(names):
            text = f"{before}{name}{after}"
            whole = re.search(rf"(?<!\S){re.escape(name)}(?!\S)", text)
            split = whole.end() if whole else len(before) + len(name)
            label = str(int(at in (problem.answer or ())))
            cells = (problem.id, text[:split].strip(), text[split:].strip(), label, *names)
            yield "\t".join(cells) + "\n"
