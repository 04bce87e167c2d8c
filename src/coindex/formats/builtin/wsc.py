"""Winograd schemas in XML: the WSCollection files and the PDP challenge.

    <collection><schema>
    <text><txt1>Ann called Mary because</txt1> <pron>she</pron> <txt2>was ill.</txt2></text>
    <quote><quote1>because</quote1> <pron>she</pron> <quote2>was ill</quote2></quote>
    <answers><answer>Ann</answer> <answer>Mary</answer></answers>
    <correctAnswer>B</correctAnswer> <source>(Winograd 1972)</source>
    </schema></collection>

White space is normalised: the text has single spaces, also between two words that
only a tag separates. `xml:space="preserve"` on a text preserves it; texts with other
white space are written so. Schemas are numbered from 1, unless they have an `id`.
The parts of the quote, and PDP's `sameText` and `humanSubjects`, are stored as
metadata.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from coindex.formats.phrase_offsets import find
from coindex.formats.problem_checks import not_one_answer, round_trip_change, shown
from coindex.formats.wsc_xml import Element, elements, normal
from coindex.types.mention import Pairs
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars

KIND = "problem"
_METADATA = ("sameText", "quote1", "quotePronoun", "quote2", "humanSubjects")
SUPPORTS = frozenset({"source", *(f"meta:{name}" for name in _METADATA)})

_IN_SCHEMA = frozenset(
    {"sameText", "text", "quote", "answers", "correctAnswer", "humanSubjects", "source"}
)
_IN_QUOTE = {"quote1": "quote1", "pron": "quotePronoun", "quote2": "quote2"}
_ROOT = re.compile(r"\s*<(?:collection|schema)\b")
_PROLOGUE = re.compile(r"\s*(?:<\?.*\?>\s*)*")
_BAD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def sniff(head: Sequence[str]) -> bool:
    """The root element is a collection, and contains schemas."""
    text = "".join(head)
    prologue = _PROLOGUE.match(text)
    return bool(_ROOT.match(text, prologue.end() if prologue else 0)) and "<schema" in text


def read(lines: Iterable[str], source: Source) -> Iterator[Problem]:
    """The schemas of a collection."""
    for number, schema in enumerate(elements(lines, "collection", source), 1):
        source.begin(schema.line)
        if schema.name != "schema":
            raise source.error(schema.line, f"expected <schema>, found {shown(schema.name)}")
        for child in schema.children:
            if child.name not in _IN_SCHEMA:
                message = f"expected nothing else in <schema>, found {shown(child.name)}"
                source.mistake(child.line, "element", message)
        with source.errors_at(schema.line):
            problem = _problem(str(number), schema, source)
        yield problem


def _child(element: Element, name: str, source: Source) -> Element:
    child = element.child(name)
    if child is None:
        raise source.error(element.line, f"expected <{name}> in <{element.name}>, found none")
    return child


def _problem(number: str, schema: Element, source: Source) -> Problem:
    text, target = _text(_child(schema, "text", source), source)
    answers = _child(schema, "answers", source)
    listed = [child for child in answers.children if child.name == "answer"]
    for answer in listed or [answers]:
        if not listed or not answer.text:
            raise source.error(answer.line, "expected an <answer> with a text, found none")
    names = [answer.text for answer in listed]
    origin = schema.child("source")
    return Problem(
        schema.attributes.get("id", number),
        text,
        target,
        tuple(Candidate(name, find(text, name)) for name in names),
        _answer(schema.child("correctAnswer"), len(names), source),
        source=(origin.text or None) if origin else None,
        meta=_metadata(schema),
    )


def _text(element: Element, source: Source) -> tuple[str, Chars]:
    """The three parts of a text joined, and the offsets of the pronoun."""
    parts = [element.child("txt1"), _child(element, "pron", source), element.child("txt2")]
    before, pronoun, after = (part.raw if part else "" for part in parts)
    if not normal(pronoun):
        raise source.error(element.line, "expected a pronoun in <pron>, found none")
    if element.attributes.get("xml:space") == "preserve":
        return before + pronoun + after, Chars(len(before), len(before) + len(pronoun))
    return _joined(before, pronoun, after)


def _joined(before: str, pronoun: str, after: str) -> tuple[str, Chars]:
    start = normal(before) + _gap(before, pronoun)
    end = _gap(pronoun, after) + normal(after)
    pronoun = normal(pronoun)
    return start + pronoun + end, Chars(len(start), len(start) + len(pronoun))


def _gap(left: str, right: str) -> str:
    """The separator of two parts: a space if there is white space, or between two words."""
    if not normal(left) or not normal(right):
        return ""
    spaced = left[-1] in " \t\r\n" or right[0] in " \t\r\n"
    return " " if spaced or (left[-1].isalnum() and right[0].isalnum()) else ""


def _answer(element: Element | None, count: int, source: Source) -> tuple[int] | None:
    letter = element.text.rstrip(". ").upper() if element else ""
    if not element or not letter:
        return None
    index = ord(letter) - ord("A") if len(letter) == 1 else -1
    if not 0 <= index < min(count, 26):
        message = f"expected a letter from A to {chr(64 + min(count, 26))}, found {shown(letter)}"
        source.mistake(element.line, "answer", message)
        return None
    return (index,)


def _metadata(schema: Element) -> Pairs:
    values = {child.name: child.text for child in schema.children if child.name in _METADATA}
    quote = schema.child("quote")
    for child in quote.children if quote else ():
        if child.name in _IN_QUOTE:
            values[_IN_QUOTE[child.name]] = child.text
    return tuple((name, values[name]) for name in _METADATA if name in values)


def refuse(problem: Problem) -> str | None:
    """Why a problem cannot be written; None if it can."""
    reason = not_one_answer(problem)
    if reason:
        return reason
    if problem.answer and problem.answer[0] > 25:
        return "its answer has no letter from A to Z"
    if _BAD.search("".join(write([problem]))):
        return "it holds a character that XML does not allow"
    return round_trip_change(problem, write, read)


def write(items: Iterable[Problem]) -> Iterator[str]:
    """A collection, one element per line."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield "<collection>\n"
    for number, problem in enumerate(items, 1):
        id = "" if problem.id == str(number) else f" id={quoteattr(problem.id)}"
        yield f"<schema{id}>\n"
        yield from _write_schema(problem)
        yield "</schema>\n"
    yield "</collection>\n"


