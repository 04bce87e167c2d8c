"""Antecedent switching: the two candidates of a problem are exchanged in its text.

    Ann thanked Mary because she helped .   (Mary)
    Mary thanked Ann because she helped .   (Ann)

After KnowRef (Emami et al., ACL 2019, section 4.1): every occurrence of both
candidates is exchanged, so the right answer becomes the other one, and a
resolver that understands the passage changes its answer too. The candidates
keep their order and their names; each has the former offsets of the other, and the
answer's index is the other one. The pronoun is unchanged: the genders of names
are not known, and whether verbs still agree in number is not checked.

Words next to the names: "a" and "an" agree with the new word; the start of a sentence
stays capitalised; a title that precedes every occurrence of a name moves with the
name; "James'" becomes "Ann's" (`switched` in `meta` is then "bare" instead of "true",
so that the switch can be reversed). The parts of names are exchanged for the same
parts: see `switch_edits`. A single word that begins a sentence is taken for a name
unless both candidates are plural ("Cats", "dogs"). Several words of which only the
first is capitalised are not, so "Libyan rebels" loses its capital.

A problem that cannot be switched safely is `Refused`, with the reason. A result is
returned only if switching it again restores the original problem exactly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from coindex.transform.switch_edits import (
    SwitchedNames,
    TextEdits,
    UnsafeSwitch,
    begins_sentence,
    contained,
    is_bare_noun,
    is_common,
    switch_edits,
    switched_names,
)
from coindex.types.mention import Pairs
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

SWITCHED = "switched"
"""The key in `meta` that marks a switched copy."""

_RANGES = "other-pronouns"  # metadata with offsets in the text
_INDICES = frozenset({"correct_candidate_idx"})  # metadata with a candidate's index
_QUOTES = frozenset({"hypothesis", "quote1", "quote2"})  # metadata that repeats words of the text


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a problem cannot be switched safely."""

    reason: str


def switch(problem: Problem) -> Problem | Refused:
    """The problem with its candidates exchanged, or the reason why that is not safe."""
    try:
        switched = _once(problem)
    except UnsafeSwitch as error:
        return Refused(str(error))
    try:
        back = _once(switched)
    except UnsafeSwitch:
        back = None
    return switched if back == problem else Refused("it could not be switched back")


def _once(problem: Problem) -> Problem:
    offsets = _candidate_offsets(problem)
    names = switched_names(*_normalized_phrases(problem, *offsets))
    edits = switch_edits(problem.text, names, bare=problem.meta_value(SWITCHED) == "bare")
    for chars in (problem.target, *_other_pronouns(problem)):
        if edits.touches(chars):
            raise UnsafeSwitch("the pronoun is within a candidate")
    new_offsets = _new_offsets(edits, offsets)
    candidates = tuple(
        Candidate(candidate.text, chars)
        for candidate, chars in zip(problem.candidates, new_offsets, strict=True)
    )
    answer = problem.answer
    return replace(
        problem,
        text=edits.text,
        target=edits.image(problem.target),
        candidates=candidates,
        answer=tuple(sorted(1 - index for index in answer)) if answer is not None else None,
        meta=_switched_meta(problem, edits, names),
    )


def _candidate_offsets(problem: Problem) -> tuple[Chars, Chars]:
    """The offsets of the two candidates."""
    if len(problem.candidates) != 2:
        raise UnsafeSwitch("it does not have two candidates")
    one, other = problem.candidates
    if one.text.lower() == other.text.lower():
        raise UnsafeSwitch("the candidates have the same name")
    if not one.chars or not other.chars:
        raise UnsafeSwitch("a candidate is not in the text")
    if one.chars.start < other.chars.end and other.chars.start < one.chars.end:
        raise UnsafeSwitch("the candidates overlap")
    texts = one.chars.of(problem.text), other.chars.of(problem.text)
    if contained(*texts) or contained(*(switched_names(*texts).pairs[0])):
        raise UnsafeSwitch("one candidate's name is within the other's")
    return one.chars, other.chars


def _normalized_phrases(problem: Problem, one: Chars, other: Chars) -> tuple[str, str]:
    """The candidates as in the text, without a capital due to the start of a sentence only."""
    text = problem.text
    phrases = []
    for chars, beside, candidate in zip(
        (one, other), (other, one), problem.candidates, strict=True
    ):
        phrase, first = chars.of(text), candidate.text[:1]
        common = first.islower() and phrase[:1].lower() == first
        if begins_sentence(text, chars.start):
            common = common or is_common(phrase, beside.of(text), text)
        phrases.append(phrase[:1].lower() + phrase[1:] if common else phrase)
    for phrase, name, chars in zip(phrases, phrases[::-1], (one, other), strict=True):
        if is_bare_noun(phrase, text[: chars.start], name):
            raise UnsafeSwitch("a candidate is a noun that is no whole phrase")
    return phrases[0], phrases[1]


def _new_offsets(edits: TextEdits, offsets: Sequence[Chars]) -> tuple[Chars, Chars]:
    """The new offsets of the candidates, each at the former offsets of the other."""
    slots = [edits.slot_in(chars) for chars in offsets]
    moved = []
    for mine, my, theirs, their in (
        (offsets[0], slots[0], offsets[1], slots[1]),
        (offsets[1], slots[1], offsets[0], slots[0]),
    ):
        new = edits.image(Chars(their.start, their.end))
        start, end = new.start + max(0, mine.start - my.start), new.end + min(0, mine.end - my.end)
        if theirs.start < their.start:
            start = edits.image(theirs).start
        if theirs.end > their.end:
            end = edits.image(theirs).end
        if start >= end:
            raise UnsafeSwitch("a candidate's place is not that of its words")
        moved.append(Chars(start, end))
    return moved[0], moved[1]


def _other_pronouns(problem: Problem) -> list[Chars]:
    ranges = problem.meta_value(_RANGES) or ""
    pairs = re.findall(r"([0-9]{1,9})-([0-9]{1,9})", ranges)
    offsets = [Chars(int(a), int(b)) for a, b in pairs if int(a) <= int(b) <= len(problem.text)]
    if ranges != _format_ranges(offsets):
        raise UnsafeSwitch("a fact about places in the text cannot be understood")
    return offsets


def _format_ranges(offsets: Sequence[Chars]) -> str:
    return " ".join(f"{chars.start}-{chars.end}" for chars in offsets)


def _switched_meta(problem: Problem, edits: TextEdits, names: SwitchedNames) -> Pairs:
    """The metadata of the switched copy: offsets moved, indices swapped, `switched` toggled."""
    meta = []
    for name, value in problem.meta:
        if name == SWITCHED:
            continue
        if name == _RANGES:
            value = _format_ranges([edits.image(chars) for chars in _other_pronouns(problem)])
        elif name in _INDICES and value in ("0", "1"):
            value = "10"[int(value)]
        elif name in _QUOTES and any(contained(part, value) for part in names.pairs[0]):
            raise UnsafeSwitch("a fact repeats a candidate of the text")
        meta.append((name, value))
    if problem.meta_value(SWITCHED) is None:
        meta.append((SWITCHED, "bare" if edits.bare else "true"))
    return tuple(meta)
