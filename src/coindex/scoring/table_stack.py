"""The contingency tables of many documents in one, so that all are counted at once.

Entities and cells are numbered throughout, and each knows its document. A metric that defines
`count_stack` counts a whole corpus with a few operations on arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coindex.scoring.contingency import ContingencyTable, Floats, Ints


class TableStack(NamedTuple):
    """Contingency tables of several documents (see `ContingencyTable`).

    documents              the number of documents
    of_key, of_response    the document of each entity
    of_cell                the document of each cell
    """

    documents: int
    key: Ints
    response: Ints
    rows: Ints
    columns: Ints
    overlaps: Ints
    of_key: Ints
    of_response: Ints
    of_cell: Ints

    def cell_sums(self, values: Floats | Ints) -> Floats:
        """The sum over the cells of each document."""
        return sums(self.of_cell, values, self.documents)

    def key_sums(self, values: Floats | Ints) -> Floats:
        """The sum over the key entities of each document."""
        return sums(self.of_key, values, self.documents)

    def response_sums(self, values: Floats | Ints) -> Floats:
        """The sum over the response entities of each document."""
        return sums(self.of_response, values, self.documents)


def sums(groups: Ints, values: Floats | Ints, number: int) -> Floats:
    """The sum of the values of each group; groups are in order.

    Each sum is that of `np.sum`, to the last bit: it begins with zero, and adds in pairs.
    """
    padded = np.zeros(len(groups) + number)
    padded[np.arange(len(groups)) + groups + 1] = values
    first = np.searchsorted(groups, np.arange(number)) + np.arange(number)
    totals: Floats = np.add.reduceat(padded, first)
    return totals


def stack(tables: Sequence[ContingencyTable]) -> TableStack | None:
    """Tables as one; None if some have views or split antecedents, which are counted alone."""
    if not tables or any(t.views is not None or t.splits is not None for t in tables):
        return None
    sizes = [[len(t.key) for t in tables], [len(t.response) for t in tables]]
    of_key, of_response, of_cell = (
        np.repeat(np.arange(len(tables)), lengths)
        for lengths in (*sizes, [len(t.rows) for t in tables])
    )
    first_row, first_column = (np.cumsum([0, *lengths[:-1]]) for lengths in sizes)
    return TableStack(
        len(tables),
        np.concatenate([t.key for t in tables]),
        np.concatenate([t.response for t in tables]),
        np.concatenate([t.rows for t in tables]) + first_row[of_cell],
        np.concatenate([t.columns for t in tables]) + first_column[of_cell],
        np.concatenate([t.overlaps for t in tables]),
        of_key,
        of_response,
        of_cell,
    )
