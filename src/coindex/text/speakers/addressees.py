"""Who is spoken to: by vocatives (`Thanks, Ben.`), and by the order of turns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from coindex.text.person_names import is_title
from coindex.text.speakers.labels import Turn, is_given_name
from coindex.text.word_lists import words

_WORD = r"[^\W\d_][\w'’-]*"
_NAME = rf"(?P<name>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?[ ])?{_WORD}(?:[ ]{_WORD})?)"
_OPENER = (
    r"(?:(?:hi|hello|hey|yo|thanks|thank you|yes|yeah|no|nope|ok|okay|well|oh|so|and|but|look|listen"
    r"|sorry|please|good (?:morning|evening|afternoon|night)|bye|goodbye|welcome|dear|my dear|now|come on"
    r"|right|sure|great|congratulations|happy birthday|excuse me|ah|wait|stop|hush|gg|lol|omg|wow)[ ,!.]+)"
)
_START = re.compile(
    rf"[\s\"“‘'(]*{_OPENER}{{0,2}}@?{_NAME}[ ]?(?P<end>[,:!?—–]|\.?$|\.(?=\s))", re.IGNORECASE
)
_INSIDE = re.compile(rf",[ ]{_NAME}[ ]?(?P<end>[.?!…]|,?[\"”’]|,?$)")
_NICK = re.compile(r"[\s_\d]+")
_LENGTH = 400
"""How many characters at both ends of a turn are searched for vocatives."""

_KIN = frozenset(
    [
        "mom",
        "mum",
        "mommy",
        "mummy",
        "mama",
        "dad",
        "daddy",
        "papa",
        "grandma",
        "grandpa",
        "granny",
        "sir",
        "madam",
        "ma'am",
        "doctor",
        "professor",
        "officer",
        "captain",
        "coach",
        "nurse",
    ]
)


def turn_addressee(said: str, speaker: str, others: Sequence[str]) -> str:
    """The person whom a turn names as spoken to; "" if nobody, or several.

    others  the speakers of the text: a vocative that names one of them gives this label
    """
    found = []
    said = said.strip()
    head, tail = said[:_LENGTH], said[-_LENGTH:]
    if match := _START.match(head):
        found.append((match["name"], _opened(match)))
    found += [(match["name"], True) for match in _INSIDE.finditer(head)]
    if len(said) > _LENGTH:
        found += [(match["name"], True) for match in _INSIDE.finditer(tail)]
    named = {label for name, sure in found if (label := _person(name, sure, others))}
    named.discard(speaker)
    return named.pop() if len(named) == 1 else ""


def _opened(match: re.Match[str]) -> bool:
    """Whether a name at the start is followed by what only a vocative is followed by."""
    return match["end"] in ",:!?—–" or match.start("name") > match.start()


def _person(name: str, sure: bool, others: Sequence[str]) -> str:
    """The label for a name: that of a speaker, or the name itself if it is clearly a person's."""
    low = name.lower()
    for label in others:
        if low == label.lower():
            return label
    fitting = {label for label in others if low in _parts(label)}
    if len(fitting) == 1:
        return fitting.pop()
    if fitting or not sure or not name[0].isupper():
        return ""
    first = name.split()[0]
    if low in _KIN and name[0].isupper():
        return name
    named = is_given_name(first) and first.lower() not in words("vocabulary")
    return name if named or (is_title(first) and " " in name) else ""


@lru_cache(maxsize=1 << 12)
def _parts(label: str) -> frozenset[str]:
    """The words that may stand for a label: the first and the last of a name."""
    if label[:1].islower() and " " in label:  # the old man
        return frozenset()
    parts = [part for part in _NICK.split(label.lower()) if part and not is_title(part)]
    return frozenset(parts[:1] + parts[-1:])


def with_addressees(text: str, turns: Sequence[Turn]) -> list[Turn]:
    """The turns of one conversation, with the addressees that can be told.

    Of two speakers each addresses the other one. Of several, a turn addresses whom it names, or
    the speaker before it if he speaks again right after it.
    """
    speakers = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
    order = _merged(turns)
    result = []
    for at, turn in enumerate(turns):
        addressee = turn.addressee
        if turn.speaker and not addressee:
            addressee = _by_order(order[at], speakers, turn.speaker)
            if len(speakers) != 2:
                named = turn_addressee(turn.chars.of(text), turn.speaker, speakers)
                addressee = named or addressee
        result.append(replace(turn, addressee=addressee))
    return result


def _by_order(near: tuple[str, str], speakers: Sequence[str], speaker: str) -> str:
    if len(speakers) == 2:
        return speakers[1 - speakers.index(speaker)]
    before, after = near
    return before if before and before == after else ""


def _merged(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """For each turn the next different speaker before it and after it."""
    before: list[str] = []
    last = other = ""
    for turn in turns:
        if turn.speaker != last:
            last, other = turn.speaker, last
        before.append(other)
    after: list[str] = []
    last = other = ""
    for turn in reversed(turns):
        if turn.speaker != last:
            last, other = turn.speaker, last
        after.append(other)
    return list(zip(before, reversed(after), strict=True))
