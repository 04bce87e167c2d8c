"""The features of pairs of mentions (section 5.3), hashed, many pairs at once.

The paper's families, for a mention m2 and an earlier mention m1:

    tokens              every word of m1, and of m2, with its tag
    window              the same for the words before and after m1, and m2
    tokens-between      how many tokens separate them, in steps of powers of two
    sentences-between   how many sentences
    cosine              of the averaged word vectors, in steps; one for each source of vectors

The first two do not relate m1 to m2, so that a linear model cannot learn that a name
repeats a name. We add one family:

    match               words in both, equal strings and heads, pairs of heads, of classes
                        (pronoun groups, names, articles), of genders, of entity types and
                        of relations; nesting; quotations; distance by class

Half of this is a sum over each mention alone, which scoring computes once per mention.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.models.mention_pair.mention_arrays import CLASSES, MentionArrays, ragged, same_nouns
from coindex.models.mention_pair.recipe import Config
from coindex.models.mention_pair.token_arrays import Floats, Hashes, Ints, TokenArrays, string_hash

VERSION = 1
"""Increased whenever the features change: older weights do not fit new columns."""

Matrix = Any  # scipy's csr_matrix: scipy has no types
STEPS = 10
_FAR = 12
_MANY = 10


@dataclass(frozen=True, slots=True)
class SingleFeatures:
    """The features of single mentions, as the earlier and as the later of a pair."""

    earlier: Matrix
    later: Matrix


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of mentions by their numbers, sorted by the later and then by the earlier one."""

    earlier: Ints
    later: Ints

    def __len__(self) -> int:
        return len(self.earlier)


