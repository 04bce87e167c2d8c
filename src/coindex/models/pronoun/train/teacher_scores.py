"""The scores of a teacher for problems that have no answer, and what a student learns from them.

A file has one line per problem, compressed or not:

    id <tab> scores of the candidates <tab> the switched copy's scores of the same candidates

Scores are 100 times the natural logarithm, up to a constant for each problem; the third column is
there only if there is a switched copy. Where all candidates are names, the mean of both readings
is learned; otherwise the first reading alone, since exchanged things make no sense.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coindex import io
from coindex.errors import InputError
from coindex.models.pronoun.recipe import Stage
from coindex.models.pronoun.symmetric_scoring import are_names
from coindex.transform.antecedent_switching import SWITCHED
from coindex.types.decision import answer_of
from coindex.types.problem import Problem

_UNIT = 100
"""Scores are stored in hundredths."""


@dataclass(frozen=True, slots=True)
class TeacherScores:
    """The scores of a problem's candidates: of its text, and of its switched copy if it has one."""

    own: tuple[int, ...]
    switched: tuple[int, ...] = ()

    def logits(self, *, names: bool) -> list[float]:
        """The scores as logarithms; the mean of both readings if all candidates are names."""
        if not (names and self.switched):
            return [value / _UNIT for value in self.own]
        pairs = zip(self.own, self.switched, strict=True)
        return [(one + other) / (2 * _UNIT) for one, other in pairs]


def read_teacher_scores(files: Iterable[str]) -> dict[str, TeacherScores]:
    """The scores of some files by the ids of problems."""
    scores: dict[str, TeacherScores] = {}
    for file in files:
        for number, line in enumerate(io.read_text(Path(file).expanduser()).splitlines(), 1):
            try:
                id, made = parse_score_line(line)
            except ValueError as error:
                raise InputError(f"{file}:{number}: expected an id and scores: {error}") from None
            scores[id] = made
    return scores


def parse_score_line(line: str) -> tuple[str, TeacherScores]:
    """The id and the scores of a line."""
    id, *columns = line.rstrip("\n").split("\t")
    rows = [tuple(map(int, column.split())) for column in columns[:2]]
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("one score per candidate")
    return id, TeacherScores(*rows)


def target_of(
    problem: Problem, scores: Mapping[str, TeacherScores], stage: Stage
) -> tuple[float, ...]:
    """The probability of each candidate: of the teacher, or of the answer, smoothed.

    The scores of a switched copy are those of its problem: the candidates keep their order, and
    each has the role of the other.
    """
    own = scores.get(problem.id)
    if own is None:
        return answer_probabilities(problem, stage.smoothing)
    if len(own.own) != len(problem.candidates):
        raise InputError(
            f"{problem.id}: expected {len(problem.candidates)} scores, found {len(own.own)}"
        )
    made = softmax(own.logits(names=are_names(problem)), stage.temperature)
    return made[::-1] if problem.meta_value(SWITCHED) else made


def answer_probabilities(problem: Problem, smoothing: float = 0.0) -> tuple[float, ...]:
    """1 for the answer, shared if several are right; `smoothing` of it goes to all candidates."""
    answer, count = answer_of(problem), len(problem.candidates)
    share = (1 - smoothing) / max(len(answer), 1)
    return tuple(share * (at in answer) + smoothing / count for at in range(count))


def softmax(logits: Sequence[float], temperature: float = 1.0) -> tuple[float, ...]:
    """The probabilities of some logarithms."""
    highest = max(logits)
    powers = [math.exp((value - highest) / temperature) for value in logits]
    total = sum(powers)
    return tuple(value / total for value in powers)