def _write_schema(problem: Problem) -> Iterator[str]:
    metadata = dict(problem.meta)
    if "sameText" in metadata:
        yield _tag("sameText", metadata["sameText"]) + "\n"
    text, target = problem.text, problem.target
    parts = (text[: target.start], problem.pronoun, text[target.end :])
    keep = "" if _joined(*parts) == (text, target) else ' xml:space="preserve"'
    tags = map(_tag, ("txt1", "pron", "txt2"), parts)
    yield f"<text{keep}>{''.join(tags)}</text>\n"
    quote = [(tag, metadata[name]) for tag, name in _IN_QUOTE.items() if name in metadata]
    if quote:
        yield f"<quote>{''.join(_tag(name, part) for name, part in quote)}</quote>\n"
    answers = "".join(_tag("answer", candidate.text) for candidate in problem.candidates)
    yield f"<answers>{answers}</answers>\n"
    if problem.answer:
        yield _tag("correctAnswer", chr(ord("A") + problem.answer[0])) + "\n"
    if "humanSubjects" in metadata:
        yield _tag("humanSubjects", metadata["humanSubjects"]) + "\n"
    if problem.source is not None:
        yield _tag("source", problem.source) + "\n"


def _tag(name: str, text: str) -> str:
    return f"<{name}>{escape(text, {chr(13): '&#13;'})}</{name}>"
