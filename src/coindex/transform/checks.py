"""Checks of documents and problems that were read without an error.

Readers reject what they cannot parse. These rules are about suspicious annotation in valid
files. Each finding names the token that it is about, so that the line of the file can be
shown, with what was expected and what was found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from coindex.text.markup import is_marked_up
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Finding, Source
from coindex.types.span import Span

RULES = {
    "format": "the file is not in its format; reading stopped here",
    "input": "the file cannot be read",
    "brackets": "a cell that is no coreference bracket",
    "unbalanced": "a bracket that closes nothing, or is never closed",
    "end": "a document without '#end document'",
    "dialect": "a header, a line or a cell in a form of its own, which is read all the same",
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
    "predictions": "predicted clusters beside gold ones in one file",
    "range": "words that one token of the text stands for, left out",
    "relation": "relations that are not coreference",
    "annotations": "several annotations of one task",
    "subwords": "a word of which a subword tokeniser left nothing",
}
"""What each rule means; `coindex check --ignore RULE` leaves one out."""


class TokenFinding(NamedTuple):
    """A finding with the token that it is about; `check` turns the token into a line."""

    rule: str
    token: int | None
    message: str


def check(item: Document | Problem, source: Source) -> Iterator[Finding]:
    """The findings about an item, with the lines of the file that it was read from."""
    findings = check_document(item) if isinstance(item, Document) else check_problem(item)
    for rule, token, message in findings:
        yield Finding(rule, source.name, source.line_of(token), f"{item.id}: {message}")


def check_document(document: Document) -> Iterator[TokenFinding]:
    """Crossing mentions, spans of two entities, tokens that are not in the text."""
    yield from _crossing(document)
    yield from _two_entities(document)
    yield from _offsets(document)


def _crossing(document: Document) -> Iterator[TokenFinding]:
    spans = {span: mention for mention in document.mentions for span in mention.spans}
    open_: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        open_ = [other for other in open_ if other.end > span.start]
        for other in open_:
            if other.crosses(span):
                here, there = (_words(document, spans[each]) for each in (span, other))
                message = f"expected {here} to lie within or outside {there}, found them crossing"
                yield TokenFinding("crossing", span.start, message)
                break
        open_.append(span)


def _two_entities(document: Document) -> Iterator[TokenFinding]:
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
            yield TokenFinding("two-entities", spans[0].start, message)


def _offsets(document: Document) -> Iterator[TokenFinding]:
    offsets = list(zip(document.starts, document.ends, strict=True))
    zeros = frozenset(document.zeros)
    for index, (token, (start, end)) in enumerate(zip(document.tokens, offsets, strict=True)):
        actual = document.text[start:end]
        if actual == token or index in zeros or is_marked_up(token, actual):
            continue
        if (start, end) in offsets[max(index - 1, 0) : index] + offsets[index + 1 : index + 2]:
            continue  # several words written as one share its characters
        message = f"expected token {token!r} at {start}-{end} of the text, found {actual!r}"
        yield TokenFinding("offset", index, message)


def _words(document: Document, mention: Mention) -> str:
    text = " ".join(document.text_of(mention).split()) or document.tokens[mention.start]
    text = text if len(text) <= 40 else f"{text[:37]}..."
    return f"{text!r} (tokens {mention.start}-{mention.end - 1})"


def check_problem(problem: Problem) -> Iterator[TokenFinding]:
    """Candidates that are not in the text, or not at their stated offsets."""
    for candidate in problem.candidates:
        if candidate.chars is None:
            message = f"expected the candidate {candidate.text!r} in the text, found it nowhere"
            yield TokenFinding("candidate", None, message)
        elif not _agrees(candidate, problem.text):
            chars = candidate.chars
            offsets, actual = f"{chars.start}-{chars.end}", chars.of(problem.text)
            message = f"expected {candidate.text!r} at {offsets} of the text, found {actual!r}"
            yield TokenFinding("offset", None, message)


def _agrees(candidate: Candidate, text: str) -> bool:
    """Whether a candidate is at its stated offsets, ignoring case and the determiner."""
    words = candidate.text.casefold().split()
    found = candidate.chars.of(text).casefold().split() if candidate.chars else []
    return bool(words) and words[-1:] == found[-1:] and words[1:] in (found[1:], found)
