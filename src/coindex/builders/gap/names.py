"""Names in raw text: runs of capitalised words that may name a person, and their gender.

The paper takes persons and their genders from a commercial service. Here a name's gender is that
of its title (`Mrs`), of its given name in a list counted over Wikipedia, of the full name with
the same last word on the same page (`Nilsson` after `Christine Nilsson`), or of its first word
in a longer and less reliable list. Any pronoun may refer to a name of unknown gender.

A last name alone (`Fujisawa`) is hard to distinguish from a town or a company. The whole page
helps: the word is a person's name if it is in the title of a biography, or if a full name on the
page ends in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from coindex.builders.gap.rules import GapRules
from coindex.text.person_names import name_gender as census_gender
from coindex.text.word_classes import ARTICLES
from coindex.text.word_lists import labels, words

_CAPITALS = "".join(
    chr(code) for code in (*range(0x530), *range(0x1E00, 0x2000)) if chr(code).isupper()
)
_WORD = rf"[{_CAPITALS}](?:[\w-]|['’](?!s\b)(?=\w))*"
_PAIR = 2  # words of a plain full name
_FEW = 3  # words: a longer run is more than a name, even if it ends in a known word
_QUOTES = frozenset("\"“‘'`")
_CLOSING = frozenset("\"”’'`")
_BEFORE = re.compile(r"(\w+) \Z")
_PREFIXED = re.compile(r"(?:Mc|Mac|O['’])[A-Z]")
_ABBREVIATION = re.compile(r"(?:[A-Z][.]){2,}")
_SAME_PERSON = re.compile(
    r"""\s*(?:["“‘'(]+[^()"”]{0,40}["”’')]+\s*|[(](?:[\w-]+ ){0,6}|["“)]\s*)(?:,\s*)?"""
)
_DISAMBIGUATION = re.compile(r"\s*\(.*?\)|,.*")
_PLAIN_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_BIOGRAPHY = re.compile(r"\((?:born|b\.)|\([^)]{0,60}\d{3,4}\s?[–-]|\b(?:is|was) an? ")
_LONGEST_TITLE = 5
_OPENING = 400  # characters of a page that show that it is a biography
_FEWEST = 3  # pronouns that determine the gender of a biography's subject
_AGREEING = 0.85  # the share of them that must agree

Pronoun = tuple[int, str, bool]
"""The offset of a gendered pronoun, its gender, and whether it may be a target."""


@dataclass(frozen=True, slots=True)
class CapitalRun:
    """Adjacent capitalised words, as characters of a text."""

    start: int
    end: int
    words: tuple[str, ...]

    @property
    def last(self) -> str:
        """The head of the name: its last word other than `Jr.` or `III`."""
        return last_word(self.words)


def last_word(name: Iterable[str]) -> str:
    """The last word of a name other than `Jr.` or `III`, in lower case."""
    parts = [_plain(word) for word in name]
    return ([part for part in parts if part not in words("name_suffixes")] or parts)[-1]


def _plain(word: str) -> str:
    """A word in lower case without a final full stop."""
    return word.rstrip(".").casefold()


@cache
def _run_pattern() -> re.Pattern[str]:
    particles = "|".join(sorted(words("name_particles")))
    stops = "|".join(sorted(word.title() for word in words("titles") | words("name_suffixes")))
    part = rf"(?:(?:[{_CAPITALS}][.])+|(?:{stops})[.]|{_WORD})"
    return re.compile(rf"(?<!\w){part}(?:[ ]?(?:(?:{particles})[ ]){{0,2}}{part})*")


def capital_runs(text: str, rules: GapRules) -> Iterator[CapitalRun]:
    """The runs of capitalised words that may name a person."""
    for match in _run_pattern().finditer(text):
        run = _without_openers(match.start(), match.group(), rules)
        if run is not None and not _impossible(text, run, rules):
            yield run


def _without_openers(start: int, written: str, rules: GapRules) -> CapitalRun | None:
    """A run without the function words it begins with: `After Smith`, `He`, `In March`."""
    end = start + len(written.rstrip("."))
    parts = written.split(" ")
    while parts and is_function_word(parts[0]) and parts[0] not in rules.given:
        start += len(parts[0]) + 1
        parts = parts[1:]
    return CapitalRun(start, end, tuple(parts)) if parts else None


def is_function_word(word: str) -> bool:
    """Whether a word is of a closed class or a common verb; `Young` may be a name."""
    return labels("function_words").get(word.casefold(), "adjective") != "adjective"


def _impossible(text: str, run: CapitalRun, rules: GapRules) -> bool:
    if has_excluded_word(run.words, rules):
        return True
    if len(run.words) > rules.longest_name or not any(map(str.islower, text[run.start : run.end])):
        return True
    before = _BEFORE.search(text, max(0, run.start - 20), run.start)
    if before is not None and is_article(before[1]):
        return True
    return has_all_caps(run.words) or is_before_number(text, run.end)


def has_excluded_word(name: Sequence[str], rules: GapRules) -> bool:
    """Whether the first or last word of a run excludes a name: `Yale University`, `New Jersey`.

    After a given name some words do not: `Veronica Lake`, but `Wayne County`.
    """
    first, last = _plain(name[0]), last_word(name)
    if len(name) > 1 and is_function_word(name[-1]) and name[-1] not in rules.given:
        return True  # `Pope Leo X. Before`
    if len(name) > 1 and last in words("not_people"):
        return True  # `Chester Abbey`
    if _first(name[0]) in rules.given:
        return last in rules.never and (len(name) > _PAIR or rules.never[last] != "surname")
    return first in rules.never or last in rules.never or is_function_word(name[0])


def is_article(word: str) -> bool:
    """Whether a word is an article, after which no person is named: `the Smiths`, `a Picasso`."""
    return word.casefold() in ARTICLES


def has_all_caps(name: Iterable[str]) -> bool:
    """Whether a word is in capitals only, as in names of clubs: `Attila FC`, `Clyde F.C.`."""
    parts = tuple(name)
    return _ABBREVIATION.fullmatch(parts[-1]) is not None or any(
        len(word) > 1 and word.isalpha() and word.isupper()
        and word.casefold() not in words("name_suffixes")
        for word in parts
    )  # fmt: skip


def is_before_number(text: str, end: int) -> bool:
    """Whether a number follows: `August 3`."""
    return text[end : end + 1] == " " and text[end + 1 : end + 2].isdigit()


def is_known_person(name: Iterable[str], rules: GapRules, known: Mapping[str, str]) -> bool:
    """Whether a list or the page shows that a name is a person's, by its first or last word."""
    parts = tuple(name)
    return _first(parts[0]) in rules.given or (len(parts) <= _FEW and last_word(parts) in known)


