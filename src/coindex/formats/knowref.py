"""KnowRef: sentences with a pronoun in square brackets and two names, in JSON.

    [{"sentence_with_pronoun": "Ann called Mary and [she] answered .",
      "candidate0": "Ann", "candidate1": "Mary", "correct_candidate": "Mary"}]

An array or one object a line. The names are strings, as in the training files,
or lists of one string, as in the test file. `correct_candidate` says which is
right; the test file's `correct_candidate_idx` often says otherwise, and is kept
as a fact like all other keys, under its own name. The text is the sentence
without the brackets of its pronouns; the first is the one to resolve, others
are kept as the fact `other-pronouns`. The group is the gender of the pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.core.problem import Candidate, Problem
from coindex.core.source import Source
from coindex.formats._json import Fields, shown, to_line
from coindex.formats._problem_checks import changed, guarded, not_one_answer, not_two
from coindex.formats._problem_json import facts, objects, values
from coindex.formats._problem_marks import OTHERS, marked, unmarked
from coindex.formats._problem_places import find, group_of

KIND = "problem"
HOLDS = frozenset({"group", "meta"})

_INDEX = "correct_candidate_idx"
_KEY = re.compile(r'"sentence_with_pronoun"\s*:')


def sniff(head: Sequence[str]) -> bool:
    """An array or an object comes first, and the key of the sentence is there."""
    first = next((line for line in head if line.strip()), "")
    return first.lstrip()[:1] in ("[", "{") and any(_KEY.search(line) for line in head)


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The sentences of a file."""
    for number, (line, found) in enumerate(objects(lines, source), 1):
        with guarded(line, source):
            problem = _problem(str(number), found, line, source)
        yield problem


def _problem(number: str, found: dict[str, Any], line: int, source: Source) -> Problem:
    fields = Fields(found, line, source)
    sentence = fields.text("sentence_with_pronoun")
    names = [_name(fields, f"candidate{index}") for index in (0, 1)]
    right = _name(fields, "correct_candidate") if "correct_candidate" in found else None
    id = fields.text("id") if "id" in found else number
    passage = unmarked(sentence, line, source)
    rest = fields.rest()
    return Problem(
        id,
        passage.text,
        passage.target,
        tuple(Candidate(name, find(passage.text, name)) for name in names),
        _answer(names, right, rest, line, source),
        group_of(passage.target.of(passage.text)),
        meta=passage.facts + facts(rest),
    )


def _name(fields: Fields, key: str) -> str:
    value = fields.take(key)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    name = value.strip() if isinstance(value, str) else ""
    if not name:
        raise fields.wrong(key, "a name, or a list of one", value)
    return name


def _answer(
    names: list[str], right: str | None, rest: dict[str, Any], line: int, source: Source
) -> tuple[int, ...] | None:
    if right is None:
        return None
    if right not in names:
        message = f"expected correct_candidate to be a candidate, found {shown(right)}"
        source.mistake(line, "answer", message)
        return None
    answer = names.index(right)
    if _INDEX in rest and rest[_INDEX] != answer:
        told = shown(rest[_INDEX])
        message = f"expected {_INDEX} {answer}, as correct_candidate says, found {told}"
        source.note(line, "answer", message)
    return (answer,)


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    return not_two(problem) or not_one_answer(problem) or changed(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """An array, one object a line."""
    yield "[\n"
    last = ""
    for number, problem in enumerate(items, 1):
        if last:
            yield f"{last},\n"
        last = to_line(_object(problem, str(number))).rstrip("\n")
    if last:
        yield f"{last}\n"
    yield "]\n"


def _object(problem: Problem, number: str) -> dict[str, Any]:
    """The object of a problem; names are lists where the test file's keys are there."""
    meta = tuple(pair for pair in problem.meta if pair[0] != OTHERS)
    rest = values(meta)
    names: list[Any] = [candidate.text for candidate in problem.candidates]
    if _INDEX in rest:
        names = [[name] for name in names]
    found: dict[str, Any] = {} if problem.id == number else {"id": problem.id}
    found["sentence_with_pronoun"] = marked(problem)
    found["candidate0"], found["candidate1"] = names
    if problem.answer:
        found["correct_candidate"] = names[problem.answer[0]]
    return {**found, **rest}
