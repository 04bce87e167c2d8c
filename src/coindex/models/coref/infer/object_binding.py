"""Objects that are not their subject: `he had not known the victim` speaks of two.

Found without a parser, so only where the words leave little doubt: a subject, at most four words
in lower case, none of them a linking verb or a preposition, then a noun phrase, after which the
clause ends or a preposition follows. What a verb of speech or thought is followed by may be the
subject of a clause of its own (`Acme said the company would grow`): there a verb follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from coindex.text.word_lists import labels, words

MOST_BETWEEN = 4
"""How many words a subject and its object may have between them."""

_NOT_BETWEEN = frozenset({"preposition", "determiner"})
_JOINING = frozenset({"and", "or", "as", "than", "nor", "but", "that", "of"})
_AFTER = frozenset(
    {".", "!", "?", ";", ",", "and", "because", "when", "while", "after", "before", "until"}
)


def is_own_object(tokens: Sequence[str], subject_end: int, start: int, end: int) -> bool:
    """Whether a noun phrase is the object of the clause that a subject begins.

    tokens       of the text, in lower case
    subject_end  where the subject ends
    start, end   the noun phrase
    """
    between = tokens[subject_end:start]
    if not 0 < len(between) <= MOST_BETWEEN or not all(map(_is_verbal, between)):
        return False
    after = tokens[end] if end < len(tokens) else "."
    return after in _AFTER or labels("function_words").get(after) == "preposition"


def _is_verbal(word: str) -> bool:
    """Whether a word can stand between a subject and its object without parting them."""
    plain = word.isalpha() or word in ("n't", "'d", "'ve", "'ll")
    return (
        plain
        and word not in words("linking_verbs")
        and word not in _JOINING
        and labels("function_words").get(word) not in _NOT_BETWEEN
    )
