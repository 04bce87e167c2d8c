"""A table to be shown: what every report is made of, and every style can draw."""

from __future__ import annotations

from dataclasses import dataclass

Cell = str | int | float | None
"""Text, a whole number, a number shown with two decimals, or nothing."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A number with its interval, for the picture beside a table."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A titled table. `marked` cells (row, column) are emphasised in every style."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    marked: frozenset[tuple[int, int]] = frozenset()
    bars: tuple[Bar, ...] = ()
