"""Diverse voting: disagreement, less for what resembles documents already annotated.

score = disagreement * (1 - similarity), where similarity is the greatest cosine between the
TF-IDF vectors of a document and of any annotated one. Without it a committee tends to pick
the same kind of document again and again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coindex.active.committee import committee, disagreement, votes
from coindex.active.strategies.protocol import Query, Scores
from coindex.types.document import Document

if TYPE_CHECKING:
    from scipy import sparse

ABOUT = "voting, less for what resembles documents already annotated"


def score(query: Query) -> Scores:
    """Disagreement times dissimilarity for each document."""
    members = committee(query)
    predictions = votes(members, query.pool)
    apart = 1.0 - similarity(query.pool, query.annotated)
    values = tuple(
        float(disagreement(each) * far) for each, far in zip(predictions, apart, strict=True)
    )
    digests = tuple(member.digest for member in members)
    return Scores(values, digests, (("dissimilarity", tuple(map(float, apart))),))


def similarity(
    pool: Sequence[Document], annotated: Sequence[Document]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """For each document of the pool, the greatest cosine with an annotated one; 0 to 1."""
    every = _tf_idf([*pool, *annotated])
    if not annotated or every is None:
        return np.zeros(len(pool))
    cosines = (every[: len(pool)] @ every[len(pool) :].T).toarray()
    result = np.clip(cosines.max(axis=1), 0.0, 1.0)
    return np.asarray(result, np.float64)


def _tf_idf(documents: Sequence[Document]) -> sparse.csr_matrix | None:
    """Counts of words times inverse document frequency, rows of length 1."""
    from scipy import sparse

    counts = [Counter(token.lower() for token in document.tokens) for document in documents]
    index = {word: at for at, word in enumerate(sorted({w for each in counts for w in each}))}
    if not index:
        return None
    frequency = Counter(word for each in counts for word in each)
    rows = np.repeat(np.arange(len(counts)), [len(each) for each in counts])
    columns = [index[word] for each in counts for word in each]
    values = [
        count * np.log(1 + len(counts) / frequency[word])
        for each in counts
        for word, count in each.items()
    ]
    matrix = sparse.csr_matrix((values, (rows, columns)), (len(counts), len(index)))
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.diags_array(1.0 / np.maximum(norms, 1e-12)).tocsr() @ matrix
