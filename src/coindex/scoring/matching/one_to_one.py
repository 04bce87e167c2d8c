"""One-to-one matching of mentions: the pairs with the greatest sum of similarities.

The pairs fall into connected blocks, most of a single pair, which are solved separately. Of
equally good solutions, the one that pairs earlier mentions with earlier ones is taken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # CEAF needs `best_pairs` only
    from coindex.scoring.matching.protocol import Identify
    from coindex.types.document import Document
    from coindex.types.mention import Mention

Cells = Mapping[tuple[int, int], float]
"""The similarity of a row and a column, if it is above zero."""

Candidates = Callable[["list[Mention]", "list[Mention]"], Cells]
"""The similarities of the key mentions and response mentions that do not match exactly."""

_TIE = 1e-9
"""The weight of the order of mentions, which only decides between equal sums."""


def pair_one_to_one(
    key: Document,
    response: Document,
    of_key: Callable[[Mention], tuple[int, ...]],
    of_response: Callable[[Mention], tuple[int, ...]],
    candidates: Candidates,
) -> tuple[Identify, Identify]:
    """Identities of both sides: mentions of equal identity match, then the best pairs."""
    keys = {of_key(mention): mention for mention in key.mentions}
    responses = {of_response(mention): mention for mention in response.mentions}
    rows = _in_order(keys, responses)
    columns = _in_order(responses, keys)
    matches: dict[Hashable, Hashable] = {}
    if rows and columns:
        cells = candidates([keys[row] for row in rows], [responses[each] for each in columns])
        matches = {columns[column]: rows[row] for row, column in best_pairs(cells)}

    def identity(mention: Mention) -> Hashable:
        own = of_response(mention)
        return matches.get(own, own)

    return of_key, identity


def _in_order(
    side: dict[tuple[int, ...], Mention], other: Mapping[tuple[int, ...], Mention]
) -> list[tuple[int, ...]]:
    """The identities that the other side does not have, in reading order of their mentions."""
    from coindex.types.mention import reading_order

    alone = [identity for identity in side if identity not in other]
    return sorted(alone, key=lambda identity: (reading_order(side[identity]), identity))


def best_pairs(cells: Cells) -> list[tuple[int, int]]:
    """The rows and columns with the greatest sum of similarities, each used once at most."""
    pairs: list[tuple[int, int]] = []
    for block in _blocks(cells):
        if len(block) == 1:
            pairs += block
            continue
        rows = sorted({row for row, _ in block})
        columns = sorted({column for _, column in block})
        costs = [[0.0] * len(columns) for _ in rows]
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                if similarity := cells.get((row, column)):
                    early = (len(rows) - i) * (len(columns) - j)
                    costs[i][j] = -similarity - _TIE * early
        pairs += ((rows[i], columns[j]) for i, j in _assign(costs) if costs[i][j])
    return sorted(pairs)


def _assign(costs: list[list[float]]) -> list[tuple[int, int]]:
    """The assignment of least cost, by shortest augmenting paths (Jonker and Volgenant 1987)."""
    if len(costs) > len(costs[0]):
        turned = _assign([list(column) for column in zip(*costs, strict=True)])
        return [(row, column) for column, row in turned]
    width = len(costs[0])
    of_row, of_column = [0.0] * len(costs), [0.0] * width  # potentials
    owner = [-1] * width
    for start in range(len(costs)):
        distance, before = [inf] * width, [-1] * width
        done = [False] * width
        row, column, reach = start, -1, 0.0
        while row >= 0:
            nearest, least = -1, inf
            for each in range(width):
                if done[each]:
                    continue
                length = reach + costs[row][each] - of_row[row] - of_column[each]
                if length < distance[each]:
                    distance[each], before[each] = length, column
                if distance[each] < least:
                    nearest, least = each, distance[each]
            done[nearest] = True
            row, column, reach = owner[nearest], nearest, least
        _update_potentials(of_row, of_column, owner, distance, done, reach, start)
        while column >= 0:
            previous = before[column]
            owner[column] = owner[previous] if previous >= 0 else start
            column = previous
    return [(row, column) for column, row in enumerate(owner) if row >= 0]


def _update_potentials(
    of_row: list[float], of_column: list[float], owner: list[int],
    distance: list[float], done: list[bool], reach: float, start: int,
) -> None:  # fmt: skip
    """Keep the reduced costs of chosen cells at zero, and all others above."""
    of_row[start] += reach
    for column, settled in enumerate(done):
        if settled and distance[column] < reach:
            of_row[owner[column]] += reach - distance[column]
            of_column[column] -= reach - distance[column]


def _blocks(cells: Iterable[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The cells of each connected block."""
    by_row: defaultdict[int, list[int]] = defaultdict(list)
    by_column: defaultdict[int, list[int]] = defaultdict(list)
    for row, column in cells:
        by_row[row].append(column)
        by_column[column].append(row)
    blocks = []
    seen: set[int] = set()
    for first in by_row:
        if first in seen:
            continue
        seen.add(first)
        block, waiting = [], [first]
        while waiting:
            row = waiting.pop()
            for column in by_row[row]:
                block.append((row, column))
                new = [other for other in by_column[column] if other not in seen]
                seen.update(new)
                waiting += new
        blocks.append(block)
    return blocks
