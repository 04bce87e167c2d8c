"""First names: their gender, and drawing one by how frequent it is.

Genders come from the US census of 1990 (see `first_names.txt`): a name is masculine where
men bear it many times as often as women do. A word that is more frequent as a last name
(`Kelly`, `Scott` in a report on a match) tells nothing when it stands alone. Titles tell
more than names: `Sister Paula`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from itertools import accumulate

from coindex.core.words import labels
from coindex.corpora._chance import fraction

GENDERS = ("masculine", "feminine")

_TRIES = 64


@cache
def _frequencies() -> dict[str, tuple[float, float]]:
    """The share of men and of women who bear a first name."""
    found = {}
    for name, shares in labels("first_names").items():
        men, women = shares.split()
        found[name] = float(men), float(women)
    return found


def given_gender(word: str) -> str | None:
    """The gender of a first name, where nearly all who bear it have the same."""
    men, women = _frequencies().get(word.lower(), (0.0, 0.0))
    sure = float(labels("passage_rules")["sure_gender"])
    if men > sure * women:
        return "masculine"
    return "feminine" if women > sure * men else None


def gender(name: str) -> str | None:
    """The gender that a person's name tells: by its title, or by its first name."""
    found = name.split()
    if not found or (len(found) == 1 and is_title(found[0])):  # Queen's University
        return None
    by_title = title_gender(found[0])
    if by_title is not None:
        return by_title
    bare = [word for word in found if not is_title(word)]
    if not bare or (len(bare) == 1 and (len(found) > 1 or _is_last_name(bare[0]))):
        return None  # `Senator Kelly` is no first name
    return given_gender(bare[0])


def is_last_name_on(title: str, text: str, name: str) -> bool:
    """Whether a page shows one word to be a last name: `Jane` where it tells of Patrick Jane.

    It ends longer names there, after a first name or an initial, or the page's title, more often
    than it begins some (`Jane Austen`).
    """
    word = re.escape(name)
    ends = re.finditer(rf"(?<!\w)(?:([A-Z][\w'-]+)|[A-Z]\.) (?:[A-Z]\. )?{word}(?!\w| [A-Z])", text)
    last = sum(found[1] is None or _is_first_name(found[1]) for found in ends)
    topic = re.search(rf"(?:^| )([A-Z][\w'-]+) {word}(?: \(|$)", title)
    last += topic is not None and not is_title(topic[1])
    return last > len(re.findall(rf"(?<!\w){word} (?:[A-Z]\. )?[A-Z][a-z]", text))


def _is_first_name(word: str) -> bool:
    return word.lower() in _frequencies() and not is_title(word)


def title_gender(word: str) -> str | None:
    """The gender of a title: masculine for `Sir`, none for `Professor`."""
    told = labels("title_pairs").get(word.rstrip(".").lower())
    return told.split()[0] if told else None


def counterpart(title: str) -> str | None:
    """The title of the other gender: `Brother` for `Sister`."""
    told = labels("title_pairs").get(title.rstrip(".").lower())
    if told is None:
        return None
    other = told.split()[1]
    other = other[0].upper() + other[1:] if title[0].isupper() else other
    return f"{other}." if title.endswith(".") and len(other) < 4 else other


def is_title(word: str) -> bool:
    """Whether a word is a title that stands before names."""
    plain = word.rstrip(".").lower()
    return plain in labels("titles") or plain in labels("title_pairs")


def _is_last_name(word: str) -> bool:
    return float(labels("last_names").get(word.lower(), 0)) > max(
        _frequencies().get(word.lower(), (0.0, 0.0))
    )


@cache
def _drawn_from(wanted: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The names of a gender that tell it when they stand alone, with running sums of shares."""
    at = GENDERS.index(wanted)
    kept = [
        (name, shares[at])
        for name, shares in sorted(_frequencies().items())
        if given_gender(name) == wanted and not _is_last_name(name)
    ]
    return tuple(name for name, _ in kept), tuple(accumulate(share for _, share in kept))


def draw(wanted: str, seed: int, id: str, taken: Iterable[str]) -> str:
    """A first name by its frequency, none of those taken; the same for the same seed and id."""
    names, sums = _drawn_from(wanted)
    banned = {word.lower() for word in taken}
    for attempt in range(_TRIES):
        at = bisect_right(sums, fraction(seed, "name", id, str(attempt)) * sums[-1])
        if names[min(at, len(names) - 1)] not in banned:
            return names[min(at, len(names) - 1)].capitalize()
    return next(name for name in names if name not in banned).capitalize()
