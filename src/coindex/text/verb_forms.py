"""Forms of verbs that agree with their subjects, by word lists; nothing is guessed.

`present_verbs` lists verbs in the form that goes with `I` and `you`, `irregular_pasts` past forms
that do not end in -ed.
"""

from __future__ import annotations

from coindex.text.word_lists import words

PLURAL_FORMS = {"is": "are", "was": "were", "has": "have", "does": "do"}
"""Forms for one, with those for many."""

MODALS = frozenset(
    [
        "can",
        "could",
        "will",
        "would",
        "shall",
        "should",
        "may",
        "might",
        "must",
        "ca",
        "wo",
        "sha",
        "'ll",
    ]
)
"""Verbs that have one form for everybody."""

_SINGULAR = {plural: one for one, plural in PLURAL_FORMS.items()} | {
    "am": "is", "'m": "is", "'re": "is", "'ve": "has", "'ll": "will",
}  # fmt: skip
_LIKE_PRESENT = frozenset(
    [
        "beat",
        "burst",
        "cast",
        "cost",
        "cut",
        "hit",
        "hurt",
        "lay",
        "let",
        "put",
        "quit",
        "read",
        "set",
        "shut",
        "split",
        "spread",
    ]
)
_ED = frozenset({"need", "shed", "wed", "embed", "shred", "bed", "sled", "red", "hundred"})


def is_past_form(word: str) -> bool:
    """Whether a word is a past form that differs from the present and is the same for everybody."""
    if word in words("irregular_pasts"):
        return word not in _LIKE_PRESENT
    return word.endswith("ed") and not word.endswith("eed") and word not in _ED


def singular_form(word: str) -> str | None:
    """The form for one of a verb in the form of `I` and `you`; None if the word is not sure."""
    if word in _SINGULAR:
        return _SINGULAR[word]
    if word not in words("present_verbs"):
        return None
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{word}es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"
