"""KnowRef's name replacement: both names and the pronoun get one gender.

    James thanked Jessica, but she ...   ->   Jane thanked Jessica, but she ...

Section 3.1.4 of the paper replaces one of the two names. In its third printed example it is
the right one, and the pronouns follow (`Vanessa ... she ... her lead` became `Alex ... he
... his lead`). If it were always the wrong one, a common first name would give the answer
away; so chance decides which of the two is replaced.

All pronouns of the gender of the name that goes are changed with it: they meant its bearer,
as the only other person has the other gender.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from coindex.core.span import Chars
from coindex.core.words import labels, words
from coindex.corpora._names_of_people import (
    counterpart,
    draw,
    given_gender,
    is_title,
    title_gender,
)

_NOUN_FOLLOWS = re.compile(r"\s+[\w\"]")
_WORD = re.compile(r"[A-Za-z]+")

Possessive = Callable[[int], bool]
"""Whether the pronoun that begins at a place is possessive."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A text with some pieces changed, and the way from old places to new ones."""

    text: str
    changes: tuple[tuple[int, int, str], ...]

    def place(self, old: Chars) -> Chars:
        """Where something of the old text stands now."""
        start, end = old.start, old.end
        for first, last, new in self.changes:
            more = len(new) - (last - first)
            if last <= old.start:
                start += more
            if last <= old.end:
                end += more
        return Chars(start, end)


def edited(text: str, changes: list[tuple[int, int, str]]) -> Edited:
    """The text with each piece replaced."""
    ordered, parts, last = sorted(changes), [], 0
    for start, end, new in ordered:
        parts += [text[last:start], new]
        last = end
    return Edited("".join([*parts, text[last:]]), tuple(ordered))


@cache
def pronouns_of(gender: str) -> re.Pattern[str]:
    """The pronouns of a gender that have another one of the other gender."""
    told = labels("pronouns")
    found = sorted(word for word in labels("pronoun_turns") if told[word] == gender)
    return re.compile(rf"\b(?:{'|'.join(found)})\b", re.IGNORECASE)


def replaced(
    text: str, name: Chars, old: str, wanted: str, possessive: Possessive, seed: int, id: str
) -> Edited | None:
    """The text with the name made one of the wanted gender; None where that cannot be done.

    old     the gender of the name, whose pronouns change with it
    """
    new = renamed(name.of(text), wanted, seed, id, set(_WORD.findall(text)))
    if new is None:
        return None
    changes = [(name.start, name.end, new), *_pronouns(text, old, possessive)]
    after = text[name.end : name.end + 2]
    if after[:1] == "'" and not after[1:2].isalpha() and not new.endswith("s"):
        changes.append((name.end, name.end + 1, "'s"))  # James' car, Jane's car
    return edited(text, changes)


def renamed(name: str, wanted: str, seed: int, id: str, taken: set[str]) -> str | None:
    """A name of the wanted gender: titles are turned, first names drawn, last names kept."""
    pieces = name.split()
    if any(piece.lower().rstrip(".") in words("name_suffixes") for piece in pieces):
        return None
    lead = 0
    while lead < len(pieces) - 1 and is_title(pieces[lead]):
        lead += 1
    titles = [_turned(title, wanted) for title in pieces[:lead]]
    bare = pieces[lead:]
    given = _given(bare)
    if not given:
        return " ".join([*titles, *bare]) if titles != pieces[:lead] else None
    new = draw(wanted, seed, id, taken)
    new = new.upper() if bare[0].isupper() and len(bare[0]) > 2 else new
    return " ".join([*titles, new, *bare[given:]])


def _turned(title: str, wanted: str) -> str:
    told = title_gender(title)
    return title if told in (None, wanted) else counterpart(title) or title


def _given(bare: list[str]) -> int:
    """How many words of a name are first names: all but the last and its particles."""
    if len(bare) == 1:
        return 1 if given_gender(bare[0]) else 0
    small = (at for at, word in enumerate(bare) if word[0].islower())
    return next(small, len(bare) - 1)


def _pronouns(text: str, old: str, possessive: Possessive) -> list[tuple[int, int, str]]:
    """The pronouns of a gender, each with that of the other."""
    return [
        (*found.span(), _cased(_turn(found, text, possessive), found[0]))
        for found in pronouns_of(old).finditer(text)
    ]


def _turn(found: re.Match[str], text: str, possessive: Possessive) -> str:
    word = found[0].lower()
    options = labels("pronoun_turns")[word].split()
    if len(options) == 1:
        return options[0]
    if word == "her":
        owns = possessive(found.start())
    else:  # his: a noun follows, or it stands alone
        owns = _NOUN_FOLLOWS.match(text, found.end()) is not None
    return options[0] if owns else options[1]


def _cased(new: str, old: str) -> str:
    return new[0].upper() + new[1:] if old[0].isupper() else new
