"""What a whole page tells about the names in one of its passages.

A last name alone (`Fujisawa`) is hard to tell from a town or a firm. The page helps: it is
a person's if it is in the title of a biography, or if a full name on the page ends in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from coindex.core.words import words
from coindex.corpora._gap_names import known_genders
from coindex.corpora._gap_rules import Rules
from coindex.corpora._gap_scan import pronouns

_APART = re.compile(r"\s*\(.*?\)|,.*")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_LIFE = re.compile(r"\((?:born|b\.)|\([^)]{0,60}\d{3,4}\s?[–-]|\b(?:is|was) an? ")
_MOST = 5
_OPENING = 400  # characters of a biography that say so
_LEAST = 3  # pronouns that tell the gender of who a biography is about
_NEARLY = 0.85  # the share of them that must agree


def page_words(title: str) -> frozenset[str]:
    """The words of a title that may be a person's name, in small letters; else none.

    A title with a small word other than a name's particle, or with a digit, names no person:
    `History of Rome`, `1988 in film`, but `Vincent van Gogh (painter)`.
    """
    name = _APART.sub("", title)
    parts = name.split()
    if not parts or len(parts) > _MOST or any(map(str.isdigit, name)):
        return frozenset()
    small = {part for part in parts if part[0].islower()}
    if parts[0] in ("The", "A", "An", "List") or not small <= words("name_particles"):
        return frozenset()
    found = {word.casefold() for word in _WORD.findall(name)}
    return frozenset(found - small - words("titles") - words("name_suffixes"))


def persons(title: str, text: str, rules: Rules) -> dict[str, str]:
    """Words that end a person's name on a page, with the gender or nothing."""
    found = known_genders((title, text), rules)
    for word in _topic(title, text, rules):
        found[word] = found.get(word) or _gender(text, rules)
    return found


def _topic(title: str, text: str, rules: Rules) -> frozenset[str]:
    """The words of the title of a biography."""
    telling = page_words(title)
    opening = text[:_OPENING]
    lives = len(telling) > 1 and _LIFE.search(opening) and pronouns(text[: 4 * _OPENING], rules)
    return telling - rules.never.keys() if lives else frozenset()


def _gender(text: str, rules: Rules) -> str:
    """The gender of nearly all pronouns of a biography."""
    counts = Counter(kind for _, kind, _ in pronouns(text, rules))
    kind, most = counts.most_common(1)[0]
    return kind if most >= _LEAST and most >= _NEARLY * counts.total() else ""


def packed(known: Mapping[str, str], text: str) -> str:
    """The known words that a passage has, as one fact of it."""
    here = {word.casefold() for word in _WORD.findall(text.replace("’", "'").replace("'s", ""))}
    return " ".join(f"{word}={known[word]}" for word in sorted(here & known.keys()))


def unpacked(fact: str) -> dict[str, str]:
    """The known words of a fact."""
    pairs = (pair.partition("=") for pair in fact.split())
    return {word: kind for word, _, kind in pairs}
