"""What can be wrong with a document or a problem that is well formed.

Readers refuse what they cannot understand. These rules are about what they do
understand and users should know of: each gives the token it is about, so that
the file's line can be named, what was expected and what was found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from coindex.core.document import Document
from coindex.core.mention import Mention
from coindex.core.problem import Candidate, Problem
from coindex.core.source import Finding, Source
from coindex.core.span import Span

RULES = {
    "format": "the file is not in its format; reading stopped here",
    "input": "the file cannot be read",
    "brackets": "a cell that is no coreference bracket",
    "unbalanced": "a bracket that closes nothing, or is never closed",
    "repeated": "the same mention twice in one entity",
    "crossing": "two mentions overlap and neither holds the other",
    "two-entities": "one span is a mention of several entities",
    "offset": "offsets that do not match the text",
    "span": "spans that contradict each other",
    "empty": "an entity without mentions, or a sentence without tokens",
    "candidate": "a candidate that is not in the text, or stands there twice",
    "pronoun": "a pronoun that is not in the text, or more than one",
    "answer": "an answer that is no candidate, or two answers that differ",
    "blank": "a sentence without the blank to fill, or with several",
    "element": "an element that is missing, or was not expected",
    "id": "an id that does not say what it should",
    "columns": "a row with too few or too many columns",
    "hypothesis": "a hypothesis that does not repeat its premise word by word",
    "same-id": "two items with the same id",
}
"""What each rule means; `coindex check --ignore RULE` leaves one out."""


class Remark(NamedTuple):
    """A finding before it has a line: the rule, the token it is about, the message."""

    rule: str
    token: int | None
    message: str


def check(item: Document | Problem, source: Source) -> Iterator[Finding]:
    """What is wrong with an item, with the lines of the file it was read from."""
    remarks = check_document(item) if isinstance(item, Document) else check_problem(item)
    for rule, token, message in remarks:
        yield Finding(rule, source.name, source.line_of(token), f"{item.id}: {message}")


def check_document(document: Document) -> Iterator[Remark]:
    """Crossing mentions, spans of two entities, tokens that are not in the text."""
    yield from _crossing(document)
    yield from _two_entities(document)
    yield from _offsets(document)


def _crossing(document: Document) -> Iterator[Remark]:
    spans = {span: mention for mention in document.mentions for span in mention.spans}
    open_: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        open_ = [other for other in open_ if other.end > span.start]
        for other in open_:
            if other.crosses(span):
                here, there = (_words(document, spans[each]) for each in (span, other))
                message = f"expected {here} to lie within or outside {there}, found them crossing"
                yield Remark("crossing", span.start, message)
                break
        open_.append(span)


def _two_entities(document: Document) -> Iterator[Remark]:
    owners: defaultdict[tuple[Span, ...], list[str]] = defaultdict(list)
    first: dict[tuple[Span, ...], Mention] = {}
    for number, entity in enumerate(document.entities, 1):
        for mention in entity.mentions:
            owners[mention.spans].append(entity.id or f"number {number}")
            first.setdefault(mention.spans, mention)
    for spans, names in owners.items():
        if len(names) > 1:
            words = _words(document, first[spans])
            message = f"expected {words} in one entity, found it in {' and '.join(names)}"
            yield Remark("two-entities", spans[0].start, message)


def _offsets(document: Document) -> Iterator[Remark]:
    places = list(zip(document.starts, document.ends, strict=True))
    zeros = frozenset(document.zeros)
    for index, (token, (start, end)) in enumerate(zip(document.tokens, places, strict=True)):
        found = document.text[start:end]
        if found == token or index in zeros:
            continue
        if (start, end) in places[max(index - 1, 0) : index] + places[index + 1 : index + 2]:
            continue  # several words written as one share its characters
        message = f"expected token {token!r} at {start}-{end} of the text, found {found!r}"
        yield Remark("offset", index, message)


def _words(document: Document, mention: Mention) -> str:
    text = " ".join(document.text_of(mention).split()) or document.tokens[mention.start]
    text = text if len(text) <= 40 else f"{text[:37]}..."
    return f"{text!r} (tokens {mention.start}-{mention.end - 1})"


def check_problem(problem: Problem) -> Iterator[Remark]:
    """Candidates that are not in the text, or not where they are said to be."""
    for candidate in problem.candidates:
        if candidate.chars is None:
            message = f"expected the candidate {candidate.text!r} in the text, found it nowhere"
            yield Remark("candidate", None, message)
        elif not _agrees(candidate, problem.text):
            chars = candidate.chars
            place, found = f"{chars.start}-{chars.end}", chars.of(problem.text)
            message = f"expected {candidate.text!r} at {place} of the text, found {found!r}"
            yield Remark("offset", None, message)


def _agrees(candidate: Candidate, text: str) -> bool:
    """Whether a candidate stands where it says, give or take case and a determiner."""
    said = candidate.text.casefold().split()
    found = candidate.chars.of(text).casefold().split() if candidate.chars else []
    return bool(said) and said[-1:] == found[-1:] and (said[1:] == found[1:] or said[1:] == found)
