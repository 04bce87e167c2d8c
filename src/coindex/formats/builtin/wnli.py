"""WNLI: Winograd schemas as premise and hypothesis, in the table of GLUE.

    index  sentence1                                 sentence2             label
    0      Ann called Mary, but she was not in.      Mary was not in.      1

The hypothesis is a part of the premise with the pronoun replaced by a candidate.
The comparison of the two determines the pronoun and that candidate, which is
candidate 0; the other nouns of the premise are the other candidates. Label 1 means
that candidate 0 is right, label 0 that it is not (no other is known to be right),
and without a label the answer is not known. The text is the premise; the hypothesis
and the index are stored as metadata.

Nouns are found with word lists, unless `read` is called with the nouns of a tagger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from coindex.formats.phrase_offsets import find
from coindex.formats.problem_checks import (
    header_columns,
    not_flat,
    read_table,
    round_trip_change,
    shown,
)
from coindex.formats.wnli_alignment import align_hypothesis, find_nouns
from coindex.text.word_classes import determiners
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars

KIND = "problem"
SUPPORTS = frozenset({"meta:hypothesis", "meta:index"})

Nouns = Callable[[str], Iterable[Chars]]
"""Returns the offsets of the nouns in a passage."""

_UNLABELLED = ("index", "sentence1", "sentence2")
_LABELLED = (*_UNLABELLED, "label")
_ANSWERS: dict[str, tuple[int, ...] | None] = {"1": (0,), "0": (), "": None}


def sniff(head: Sequence[str]) -> bool:
    """The first line names the columns."""
    return header_columns(head) in (_LABELLED, _UNLABELLED)


def read(lines: Iterable[str], source: Source, nouns: Nouns = find_nouns) -> Iterator[Problem]:
    """The premises of a file, with their nouns as the other candidates."""
    for number, row in read_table(lines, source, (_LABELLED, _UNLABELLED)):
        with source.errors_at(number):
            problem = _problem(row, nouns, number, source)
        if problem is not None:
            yield problem


def _problem(row: dict[str, str], nouns: Nouns, number: int, source: Source) -> Problem | None:
    premise, hypothesis = row["sentence1"], row["sentence2"]
    copy = align_hypothesis(premise, hypothesis)
    if copy is None:
        message = f"expected a pronoun that {shown(hypothesis)} replaces, found none in the premise"
        source.mistake(number, "pronoun", message)
        return None
    if not copy.exact:
        message = f"expected a part of the premise, found {shown(hypothesis)}: a guess was made"
        source.note(number, "hypothesis", message)
    label = row.get("label", "")
    if label not in _ANSWERS:
        source.mistake(number, "answer", f"expected label 0 or 1, found {shown(label)}")
    first = Candidate(copy.candidate, find(premise, copy.candidate))
    return Problem(
        row["index"],
        premise,
        copy.target,
        (first, *_others(premise, first, copy.target, nouns(premise))),
        _ANSWERS.get(label),
        meta=(("hypothesis", hypothesis), ("index", row["index"])),
    )


def _others(
    premise: str, first: Candidate, target: Chars, nouns: Iterable[Chars]
) -> Iterator[Candidate]:
    """The nouns other than the first candidate, each once."""
    taken = [target, first.chars] if first.chars else [target]
    seen = {_bare(first.text)}
    for chars in nouns:
        text = chars.of(premise)
        apart = all(chars.end <= other.start or other.end <= chars.start for other in taken)
        if apart and _bare(text) not in seen:
            seen.add(_bare(text))
            yield Candidate(text, chars)


def _bare(phrase: str) -> str:
    """A phrase in lower case without its determiner."""
    words = phrase.lower().split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in determiners() else words)


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    if problem.meta_value("hypothesis") is None:
        return "it has no hypothesis"
    if problem.meta_value("index") != problem.id:
        return "its id is not its index"
    if problem.answer not in _ANSWERS.values():
        return "its answer is not the first candidate"
    return not_flat(problem) or round_trip_change(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """The table of GLUE, with labels, which are empty for unknown answers."""
    labels = {answer: label for label, answer in _ANSWERS.items()}
    yield "\t".join(_LABELLED) + "\n"
    for problem in items:
        fields = (problem.id, problem.text, problem.meta_value("hypothesis") or "")
        yield "\t".join((*fields, labels.get(problem.answer, ""))) + "\n"
