"""WinoGrande: sentences with a blank `_` and two options, one JSON object a line.

    {"qID": "1", "sentence": "Ann met Mary after _ called.", "option1": "Ann",
     "option2": "Mary", "answer": "2"}

The answer is "1" or "2"; where it is empty or missing it is not known. Other
keys are kept as facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.core.problem import Candidate, Problem
from coindex.core.source import Source
from coindex.core.span import Chars
from coindex.formats._json import Fields, lines_of_objects, looks_like, to_line
from coindex.formats._problem_checks import changed, guarded, not_one_answer, not_two
from coindex.formats._problem_json import facts, values
from coindex.formats._problem_places import find

KIND = "problem"
HOLDS = frozenset({"meta"})

_KEYS = frozenset({"sentence", "option1", "option2"})
_ANSWERS = {"1": (0,), "2": (1,), "": None}


def sniff(head: Sequence[str]) -> bool:
    """The first line is an object with a sentence and two options."""
    return looks_like(
        head, lambda found: found.keys() >= _KEYS and "sentence_with_pronoun" not in found
    )


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The sentences of a file, one a line."""
    for count, (line, found) in enumerate(lines_of_objects(lines, source), 1):
        with guarded(line, source):
            problem = _problem(str(count), found, line, source)
        if problem is not None:
            yield problem


def _problem(count: str, found: dict[str, Any], line: int, source: Source) -> Problem | None:
    fields = Fields(found, line, source)
    id = fields.text("qID") if "qID" in found else count
    text = fields.text("sentence")
    options = [_option(fields, name) for name in ("option1", "option2")]
    answer = fields.text("answer") if "answer" in found else ""
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
        meta=facts(fields.rest()),
    )


def _option(fields: Fields, name: str) -> str:
    option = fields.text(name).strip()
    if not option:
        raise fields.wrong(name, "a phrase", option)
    return option


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    if problem.pronoun != "_":
        return "its pronoun is not a blank '_'"
    return not_two(problem) or not_one_answer(problem) or changed(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """One object a line."""
    for problem in items:
        first, second = (candidate.text for candidate in problem.candidates)
        found = {"qID": problem.id, "sentence": problem.text, "option1": first, "option2": second}
        found["answer"] = str(problem.answer[0] + 1) if problem.answer else ""
        yield to_line({**found, **values(problem.meta)})
