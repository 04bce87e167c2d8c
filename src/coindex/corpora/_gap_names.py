"""Names in raw text: which runs of capitals may name a person, and of which gender.

The paper takes persons and their genders from a commercial service. Here a name's gender
is that of its title (`Mrs`), of its given name in a list counted over Wikipedia, of the full
name with the same last word on the same page (`Nilsson` after `Christine Nilsson`), or of its
first word in a longer and less certain list.
A name of unknown gender may be meant by any pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from coindex.core.words import labels, words
from coindex.corpora._gap_rules import Rules
from coindex.corpora._names_of_people import gender as census_gender

_CAPITALS = "".join(
    chr(code) for code in (*range(0x530), *range(0x1E00, 0x2000)) if chr(code).isupper()
)
_WORD = rf"[{_CAPITALS}](?:[\w-]|['’](?!s\b)(?=\w))*"
_ARTICLES = frozenset({"the", "a", "an"})
_PAIR = 2  # words of a plain full name
_FEW = 3  # words: a longer run that ends in a known word is more than a name
_QUOTES = frozenset("\"“‘'`")
_CLOSING = frozenset("\"”’'`")
_BEFORE = re.compile(r"(\w+) \Z")
_CLAN = re.compile(r"(?:Mc|Mac|O['’])[A-Z]")
_STOPS = re.compile(r"(?:[A-Z][.]){2,}")
_ONE = re.compile(
    r"""\s*(?:["“‘'(]+[^()"”]{0,40}["”’')]+\s*|[(](?:[\w-]+ ){0,6}|["“)]\s*)(?:,\s*)?"""
)


@dataclass(frozen=True, slots=True)
class Run:
    """Words with capitals, one after the other, as characters of a text."""

    start: int
    end: int
    words: tuple[str, ...]

    @property
    def last(self) -> str:
        """The word that heads the name: the last one that is no `Jr.` or `III`."""
        return last_word(self.words)


def last_word(name: Iterable[str]) -> str:
    """The last word of a name that is no `Jr.` or `III`, in small letters."""
    found = [word.rstrip(".").casefold() for word in name]
    telling = [word for word in found if word not in words("name_suffixes")]
    return (telling or found)[-1]


def _pattern() -> re.Pattern[str]:
    particles = "|".join(sorted(words("name_particles")))
    stops = "|".join(sorted(word.title() for word in words("titles") | words("name_suffixes")))
    part = rf"(?:(?:[{_CAPITALS}][.])+|(?:{stops})[.]|{_WORD})"
    return re.compile(rf"(?<!\w){part}(?:[ ]?(?:(?:{particles})[ ]){{0,2}}{part})*")


_RUN = _pattern()


def runs(text: str, rules: Rules) -> Iterator[Run]:
    """The runs of capitals that may name a person."""
    for found in _RUN.finditer(text):
        run = _without_openers(found.start(), found.group(), rules)
        if run is not None and not _impossible(text, run, rules):
            yield run


def _without_openers(start: int, written: str, rules: Rules) -> Run | None:
    """A run less the function words that it begins with: `After Smith`, `He`, `In March`."""
    end = start + len(written.rstrip("."))
    parts = written.split(" ")
    while parts and function_word(parts[0]) and parts[0] not in rules.given:
        start += len(parts[0]) + 1
        parts = parts[1:]
    return Run(start, end, tuple(parts)) if parts else None


def function_word(word: str) -> bool:
    """Whether a word is of a closed class or a common verb; `Young` may be a name."""
    return labels("function_words").get(word.casefold(), "adjective") != "adjective"


def _impossible(text: str, run: Run, rules: Rules) -> bool:
    if barred(run.words, rules):
        return True
    if len(run.words) > rules.longest_name or not any(map(str.islower, text[run.start : run.end])):
        return True
    before = _BEFORE.search(text, max(0, run.start - 20), run.start)
    if before is not None and before[1].casefold() in _ARTICLES:
        return True
    return shouts(run.words) or numbered(text, run.end)


def barred(name: Sequence[str], rules: Rules) -> bool:
    """Whether a run's first or last word is no name's: `Yale University`, `New Jersey`, `My Way`.

    After a given name some may be: `Veronica Lake`, but not `Wayne County`.
    """
    first, last = name[0].rstrip(".").casefold(), last_word(name)
    if len(name) > 1 and function_word(name[-1]) and name[-1] not in rules.given:
        return True  # `Pope Leo X. Before`
    if len(name) > 1 and last in words("not_people"):
        return True  # `Chester Abbey`
    if _first(name[0]) in rules.given:
        return last in rules.never and (len(name) > _PAIR or rules.never[last] != "surname")
    return first in rules.never or last in rules.never or function_word(name[0])


def after_article(before: str) -> bool:
    """Whether a word makes what follows no person's name: `the Smiths`, `a Picasso`."""
    return before.casefold() in _ARTICLES


def shouts(name: Iterable[str]) -> bool:
    """Whether a word is in capitals only, as in the names of clubs: `Attila FC`, `Clyde F.C.`."""
    parts = tuple(name)
    return _STOPS.fullmatch(parts[-1]) is not None or any(
        len(word) > 1 and word.isalpha() and word.isupper()
        and word.casefold() not in words("name_suffixes")
        for word in parts
    )  # fmt: skip


