"""Diverse voting: disagreement, less for what resembles documents already annotated.

score = disagreement * (1 - similarity), the similarity being the greatest cosine of a
document's words with those of any annotated one, words weighed by how few documents
have them. A committee tends to ask for the same kind of document again and again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from coindex.active import Question, Scored
from coindex.active._committee import answers, committee, disagreement
from coindex.core.document import Document

ABOUT = "voting, less for what resembles documents already annotated"


def score(question: Question) -> Scored:
    """Disagreement times dissimilarity for each document."""
    members = committee(question)
    votes = list(zip(*answers(members, question.pool), strict=True))
    apart = 1.0 - similarity(question.pool, question.annotated)
    values = tuple(float(disagreement(vote) * far) for vote, far in zip(votes, apart, strict=True))
    digests = tuple(member.digest for member in members)
    return Scored(values, digests, (("dissimilarity", tuple(map(float, apart))),))


def similarity(
    pool: Sequence[Document], annotated: Sequence[Document]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """For each document of the pool, the greatest cosine with an annotated one; 0 to 1."""
    every = _weighed([*pool, *annotated])
    if not annotated or every is None:
        return np.zeros(len(pool))
    cosines = (every[: len(pool)] @ every[len(pool) :].T).toarray()
    found = np.clip(cosines.max(axis=1), 0.0, 1.0)
    return np.asarray(found, np.float64)


def _weighed(documents: Sequence[Document]) -> sparse.csr_matrix | None:
    """Counts of words times inverse document frequency, rows of length 1."""
    counts = [Counter(token.lower() for token in document.tokens) for document in documents]
    places = {word: at for at, word in enumerate(sorted({w for each in counts for w in each}))}
    if not places:
        return None
    frequency = Counter(word for each in counts for word in each)
    rows = np.repeat(np.arange(len(counts)), [len(each) for each in counts])
    columns = [places[word] for each in counts for word in each]
    values = [
        count * np.log(1 + len(counts) / frequency[word])
        for each in counts
        for word, count in each.items()
    ]
    matrix = sparse.csr_matrix((values, (rows, columns)), (len(counts), len(places)))
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.diags_array(1.0 / np.maximum(norms, 1e-12)).tocsr() @ matrix
