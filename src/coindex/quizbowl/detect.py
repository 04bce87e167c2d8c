"""The mention detector: a linear-chain CRF over labels with levels (see `levels`).

The weights come from the averaged perceptron, which on our development documents was
as good as the likelihood, steadier, and several times as fast; or from stochastic
gradient descent on the likelihood, whose marginals are calibrated. CRFsuite draws
the order of sentences from the C library's generator, so that is seeded before each
training: the same sentences give the same bytes.
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

from coindex.errors import InputError, InvalidValue, MissingExtra
from coindex.quizbowl.config import Config
from coindex.quizbowl.ground import Floats
from coindex.quizbowl.levels import Place, decode

Sequences = Sequence[tuple[Any, int, int]]
Example = tuple[Any, Sequence[str]]
"""A sentence as the CRF takes it, and its labels."""


@dataclass(frozen=True, slots=True)
class Found:
    """The mentions of a document, and how sure the detector is.

    chances   for each mention, the marginal probability of the label it begins with
    entropy   the sum over tokens of the entropy of their labels, in nats
    """

    places: tuple[Place, ...]
    chances: Floats
    entropy: float


def train(examples: Iterable[Example], config: Config, seed: int = 1) -> bytes:
    """A trained CRF, as the bytes of its file."""
    crfsuite = _library()
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
    _seed_c(seed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "crf"
        trainer.train(str(file))
        return file.read_bytes()


class Detector:
    """A trained CRF, ready to label; it is opened when it is first needed."""

    def __init__(self, data: bytes) -> None:
        self.data = data  # the tagger reads from these very bytes: they must outlive it
        self._tagger: Any = None

    def __getstate__(self) -> bytes:
        return self.data

    def __setstate__(self, data: bytes) -> None:
        self.data, self._tagger = data, None

    @property
    def tagger(self) -> Any:
        """CRFsuite's own object."""
        if self._tagger is None:
            tagger = _library().Tagger()
            try:
                tagger.open_inmemory(self.data)
            except ValueError as error:
                raise InputError(f"expected a CRF, found something else: {error}") from None
            self._tagger = tagger
        return self._tagger

    def labels(self) -> tuple[str, ...]:
        """The labels the CRF knows, sorted."""
        return tuple(sorted(self.tagger.labels()))

    def find(self, sequences: Sequences) -> list[Place]:
        """The mentions of a document, in reading order."""
        found: list[Place] = []
        for items, start, _ in sequences:
            found += [(start + a, start + b) for a, b in decode(self.tagger.tag(items))]
        return sorted(found)

    def weigh(self, sequences: Sequences) -> Found:
        """The mentions with probabilities."""
        places: list[tuple[Place, float]] = []
        entropy = 0.0
        for items, start, end in sequences:
            labels = self.tagger.tag(items)
            known = self.labels()
            chances = np.array(
                [[self.tagger.marginal(label, at) for label in known] for at in range(end - start)]
            )
            sure = np.clip(chances, 1e-12, 1.0)
            entropy -= float((sure * np.log(sure)).sum())
            for a, b in decode(labels):
                places.append(((start + a, start + b), float(chances[a, known.index(labels[a])])))
        places.sort()
        weights = np.array([chance for _, chance in places], np.float64)
        return Found(tuple(place for place, _ in places), weights, max(entropy, 0.0))


def _library() -> Any:
    try:
        import pycrfsuite
    except ImportError:
        raise MissingExtra("python-crfsuite", "train") from None
    return pycrfsuite


@lru_cache(maxsize=1)
def _c_library() -> Any:
    return ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)


def _seed_c(seed: int) -> None:
    _c_library().srand(ctypes.c_uint(seed & 0xFFFFFFFF))
