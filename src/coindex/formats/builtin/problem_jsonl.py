"""coindex's own lossless form of problems: one JSON object per line.

    {"coindex": "problem", "version": 1, "id": "1", "text": "Ann slept; she was ill.",
     "target": [11, 14], "candidates": [{"text": "Ann", "chars": [0, 3]}], "answer": [0]}

Ranges are half-open and count code points of the text. Empty fields are left out,
except `answer`: if it is empty, no candidate is right; if it is missing, the answer
is not known. A field that this version does not know is an error, so that nothing is
lost silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.formats.json_fields import Fields, looks_like, read_object_lines, to_line
from coindex.transform.reduce import PROBLEM_FEATURES
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars

KIND = "problem"
SUPPORTS = PROBLEM_FEATURES
VERSION = 1


def sniff(head: Sequence[str]) -> bool:
    """The first line is an object with `"coindex": "problem"`."""
    return looks_like(head, lambda value: value.get("coindex") == "problem")


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The problems of a file, one per line."""
    for line, value in read_object_lines(lines, source):
        with source.errors_at(line):
            problem = _problem(Fields(value, line, source))
        yield problem


def _problem(fields: Fields) -> Problem:
    fields.expect("coindex", "problem")
    fields.expect("version", VERSION)
    target = _chars(fields, "target")
    if target is None:
        raise fields.wrong("target", "[start, end]", None)
    problem = Problem(
        fields.text("id"),
        fields.text("text"),
        target,
        tuple(_candidate(candidate) for candidate in fields.objects("candidates")),
        fields.optional_ints("answer"),
        fields.optional_text("group"),
        fields.optional_text("source"),
        tuple((name, fields.as_text(name, value)) for name, value in fields.pairs("meta")),
    )
    fields.done()
    return problem


def _candidate(fields: Fields) -> Candidate:
    candidate = Candidate(fields.text("text"), _chars(fields, "chars"))
    fields.done()
    return candidate


def _chars(fields: Fields, name: str) -> Chars | None:
    pair = fields.optional_ints(name)
    if pair is None:
        return None
    if len(pair) != 2:
        raise fields.wrong(name, "[start, end]", list(pair))
    return Chars(*pair)


def refuse(problem: Problem) -> str | None:
    """Nothing is refused: this format can store every problem."""
    return None


def write(items: Iterable[Problem]) -> Iterator[str]:
    """One line per problem."""
    for problem in items:
        yield to_line({"coindex": "problem", "version": VERSION, **_fields(problem)})


def _fields(problem: Problem) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": problem.id, "text": problem.text}
    fields["target"] = [problem.target.start, problem.target.end]
    fields["candidates"] = [
        {"text": each.text, **({"chars": [each.chars.start, each.chars.end]} if each.chars else {})}
        for each in problem.candidates
    ]
    for name in ("answer", "group", "source"):
        if getattr(problem, name) is not None:
            fields[name] = getattr(problem, name)
    if problem.meta:
        fields["meta"] = problem.meta
    return fields
