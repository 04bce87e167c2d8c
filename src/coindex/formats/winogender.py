"""Winogender: a table of sentences whose ids say who is in them.

    sentid                              sentence
    technician.customer.1.male.txt      The technician told the customer that he ...

An id is OCCUPATION.PARTICIPANT.ANSWER.GENDER.txt: the candidates, the index of
the right one, and `male`, `female` or `neutral`, which tells the pronoun. The
file of templates is read too, each as six sentences: with the participant and
with "someone", in three genders. Written as the table of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from coindex.core.problem import Candidate, Problem
from coindex.core.source import Source
from coindex.core.span import Chars
from coindex.formats._problem_checks import (
    changed,
    guarded,
    header_of,
    not_flat,
    not_two,
    shown,
    table,
)
from coindex.formats._problem_places import find, find_pronoun

KIND = "problem"
HOLDS = frozenset({"group"})

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
    return header_of(head) in (_SENTENCES, _TEMPLATES)


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The sentences of a file, or those its templates stand for."""
    for number, row in table(lines, source, (_SENTENCES, _TEMPLATES)):
        pairs = (
            [(row["sentid"], row["sentence"])] if "sentid" in row else _filled(row, number, source)
        )
        for id, text in pairs:
            with guarded(number, source):
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
    spots = [find(text, name) for name in names]
    target = _target(text, gender, spots)
    if target is None:
        source.mistake(
            number, "pronoun", f"expected a {gender} pronoun, found none in {shown(text)}"
        )
        return None
    return Problem(
        id,
        text,
        target,
        tuple(Candidate(name, spot) for name, spot in zip(names, spots, strict=True)),
        (int(match[3]),),
        _GROUPS[gender],
    )


def _target(text: str, gender: str, spots: Sequence[Chars | None]) -> Chars | None:
    """The first pronoun of the gender after the candidates, or the first at all."""
    found = [find_pronoun(text, form, spots) for form in _PRONOUNS[gender].values()]
    return min((spot for spot in found if spot is not None), default=None)


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    if not _ID.fullmatch(problem.id):
        return "its id is not OCCUPATION.PARTICIPANT.ANSWER.GENDER.txt"
    return not_two(problem) or not_flat(problem) or changed(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """The table of sentences."""
    yield "\t".join(_SENTENCES) + "\n"
    for problem in items:
        yield f"{problem.id}\t{problem.text}\n"
