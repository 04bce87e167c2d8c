"""A trained mention-pair model.

Training depends on the seed and on the set of documents, not on their order. The same
set gives the same model to the last bit; `digest` identifies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np

from coindex.models.mention_pair import pair_features, token_features
from coindex.models.mention_pair.mention_crf import Detector
from coindex.models.mention_pair.pair_classifier import Classifier
from coindex.models.mention_pair.recipe import Config
from coindex.models.mention_pair.token_arrays import Floats
from coindex.models.mention_pair.word_vectors import VectorsInfo
from coindex.types.document import Document

SINGLETON_SHARE = 0.2
"""From this share of entities on, a corpus annotates singletons; see `annotates_singletons`."""


@dataclass(frozen=True)
class Model:
    """A trained model.

    singletons   whether the training documents annotate entities of one mention
    lost         how many training mentions the BIO labels could not represent
    trained_on   a digest of the training documents, and how many there were
    pipeline     the signature of the parser of the training documents
    """

    config: Config
    detector: Detector
    classifier: Classifier
    vectors: tuple[VectorsInfo, ...]
    singletons: bool
    lost: int
    trained_on: tuple[str, int]
    seed: int
    pipeline: str = ""

    @cached_property
    def weights(self) -> Floats:
        """The classifier's weights, one per column."""
        return self.classifier.dense(self.config.bits)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that predictions depend on.

        Word vectors count by their content, not by the path they were read from.
        """
        versions = token_features.VERSION, pair_features.VERSION
        sums = tuple((each.sha256, each.size) for each in self.vectors)
        settings = self.config, self.singletons, self.pipeline, self.classifier.intercept
        parts = sha256(repr((versions, sums, settings)).encode())
        for data in (self.classifier.columns, self.classifier.values):
            parts.update(np.ascontiguousarray(data).tobytes())
        parts.update(self.detector.data)
        return parts.hexdigest()[:16]


def annotates_singletons(documents: Sequence[Document]) -> bool:
    """Whether at least a fifth of the documents' entities have one mention.

    Corpora either annotate mentions that corefer with nothing, or leave them out but for a
    few strays. Where they are annotated, singletons are 52 to 86 % of all entities, and no
    document has less than 25 % (LitBank, GUM, PreCo, Phrase Detectives, Quiz Bowl: 352
    documents); where they are not, no document has more than 16 % (OntoGUM, FantasyCoref:
    227 documents). So a fifth separates the two kinds even by a single document.
    """
    single = [entity.singleton for each in documents for entity in each.entities]
    return bool(single) and sum(single) >= SINGLETON_SHARE * len(single)
