"""Classes of English words: articles, determiners, pronouns, titles.

Words are looked up in the lists of `coindex.text.word_lists`, in lower case. The class of a
word of the list `function_words` is `determiner`, `preposition`, `verb`, `adjective` or `other`.
"""

from __future__ import annotations

from functools import cache

from coindex.text.word_lists import labels, words

ARTICLES = frozenset({"a", "an", "the"})
COORDINATORS = frozenset({"and", "or", "&"})
POSSESSIVE_MARKS = frozenset({"'s", "'"})

_GENDERS = frozenset({"masculine", "feminine", "neuter", "plural"})


def normalize(token: str) -> str:
    """A token in lower case with a straight apostrophe."""
    return token.replace("’", "'").lower()


def word_class(word: str) -> str | None:
    """The class of a function word, in any case; None for any other word."""
    return labels("function_words").get(word.lower())


@cache
def determiners() -> frozenset[str]:
    """Articles, demonstratives and possessive determiners, in lower case."""
    listed = labels("function_words").items()
    return frozenset(word for word, label in listed if label == "determiner")


def leading_determiner(phrase: str) -> str:
    """The determiner that a phrase of several words begins with, or an empty string."""
    first, _, rest = phrase.partition(" ")
    return first if rest and word_class(first) == "determiner" else ""


def indefinite_article(word: str) -> str:
    """The indefinite article before a word: "a" or "an"."""
    lower = word.lower()
    known = [start for start in labels("articles") if lower.startswith(start)]
    if known:
        return labels("articles")[max(known, key=len)]
    return "an" if lower[:1] in "aeiou" else "a"


def pronoun_gender(pronoun: str) -> str | None:
    """The gender of a third-person pronoun (`plural` for `they`); None for any other word."""
    label = labels("pronouns").get(pronoun.lower())
    return label if label in _GENDERS else None


def is_third_person_pronoun(word: str) -> bool:
    """Whether a word is a personal pronoun of the third person."""
    return pronoun_gender(word) is not None


def is_capitalised_title(word: str) -> bool:
    """Whether a word with a capital is a title of the list `titles`: `Mr.`, `Professor`.

    `person_names.is_title` also accepts titles of kinship (`brother`), in any case.
    """
    return word[:1].isupper() and word.rstrip(".").lower() in words("titles")
