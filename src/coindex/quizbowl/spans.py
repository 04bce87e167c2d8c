"""Mentions of one document as arrays, one value a mention, in reading order.

A mention's class says what it is: a pronoun of some group, a name, or a noun by the
word that opens it. Its head is the first token governed from outside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coindex.quizbowl.ground import GROUPS, STARTS, Floats, Ground, Hashes, Ints, Meaning
from coindex.quizbowl.levels import Place

NAME = len(GROUPS)
NOMINAL = NAME + 1
CLASSES = NOMINAL + len(STARTS)
PRONOUN_KIND, NAME_KIND, NOMINAL_KIND = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Spans:
    """Mentions as arrays.

    rows, tokens   every token of every mention: whose it is, and which
    classes        a group of pronouns, `NAME`, or `NOMINAL` and how it opens
    kinds          pronoun, name or nominal
    strings        hash of the words in small letters, an article in front left out
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


def spans(ground: Ground, places: Sequence[Place]) -> Spans:
    """The arrays of mentions at these places, which must be in reading order."""
    starts = np.array([place[0] for place in places], np.int64)
    ends = np.array([place[1] for place in places], np.int64)
    rows, tokens = ragged(starts, ends)
    heads = _heads(ground, starts, ends, rows, tokens)
    classes = _classes(ground, starts, ends, heads)
    kinds = np.where(classes < NAME, PRONOUN_KIND, NOMINAL_KIND)
    kinds = np.where(classes == NAME, NAME_KIND, kinds)
    genders = _largest(ground.genders[tokens], rows, len(starts))
    return Spans(
        starts, ends, rows, tokens, classes, kinds,
        _strings(ground, starts, ends, rows, tokens),
        heads,
        np.where(kinds == NAME_KIND, genders, 0),
        tuple(_average(each, rows, tokens, len(starts)) for each in ground.vectors),
    )  # fmt: skip


def ragged(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """The rows and the members of ranges laid end to end."""
    sizes = np.maximum(ends - starts, 0)
    rows = np.repeat(np.arange(len(starts)), sizes)
    before = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows, np.arange(len(rows)) - before + starts[rows]


def _largest(values: Ints, rows: Ints, count: int) -> Ints:
    found = np.zeros(count, np.int64)
    np.maximum.at(found, rows, values)
    return found


def _heads(ground: Ground, starts: Ints, ends: Ints, rows: Ints, tokens: Ints) -> Ints:
    """The first token governed from outside; there always is one, or the tree is odd."""
    over = ground.heads[tokens]
    outside = (over < starts[rows]) | (over >= ends[rows]) | (over == tokens)
    found = ends - 1
    picked = np.full(len(starts), len(ground), np.int64)
    np.minimum.at(picked, rows[outside], tokens[outside])
    return np.where(picked < len(ground), picked, found)


def _classes(ground: Ground, starts: Ints, ends: Ints, heads: Ints) -> Ints:
    single = ends - starts == 1
    pronoun = single & (ground.groups[starts] > 0)
    nominal = NOMINAL + ground.opening[starts]
    other = np.where(ground.proper[heads], NAME, nominal)
    return np.where(pronoun, ground.groups[starts], other)


def _strings(ground: Ground, starts: Ints, ends: Ints, rows: Ints, tokens: Ints) -> Hashes:
    """A hash of each mention's words: a sum over words times powers of an odd number."""
    opened = (ground.opening[starts] > 0) & (ends - starts > 1)
    first = starts + opened
    counted = tokens >= first[rows]
    powers = _powers(int((ends - starts).max(initial=1)))
    terms = ground.lower[tokens] * powers[np.maximum(tokens - first[rows], 0)]
    found = np.zeros(len(starts), np.uint64)
    np.add.at(found, rows[counted], terms[counted])
    return found


def _powers(count: int) -> Hashes:
    base = np.full(count, 0x9E3779B97F4A7C15, np.uint64)
    base[0] = 1
    found: Hashes = np.multiply.accumulate(base)
    return found


def _average(meaning: Meaning, rows: Ints, tokens: Ints, count: int) -> Floats:
    """The mean of the words' vectors, scaled to length 1; zero where no word is known."""
    shape = count, meaning.shares.shape[0]
    inside = sparse.csr_matrix((np.ones(len(rows)), (rows, tokens)), shape)
    shares = (inside @ meaning.shares).tocsr()
    used, columns = np.unique(shares.indices, return_inverse=True)
    few = sparse.csr_matrix((shares.data, columns, shares.indptr), (count, len(used)))
    sums = few @ meaning.table[used].astype(np.float64)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    scaled: Floats = np.divide(sums, norms, out=np.zeros_like(sums), where=norms > 0)
    return scaled


def same_nouns(ground: Ground, spans: Spans) -> NDArray[np.int64]:
    """Pairs (earlier, later) of mentions that share a noun, as two columns."""
    noun = ground.nouns[spans.tokens]
    words, rows = ground.lower[spans.tokens][noun], spans.rows[noun]
    order = np.argsort(words, kind="stable")
    words, rows = words[order], rows[order]
    changes = np.r_[True, words[1:] != words[:-1], True] if len(words) else np.zeros(0, bool)
    found = [np.zeros((0, 2), np.int64)]
    for start, end in pairwise(np.flatnonzero(changes).tolist()):
        members = np.unique(rows[start:end])
        if len(members) > 1:
            one, two = np.triu_indices(len(members), 1)
            found.append(np.stack([members[one], members[two]], axis=1))
    return np.concatenate(found)
