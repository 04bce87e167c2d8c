"""Names of persons: where they may be in a text, their gender, and new first names.

**Gender.** The gender of a first name is taken from the US census of 1990 (`first_names.txt`):
a name is masculine if men bear it many times as often as women do. A word that is more frequent
as a last name (`Kelly`, `Scott` in a report on a match) has no gender by itself. Titles are
more reliable than names: `Sister Paula`.

**Name runs.** A run of capitalised words may be a person's name, by patterns alone:

    When asked about [Adams]' report, [Joseph C. Ives] of the University of Utah left.

A run after an article names no person, nor does one with a word of `not_people` (`Adams
County`), one with a word in capitals only (`NASA`), or one in quotation marks (the title of a
film). Corpus builders apply these rules in their scans and in their full rules, so that a scan
drops nothing that the full rules would accept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate

from coindex.text.seeded_hash import seeded_fraction
from coindex.text.word_lists import labels, words

GENDERS = ("masculine", "feminine")

_TRIES = 64
_CAPITAL = r"(?:[A-Z]\.|(?:TITLES)\.|(?!\d)[^\Wa-z_]\w*(?:[-'’](?!s\b)\w+)*)"

_BEFORE = re.compile(r"(?<!\w)(\w+)\s+\Z")
_OF = re.compile(r"(?<!\w)([A-Z]\w+) of (?:the )?\Z")
_OPEN = frozenset('"“‘')
_CLOSE = frozenset('"”’')


@cache
def _frequencies() -> dict[str, tuple[float, float]]:
    """For each first name, the share of men and of women who bear it."""
    frequencies = {}
    for name, shares in labels("first_names").items():
        men, women = shares.split()
        frequencies[name] = float(men), float(women)
    return frequencies


def first_name_gender(word: str) -> str | None:
    """The gender of a first name, if nearly all people with that name share it."""
    men, women = _frequencies().get(word.lower(), (0.0, 0.0))
    ratio = float(labels("passage_rules")["sure_gender"])
    if men > ratio * women:
        return "masculine"
    return "feminine" if women > ratio * men else None


def name_gender(name: str) -> str | None:
    """The gender of a person's name: by its title, or by its first name; None if unknown."""
    parts = name.split()
    if not parts or (len(parts) == 1 and is_title(parts[0])):  # Queen's University
        return None
    by_title = title_gender(parts[0])
    if by_title is not None:
        return by_title
    bare = [word for word in parts if not is_title(word)]
    if not bare or (len(bare) == 1 and (len(parts) > 1 or _is_last_name(bare[0]))):
        return None  # `Senator Kelly` has no first name
    return first_name_gender(bare[0])


def is_last_name_on_page(title: str, text: str, name: str) -> bool:
    """Whether a page shows that a word is a last name: `Jane` on a page about Patrick Jane.

    It does if the word ends longer names (after a first name or an initial) or the page's title
    more often than it begins longer names (`Jane Austen`).
    """
    word = re.escape(name)
    ends = re.finditer(rf"(?<!\w)(?:([A-Z][\w'-]+)|[A-Z]\.) (?:[A-Z]\. )?{word}(?!\w| [A-Z])", text)
    last = sum(match[1] is None or _is_first_name(match[1]) for match in ends)
    topic = re.search(rf"(?:^| )([A-Z][\w'-]+) {word}(?: \(|$)", title)
    last += topic is not None and not is_title(topic[1])
    return last > len(re.findall(rf"(?<!\w){word} (?:[A-Z]\. )?[A-Z][a-z]", text))


def _is_first_name(word: str) -> bool:
    return word.lower() in _frequencies() and not is_title(word)


def title_gender(word: str) -> str | None:
    """The gender of a title: masculine for `Sir`, none for `Professor`."""
    entry = labels("title_pairs").get(word.rstrip(".").lower())
    return entry.split()[0] if entry else None


def opposite_title(title: str) -> str | None:
    """The title of the other gender: `Brother` for `Sister`."""
    entry = labels("title_pairs").get(title.rstrip(".").lower())
    if entry is None:
        return None
    other = entry.split()[1]
    other = other[0].upper() + other[1:] if title[0].isupper() else other
    return f"{other}." if title.endswith(".") and len(other) < 4 else other


def is_title(word: str) -> bool:
    """Whether a word is a title that precedes names."""
    plain = word.rstrip(".").lower()
    return plain in labels("titles") or plain in labels("title_pairs")


def _is_last_name(word: str) -> bool:
    return float(labels("last_names").get(word.lower(), 0)) > max(
        _frequencies().get(word.lower(), (0.0, 0.0))
    )


