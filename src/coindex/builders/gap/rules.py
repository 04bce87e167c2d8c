"""The thresholds and word lists of the GAP builder, read from data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from coindex.errors import InvalidValue
from coindex.text.word_lists import labels, numbers

PATTERNS = ("final", "medial", "initial")
GENDERS = ("feminine", "masculine")


@dataclass(frozen=True, slots=True)
class GapRules:
    """The rules of the builder; see `gap_rules.txt` for the numbers.

    pronouns   he, him, his, she, her, hers with their gender
    others     the reflexives, which are not targets but may be intruders
    given      given names, `honours` titles and `nouns` common nouns with their gender
    rare       rare given names, which are used for their gender only
    never      capitalised words that are not a person's name, marked if they are also surnames
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
def gap_rules(seed: int = 0, balance: str = "yes") -> GapRules:
    """The rules of the data files.

    seed     determines which examples remain when they are balanced
    balance  `yes` or `no`: whether they are balanced at all
    """
    if balance not in ("yes", "no"):
        raise InvalidValue(f"expected the option balance to be yes or no, found {balance!r}")
    number = numbers("gap_rules")
    gendered = {word: kind for word, kind in labels("pronouns").items() if kind in GENDERS}
    own = {word: kind for word, kind in gendered.items() if not word.endswith("self")}
    return GapRules(
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
