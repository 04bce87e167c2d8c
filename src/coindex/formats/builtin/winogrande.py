"""WinoGrande: sentences with a blank `_` and two options, one JSON object per line.

    {"qID": "1", "sentence": "Ann met Mary after _ called.", "option1": "Ann",
     "option2": "Mary", "answer": "2"}

The answer is "1" or "2"; if it is empty or missing, it is not known. Other keys are
stored as metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.formats import json_fields
from coindex.formats.phrase_offsets import find
from coindex.formats.problem_checks import not_one_answer, not_two, round_trip_change
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars

KIND = "problem"
SUPPORTS = frozenset({"meta"})

_KEYS = frozenset({"sentence", "option1", "option2"})
_ANSWERS = {"1": (0,), "2": (1,), "": None}


def sniff(head: Sequence[str]) -> bool:
    """The first line is an object with a sentence and two options."""
    return json_fields.looks_like(
        head, lambda value: value.keys() >= _KEYS and "sentence_with_pronoun" not in value
    )


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The sentences of a file, one per line."""
    for count, (line, value) in enumerate(json_fields.read_object_lines(lines, source), 1):
        with source.errors_at(line):
            problem = _problem(str(count), value, line, source)
        if problem is not None:
            yield problem


def _problem(count: str, value: dict[str, Any], line: int, source: Source) -> Problem | None:
    fields = json_fields.Fields(value, line, source)
    id = fields.text("qID") if "qID" in value else count
    text = fields.text("sentence")
    options = [_option(fields, name) for name in ("option1", "option2")]
    answer = fields.text("answer") if "answer" in value else ""
    blanks = text.count("_")
    if blanks != 1:
        source.mistake(line, "blank", f"expected one blank '_' in the sentence, found {blanks}")
        if not blanks:
            return None
    if answer not in _ANSWERS:
        message = f'\'answer\': expected "1", "2" or "", found {answer[:20]!r}'
        source.mistake(line, "answer", message)
    start = text.index("_")
    return Problem(
        id,
        text,
        Chars(start, start + 1),
        tuple(Candidate(option, find(text, option)) for option in options),
        _ANSWERS.get(answer),
        meta=json_fields.metadata_from_json(fields.rest()),
    )


def _option(fields: json_fields.Fields, name: str) -> str:
    option = fields.text(name).strip()
    if not option:
        raise fields.wrong(name, "a phrase", option)
    return option


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    if problem.pronoun != "_":
        return "its pronoun is not a blank '_'"
    return not_two(problem) or not_one_answer(problem) or round_trip_change(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """One object per line."""
    for problem in items:
        first, second = (candidate.text for candidate in problem.candidates)
        fields = {"qID": problem.id, "sentence": problem.text, "option1": first, "option2": second}
        fields["answer"] = str(problem.answer[0] + 1) if problem.answer else ""
        yield json_fields.to_line({**fields, **json_fields.metadata_to_json(problem.meta)})
