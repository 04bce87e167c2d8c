"""KnowRef on the text of a sentence: its filters, and the replacement of a name.

Filters (sections 3.1.1 to 3.1.3 of the paper): a connective cluster is a sequence of connectives
(`, and though`) with a main one among them. The paper requires "only one connective cluster", yet
its first printed example has two, the second of them after the pronoun (`, but he reappears
injured, but alive`). So exactly one is required before the pronoun to resolve; what follows the
pronoun is unrestricted. A comma or `and` alone is a cluster only immediately before the pronoun
(`, and she`): the corpus of the paper has sentences that begin with `Eventually ,`.

Name replacement (section 3.1.4): both names and the pronoun get one gender.

    James thanked Jessica, but she ...   ->   Jane thanked Jessica, but she ...

The paper replaces one of the two names. In its third printed example that is the name that the
pronoun refers to, and the pronouns follow (`Vanessa ... she ... her lead` became `Alex ... he ...
his lead`). If it were always the other one, a common first name would reveal the answer; so the
name to replace is drawn at random. All pronouns of the gender of the replaced name change with
it: they refer to its bearer, as the only other person has the other gender.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from coindex.text.person_names import change_gender
from coindex.text.word_lists import labels, words
from coindex.transform.switch_edits import TextEdit, TextEdits, apply_edits
from coindex.types.span import Chars

_INNER = re.compile(r"\s*\([^()]*\)")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "."})
_SPACE = re.compile(r"\s+")
_MATH = re.compile(r"[=+<>^\\{}|~*/_\[\]@]|\d\s+[-x]\s+\d|%\s*of\b")
_WORD = re.compile(r"[A-Za-z]+(?:'(?!s\b)[A-Za-z]+|-[A-Za-z]+)*")
_LINKS = frozenset({"POS", "IN", "TO"})
_MODIFIERS = frozenset({"DT", "PDT", "PRP$", "CD", "JJ", "JJR", "JJS"})
_PERSONAL = frozenset({"masculine", "feminine", "neuter", "plural", "first", "second"})
_NOUN_FOLLOWS = re.compile(r"\s+[\w\"]")
_LETTERS = re.compile(r"[A-Za-z]+")

Possessive = Callable[[int], bool]
"""Whether the pronoun at an offset is possessive."""


@dataclass(frozen=True, slots=True)
class Connective:
    """The offsets of the connective cluster and of the pronoun."""

    start: int
    end: int
    pronoun: int
    pronoun_end: int


def to_ascii(text: str) -> str:
    """A text in ASCII without parentheses; accents are removed (`José`, `Jose`)."""
    plain = text
    if not text.isascii():
        plain = unicodedata.normalize("NFKD", text.translate(_QUOTES))
        plain = plain.encode("ascii", "ignore").decode()
    if "(" in plain:
        while (less := _INNER.sub("", plain)) != plain:
            plain = less
    return _SPACE.sub(" ", plain).strip()


def initial_filter(text: str, fewest: int, most: int) -> str:
    """Why a sentence fails the initial filter (3.1.1); empty if it passes."""
    count = text.count(" ") + 1
    if count < fewest:
        return "too short"
    if count > most:
        return "too long"
    if not ("A" <= text[0] <= "Z"):
        return "no capital at the start"
    if "(" in text or ")" in text or text.count('"') % 2:
        return "unbalanced"
    return "mathematics" if _MATH.search(text) else ""


@cache
def _clusters() -> re.Pattern[str]:
    kinds = labels("connectives")
    every = "|".join(sorted(map(_bordered, kinds), key=len, reverse=True))
    main = "|".join(map(_bordered, (word for word, kind in kinds.items() if kind == "main")))
    return re.compile(rf"(?:(?:{every})\s*)*?(?:{main})(?:\s*(?:{every}))*", re.IGNORECASE)


@cache
def _near() -> re.Pattern[str]:
    """A cluster without a main connective at the end of the searched text."""
    kinds = labels("connectives")
    every = "|".join(sorted(map(_bordered, kinds), key=len, reverse=True))
    near = "|".join(map(_bordered, (word for word, kind in kinds.items() if kind == "near")))
    return re.compile(rf"(?:(?:{every})\s*)*(?:{near})\s*\Z", re.IGNORECASE)


def _bordered(word: str) -> str:
    return rf"\b{word}\b" if word.isalpha() else re.escape(word)


@cache
def _pronouns() -> re.Pattern[str]:
    kinds = labels("pronouns").items()
    every = sorted(re.escape(word) for word, kind in kinds if kind in _PERSONAL and word[0] != "'")
    return re.compile(rf"\b(?:{'|'.join(every)})\b", re.IGNORECASE)


@cache
def _targets() -> re.Pattern[str]:
    """The pronouns to resolve, in lower case: `Paul Weston and His Orchestra` is a name."""
    return re.compile(rf"\b(?:{'|'.join(sorted(words('knowref_targets')))})\b")


def find_connective(text: str, fewest: int) -> Connective | str:
    """The connective and the pronoun (3.1.2), or why there are none."""
    pronoun = _targets().search(text)
    if pronoun is None:
        return "no pronoun"
    clusters = [each.span() for each in _clusters().finditer(text, 1, pronoun.start())]
    near = _near().search(text, clusters[-1][1] if clusters else 1, pronoun.start())
    if near is not None and near[0].strip():
        clusters.append(near.span())
    if not clusters:
        return "no connective before the pronoun"
    if len(clusters) > 1:
        return "several connectives before the pronoun"
    start, end = clusters[0]
    if _pronouns().search(text, 0, start):
        return "a pronoun before the connective"
    if sum(not _is_stopword(word) for word in _WORD.findall(text[:start])) < fewest:
        return "too little before the connective"
    return Connective(start, end, *pronoun.span())


def _is_stopword(word: str) -> bool:
    """Whether a word is of a closed class; `rose` and `left` are not, though on the list."""
    return labels("function_words").get(word.lower()) not in (None, "verb", "adjective")


def has_gendered_noun(text: str) -> bool:
    """Whether a noun of the sentence has a gender; titles do not count, as they can be changed."""
    nouns = _WORD.findall(text)
    first = nouns[0].lower() if nouns and nouns[0].lower() not in labels("title_pairs") else ""
    return not words("gendered_nouns").isdisjoint([first, *nouns[1:]])


def count_noun_phrases(tags: Iterable[str]) -> int:
    """The number of noun phrases in a sequence of tags (3.1.3).

    A noun that is linked to the one before by `'s` or a preposition belongs to the same phrase:
    `Lee was the daughter of James`, from the paper's training text, has two. So have 330 of 367
    of its sentences, drawn at random and tagged by spaCy.
    """
    count, within, continues = 0, False, False
    for tag in tags:
        noun = tag.startswith("NN")
        count += noun and not within and not continues
        if noun or tag not in _MODIFIERS:
            continues = within and tag in _LINKS
        within = noun
    return count


@cache
def pronouns_of(gender: str) -> re.Pattern[str]:
    """The pronouns of a gender that have a counterpart of the other gender."""
    genders = labels("pronouns")
    every = sorted(word for word in labels("pronoun_turns") if genders[word] == gender)
    return re.compile(rf"\b(?:{'|'.join(every)})\b", re.IGNORECASE)


def replace_name(
    text: str, name: Chars, old: str, gender: str, possessive: Possessive, seed: int, id: str
) -> TextEdits | None:
    """The text with the name replaced by one of another gender; None if that is impossible.

    old    the gender of the name; its pronouns change too
    gender the new gender
    """
    new = change_gender(name.of(text), gender, seed, id, set(_LETTERS.findall(text)))
    if new is None:
        return None
    edits = [TextEdit(name.start, name.end, new)]
    for match in pronouns_of(old).finditer(text):
        other = _counterpart(match, text, possessive)
        cased = other[0].upper() + other[1:] if match[0][0].isupper() else other
        edits.append(TextEdit(*match.span(), cased))
    after = text[name.end : name.end + 2]
    if after[:1] == "'" and not after[1:2].isalpha() and not new.endswith("s"):
        edits.append(TextEdit(name.end, name.end + 1, "'s"))  # James' car, Jane's car
    return apply_edits(text, sorted(edits, key=lambda edit: edit.start))


def _counterpart(match: re.Match[str], text: str, possessive: Possessive) -> str:
    """The pronoun of the other gender."""
    word = match[0].lower()
    options = labels("pronoun_turns")[word].split()
    if len(options) == 1:
        return options[0]
    if word == "her":
        owns = possessive(match.start())
    else:  # `his`: followed by a noun, or not
        owns = _NOUN_FOLLOWS.match(text, match.end()) is not None
    return options[0] if owns else options[1]
