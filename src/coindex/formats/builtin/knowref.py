"""KnowRef: sentences with a pronoun in square brackets and two names, in JSON.

    [{"sentence_with_pronoun": "Ann called Mary and [she] answered .",
      "candidate0": "Ann", "candidate1": "Mary", "correct_candidate": "Mary"}]

An array, or one object per line. The names are strings, as in the training files,
or lists of one string, as in the test file. `correct_candidate` is the right one;
the test file's `correct_candidate_idx` often contradicts it, and is stored as
metadata, like all other keys. The text is the sentence without the brackets of its
pronouns. The first pronoun is the one to resolve; the offsets of others are stored
as the metadata `other-pronouns`. The group is the gender of the pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.formats import json_fields
from coindex.formats.phrase_offsets import OTHER_PRONOUNS, add_brackets, find, remove_brackets
from coindex.formats.problem_checks import not_one_answer, not_two, round_trip_change
from coindex.text.word_classes import pronoun_gender
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source

KIND = "problem"
SUPPORTS = frozenset({"group", "meta"})

_INDEX = "correct_candidate_idx"
_KEY = re.compile(r'"sentence_with_pronoun"\s*:')


def sniff(head: Sequence[str]) -> bool:
    """The file begins with an array or an object, and has the key of the sentence."""
    first = next((line for line in head if line.strip()), "")
    return first.lstrip()[:1] in ("[", "{") and any(_KEY.search(line) for line in head)


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The sentences of a file."""
    for number, (line, value) in enumerate(json_fields.read_objects(lines, source), 1):
        with source.errors_at(line):
            problem = _problem(str(number), value, line, source)
        yield problem


def _problem(number: str, value: dict[str, Any], line: int, source: Source) -> Problem:
    fields = json_fields.Fields(value, line, source)
    sentence = fields.text("sentence_with_pronoun")
    names = [_name(fields, f"candidate{index}") for index in (0, 1)]
    right = _name(fields, "correct_candidate") if "correct_candidate" in value else None
    id = fields.text("id") if "id" in value else number
    passage = remove_brackets(sentence, line, source)
    rest = fields.rest()
    return Problem(
        id,
        passage.text,
        passage.target,
        tuple(Candidate(name, find(passage.text, name)) for name in names),
        _answer(names, right, rest, line, source),
        pronoun_gender(passage.target.of(passage.text)),
        meta=passage.meta + json_fields.metadata_from_json(rest),
    )


def _name(fields: json_fields.Fields, key: str) -> str:
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
        message = f"expected correct_candidate to be a candidate, found {json_fields.shown(right)}"
        source.mistake(line, "answer", message)
        return None
    answer = names.index(right)
    if _INDEX in rest and rest[_INDEX] != answer:
        index = json_fields.shown(rest[_INDEX])
        message = f"expected {_INDEX} {answer}, as correct_candidate says, found {index}"
        source.note(line, "answer", message)
    return (answer,)


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    return not_two(problem) or not_one_answer(problem) or round_trip_change(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """An array, one object per line."""
    yield "[\n"
    last = ""
    for number, problem in enumerate(items, 1):
        if last:
            yield f"{last},\n"
        last = json_fields.to_line(_object(problem, str(number))).rstrip("\n")
    if last:
        yield f"{last}\n"
    yield "]\n"


def _object(problem: Problem, number: str) -> dict[str, Any]:
    """The object of a problem; names are lists if it has the keys of the test file."""
    meta = tuple(pair for pair in problem.meta if pair[0] != OTHER_PRONOUNS)
    rest = json_fields.metadata_to_json(meta)
    names: list[Any] = [candidate.text for candidate in problem.candidates]
    if _INDEX in rest:
        names = [[name] for name in names]
    fields: dict[str, Any] = {} if problem.id == number else {"id": problem.id}
    fields["sentence_with_pronoun"] = add_brackets(problem)
    fields["candidate0"], fields["candidate1"] = names
    if problem.answer:
        fields["correct_candidate"] = names[problem.answer[0]]
    return {**fields, **rest}
