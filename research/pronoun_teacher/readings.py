"""Pronoun problems as texts that compete: each candidate in the pronoun's place.

A reading is a problem as it is, or its switched copy (`coindex.transform.antecedent_switching`). Each
candidate gives one text; a text is a row of subwords that ends with the end-of-text token.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coindex.models.pronoun.candidate_rows import is_possessive_pronoun
from coindex.models.pronoun.query import CandidateQuery, own_candidates
from coindex.models.pronoun.symmetric_scoring import are_names
from coindex.transform.antecedent_switching import Refused, switch
from coindex.types.problem import Problem
from research.pronoun_teacher.packed_readings import ReadingPacker, shared_length
from research.pronoun_teacher.weights import END

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_SUBWORDS = 224
"""The most subwords of a row. A longer row loses its beginning, or its end if that is not enough."""
_TEXTS_AT_ONCE = 4000
_DETERMINERS = frozenset({
    "the", "a", "an", "some", "any", "this", "that", "these",
    "those", "my", "your", "his", "her", "its", "our", "their",
})  # fmt: skip
_SENTENCE_START = re.compile(r"(?:^|[.!?…][\"'”’)\]]*)\s*[\"'“‘(\[`]*\s*\Z")
_BLANKS = frozenset({"_", "[MASK]"})
_TIDY = (
    (re.compile(r"`` ?| ?''"), '"'),
    (re.compile(r" (n't|'s|'re|'ve|'ll|'d|'m)(?!\w)"), r"\1"),
    (re.compile(r" ([.,;:!?)\]%])"), r"\1"),
    (re.compile(r"([(\[]) "), r"\1"),
    (re.compile(r"\s+"), " "),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The text of each candidate, and whether it is right; of the problem or its switched copy."""

    switched: bool
    texts: list[str]
    right: list[bool]


@dataclass(frozen=True, slots=True)
class NumberedQuery:
    """A problem of a set with its number.

    bare    whether the ending of a possessive pronoun is left out
    """

    number: int
    query: CandidateQuery
    bare: bool = False


def load_tokenizer(folder: Path) -> tuple[Tokenizer, int]:
    """The tokenizer that `weights` wrote, and the id of the end-of-text token."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    end = tokenizer.token_to_id(END)
    if end is None:
        raise ValueError(f"{folder}: expected a tokenizer with the token {END}")
    return tokenizer, end


def own_query(problem: Problem) -> CandidateQuery:
    """A problem with its own candidates."""
    return next(own_candidates([problem]))


def readings(query: CandidateQuery, *, bare: bool = False) -> Iterator[Reading]:
    """The problem and, where one can be made, its switched copy.

    Problems with detected candidates, with another number of candidates than two, or whose candidates
    are not names have none: "the suitcase does not fit into the trophy" makes no sense.
    """
    yield Reading(False, *_texts(query, bare))
    if query.detected or len(query.phrases) != 2 or len(query.problem.candidates) != 2:
        return
    if not are_names(query.problem):
        return
    copy = switch(query.problem)
    if not isinstance(copy, Refused):
        yield Reading(True, *_texts(own_query(copy), bare))


def _texts(query: CandidateQuery, bare: bool) -> tuple[list[str], list[bool]]:
    problem = query.problem
    possessive = not bare and is_possessive_pronoun(problem)
    texts = [fill_in(problem, each.text, possessive=possessive) for each in query.phrases]
    answer = problem.answer or ()
    return texts, [any(at in answer for at in each.candidates) for each in query.phrases]


def fill_in(problem: Problem, phrase: str, *, possessive: bool) -> str:
    """The text with a phrase in the pronoun's place, spelled as in running text."""
    text, target = problem.text, problem.target
    before, after = text[: target.start], text[target.end :]
    if problem.pronoun not in _BLANKS:
        phrase = _with_article(phrase, text)
    first = phrase.partition(" ")[0]
    if _SENTENCE_START.search(before):
        phrase = phrase[:1].upper() + phrase[1:]
    elif first.lower() in _DETERMINERS:
        phrase = first.lower() + phrase[len(first) :]
    ending = "'s" if possessive else ""
    return tidy(f"{before}{phrase}{ending}{after}")


def _with_article(phrase: str, text: str) -> str:
    """A noun without a determiner gets an article, if it has a determiner in the text."""
    if not phrase[:1].islower() or phrase.partition(" ")[0].lower() in _DETERMINERS:
        return phrase
    before = re.search(rf"(?<!\w)(\w+)\s+{re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
    known = before is not None and before[1].lower() in _DETERMINERS
    return f"the {phrase}" if known else phrase


def tidy(text: str) -> str:
    """The text without spaces before punctuation, with plain quotation marks."""
    for pattern, new in _TIDY:
        text = pattern.sub(new, text)
    return text.strip().encode("utf-8", "replace").decode("utf-8")


def fit_rows(rows: Sequence[list[int]], end: int) -> list[list[int]]:
    """Rows of at most `MAX_SUBWORDS`, all shortened by the same part, with the end-of-text token."""
    excess = max(map(len, rows)) + 1 - MAX_SUBWORDS
    if excess > 0:
        removed = min(excess, max(shared_length(rows) - MAX_SUBWORDS // 3, 0))
        rows = [row[removed:][: MAX_SUBWORDS - 1] for row in rows]
    return [[*row, end] for row in rows]


def pack_readings(
    queries: Iterable[NumberedQuery], tokenizer: Tokenizer, end: int, packer: ReadingPacker
) -> None:
    """Add the readings of problems; those with two equal texts are left out."""
    pending: list[tuple[int, Reading]] = []
    count = 0
    for each in queries:
        for reading in readings(each.query, bare=each.bare):
            if len(set(reading.texts)) == len(reading.texts):
                pending.append((each.number, reading))
                count += len(reading.texts)
        if count > _TEXTS_AT_ONCE:
            _add_readings(pending, tokenizer, end, packer)
            pending, count = [], 0
    _add_readings(pending, tokenizer, end, packer)


def _add_readings(
    pending: Sequence[tuple[int, Reading]], tokenizer: Tokenizer, end: int, packer: ReadingPacker
) -> None:
    texts = [text for _, reading in pending for text in reading.texts]
    encoded = [each.ids for each in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
    at = 0
    for number, reading in pending:
        count = len(reading.texts)
        rows = fit_rows(encoded[at : at + count], end)
        packer.add(number, reading.switched, rows, reading.right)
        at += count
