"""What a text states of whom it names, so that a noun can take the name up: `the judge`.

    a title           Judge Okafor, Dr. Obi (a doctor), Deputy Mayor Lee
    a noun before     the economist Lindiwe Maseko; its chief executive, Ingrid Moe
    an apposition     Karl Brandvold, a lawyer from Bergen
    a predicate       the Aurora is an old ferry

Found from the words alone. A role is its noun with the words before it: executive, chief.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coindex.text.word_classes import POSSESSIVE_MARKS
from coindex.text.word_lists import labels, words

Role = tuple[str, frozenset[str]]
"""A noun and the words before it, in lower case."""

LONGEST = 6
"""How many words a role may have."""

_COPULAS = frozenset({"is", "was", "became", "becomes", "remains"})
_DETERMINERS = frozenset({"a", "an", "the"})
_ENDS = frozenset({"preposition", "determiner"})
_NOT_TITLES = frozenset({"mr", "mrs", "ms", "mx", "miss", "mister", "sir", "dame", "saint", "st"})


def stated_roles(tokens: Sequence[str], start: int, end: int) -> frozenset[Role]:
    """The roles that a text states of a name.

    tokens      of the text, in lower case
    start, end  the name
    """
    found = {*_titles(tokens[start:end])}
    found.update(_before(tokens, start))
    found.update(_after(tokens, end))
    return frozenset(found)


def can_mean(role: Role, head: str, modifiers: frozenset[str]) -> bool:
    """Whether a description, by its head and the words before, can mean who has a role."""
    return role[0] == head and modifiers - _DETERMINERS <= role[1]


def _titles(name: Sequence[str]) -> Iterator[Role]:
    """The titles at the start of a name; at least one word of it remains."""
    for at, word in enumerate(name[:-1]):
        plain = word.rstrip(".")
        known = plain in words("titles") or plain in words("person_nouns")
        if not known:
            return
        if plain not in _NOT_TITLES:
            yield labels("title_nouns").get(plain, plain), frozenset(name[:at])
            yield plain, frozenset(name[:at])


def _before(tokens: Sequence[str], start: int) -> Iterator[Role]:
    """`the economist` before a name, with or without a comma between them."""
    at = start - 1 - int(start > 0 and tokens[start - 1] == ",")
    if at < 0 or not _is_role(tokens[at]):
        return
    first = at
    while first > 0 and at - first < LONGEST and _goes_on(tokens[first - 1]):
        first -= 1
    introduced = first > 0 and tokens[first - 1] in words("mention_starts")
    if introduced or at == start - 1:
        yield tokens[at], frozenset(tokens[first:at]) if introduced else frozenset()


def _after(tokens: Sequence[str], end: int) -> Iterator[Role]:
    """`, a lawyer` or `was a lawyer` after a name."""
    if end + 2 >= len(tokens) or not (tokens[end] == "," or tokens[end] in _COPULAS):
        return
    first = end + 1
    if tokens[first] not in _DETERMINERS:
        return
    last = first + 1
    while last < len(tokens) and last - first <= LONGEST and _goes_on(tokens[last]):
        last += 1
    owns = last < len(tokens) and tokens[last] in POSSESSIVE_MARKS
    if last - first > 1 and not owns:
        yield tokens[last - 1], frozenset(tokens[first + 1 : last - 1])


def _is_role(word: str) -> bool:
    return word in words("person_nouns") or word in words("group_nouns")


def _goes_on(word: str) -> bool:
    """Whether a word can be part of a noun phrase after its determiner."""
    plain = word.replace("-", "").isalpha()
    known = labels("function_words").get(word)
    return plain and (known is None or known == "adjective")
