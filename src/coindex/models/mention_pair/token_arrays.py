"""The tokens of a document with their parse, and as arrays with one value per token.

A parser tokenizes texts its own way. Each token of the document takes the labels of the
parser's token at its offset; of several, of the one that governs the others. Nothing here
depends on a model or on gold annotation. Strings become 64-bit hashes that are the same on
every machine.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from coindex.text.parsing.parse import Parse
from coindex.text.word_lists import labels, words
from coindex.types.document import Document

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
_GENDER_RATIO = 4.0  # how many times as frequent as the other a gender of a first name must be


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The word vectors of tokens: the product of `weights` (one row per token, one column per
    row of the table) and `table`, which all documents share.
    """

    weights: Any
    table: NDArray[np.float32]


Lookup = Callable[[Sequence[str]], TokenVectors]
"""The vectors of words; zeros for unknown words."""


@dataclass(frozen=True, slots=True)
class TokenArrays:
    """A document's tokens as arrays.

    lower, tagged   hashes of the lowercase word, and of the word with its tag
    tags, deps      hashes of the tag and of the relation
    names           hash of the type of named entity, 0 for none
    heads           the governing token
    groups          index into GROUPS: the group of a pronoun, 0 for other words
    genders         index into GENDERS, from titles and first names
    nouns, proper   whether it is a noun, a proper noun
    plural          whether its tag is plural
    opening         index into STARTS: the kind of determiner
    quoted          1 within quotation marks, else 0
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
    vectors: tuple[TokenVectors, ...]

    def __len__(self) -> int:
        return len(self.lower)


def encode_tokens(parsed: ParsedTokens, lookups: Sequence[Lookup] = ()) -> TokenArrays:
    """The arrays of a document."""
    low = [token.lower().replace("’", "'") for token in parsed.tokens]
    groups = [
        0 if tag in PROPER else GROUPS.index(labels("pronouns").get(word, ""))
        for word, tag in zip(low, parsed.tags, strict=True)
    ]
    starts = labels("mention_starts")
    return TokenArrays(
        hashes(low),
        hashes([f"{word}/{tag}" for word, tag in zip(low, parsed.tags, strict=True)]),
        hashes(parsed.tags),
        hashes(parsed.deps),
        np.where(np.array([name == "O" for name in parsed.names], bool), 0, hashes(parsed.names)),
        np.array(parsed.heads, np.int64),
        np.array(groups, np.int64),
        np.array([_gender(word) for word in low], np.int64),
        np.array([tag in NOUNS for tag in parsed.tags], bool),
        np.array([tag in PROPER for tag in parsed.tags], bool),
        np.array([tag in _PLURALS for tag in parsed.tags], bool),
        np.array([STARTS.index(starts.get(word, "")) for word in low], np.int64),
        np.array(_quoted(parsed.tokens), np.int64),
        np.array(parsed.sentences, np.int64),
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
    """The gender of a title or a first name as an index into GENDERS; 0 if unknown."""
    bare = word.rstrip(".")
    title = labels("gendered_titles").get(bare)
    if title in GENDERS:
        return GENDERS.index(title)
    shares = labels("first_names").get(bare)
    if not shares or bare in words("function_words"):
        return 0
    man, woman = map(float, shares.split())
    if man > _GENDER_RATIO * woman:
        return 1
    return 2 if woman > _GENDER_RATIO * man else 0


def _quoted(tokens: Sequence[str]) -> list[int]:
    """Whether each token lies between quotation marks; straight ones open and close in turn."""
    result, inside = [], 0
    for token in tokens:
        if token in _QUOTES:
            if token in _OPENERS:
                inside = 1
            elif token in _CLOSERS:
                inside = 0
            else:
                inside = 1 - inside
        result.append(inside)
    return result


OUTSIDE = "O"
BATCH = 16


class TextParser(Protocol):
    """Parses texts; `coindex.text.parsing.parser.Parser` is one."""

    @property
    def signature(self) -> str:
        """Identifies the parser and its version."""

    def batch(self, texts: Sequence[str]) -> Sequence[Parse]:
        """The parse of each text, in order."""


@dataclass(frozen=True, slots=True)
class ParsedTokens:
    """Columns parallel to a document's tokens.

    tags       Penn Treebank tags
    names      the type of the named entity a token is in, or `O`
    deps       the relation to the governor
    heads      the governing token; a root governs itself
    sentences  the number of each token's sentence
    """

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    names: tuple[str, ...]
    deps: tuple[str, ...]
    heads: tuple[int, ...]
    sentences: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.tokens)


def parse_documents(documents: Iterable[Document], parser: TextParser) -> Iterator[ParsedTokens]:
    """The parsed tokens of each document, in order; parses are taken from the parser's cache."""
    rest = iter(documents)
    while some := list(islice(rest, BATCH)):
        parses = parser.batch([document.text for document in some])
        yield from map(parsed_tokens, some, parses)


def parsed_tokens(document: Document, parse: Parse) -> ParsedTokens:
    """A document's tokens with the labels of a parse."""
    parser_tokens = [
        _parser_token(parse, *at) for at in zip(document.starts, document.ends, strict=True)
    ]
    token_of = _owners(parser_tokens, len(parse))
    named = [OUTSIDE] * len(parse)
    for start, end, label in parse.entities:
        named[start:end] = [label] * (end - start)
    heads = [
        _head(at, parser_token, parse, token_of) for at, parser_token in enumerate(parser_tokens)
    ]
    numbers = _sentence_numbers(document)
    return ParsedTokens(
        document.tokens,
        tuple("XX" if at is None else parse.tags[at] for at in parser_tokens),
        tuple(OUTSIDE if at is None else named[at] for at in parser_tokens),
        tuple("dep" if at is None else parse.deps[at] for at in parser_tokens),
        tuple(heads),
        tuple(numbers),
    )


def _parser_token(parse: Parse, start: int, end: int) -> int | None:
    """The parser's token for some characters: of several, the one nearest to the root."""
    if start == end:
        return None
    first = max(0, bisect_right(parse.starts, start) - 1)
    inside = []
    for at in range(first, len(parse)):
        if parse.starts[at] >= end:
            break
        if parse.ends[at] > start:
            inside.append(at)
    for at in inside:
        if parse.heads[at] not in inside or parse.heads[at] == at:
            return at
    return inside[0] if inside else None


def _owners(parser_tokens: list[int | None], size: int) -> list[int | None]:
    """For each of the parser's tokens, the document's first token at its offset."""
    result: list[int | None] = [None] * size
    for token, parser_token in enumerate(parser_tokens):
        if parser_token is not None and result[parser_token] is None:
            result[parser_token] = token
    return result


def _head(token: int, parser_token: int | None, parse: Parse, token_of: list[int | None]) -> int:
    """The document's token that governs this one; itself for a root."""
    if parser_token is None:
        return token
    seen = 0
    at = parse.heads[parser_token]
    while token_of[at] is None and parse.heads[at] != at and seen < len(parse):
        at, seen = parse.heads[at], seen + 1
    result = token_of[at]
    return token if result is None else result


def _sentence_numbers(document: Document) -> Iterator[int]:
    for number, span in enumerate(document.sentence_spans()):
        for _ in range(len(span)):
            yield number
