"""Antecedent switching: the two candidates of a problem change places in its text.

    Ann thanked Mary because she helped .   (Mary)
    Mary thanked Ann because she helped .   (Ann)

After KnowRef (Emami et al., ACL 2019, section 4.1): every occurrence of both
candidates is exchanged, so the right answer becomes the other one, and a
resolver that understands the passage changes its answer too. The candidates
keep their order and their names; each stands where the other stood, and the
answer's index is the other one. The pronoun stays as it is: the genders of names
are not known, and whether verbs still agree in number is not checked.

What happens to words beside the names: "a" and "an" follow the new word; a
capital at the start of a sentence stays there; a title that every occurrence of
a name has moves with the name; "James'" becomes "Ann's" (the fact `switched` is
then "bare" and not "true", to know the way back). The parts of names are
exchanged for the same parts: see `_switch_names`. One word that begins a sentence
is taken for a name unless both candidates are plural ("Cats", "dogs"); several of
which only the first has a capital are not, so "Libyan rebels" loses its own.

What cannot be done safely is `Refused`, with the reason. A result is given only
if switching it again gives back the very same problem.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from coindex.core._switch_names import (
    Names,
    contained,
    is_bare_noun,
    is_common,
    names_of,
)
from coindex.core._switch_text import Edits, NotSafe, begins_sentence, edits_of
from coindex.core.mention import Pairs
from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars

SWITCHED = "switched"
"""The name of the fact that a switched copy has and its original has not."""

_PLACES = "other-pronouns"  # facts that hold places in the text
_INDICES = frozenset({"correct_candidate_idx"})  # facts that hold a candidate's index
_QUOTES = frozenset({"hypothesis", "quote1", "quote2"})  # facts that repeat words of the text


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a problem cannot be switched safely."""

    reason: str


def switch(problem: Problem) -> Problem | Refused:
    """The problem with its candidates exchanged, or why that is not safe."""
    try:
        switched = _once(problem)
    except NotSafe as error:
        return Refused(str(error))
    try:
        back = _once(switched)
    except NotSafe:
        back = None
    return switched if back == problem else Refused("it could not be switched back")


def _once(problem: Problem) -> Problem:
    places = _places(problem)
    names = names_of(*_as_named(problem, *places))
    edits = edits_of(problem.text, names, bare=problem.fact(SWITCHED) == "bare")
    for place in (problem.target, *_other_pronouns(problem)):
        if edits.touches(place):
            raise NotSafe("the pronoun is within a candidate")
    found = _moved(edits, places)
    candidates = tuple(
        Candidate(candidate.text, place)
        for candidate, place in zip(problem.candidates, found, strict=True)
    )
    answer = problem.answer
    return replace(
        problem,
        text=edits.text,
        target=edits.image(problem.target),
        candidates=candidates,
        answer=tuple(sorted(1 - index for index in answer)) if answer is not None else None,
        meta=_facts(problem, edits, names),
    )


def _places(problem: Problem) -> tuple[Chars, Chars]:
    """Where the two candidates stand."""
    if len(problem.candidates) != 2:
        raise NotSafe("it does not have two candidates")
    one, other = problem.candidates
    if one.text.lower() == other.text.lower():
        raise NotSafe("the candidates have the same name")
    if not one.chars or not other.chars:
        raise NotSafe("a candidate is not in the text")
    if one.chars.start < other.chars.end and other.chars.start < one.chars.end:
        raise NotSafe("the candidates overlap")
    texts = one.chars.of(problem.text), other.chars.of(problem.text)
    if contained(*texts) or contained(*(names_of(*texts).pairs[0])):
        raise NotSafe("one candidate's name is within the other's")
    return one.chars, other.chars


def _as_named(problem: Problem, one: Chars, other: Chars) -> tuple[str, str]:
    """The phrases of the text, without a capital that only a sentence's start gives them."""
    text = problem.text
    named = []
    for place, beside, candidate in zip(
        (one, other), (other, one), problem.candidates, strict=True
    ):
        phrase, first = place.of(text), candidate.text[:1]
        common = first.islower() and phrase[:1].lower() == first
        if begins_sentence(text, place.start):
            common = common or is_common(phrase, beside.of(text), text)
        named.append(phrase[:1].lower() + phrase[1:] if common else phrase)
    for phrase, name, place in zip(named, named[::-1], (one, other), strict=True):
        if is_bare_noun(phrase, text[: place.start], name):
            raise NotSafe("a candidate is a noun that is no whole phrase")
    return named[0], named[1]


def _moved(edits: Edits, places: Sequence[Chars]) -> tuple[Chars, Chars]:
    """Where the candidates stand now: each where the other stood."""
    slots = [edits.slot_in(place) for place in places]
    found = []
    for mine, my, theirs, their in (
        (places[0], slots[0], places[1], slots[1]),
        (places[1], slots[1], places[0], slots[0]),
    ):
        new = edits.image(Chars(their.start, their.end))
        start, end = new.start + max(0, mine.start - my.start), new.end + min(0, mine.end - my.end)
        if theirs.start < their.start:
            start = edits.image(theirs).start
        if theirs.end > their.end:
            end = edits.image(theirs).end
        if start >= end:
            raise NotSafe("a candidate's place is not that of its words")
        found.append(Chars(start, end))
    return found[0], found[1]


def _other_pronouns(problem: Problem) -> list[Chars]:
    told = problem.fact(_PLACES) or ""
    pairs = re.findall(r"([0-9]{1,9})-([0-9]{1,9})", told)
    found = [Chars(int(a), int(b)) for a, b in pairs if int(a) <= int(b) <= len(problem.text)]
    if told != _told(found):
        raise NotSafe("a fact about places in the text cannot be understood")
    return found


def _told(places: Sequence[Chars]) -> str:
    return " ".join(f"{place.start}-{place.end}" for place in places)


def _facts(problem: Problem, edits: Edits, names: Names) -> Pairs:
    """The facts of the switched copy: places moved, indices turned, `switched` toggled."""
    found = []
    for name, value in problem.meta:
        if name == SWITCHED:
            continue
        if name == _PLACES:
            value = _told([edits.image(place) for place in _other_pronouns(problem)])
        elif name in _INDICES and value in ("0", "1"):
            value = "10"[int(value)]
        elif name in _QUOTES and any(contained(part, value) for part in names.pairs[0]):
            raise NotSafe("a fact repeats a candidate of the text")
        found.append((name, value))
    if problem.fact(SWITCHED) is None:
        found.append((SWITCHED, "bare" if edits.bare else "true"))
    return tuple(found)
