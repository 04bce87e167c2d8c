"""The features of pairs of mentions (section 5.3), hashed, many pairs at once.

The paper's families, for a mention m2 and an earlier mention m1:

    tokens              every word of m1, and of m2, with its tag
    window              the same for the words before and after m1, and m2
    tokens-between      how many tokens separate them, in steps of powers of two
    sentences-between   how many sentences
    cosine              of the averaged word vectors, in steps; one for each source of vectors

The first two say nothing about m1 and m2 together, so that a linear model cannot even
learn that a name repeats a name. We add, and name, one family:

    match               words in both, equal strings and heads, pairs of heads, of classes
                        (pronoun groups, names, articles), of genders, of entity types and
                        of relations; nesting; quotations; distance by class

Half of this is a sum over each mention alone, so scoring computes it once a mention.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from coindex.quizbowl.config import Config
from coindex.quizbowl.ground import Floats, Ground, Hashes, Ints, string_hash
from coindex.quizbowl.spans import CLASSES, Spans, ragged, same_nouns

VERSION = 1
"""Raised whenever the features change: weights of older columns would mean nothing."""

Matrix = Any  # scipy's csr_matrix: scipy has no types
STEPS = 10
_FAR = 12
_MANY = 10


@dataclass(frozen=True, slots=True)
class Alone:
    """The features that a mention has by itself, as the earlier and as the later of a pair."""

    earlier: Matrix
    later: Matrix


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of mentions by their numbers, sorted by the later and then by the earlier one."""

    earlier: Ints
    later: Ints

    def __len__(self) -> int:
        return len(self.earlier)


