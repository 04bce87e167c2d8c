"""coindex's own lossless form of problems: one JSON object a line.

    {"coindex": "problem", "version": 1, "id": "1", "text": "Ann slept; she was ill.",
     "target": [11, 14], "candidates": [{"text": "Ann", "chars": [0, 3]}], "answer": [0]}

Places are half-open, counted in code points of the text. Fields that are empty
are left out, but an empty `answer` says that no candidate is right, and none at
all that the answer is not known. A field this version does not know is an
error, so that nothing is lost in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.core.problem import Candidate, Problem
from coindex.core.problem_features import ALL
from coindex.core.source import Source
from coindex.core.span import Chars
from coindex.formats._json import Fields, lines_of_objects, looks_like, to_line
from coindex.formats._problem_checks import guarded

KIND = "problem"
HOLDS = ALL
VERSION = 1


def sniff(head: Sequence[str]) -> bool:
    """The first line is an object that says so."""
    return looks_like(head, lambda found: found.get("coindex") == "problem")


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The problems of a file, one a line."""
    for line, found in lines_of_objects(lines, source):
        with guarded(line, source):
            problem = _problem(Fields(found, line, source))
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
    """Nothing is refused: this form holds every problem."""
    return None


def write(items: Iterable[Problem]) -> Iterator[str]:
    """One line a problem."""
    for problem in items:
        yield to_line({"coindex": "problem", "version": VERSION, **_fields(problem)})


def _fields(problem: Problem) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": problem.id, "text": problem.text}
    fields["target"] = [problem.target.start, problem.target.end]
    fields["candidates"] = [_candidate_fields(candidate) for candidate in problem.candidates]
    for name in ("answer", "group", "source"):
        if getattr(problem, name) is not None:
            fields[name] = getattr(problem, name)
    if problem.meta:
        fields["meta"] = problem.meta
    return fields


def _candidate_fields(candidate: Candidate) -> dict[str, Any]:
    if candidate.chars is None:
        return {"text": candidate.text}
    return {"text": candidate.text, "chars": [candidate.chars.start, candidate.chars.end]}