def _first(word: str) -> str:
    """The first part of a given name: `Anna` of `Anna-Lena`."""
    return word.partition("-")[0]


def may_contain_known_person(
    name: Iterable[str], rules: GapRules, known: Mapping[str, str]
) -> bool:
    """Whether a part of a run may be a known person: `Widowed Helen Coltrane`."""
    return any(_first(word) in rules.given or last_word((word,)) in known for word in name)


def is_plausible_person(name: Iterable[str], rules: GapRules) -> bool:
    """Whether a name that neither a list nor the page knows may still be a person's.

    A parser alone takes towns, clubs and companies for persons. So its last word must end names
    on other pages or be written like one (`McFerran`, `O'Hara`), or its first word must be a
    rare given name (`Hughie`).
    """
    parts = tuple(name)
    last = last_word(parts)
    known = last in words("wiki_surnames") or _PREFIXED.match(parts[-1]) is not None
    return known or parts[0] in rules.rare


def may_contain_plausible_person(name: Iterable[str], rules: GapRules) -> bool:
    """Whether a part of a run may be a plausible person."""
    return any(is_plausible_person((word,), rules) for word in name)


def after_quotation_mark(text: str, start: int) -> bool:
    """Whether a quotation mark immediately precedes a name, as in titles of works."""
    return text[max(0, start - 1) : start] in _QUOTES and start > 0


def within_quotes(text: str, start: int, end: int) -> bool:
    """Whether a name is all of a quotation: a ship, a work, a nickname."""
    return after_quotation_mark(text, start) and text[end : end + 2].lstrip(",.")[:1] in _CLOSING


def joins_names(between: str) -> bool:
    """Whether the text between two names joins them: one person, or a role and its actor.

    `Maurice "Muzzy" Marcellino`, `Dru (Andrew Grange)`, `Mulder (played by Duchovny)`.
    """
    return _SAME_PERSON.fullmatch(between) is not None


def gap_gender(name: Iterable[str], rules: GapRules, known: Mapping[str, str] | None = None) -> str:
    """`masculine`, `feminine`, or "" if the gender is unknown.

    known   the genders of last words on the page
    """
    parts, page = tuple(name), known or {}
    if len(parts) == 1 and page.get(last_word(parts)):
        return page[last_word(parts)]  # `Cole` after `Mary Cole`, although some men are called so
    for word in parts:
        plain = _plain(word)
        if plain in rules.honours and len(parts) > 1:
            return rules.honours[plain]
        if plain not in words("titles"):
            break
    named = [word for word in parts if _plain(word) not in words("titles")]
    if named and _first(named[0]) in rules.given:
        return rules.given[_first(named[0])]
    return _rare_gender(named, rules) or page.get(last_word(parts), "")