def candidates(ground: Ground, spans: Spans, reach: int) -> Pairs:
    """The pairs that are looked at: those in reach, and those that share a noun."""
    count = len(spans)
    numbers = np.arange(count)
    later, earlier = ragged(np.maximum(numbers - reach, 0), numbers)
    shared = same_nouns(ground, spans)
    codes = np.unique(np.r_[later * count + earlier, shared[:, 1] * count + shared[:, 0]])
    width = max(count, 1)
    return Pairs(codes % width, codes // width)


def alone(ground: Ground, spans: Spans, config: Config) -> Alone:
    """What each mention has by itself."""
    sides = []
    for side in ("earlier", "later"):
        parts = []
        if "tokens" in config.families:
            parts.append((spans.rows, _mix(f"tokens {side}", ground.tagged[spans.tokens])))
        if "window" in config.families:
            before = ragged(np.maximum(spans.starts - config.window, 0), spans.starts)
            after = ragged(spans.ends, np.minimum(spans.ends + config.window, len(ground)))
            parts.append((before[0], _mix(f"before {side}", ground.tagged[before[1]])))
            parts.append((after[0], _mix(f"after {side}", ground.tagged[after[1]])))
        sides.append(_matrix(parts, len(spans), config.bits))
    return Alone(*sides)


def together(ground: Ground, spans: Spans, pairs: Pairs, config: Config) -> Hashes:
    """The features of pairs that every pair has one of: a row a pair, a column a feature."""
    columns = list(_columns(ground, spans, pairs, config.families))
    if not columns:
        return np.zeros((len(pairs), 0), np.uint64)
    found: Hashes = np.stack(columns, axis=1) & np.uint64((1 << config.bits) - 1)
    return found


def shared(ground: Ground, spans: Spans, pairs: Pairs, config: Config) -> Matrix:
    """The words that both mentions have, as features."""
    if "match" not in config.families or not len(pairs):
        return sparse.csr_matrix((len(pairs), 1 << config.bits))
    vocabulary, columns = np.unique(ground.tagged[spans.tokens], return_inverse=True)
    shape = len(spans), len(vocabulary)
    ones = np.ones(len(columns))
    words = sparse.csr_matrix((ones, (spans.rows, columns)), shape).astype(bool).astype(float)
    both = words[pairs.earlier].multiply(words[pairs.later]).tocoo()
    return _matrix([(both.row, _mix("both", vocabulary[both.col]))], len(pairs), config.bits)


def rows(ground: Ground, spans: Spans, pairs: Pairs, config: Config) -> Matrix:
    """All features of pairs, for training."""
    by_self = alone(ground, spans, config)
    fixed = together(ground, spans, pairs, config)
    count, width = fixed.shape
    starts = np.arange(0, count * width + 1, max(width, 1)) if width else np.zeros(count + 1, int)
    values = np.ones(count * width)
    whole = sparse.csr_matrix(
        (values, fixed.ravel().astype(np.int32), starts), (count, 1 << config.bits)
    )
    found = by_self.earlier[pairs.earlier] + by_self.later[pairs.later] + whole
    total: Matrix = (found + shared(ground, spans, pairs, config)).tocsr().astype(np.float32)
    return total


def scores(
    ground: Ground, spans: Spans, pairs: Pairs, config: Config, weights: Floats
) -> NDArray[np.float64]:
    """The dot product of all features of pairs with weights, without making the rows."""
    by_self = alone(ground, spans, config)
    fixed = together(ground, spans, pairs, config).astype(np.int64)
    total = weights[fixed].sum(axis=1) if fixed.shape[1] else np.zeros(len(pairs))
    total = total + (by_self.earlier @ weights)[pairs.earlier]
    total = total + (by_self.later @ weights)[pairs.later]
    return np.asarray(total + shared(ground, spans, pairs, config) @ weights, np.float64)


def _columns(
    ground: Ground, spans: Spans, pairs: Pairs, families: tuple[str, ...]
) -> Iterator[Hashes]:
    one, two = pairs.earlier, pairs.later
    gap = _steps(np.maximum(spans.starts[two] - spans.ends[one], 0), _FAR)
    apart = _sentences(ground, spans, one, two)
    if "tokens-between" in families:
        yield _mix("tokens between", gap)
    if "sentences-between" in families:
        yield _mix("sentences between", apart)
    if "cosine" in families:
        for number, average in enumerate(spans.averages):
            cosine = np.einsum("ij,ij->i", average[one], average[two])
            step = np.floor((np.clip(cosine, -1, 1) + 1) * STEPS).astype(np.int64)
            yield _mix(f"cosine {number}", step)
    if "match" in families:
        yield from _match(ground, spans, pairs, gap, apart)


def _match(ground: Ground, spans: Spans, pairs: Pairs, gap: Ints, apart: Ints) -> Iterator[Hashes]:
    one, two = pairs.earlier, pairs.later
    classes = spans.classes[one] * CLASSES + spans.classes[two]
    kinds = spans.kinds[one] * 3 + spans.kinds[two]
    head_one, head_two = spans.heads[one], spans.heads[two]
    words = ground.lower
    same_string = spans.strings[one] == spans.strings[two]
    same_head = words[head_one] == words[head_two]
    yield _mix("classes", classes)
    yield _mix("string", same_string, classes)
    yield _mix("head", same_head, same_string, kinds)
    yield _mix("heads", words[head_one], words[head_two])
    yield _mix("head and class", words[head_one], spans.classes[two])
    yield _mix("class and head", spans.classes[one], words[head_two])
    yield _mix("genders", spans.genders[one] * 3 + spans.genders[two], classes)
    yield _mix("numbers", _plural(ground, head_one) * 2 + _plural(ground, head_two), classes)
    yield _mix("types", ground.names[head_one], ground.names[head_two], same_head)
    nested = (spans.starts[two] < spans.ends[one]) * 1
    yield _mix("nested", nested, classes)
    yield _mix("relations", ground.deps[head_one], ground.deps[head_two], np.minimum(apart, 2))
    yield _mix("gap by class", gap, spans.classes[two], spans.kinds[one])
    yield _mix("sentences by class", apart, classes)
    steps = _steps(two - one, _FAR)
    yield _mix("mentions by class", steps, spans.classes[two], spans.kinds[one])
    quotes = ground.quoted[head_one] * 2 + ground.quoted[head_two]
    yield _mix("quotes", quotes, classes)
    yield _mix("quotes near", quotes, classes, np.minimum(apart, 2))


def _plural(ground: Ground, heads: Ints) -> Ints:
    return ground.plural[heads].astype(np.int64)


def _sentences(ground: Ground, spans: Spans, one: Ints, two: Ints) -> Ints:
    found = ground.sentences[spans.starts[two]] - ground.sentences[spans.starts[one]]
    near = np.minimum(found, 4)
    return np.where(found > 4, 4 + _steps(np.maximum(found - 4, 0), _MANY), near)


def _steps(values: Ints, most: int) -> Ints:
    """0, 1, 2-3, 4-7, ...: the number of binary digits."""
    digits = np.ceil(np.log2(np.asarray(values, np.float64) + 1)).astype(np.int64)
    return np.minimum(digits, most)


def _mix(name: str, *values: NDArray[np.generic]) -> Hashes:
    """One hash of a feature's name and its values, element by element."""
    odd = np.uint64(0x9E3779B97F4A7C15)
    found = np.full(values[0].shape, string_hash(name), np.uint64)
    for value in values:
        found = (found ^ value.astype(np.uint64)) * odd
        found ^= found >> np.uint64(29)
    return found


def _matrix(parts: list[tuple[Ints, Hashes]], count: int, bits: int) -> Matrix:
    """A sparse matrix with a 1 for each row and hash, summed where they meet."""
    shape = count, 1 << bits
    if not parts:
        return sparse.csr_matrix(shape)
    where = np.concatenate([part[0] for part in parts])
    hashed = np.concatenate([part[1] for part in parts]) & np.uint64(shape[1] - 1)
    return sparse.csr_matrix((np.ones(len(where)), (where, hashed.astype(np.int64))), shape)
