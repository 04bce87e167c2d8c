"""What the pair features need of a document, as arrays, one value a token.

Made once for each document and kept: nothing in it depends on a model or on gold
annotation. Strings become 64-bit hashes that are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.core.words import labels, words
from coindex.quizbowl.view import View

Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

GROUPS = (
    "", "masculine", "feminine", "neuter", "plural", "first", "second",
    "demonstrative", "relative", "indefinite",
)  # fmt: skip
STARTS = ("", "definite", "indefinite", "pointing", "owned")
GENDERS = ("", "masculine", "feminine")
PROPER = frozenset({"NNP", "NNPS"})
NOUNS = PROPER | {"NN", "NNS"}
_PLURALS = frozenset({"NNS", "NNPS"})
_QUOTES = frozenset({'"', "``", "''", "“", "”", "‘‘", "’’"})
_OPENERS = frozenset({"``", "“", "‘‘"})
_CLOSERS = frozenset({"''", "”", "’’"})
_SURE = 4.0  # how many times as frequent one gender must be for a first name to tell it


@dataclass(frozen=True, slots=True)
class Meaning:
    """The word vectors of tokens: `shares` (a row a token, a column a row of the table) times
    `table`, which all documents share.
    """

    shares: Any
    table: NDArray[np.float32]


Lookup = Callable[[Sequence[str]], Meaning]
"""Words in, their vectors out; zeros for a word that is not known."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A document's tokens as arrays.

    lower, tagged   hashes of the word in small letters, and of it with its tag
    tags, deps      hashes of the tag and of the relation
    names           hash of the type of named entity, 0 for none
    heads           the governing token
    groups          index into GROUPS: which pronoun it is, 0 for none
    genders         index into GENDERS, from titles and first names
    nouns, proper   whether it is a noun, a proper noun
    plural          whether its tag says plural
    opening         index into STARTS: which article or the like it is
    quoted          how deep in quotation marks: 0 or 1
    sentences       the sentence's number
    vectors         the word vectors, for each source of them
    """

    lower: Hashes
    tagged: Hashes
    tags: Hashes
    deps: Hashes
    names: Hashes
    heads: Ints
    groups: Ints
    genders: Ints
    nouns: NDArray[np.bool_]
    proper: NDArray[np.bool_]
    plural: NDArray[np.bool_]
    opening: Ints
    quoted: Ints
    sentences: Ints
    vectors: tuple[Meaning, ...]

    def __len__(self) -> int:
        return len(self.lower)


def ground(view: View, lookups: Sequence[Lookup] = ()) -> Ground:
    """The arrays of a document."""
    low = [token.lower().replace("’", "'") for token in view.tokens]
    groups = [
        0 if tag in PROPER else GROUPS.index(labels("pronouns").get(word, ""))
        for word, tag in zip(low, view.tags, strict=True)
    ]
    starts = labels("mention_starts")
    return Ground(
        hashes(low),
        hashes([f"{word}/{tag}" for word, tag in zip(low, view.tags, strict=True)]),
        hashes(view.tags),
        hashes(view.deps),
        np.where(np.array([name == "O" for name in view.names], bool), 0, hashes(view.names)),
        np.array(view.heads, np.int64),
        np.array(groups, np.int64),
        np.array([_gender(word) for word in low], np.int64),
        np.array([tag in NOUNS for tag in view.tags], bool),
        np.array([tag in PROPER for tag in view.tags], bool),
        np.array([tag in _PLURALS for tag in view.tags], bool),
        np.array([STARTS.index(starts.get(word, "")) for word in low], np.int64),
        np.array(_quoted(view.tokens), np.int64),
        np.array(view.sentences, np.int64),
        tuple(lookup(low) for lookup in lookups),
    )


def hashes(strings: Sequence[str]) -> Hashes:
    """A stable 64-bit number for each string."""
    return np.fromiter(map(string_hash, strings), np.uint64, len(strings))


@lru_cache(maxsize=1 << 18)
def string_hash(text: str) -> int:
    """A stable 64-bit number, never 0."""
    raw = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "little") or 1


@lru_cache(maxsize=1 << 16)
def _gender(word: str) -> int:
    """What a title or a first name tells, 0 where neither tells anything."""
    bare = word.rstrip(".")
    title = labels("gendered_titles").get(bare)
    if title in GENDERS:
        return GENDERS.index(title)
    shares = labels("first_names").get(bare)
    if not shares or bare in words("function_words"):
        return 0
    man, woman = map(float, shares.split())
    if man > _SURE * woman:
        return 1
    return 2 if woman > _SURE * man else 0


def _quoted(tokens: Sequence[str]) -> list[int]:
    """Whether each token lies between quotation marks; straight ones open and close in turn."""
    found, inside = [], 0
    for token in tokens:
        if token in _QUOTES:
            if token in _OPENERS:
                inside = 1
            elif token in _CLOSERS:
                inside = 0
            else:
                inside = 1 - inside
        found.append(inside)
    return found
