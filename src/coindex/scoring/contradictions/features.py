"""What the checker sees of a mention: pronoun, name, title, head noun, modifiers, position.

No parser is used. The core of a mention ends before a comma, a bracket, a preposition or a clause,
and begins after a possessor. A mention that coordinates (`Ann and Bo`) has no features of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from coindex import io
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

_POSSESSIVE = frozenset({"'s", "’s", "'", "’"})
_NOBODY = frozenset({"", "-", "_", "*"})
_FEWEST_TURNS = 2
_LABEL = re.compile(
    r"^[ \t]*(?:[-*>][ \t]+)?(?:[\[(]?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:[ \t]?[ap]m)?[\])]?[ \t]*(?:-[ \t]*)?)?"
    r"(?:<(?P<angle>[\w. -]{1,30})>:?|(?P<name>[^\W\d][\w.'’-]*(?:[ \t][\w.'’-]+){0,2}):)(?=[ \t\n])",
    re.MULTILINE,
)
_QUOTES = {"“": "”", "``": "''", "«": "»", "‘": "’", '"': '"'}


class Voice(NamedTuple):
    """Who speaks at a token: the number of the quotation, the speaker, the number of the turn."""

    quotation: int
    speaker: str
    turn: int


@dataclass(frozen=True, slots=True)
class Pronoun:
    """Person, number and gender of a pronoun; `any` where it does not tell."""

    person: str
    number: str
    gender: str


@dataclass(frozen=True, slots=True)
class MentionFeatures:
    """What is known of one mention.

    pronoun    None unless it is one word of the list of pronouns
    title      the gender of a title before a name
    name       the words of a name without titles and suffixes; empty if it is no name
    noun       the head noun in lower case; empty of names and pronouns
    modifiers  the words in lower case before the head noun
    quotation  the number of the quotation it is in; 0 outside of quotations
    speaker    who says it; empty if that is not known
    turn       the number of the speaker's turn
    """

    mention: Mention
    text: str
    pronoun: Pronoun | None
    title: str | None
    name: tuple[str, ...]
    noun: str
    modifiers: frozenset[str]
    quotation: int
    speaker: str
    turn: int


@cache
def word_table(name: str) -> dict[str, tuple[str, ...]]:
    """One of the checker's own lists: each word with its labels."""
    rows = (row.partition("\t") for row in word_rows(name))
    return {word: tuple(labels.split()) for word, _, labels in rows}


@cache
def word_rows(name: str) -> tuple[str, ...]:
    """The lines of one of the checker's own lists, without comments."""
    text = io.package_text("coindex.scoring.contradictions.data", f"{name}.txt")
    return tuple(row.strip() for row in text.splitlines() if row.strip() and row[0] != "#")


def pronoun_of(word: str) -> Pronoun | None:
    """The features of a pronoun; None of any other word. `US` and `IT` are names."""
    if len(word) > 1 and word.isupper():
        return None
    labels = word_table("pronouns").get(word.lower().replace("’", "'"))
    return Pronoun(*labels) if labels else None


def name_gender(word: str) -> str | None:
    """The gender of a given name; None if it has none, or is no given name of the list."""
    labels = word_table("given_names").get(word, ())
    return labels[0] if labels and labels[0] != "any" else None


def is_given_name(word: str) -> bool:
    """Whether a word is in the list of given names."""
    return word in word_table("given_names")


def mention_features(
    document: Document, entity: Entity, voices: Sequence[Voice]
) -> tuple[MentionFeatures, ...]:
    """The features of an entity's mentions, in reading order; `voices` are the document's."""
    return tuple(_features(document, mention, voices) for mention in entity.mentions)