def _is_full_name(name: Sequence[str], rules: GapRules) -> bool:
    """Whether a name has two words or more and begins with a title or a listed given name."""
    titled = _plain(name[0]) in rules.honours
    return len(name) > 1 and (titled or _first(name[0]) in rules.given)


def _rare_gender(named: Sequence[str], rules: GapRules) -> str:
    """The gender by less reliable lists: rare given names, and the census for full names."""
    rare = rules.rare.get(named[0], "") if named else ""
    return rare or census_gender(" ".join(named)) or ""


def known_genders(texts: Iterable[str], rules: GapRules) -> dict[str, str]:
    """The last words of the full names in some texts with their gender, "" if genders differ."""
    genders_of: dict[str, set[str]] = {}
    for text in texts:
        for run in capital_runs(text, rules):
            if _is_full_name(run.words, rules) and (gender := gap_gender(run.words, rules)):
                genders_of.setdefault(run.last, set()).add(gender)
    return {last: kinds.pop() if len(kinds) == 1 else "" for last, kinds in genders_of.items()}


def has_common_word(name: Iterable[str]) -> bool:
    """Whether a name contains a common word (`Amateur Draft`); for names that are not known."""
    return not _ordinary().isdisjoint(map(str.casefold, name))


@cache
def _ordinary() -> frozenset[str]:
    return words("vocabulary") | words("not_people")


def is_not_person(text: str, run: CapitalRun) -> bool:
    """Whether a run that is not a known name cannot be a person: `in Kitami`, `"Heroes`."""
    if has_common_word(run.words):
        return True
    before = _BEFORE.search(text, max(0, run.start - 20), run.start)
    after_place = before is not None and before[1].casefold() in words("gap_where")
    return (after_place and text[run.start - 1] == " ") or after_quotation_mark(text, run.start)


def may_agree(name: str, pronoun: str) -> bool:
    """Whether a pronoun of a gender may refer to a name of that or of unknown gender."""
    return name in ("", pronoun)


@cache
def _pronoun_pattern(every: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(every)})\b", re.IGNORECASE)


def gendered_pronouns(text: str, rules: GapRules) -> list[Pronoun]:
    """The gendered pronouns of a text."""
    every = {**rules.pronouns, **rules.others}
    pronouns = []
    for match in _pronoun_pattern(tuple(every)).finditer(text):
        word = match.group().lower()
        pronouns.append((match.start(), every[word], word in rules.pronouns))
    return pronouns


def title_name_words(title: str) -> frozenset[str]:
    """The words of a title that may be a person's name, in lower case; empty if it is not.

    A title with a lower-case word other than a particle, or with a digit, names no person:
    `History of Rome`, `1988 in film`, but `Vincent van Gogh (painter)`.
    """
    name = _DISAMBIGUATION.sub("", title)
    parts = name.split()
    if not parts or len(parts) > _LONGEST_TITLE or any(map(str.isdigit, name)):
        return frozenset()
    small = {part for part in parts if part[0].islower()}
    if parts[0] in ("The", "A", "An", "List") or not small <= words("name_particles"):
        return frozenset()
    name_words = {word.casefold() for word in _PLAIN_WORD.findall(name)}
    return frozenset(name_words - small - words("titles") - words("name_suffixes"))


def page_genders(title: str, text: str, rules: GapRules) -> dict[str, str]:
    """The words that end a person's name on a page, with the gender or ""."""
    genders = known_genders((title, text), rules)
    for word in _subject(title, text, rules):
        genders[word] = genders.get(word) or _majority_gender(text, rules)
    return genders


def _subject(title: str, text: str, rules: GapRules) -> frozenset[str]:
    """The words of the title, if the page is a biography."""
    title_words = title_name_words(title)
    opening = text[:_OPENING]
    lives = (
        len(title_words) > 1
        and _BIOGRAPHY.search(opening)
        and gendered_pronouns(text[: 4 * _OPENING], rules)
    )
    return title_words - rules.never.keys() if lives else frozenset()


def _majority_gender(text: str, rules: GapRules) -> str:
    """The gender of nearly all pronouns of a biography, or ""."""
    counts = Counter(kind for _, kind, _ in gendered_pronouns(text, rules))
    kind, most = counts.most_common(1)[0]
    return kind if most >= _FEWEST and most >= _AGREEING * counts.total() else ""


def pack_genders(known: Mapping[str, str], text: str) -> str:
    """The known words that occur in a passage, as one string of its metadata."""
    here = {
        word.casefold() for word in _PLAIN_WORD.findall(text.replace("’", "'").replace("'s", ""))
    }
    return " ".join(f"{word}={known[word]}" for word in sorted(here & known.keys()))


def unpack_genders(packed: str) -> dict[str, str]:
    """The words and genders of a string that `pack_genders` made."""
    pairs = (pair.partition("=") for pair in packed.split())
    return {word: kind for word, _, kind in pairs}
