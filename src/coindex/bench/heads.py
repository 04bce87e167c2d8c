"""GAP's Table 8: how well each attention head of an encoder tells what a pronoun means."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from coindex.benchmarks._papers import GAP_HEADS
from coindex.errors import InputError
from coindex.pronoun.heads import Fitted, fitted
from coindex.scoring.grid import Cell, Grid

WAYS = ("found", "given")


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of an encoder for each way to candidates, and what they were fitted on."""

    encoder: str
    on: str
    fits: dict[str, Fitted]


def read_heads(text: str, source: str) -> list[Heads]:
    """The encoders of a file: a list of {encoder, on, fits}."""
    try:
        return [
            Heads(
                str(each["encoder"]),
                str(each["on"]),
                {way: fitted(each["fits"][way], source) for way in WAYS},
            )
            for each in json.loads(text)
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{source}: expected the heads of encoders, found {error!r}") from None


def heads_json(found: Sequence[Heads]) -> str:
    """What `read_heads` reads, an encoder a line."""
    rows = [
        {"encoder": h.encoder, "on": h.on, "fits": {w: f.json() for w, f in h.fits.items()}}
        for h in found
    ]
    return "[" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "]\n"


def heads_grids(found: Sequence[Heads], title: str) -> list[Grid]:
    """Ours, a table for each encoder, then the paper's; the best head is marked.

    With names found, as in the paper; what is best with names given is told below.
    """
    grids = [
        _grid(f"{title}: {each.encoder}, {each.on}", each.fits["found"].table, _notes(each))
        for each in found
    ]
    paper = tuple(zip(*GAP_HEADS, strict=True))
    note = "The paper's Transformer, of 6 layers of 8 heads, on GAP validation."
    return [*grids, _grid(f"{title}: the paper's", paper, (note,))]


def _notes(heads: Heads) -> tuple[str, ...]:
    """What the two resolvers take, for each way to candidates."""
    found = []
    for way, made in heads.fits.items():
        layer, head = made.single
        several = ", ".join(f"L{one}H{two}" for one, two in made.chosen)
        best = f"L{layer}H{head} ({made.table[layer][head]:.1f})"
        found.append(f"Names {way}: attention-single takes {best}, attention-multi {several}.")
    return tuple(found)


def _grid(title: str, table: Sequence[Sequence[float]], notes: tuple[str, ...]) -> Grid:
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
    return Grid(title, columns, tuple(rows), notes, marked)