def _features(document: Document, mention: Mention, voices: Sequence[Voice]) -> MentionFeatures:
    words = [document.tokens[token] for token in mention.tokens]
    first = words[0].lower() if document.text.isupper() else words[0]
    pronoun = pronoun_of(first) if len(words) == 1 else None
    core = [] if pronoun else _core(words)
    titles, rest = _split_titles(core)
    name = _name(rest)
    noun = "" if name or not core else core[-1]
    return MentionFeatures(
        mention,
        document.text_of(mention),
        pronoun,
        next((each for each in map(_title_gender, titles) if each != "any"), None)
        if name
        else None,
        name,
        noun if noun.islower() else "",
        frozenset(core[:-1]) if noun.islower() else frozenset(),
        *voices[mention.start],
    )


def _is(word: str, label: str) -> bool:
    return label in word_table("phrase_words").get(word.lower(), ())


def _core(words: Sequence[str]) -> list[str]:
    """The words of a mention up to its head; none of a coordination."""
    core: list[str] = []
    for at, word in enumerate(words):
        if word in _POSSESSIVE:
            if at + 1 < len(words):
                core = []
        elif _is(word, "join") and core:
            return []
        elif core and (_is(word, "end") or not (word[0].isalnum() or word == ".")):
            break
        elif word[0].isalnum() and not (_is(word, "determiner") and not core):
            core.append(word)
    return core


def _split_titles(core: Sequence[str]) -> tuple[list[str], list[str]]:
    """The titles before a name, and the name."""
    at = 0
    while at + 1 < len(core) and core[at][0].isupper() and _title_gender(core[at]):
        at += 1
    return list(core[:at]), list(core[at:])


def _title_gender(word: str) -> str | None:
    """The gender of a title, `any` if it has none; None of any other word."""
    labels = word_table("gendered_words").get(word.rstrip(".").lower(), ())
    return labels[0] if "title" in labels else None


def _name(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a name: all capitalised, but for particles; no word in capitals."""
    kept = [word for word in words if not _is(word.rstrip("."), "suffix")]
    if not kept or not all(map(_is_name_word, kept)) or _is(kept[0], "particle"):
        return ()
    return tuple(kept)


def _is_name_word(word: str) -> bool:
    if _is(word, "particle"):
        return True
    letters = word.replace(".", "").replace("-", "").replace("'", "").replace("’", "")
    return letters.isalpha() and word[0].isupper() and (len(letters) == 1 or not word.isupper())


def voices_of(document: Document) -> tuple[Voice, ...]:
    """For each token the quotation it is in, its speaker and the turn."""
    speakers = document.speakers or _labelled_speakers(document)
    named = ["" if name in _NOBODY else name for name in speakers]
    changes = [False, *(one != two for one, two in pairwise(named))][: len(named)]
    voices = zip(_quotations(document), named, accumulate(changes), strict=True)
    return tuple(Voice(*voice) for voice in voices)


def _labelled_speakers(document: Document) -> list[str]:
    """The speakers of a text whose lines begin with labels, such as `Ann:` or `[12:03] bo:`.

    A label that occurs once only, or one of the list `not_speakers`, is none: `Subject:`.
    """
    found = [
        (match.start(), (match["angle"] or match["name"]).strip())
        for match in _LABEL.finditer(document.text)
    ]
    labels = [label for _, label in found if label.lower() not in word_table("not_speakers")]
    if len(labels) < _FEWEST_TURNS or len(set(labels)) < _FEWEST_TURNS:
        return [""] * len(document)
    starts = [start for start, _ in found]
    names = ["", *(label if label in labels else "" for _, label in found)]
    return [names[bisect_right(starts, start)] for start in document.starts]


def _quotations(document: Document) -> list[int]:
    """For each token the number of its quotation, or 0; a quotation ends with its paragraph."""
    result, number, closing = [], 0, ""
    end = 0
    for token, start, stop in zip(document.tokens, document.starts, document.ends, strict=True):
        if "\n\n" in document.text[end:start]:
            closing = ""
        end = stop
        if closing and token == closing:
            result.append(number)
            closing = ""
            continue
        if not closing and token in _QUOTES:
            number, closing = number + 1, _QUOTES[token]
        result.append(number if closing else 0)
    return result