@cache
def _cumulative_shares(gender: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The first names that have a gender by themselves, with cumulative sums of their shares."""
    index = GENDERS.index(gender)
    chosen = [
        (name, shares[index])
        for name, shares in sorted(_frequencies().items())
        if first_name_gender(name) == gender and not _is_last_name(name)
    ]
    return tuple(name for name, _ in chosen), tuple(accumulate(share for _, share in chosen))


def draw_first_name(gender: str, seed: int, id: str, taken: Iterable[str]) -> str:
    """A first name drawn by its frequency, other than those taken; determined by seed and id."""
    names, sums = _cumulative_shares(gender)
    excluded = {word.lower() for word in taken}
    for attempt in range(_TRIES):
        at = bisect_right(sums, seeded_fraction(seed, "name", id, str(attempt)) * sums[-1])
        if names[min(at, len(names) - 1)] not in excluded:
            return names[min(at, len(names) - 1)].capitalize()
    return next(name for name in names if name not in excluded).capitalize()


def change_gender(name: str, gender: str, seed: int, id: str, taken: set[str]) -> str | None:
    """A name of another gender: new titles and a new first name, the same last name.

    None if the name has a suffix (`Jr.`), or neither a first name nor a title to change.
    """
    parts = name.split()
    if any(part.lower().rstrip(".") in words("name_suffixes") for part in parts):
        return None
    lead = 0
    while lead < len(parts) - 1 and is_title(parts[lead]):
        lead += 1
    titles = [_title_of_gender(title, gender) for title in parts[:lead]]
    bare = parts[lead:]
    given = _count_first_names(bare)
    if not given:
        return " ".join([*titles, *bare]) if titles != parts[:lead] else None
    new = draw_first_name(gender, seed, id, taken)
    new = new.upper() if bare[0].isupper() and len(bare[0]) > 2 else new
    return " ".join([*titles, new, *bare[given:]])


def _title_of_gender(title: str, gender: str) -> str:
    return title if title_gender(title) in (None, gender) else opposite_title(title) or title


def _count_first_names(bare: list[str]) -> int:
    """The number of first names in a name: all words but the last and its particles."""
    if len(bare) == 1:
        return 1 if first_name_gender(bare[0]) else 0
    small = (at for at, word in enumerate(bare) if word[0].islower())
    return next(small, len(bare) - 1)


@dataclass(frozen=True, slots=True)
class NameRun:
    """Adjacent capitalised words that may be a person's name, as characters of a text."""

    start: int
    end: int
    words: frozenset[str]


@cache
def _run_pattern() -> re.Pattern[str]:
    particles = "|".join(sorted(words("name_particles")))
    titles = sorted(words("abbreviations") & words("titles"))  # Capt. Ramon
    capital = _CAPITAL.replace("TITLES", "|".join(map(str.capitalize, titles)))
    within = rf"(?:[ ](?:(?:{particles})[ ]){{0,2}}{capital})"
    return re.compile(rf"(?:\b(?P<the>[Tt]he|[Aa]n?)[ ])?(?P<run>(?<![\w.-]){capital}{within}*)")


@cache
def _no_names() -> frozenset[str]:
    return (words("not_people") - words("first_names")) | {"the"}


@cache
def _function_words() -> frozenset[str]:
    """Words of closed classes: if capitalised, they only begin a sentence."""
    return frozenset(labels("function_words")) - words("first_names")


def name_runs(text: str) -> list[NameRun]:
    """The runs of capitalised words in a text that may be names of persons, in order."""
    runs = []
    for match in _run_pattern().finditer(text):
        start, end = match.span("run")
        if _quoted(text, start, end):
            continue
        parts = match["run"].split()
        article = match["the"] is not None
        while parts and parts[0].lower() in _function_words():  # `In London`
            article = parts[0].lower() in ("the", "a", "an")
            start += len(parts[0]) + 1
            parts = parts[1:]
        name_words = frozenset(filter(_is_name_word, parts))
        if name_words and _named_after(text, start):
            continue
        if name_words and not article and not _no_names().intersection(map(str.lower, parts)):
            runs.append(NameRun(start, end, name_words))
    return runs


def _named_after(text: str, start: int) -> bool:
    """Whether a run ends the name of another thing: `University of [Virginia]`."""
    match = _OF.search(text, max(0, start - 30), start)
    return match is not None and match[1].lower() in _no_names()


def _quoted(text: str, start: int, end: int) -> bool:
    """Whether a run is all of a quotation: the title of a film, a foreign word."""
    return text[start - 1 : start] in _OPEN and text[end : end + 2].lstrip(".,!?")[:1] in _CLOSE


@lru_cache(maxsize=1 << 12)
def _is_function_word(word: str) -> bool:
    return word.lower() in _function_words()


def _is_name_word(word: str) -> bool:
    if len(word) < 2 or not word[0].isupper() or word.isupper() or _is_function_word(word):
        return False
    return word.isalpha() or not any(map(str.isdigit, word))


def after_place_preposition(text: str, start: int) -> bool:
    """Whether a preposition of place (`in`) precedes an offset."""
    before = _BEFORE.search(text, max(0, start - 12), start)
    return before is not None and before[1].lower() in words("place_prepositions")


def is_written_as_name(text: str, start: int, end: int, runs: list[NameRun], longest: int) -> bool:
    """Whether the words of a span are written like a person's name and within a run."""
    parts = text[start:end].split()
    if not 0 < len(parts) <= longest or not _is_name_word(parts[-1]):
        return False
    if not parts[0][0].isupper() or any(map(str.isdigit, text[start:end])):
        return False
    return any(run.start <= start and end <= run.end for run in runs)
