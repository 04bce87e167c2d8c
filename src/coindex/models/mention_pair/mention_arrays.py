"""The mentions of one document as arrays, one value per mention, in reading order.

A mention's class says what it is: a pronoun of some group, a name, or a noun by the
word that opens it. Its head is the first token governed from outside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from coindex.models.mention_pair.mention_crf import TokenRange
from coindex.models.mention_pair.token_arrays import (
    GROUPS,
    STARTS,
    Floats,
    Hashes,
    Ints,
    TokenArrays,
    TokenVectors,
)

NAME = len(GROUPS)
NOMINAL = NAME + 1
CLASSES = NOMINAL + len(STARTS)
PRONOUN_KIND, NAME_KIND, NOMINAL_KIND = 0, 1, 2


@dataclass(frozen=True, slots=True)
class MentionArrays:
    """Mentions as arrays.

    rows, tokens   for every token of every mention: the mention, and the token
    classes        a group of pronouns, `NAME`, or `NOMINAL` and how it opens
    kinds          pronoun, name or nominal
    strings        hash of the lowercase words without a leading determiner
    heads          the head's token
    genders        from a title or a first name in a name; 0 unknown
    averages       one array of averaged vectors for each source
    """

    starts: Ints
    ends: Ints
    rows: Ints
    tokens: Ints
    classes: Ints
    kinds: Ints
    strings: Hashes
    heads: Ints
    genders: Ints
    averages: tuple[Floats, ...]

    def __len__(self) -> int:
        return len(self.starts)


def encode_mentions(arrays: TokenArrays, ranges: Sequence[TokenRange]) -> MentionArrays:
    """The arrays of mentions, which must be in reading order."""
    starts = np.array([start for start, _ in ranges], np.int64)
    ends = np.array([end for _, end in ranges], np.int64)
    rows, tokens = ragged(starts, ends)
    heads = _heads(arrays, starts, ends, rows, tokens)
    classes = _classes(arrays, starts, ends, heads)
    kinds = np.where(classes < NAME, PRONOUN_KIND, NOMINAL_KIND)
    kinds = np.where(classes == NAME, NAME_KIND, kinds)
    genders = np.zeros(len(starts), np.int64)
    np.maximum.at(genders, rows, arrays.genders[tokens])
    return MentionArrays(
        starts, ends, rows, tokens, classes, kinds,
        _strings(arrays, starts, ends, rows, tokens),
        heads,
        np.where(kinds == NAME_KIND, genders, 0),
        tuple(_average(each, rows, tokens, len(starts)) for each in arrays.vectors),
    )  # fmt: skip


def ragged(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """The rows and the members of ranges laid end to end."""
    sizes = np.maximum(ends - starts, 0)
    rows = np.repeat(np.arange(len(starts)), sizes)
    before = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows, np.arange(len(rows)) - before + starts[rows]


def _heads(arrays: TokenArrays, starts: Ints, ends: Ints, rows: Ints, tokens: Ints) -> Ints:
    """The first token governed from outside; the last token if there is none."""
    over = arrays.heads[tokens]
    outside = (over < starts[rows]) | (over >= ends[rows]) | (over == tokens)
    result = ends - 1
    picked = np.full(len(starts), len(arrays), np.int64)
    np.minimum.at(picked, rows[outside], tokens[outside])
    return np.where(picked < len(arrays), picked, result)


def _classes(arrays: TokenArrays, starts: Ints, ends: Ints, heads: Ints) -> Ints:
    single = ends - starts == 1
    pronoun = single & (arrays.groups[starts] > 0)
    nominal = NOMINAL + arrays.opening[starts]
    other = np.where(arrays.proper[heads], NAME, nominal)
    return np.where(pronoun, arrays.groups[starts], other)


def _strings(arrays: TokenArrays, starts: Ints, ends: Ints, rows: Ints, tokens: Ints) -> Hashes:
    """A hash of each mention's words: a sum over words times powers of an odd number."""
    opened = (arrays.opening[starts] > 0) & (ends - starts > 1)
    first = starts + opened
    counted = tokens >= first[rows]
    powers = np.full(int((ends - starts).max(initial=1)), 0x9E3779B97F4A7C15, np.uint64)
    powers[0] = 1
    powers = np.multiply.accumulate(powers)
    terms = arrays.lower[tokens] * powers[np.maximum(tokens - first[rows], 0)]
    result = np.zeros(len(starts), np.uint64)
    np.add.at(result, rows[counted], terms[counted])
    return result


def _average(vectors: TokenVectors, rows: Ints, tokens: Ints, count: int) -> Floats:
    """The mean of the words' vectors, scaled to length 1; zero if all words are unknown."""
    from scipy import sparse

    shape = count, vectors.weights.shape[0]
    inside = sparse.csr_matrix((np.ones(len(rows)), (rows, tokens)), shape)
    weights = (inside @ vectors.weights).tocsr()
    used, columns = np.unique(weights.indices, return_inverse=True)
    few = sparse.csr_matrix((weights.data, columns, weights.indptr), (count, len(used)))
    sums = few @ vectors.table[used].astype(np.float64)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    scaled: Floats = np.divide(sums, norms, out=np.zeros_like(sums), where=norms > 0)
    return scaled


def same_nouns(arrays: TokenArrays, mentions: MentionArrays) -> NDArray[np.int64]:
    """Pairs (earlier, later) of mentions that share a noun, as two columns."""
    noun = arrays.nouns[mentions.tokens]
    words, rows = arrays.lower[mentions.tokens][noun], mentions.rows[noun]
    order = np.argsort(words, kind="stable")
    words, rows = words[order], rows[order]
    changes = np.r_[True, words[1:] != words[:-1], True] if len(words) else np.zeros(0, bool)
    result = [np.zeros((0, 2), np.int64)]
    for start, end in pairwise(np.flatnonzero(changes).tolist()):
        members = np.unique(rows[start:end])
        if len(members) > 1:
            one, two = np.triu_indices(len(members), 1)
            result.append(np.stack([members[one], members[two]], axis=1))
    return np.concatenate(result)