def numbered(text: str, end: int) -> bool:
    """Whether a number follows: `August 3`."""
    return text[end : end + 1] == " " and text[end + 1 : end + 2].isdigit()


def evident(name: Iterable[str], rules: Rules, known: Mapping[str, str]) -> bool:
    """Whether a list or the page says that a name is a person's: by its first or last word."""
    parts = tuple(name)
    return _first(parts[0]) in rules.given or (len(parts) <= _FEW and last_word(parts) in known)


def _first(word: str) -> str:
    """The first part of a given name: `Anna-Lena`."""
    return word.partition("-")[0]


def may_be_evident(name: Iterable[str], rules: Rules, known: Mapping[str, str]) -> bool:
    """Whether a name within a run of capitals may be evident: `Widowed Helen Coltrane`."""
    return any(_first(word) in rules.given or last_word((word,)) in known for word in name)


def credible(name: Iterable[str], rules: Rules) -> bool:
    """Whether a name that neither list nor page knows may be a person's all the same.

    A parser alone takes towns, clubs and firms for persons: so its last word is one that ends
    names on other pages or is written as one (`McFerran`, `O'Hara`), or its first is a rare
    given name (`Hughie`).
    """
    parts = tuple(name)
    last = last_word(parts)
    known = last in words("wiki_surnames") or _CLAN.match(parts[-1]) is not None
    return known or parts[0] in rules.rare


def may_be_credible(name: Iterable[str], rules: Rules) -> bool:
    """Whether a name within a run of capitals may be credible."""
    return any(credible((word,), rules) for word in name)


def quoted(text: str, start: int) -> bool:
    """Whether a quotation mark stands right before a name, as before titles of works."""
    return text[max(0, start - 1) : start] in _QUOTES and start > 0


def within_quotes(text: str, start: int, end: int) -> bool:
    """Whether a name fills quotation marks: a ship, a work, a nickname."""
    return quoted(text, start) and text[end : end + 2].lstrip(",.")[:1] in _CLOSING


def one_phrase(between: str) -> bool:
    """Whether what stands between two names makes them one person's, or a part and its actor.

    `Maurice "Muzzy" Marcellino`, `Dru (Andrew Grange)`, `Mulder (played by Duchovny)`.
    """
    return _ONE.fullmatch(between) is not None


def gender(name: Iterable[str], rules: Rules, known: Mapping[str, str] | None = None) -> str:
    """`masculine`, `feminine`, or nothing where the name does not tell."""
    parts, page = tuple(name), known or {}
    if len(parts) == 1 and page.get(last_word(parts)):
        return page[last_word(parts)]  # `Cole` after `Mary Cole`, although some men are called so
    for word in parts:
        plain = word.rstrip(".").casefold()
        if plain in rules.honours and len(parts) > 1:
            return rules.honours[plain]
        if plain not in words("titles"):
            break
    named = [word for word in parts if word.rstrip(".").casefold() not in words("titles")]
    if named and _first(named[0]) in rules.given:
        return rules.given[_first(named[0])]
    return _seldom(named, rules) or page.get(last_word(parts), "")


def _full(name: Sequence[str], rules: Rules) -> bool:
    """Whether a name has two words or more and begins with a title or a given name of the list."""
    titled = name[0].rstrip(".").casefold() in rules.honours
    return len(name) > 1 and (titled or _first(name[0]) in rules.given)


def _seldom(named: Sequence[str], rules: Rules) -> str:
    """The gender by less certain lists: names seen seldom, and, of full names, the census."""
    told = rules.rare.get(named[0], "") if named else ""
    return told or census_gender(" ".join(named)) or ""


def known_genders(texts: Iterable[str], rules: Rules) -> dict[str, str]:
    """The last words of the full names in some texts with their gender, or nothing if they differ.

    A full name begins with a title or a given name of the list and has two words or more.
    """
    found: dict[str, set[str]] = {}
    for text in texts:
        for run in runs(text, rules):
            if _full(run.words, rules) and (told := gender(run.words, rules)):
                found.setdefault(run.last, set()).add(told)
    return {last: told.pop() if len(told) == 1 else "" for last, told in found.items()}


def common(name: Iterable[str]) -> bool:
    """Whether a word of a name that nothing else tells is a common one: `Amateur Draft`."""
    return not _ordinary().isdisjoint(map(str.casefold, name))


@cache
def _ordinary() -> frozenset[str]:
    return words("vocabulary") | words("not_people")


def elsewhere(text: str, run: Run) -> bool:
    """Whether a run that nothing else tells is none: `in Kitami`, `"Heroes`, `Amateur Draft`."""
    if common(run.words):
        return True
    before = _BEFORE.search(text, max(0, run.start - 20), run.start)
    place = before is not None and before[1].casefold() in words("gap_where")
    return (place and text[run.start - 1] == " ") or quoted(text, run.start)


def may_be(told: str, wanted: str) -> bool:
    """Whether a name of a gender may be meant by a pronoun of another."""
    return told in ("", wanted)
