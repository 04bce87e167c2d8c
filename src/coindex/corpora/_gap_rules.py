"""Thresholds and word lists of the GAP builder, read from data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from coindex.core.words import labels
from coindex.errors import InvalidValue

PATTERNS = ("final", "medial", "initial")
GENDERS = ("feminine", "masculine")


@dataclass(frozen=True, slots=True)
class Rules:
    """What the builder goes by; see `words/gap_rules.txt` for the numbers.

    pronouns   he, him, his, she, her, hers with their gender
    others     the reflexives, which are no targets but may come between
    given      given names, `honours` titles and `nouns` common nouns with their gender
    rare       given names seen seldom, which tell a gender only
    never      words with a capital that are no person's name, marked where they are surnames
    """

    context: int
    longest_name: int
    longest_sentence: int
    per_page: int
    ratio: tuple[int, int, int]
    raters: int
    agree: int
    seed: int
    balanced: bool
    pronouns: Mapping[str, str] = field(repr=False)
    others: Mapping[str, str] = field(repr=False)
    given: Mapping[str, str] = field(repr=False)
    honours: Mapping[str, str] = field(repr=False)
    nouns: Mapping[str, str] = field(repr=False)
    rare: Mapping[str, str] = field(repr=False)
    never: Mapping[str, str] = field(repr=False)


@cache
def rules(seed: int = 0, balance: str = "yes") -> Rules:
    """The rules of the data files; the seed draws what stays when examples are balanced."""
    if balance not in ("yes", "no"):
        raise InvalidValue(f"expected the option balance to be yes or no, found {balance!r}")
    number = {name: int(value) for name, value in labels("gap_rules").items()}
    gendered = {word: kind for word, kind in labels("pronouns").items() if kind in GENDERS}
    own = {word: kind for word, kind in gendered.items() if not word.endswith("self")}
    return Rules(
        context=number["context"],
        longest_name=number["longest_name"],
        longest_sentence=number["longest_sentence"],
        per_page=number["per_page"],
        ratio=(number["final"], number["medial"], number["initial"]),
        raters=number["raters"],
        agree=number["agree"],
        seed=seed,
        balanced=balance == "yes",
        pronouns=MappingProxyType(own),
        others=MappingProxyType({w: k for w, k in gendered.items() if w not in own}),
        given=MappingProxyType(labels("wiki_given_names")),
        honours=MappingProxyType(labels("gendered_titles")),
        nouns=MappingProxyType(labels("gendered_nouns")),
        rare=MappingProxyType(labels("wiki_rare_names")),
        never=MappingProxyType(labels("gap_not_names")),
    )
