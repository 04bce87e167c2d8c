"""Winogender: a table of sentences whose ids say who is in them.

    sentid                              sentence
    technician.customer.1.male.txt      The technician told the customer that he ...

An id is OCCUPATION.PARTICIPANT.ANSWER.GENDER.txt: the candidates, the index of the
right one, and `male`, `female` or `neutral`, which determines the pronoun. The file
of templates is read too, each template as six sentences: with the participant and
with "someone", in three genders. Problems are written as the table of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from coindex.formats.phrase_offsets import find, find_pronoun
from coindex.formats.problem_checks import (
    header_columns,
    not_flat,
    not_two,
    read_table,
    round_trip_change,
    shown,
)
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars

KIND = "problem"
SUPPORTS = frozenset({"group"})

_SENTENCES = ("sentid", "sentence")
_TEMPLATES = ("occupation(0)", "other-participant(1)", "answer", "sentence")
_ID = re.compile(r"([^.]+)\.([^.]+)\.([01])\.(male|female|neutral)\.txt")
_GROUPS = {"male": "masculine", "female": "feminine", "neutral": "neutral"}
_PRONOUNS = {
    "male": {"NOM": "he", "ACC": "him", "POSS": "his"},
    "female": {"NOM": "she", "ACC": "her", "POSS": "her"},
    "neutral": {"NOM": "they", "ACC": "them", "POSS": "their"},
}
_PARTICIPANT = re.compile(r"\b(The|the|A|a|An|an) \$PARTICIPANT")
_PLURAL = re.compile(r"\bthey (was|is|has)\b")
_VERBS = {"was": "were", "is": "are", "has": "have"}
_SLOT = re.compile(r"\$[A-Z_]+")


def sniff(head: Sequence[str]) -> bool:
    """The first line names the columns of either file."""
    return header_columns(head) in (_SENTENCES, _TEMPLATES)


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The sentences of a file, or those generated from its templates."""
    for number, row in read_table(lines, source, (_SENTENCES, _TEMPLATES)):
        pairs = (
            [(row["sentid"], row["sentence"])] if "sentid" in row else _filled(row, number, source)
        )
        for id, text in pairs:
            with source.errors_at(number):
                problem = _problem(id, text, number, source)
            if problem is not None:
                yield problem


def _filled(row: dict[str, str], number: int, source: Source) -> Iterator[tuple[str, str]]:
    """The six sentences of a template, with their ids."""
    occupation, participant, answer, template = (row[name] for name in _TEMPLATES)
    if not {"$OCCUPATION", "$PARTICIPANT"} <= set(_SLOT.findall(template)):
        message = f"expected $OCCUPATION and $PARTICIPANT, found {shown(template)}"
        raise source.error(number, message)
    someone = _PARTICIPANT.sub(
        lambda match: "Someone" if match[1][0].isupper() else "someone", template
    )
    for name, sentence in ((participant, template), ("someone", someone)):
        for gender, forms in _PRONOUNS.items():
            text = sentence.replace("$OCCUPATION", occupation).replace("$PARTICIPANT", name)
            for case, form in forms.items():
                text = text.replace(f"${case}_PRONOUN", form)
            text = _PLURAL.sub(lambda match: f"they {_VERBS[match[1]]}", text)
            yield f"{occupation}.{name}.{answer}.{gender}.txt", text


def _problem(id: str, text: str, number: int, source: Source) -> Problem | None:
    match = _ID.fullmatch(id)
    if not match:
        expected = "OCCUPATION.PARTICIPANT.ANSWER.GENDER.txt"
        source.mistake(number, "id", f"expected an id {expected}, found {shown(id)}")
        return None
    names, gender = (match[1].strip(), match[2].strip()), match[4]
    ranges = [find(text, name) for name in names]
    target = _target(text, gender, ranges)
    if target is None:
        source.mistake(
            number, "pronoun", f"expected a {gender} pronoun, found none in {shown(text)}"
        )
        return None
    return Problem(
        id,
        text,
        target,
        tuple(Candidate(name, chars) for name, chars in zip(names, ranges, strict=True)),
        (int(match[3]),),
        _GROUPS[gender],
    )


def _target(text: str, gender: str, ranges: Sequence[Chars | None]) -> Chars | None:
    """The first pronoun of the gender after the candidates, or the first at all."""
    pronouns = [find_pronoun(text, form, ranges) for form in _PRONOUNS[gender].values()]
    return min((chars for chars in pronouns if chars is not None), default=None)


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    if not _ID.fullmatch(problem.id):
        return "its id is not OCCUPATION.PARTICIPANT.ANSWER.GENDER.txt"
    return not_two(problem) or not_flat(problem) or round_trip_change(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """The table of sentences."""
    yield "\t".join(_SENTENCES) + "\n"
    for problem in items:
        yield f"{problem.id}\t{problem.text}\n"