def candidates(arrays: TokenArrays, mentions: MentionArrays, reach: int) -> Pairs:
    """The candidate pairs: those in reach, and those that share a noun."""
    count = len(mentions)
    numbers = np.arange(count)
    later, earlier = ragged(np.maximum(numbers - reach, 0), numbers)
    shared = same_nouns(arrays, mentions)
    codes = np.unique(np.r_[later * count + earlier, shared[:, 1] * count + shared[:, 0]])
    width = max(count, 1)
    return Pairs(codes % width, codes // width)


def single_features(arrays: TokenArrays, mentions: MentionArrays, config: Config) -> SingleFeatures:
    """The features of single mentions."""
    sides = []
    for side in ("earlier", "later"):
        parts = []
        if "tokens" in config.families:
            parts.append((mentions.rows, _mix(f"tokens {side}", arrays.tagged[mentions.tokens])))
        if "window" in config.families:
            before = ragged(np.maximum(mentions.starts - config.window, 0), mentions.starts)
            after = ragged(mentions.ends, np.minimum(mentions.ends + config.window, len(arrays)))
            parts.append((before[0], _mix(f"before {side}", arrays.tagged[before[1]])))
            parts.append((after[0], _mix(f"after {side}", arrays.tagged[after[1]])))
        sides.append(_matrix(parts, len(mentions), config.bits))
    return SingleFeatures(*sides)


def pair_columns(
    arrays: TokenArrays, mentions: MentionArrays, pairs: Pairs, config: Config
) -> Hashes:
    """The features of which every pair has exactly one: one row per pair, one column each."""
    columns = list(_columns(arrays, mentions, pairs, config.families))
    if not columns:
        return np.zeros((len(pairs), 0), np.uint64)
    result: Hashes = np.stack(columns, axis=1) & np.uint64((1 << config.bits) - 1)
    return result


def shared_words(
    arrays: TokenArrays, mentions: MentionArrays, pairs: Pairs, config: Config
) -> Matrix:
    """Features of the words that occur in both mentions."""
    from scipy import sparse

    if "match" not in config.families or not len(pairs):
        return sparse.csr_matrix((len(pairs), 1 << config.bits))
    vocabulary, columns = np.unique(arrays.tagged[mentions.tokens], return_inverse=True)
    shape = len(mentions), len(vocabulary)
    ones = np.ones(len(columns))
    words = sparse.csr_matrix((ones, (mentions.rows, columns)), shape).astype(bool).astype(float)
    both = words[pairs.earlier].multiply(words[pairs.later]).tocoo()
    return _matrix([(both.row, _mix("both", vocabulary[both.col]))], len(pairs), config.bits)


def feature_matrix(
    arrays: TokenArrays, mentions: MentionArrays, pairs: Pairs, config: Config
) -> Matrix:
    """All features of pairs as one sparse matrix, for training."""
    from scipy import sparse

    single = single_features(arrays, mentions, config)
    fixed = pair_columns(arrays, mentions, pairs, config)
    count, width = fixed.shape
    starts = np.arange(0, count * width + 1, max(width, 1)) if width else np.zeros(count + 1, int)
    values = np.ones(count * width)
    whole = sparse.csr_matrix(
        (values, fixed.ravel().astype(np.int32), starts), (count, 1 << config.bits)
    )
    result = single.earlier[pairs.earlier] + single.later[pairs.later] + whole
    total: Matrix = (
        (result + shared_words(arrays, mentions, pairs, config)).tocsr().astype(np.float32)
    )
    return total


def scores(
    arrays: TokenArrays, mentions: MentionArrays, pairs: Pairs, config: Config, weights: Floats
) -> NDArray[np.float64]:
    """The dot product of all features of pairs with weights, without building the matrix."""
    single = single_features(arrays, mentions, config)
    fixed = pair_columns(arrays, mentions, pairs, config).astype(np.int64)
    total = weights[fixed].sum(axis=1) if fixed.shape[1] else np.zeros(len(pairs))
    total = total + (single.earlier @ weights)[pairs.earlier]
    total = total + (single.later @ weights)[pairs.later]
    return np.asarray(total + shared_words(arrays, mentions, pairs, config) @ weights, np.float64)


def _columns(
    arrays: TokenArrays, mentions: MentionArrays, pairs: Pairs, families: tuple[str, ...]
) -> Iterator[Hashes]:
    one, two = pairs.earlier, pairs.later
    gap = _steps(np.maximum(mentions.starts[two] - mentions.ends[one], 0), _FAR)
    apart = _sentences(arrays, mentions, one, two)
    if "tokens-between" in families:
        yield _mix("tokens between", gap)
    if "sentences-between" in families:
        yield _mix("sentences between", apart)
    if "cosine" in families:
        for number, average in enumerate(mentions.averages):
            cosine = np.einsum("ij,ij->i", average[one], average[two])
            step = np.floor((np.clip(cosine, -1, 1) + 1) * STEPS).astype(np.int64)
            yield _mix(f"cosine {number}", step)
    if "match" in families:
        yield from _match(arrays, mentions, pairs, gap, apart)


def _match(
    arrays: TokenArrays, mentions: MentionArrays, pairs: Pairs, gap: Ints, apart: Ints
) -> Iterator[Hashes]:
    one, two = pairs.earlier, pairs.later
    classes = mentions.classes[one] * CLASSES + mentions.classes[two]
    kinds = mentions.kinds[one] * 3 + mentions.kinds[two]
    head_one, head_two = mentions.heads[one], mentions.heads[two]
    words = arrays.lower
    same_string = mentions.strings[one] == mentions.strings[two]
    same_head = words[head_one] == words[head_two]
    yield _mix("classes", classes)
    yield _mix("string", same_string, classes)
    yield _mix("head", same_head, same_string, kinds)
    yield _mix("heads", words[head_one], words[head_two])
    yield _mix("head and class", words[head_one], mentions.classes[two])
    yield _mix("class and head", mentions.classes[one], words[head_two])
    yield _mix("genders", mentions.genders[one] * 3 + mentions.genders[two], classes)
    yield _mix("numbers", _plural(arrays, head_one) * 2 + _plural(arrays, head_two), classes)
    yield _mix("types", arrays.names[head_one], arrays.names[head_two], same_head)
    nested = (mentions.starts[two] < mentions.ends[one]) * 1
    yield _mix("nested", nested, classes)
    yield _mix("relations", arrays.deps[head_one], arrays.deps[head_two], np.minimum(apart, 2))
    yield _mix("gap by class", gap, mentions.classes[two], mentions.kinds[one])
    yield _mix("sentences by class", apart, classes)
    steps = _steps(two - one, _FAR)
    yield _mix("mentions by class", steps, mentions.classes[two], mentions.kinds[one])
    quotes = arrays.quoted[head_one] * 2 + arrays.quoted[head_two]
    yield _mix("quotes", quotes, classes)
    yield _mix("quotes near", quotes, classes, np.minimum(apart, 2))


def _plural(arrays: TokenArrays, heads: Ints) -> Ints:
    return arrays.plural[heads].astype(np.int64)


def _sentences(arrays: TokenArrays, mentions: MentionArrays, one: Ints, two: Ints) -> Ints:
    result = arrays.sentences[mentions.starts[two]] - arrays.sentences[mentions.starts[one]]
    near = np.minimum(result, 4)
    return np.where(result > 4, 4 + _steps(np.maximum(result - 4, 0), _MANY), near)


def _steps(values: Ints, most: int) -> Ints:
    """0, 1, 2-3, 4-7, ...: the number of binary digits."""
    digits = np.ceil(np.log2(np.asarray(values, np.float64) + 1)).astype(np.int64)
    return np.minimum(digits, most)


def _mix(name: str, *values: NDArray[np.generic]) -> Hashes:
    """One hash of a feature's name and its values, element by element."""
    odd = np.uint64(0x9E3779B97F4A7C15)
    result = np.full(values[0].shape, string_hash(name), np.uint64)
    for value in values:
        result = (result ^ value.astype(np.uint64)) * odd
        result ^= result >> np.uint64(29)
    return result


def _matrix(parts: list[tuple[Ints, Hashes]], count: int, bits: int) -> Matrix:
    """A sparse matrix with a 1 for each row and hash, summed where they meet."""
    from scipy import sparse

    shape = count, 1 << bits
    if not parts:
        return sparse.csr_matrix(shape)
    where = np.concatenate([part[0] for part in parts])
    hashed = np.concatenate([part[1] for part in parts]) & np.uint64(shape[1] - 1)
    return sparse.csr_matrix((np.ones(len(where)), (where, hashed.astype(np.int64))), shape)
