"""GAP's Table 8: how well each attention head of an encoder tells what a pronoun means."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from coindex.benchmarks.published import GAP_HEADS
from coindex.errors import InputError
from coindex.models.pronoun.attention import FittedHeads, parse_fitted_heads
from coindex.report.table import Cell, Table, text_notes

WAYS = ("found", "given")


@dataclass(frozen=True, slots=True)
class HeadScores:
    """The heads of an encoder for each way to candidates, and what they were fitted on."""

    encoder: str
    on: str
    fits: dict[str, FittedHeads]


def read_heads(text: str, source: str) -> list[HeadScores]:
    """The encoders of a file: a list of {encoder, on, fits}."""
    try:
        return [
            HeadScores(
                str(each["encoder"]),
                str(each["on"]),
                {way: parse_fitted_heads(each["fits"][way], source) for way in WAYS},
            )
            for each in json.loads(text)
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{source}: expected the heads of encoders, found {error!r}") from None


def heads_json(found: Sequence[HeadScores]) -> str:
    """What `read_heads` reads, an encoder a line."""
    rows = [
        {"encoder": h.encoder, "on": h.on, "fits": {w: asdict(f) for w, f in h.fits.items()}}
        for h in found
    ]
    return "[" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "]\n"


def head_tables(found: Sequence[HeadScores], title: str) -> list[Table]:
    """Ours, a table for each encoder, then the paper's; the best head is marked.

    With names found, as in the paper; the best with names given is stated below.
    """
    grids = [
        _grid(f"{title}: {each.encoder}, {each.on}", each.fits["found"].table, _notes(each))
        for each in found
    ]
    paper = tuple(zip(*GAP_HEADS, strict=True))
    note = "The paper's Transformer, of 6 layers of 8 heads, on GAP validation."
    return [*grids, _grid(f"{title}: the paper's", paper, (note,))]


def _notes(heads: HeadScores) -> tuple[str, ...]:
    """What the two resolvers take, for each way to candidates."""
    result = []
    for way, made in heads.fits.items():
        layer, head = made.single
        several = ", ".join(f"L{one}H{two}" for one, two in made.chosen)
        best = f"L{layer}H{head} ({made.table[layer][head]:.1f})"
        result.append(f"Names {way}: attention-single takes {best}, attention-multi {several}.")
    return tuple(result)


def _grid(title: str, table: Sequence[Sequence[float]], notes: tuple[str, ...]) -> Table:
    """A row a head, a column a layer, as the paper prints it."""
    best = max(value for layer in table for value in layer)
    rows: list[tuple[Cell, ...]] = [
        (f"H{head}", *(f"{value:.1f}" for value in values))
        for head, values in enumerate(zip(*table, strict=True))
    ]
    marked = frozenset(
        (head, layer + 1)
        for layer, values in enumerate(table)
        for head, value in enumerate(values)
        if value == best
    )
    columns = ("head", *(f"L{layer}" for layer in range(len(table))))
    return Table(title, columns, tuple(rows), text_notes(*notes), marked)
