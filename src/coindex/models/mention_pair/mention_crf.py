"""The mention detector: a linear-chain CRF over BIO labels with levels for nested mentions.

A label has one letter for each mention around the token, from the outermost to the
innermost: `B` where it begins, `I` within it; `O` outside of mentions. So `[[his] uncle]`
is `BB I`. A nested mention can only begin inside the outer one, so that a stack of levels
needs few labels and one CRF decodes all levels at once. Mentions that cross an earlier one,
or are nested deeper than `depth`, cannot be represented; they are counted.

The weights come from the averaged perceptron, which on our development documents was
as good as the likelihood, more stable, and several times as fast; or from stochastic
gradient descent on the likelihood, whose marginals are calibrated. CRFsuite shuffles
sentences with the C library's random generator, which is seeded before each training, so
that the same sentences give the same bytes.
"""

from __future__ import annotations

import ctypes
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from coindex import io
from coindex.errors import InputError, InvalidValue, import_extra
from coindex.models.mention_pair.recipe import Config
from coindex.models.mention_pair.token_arrays import Floats
from coindex.models.mention_pair.token_features import Sequences

OUTSIDE = "O"
DEPTH = 3

TokenRange = tuple[int, int]
"""The first token of a mention, and the token after its last."""


@dataclass(frozen=True, slots=True)
class BioLabels:
    """Labels of tokens, and how many mentions they cannot represent."""

    labels: tuple[str, ...]
    lost: int


def encode_labels(ranges: Iterable[TokenRange], size: int, depth: int = DEPTH) -> BioLabels:
    """The labels of `size` tokens with these mentions.

    >>> encode_labels([(0, 2), (0, 1)], 3).labels
    ('BB', 'I', 'O')
    """
    ordered = sorted(set(ranges), key=lambda at: (at[0], -at[1]))
    stacks: list[list[str]] = [[] for _ in range(size)]
    open_: list[TokenRange] = []
    lost = 0
    for start, end in ordered:
        open_ = [at for at in open_ if at[1] > start]
        if len(open_) >= depth or any(end > at[1] for at in open_):
            lost += 1
            continue
        open_.append((start, end))
        for token in range(start, end):
            stacks[token].append("B" if token == start else "I")
    return BioLabels(tuple("".join(stack) or OUTSIDE for stack in stacks), lost)


def decode_labels(labels: Sequence[str]) -> list[TokenRange]:
    """The mentions that labels represent, in reading order, outer before inner.

    Labels need not be well formed: an `I` that continues no mention begins one.
    """
    ranges: list[TokenRange] = []
    open_: list[int] = []
    for at, label in enumerate(labels):
        if label == OUTSIDE and not open_:
            continue
        stack = "" if label == OUTSIDE else label
        level = 0
        while level < min(len(open_), len(stack)) and stack[level] == "I":
            level += 1
        ranges += [(start, at) for start in open_[level:]]
        open_ = open_[:level] + [at] * (len(stack) - level)
    ranges += [(start, len(labels)) for start in open_]
    return sorted(set(ranges), key=lambda at: (at[0], -at[1]))


Example = tuple[Any, Sequence[str]]
"""A sentence as CRFsuite's items, and its labels."""


@dataclass(frozen=True, slots=True)
class MentionProbabilities:
    """The detected mentions of a document with their probabilities.

    probabilities   for each mention, the marginal probability of its first label
    entropy         the sum over tokens of the entropy of their labels, in nats
    """

    ranges: tuple[TokenRange, ...]
    probabilities: Floats
    entropy: float


def train(examples: Iterable[Example], config: Config, seed: int = 1) -> bytes:
    """A trained CRF, as the bytes of its file."""
    crfsuite = import_extra("pycrfsuite", "train", "python-crfsuite")
    likely = config.crf_training == "likelihood"
    trainer = crfsuite.Trainer(algorithm="l2sgd" if likely else "ap", verbose=False)
    trainer.set_params({"max_iterations": config.rounds})
    if likely:
        trainer.set_params({"c2": config.crf_l2, "calibration.samples": 300})
    count = 0
    for items, labels in examples:
        if len(labels):
            trainer.append(items, list(labels))
            count += 1
    if not count:
        raise InvalidValue("expected sentences to train on, found none")
    _c_library().srand(ctypes.c_uint(seed & 0xFFFFFFFF))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "crf"
        trainer.train(str(file))
        return io.read_bytes(file)


class Detector:
    """A trained CRF; it is opened when it is first needed."""

    def __init__(self, data: bytes) -> None:
        self.data = data  # the tagger reads from these bytes, which must outlive it
        self._tagger: Any = None

    def __getstate__(self) -> bytes:
        return self.data

    def __setstate__(self, data: bytes) -> None:
        self.data, self._tagger = data, None

    @property
    def tagger(self) -> Any:
        """CRFsuite's own object."""
        if self._tagger is None:
            tagger = import_extra("pycrfsuite", "train", "python-crfsuite").Tagger()
            try:
                tagger.open_inmemory(self.data)
            except ValueError as error:
                raise InputError(f"expected a CRF, found something else: {error}") from None
            self._tagger = tagger
        return self._tagger

    def labels(self) -> tuple[str, ...]:
        """The labels the CRF knows, sorted."""
        return tuple(sorted(self.tagger.labels()))

    def find(self, sequences: Sequences) -> list[TokenRange]:
        """The mentions of a document, in reading order."""
        ranges: list[TokenRange] = []
        for items, start, _ in sequences:
            ranges += [(start + a, start + b) for a, b in decode_labels(self.tagger.tag(items))]
        return sorted(ranges)

    def find_with_probabilities(self, sequences: Sequences) -> MentionProbabilities:
        """The mentions of a document with their probabilities, in reading order."""
        mentions: list[tuple[TokenRange, float]] = []
        entropy = 0.0
        for items, start, end in sequences:
            labels = self.tagger.tag(items)
            known = self.labels()
            marginals = np.array(
                [[self.tagger.marginal(label, at) for label in known] for at in range(end - start)]
            )
            clipped = np.clip(marginals, 1e-12, 1.0)
            entropy -= float((clipped * np.log(clipped)).sum())
            for a, b in decode_labels(labels):
                first = float(marginals[a, known.index(labels[a])])
                mentions.append(((start + a, start + b), first))
        mentions.sort()
        probabilities = np.array([each for _, each in mentions], np.float64)
        ranges = tuple(at for at, _ in mentions)
        return MentionProbabilities(ranges, probabilities, max(entropy, 0.0))


@lru_cache(maxsize=1)
def _c_library() -> Any:
    return ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
