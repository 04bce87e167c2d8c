"""A plain grid of numbers, with a label in front of each row.

In a narrow terminal labels and headings are folded, numbers never are; if there is still too
little room, the grid is wider than the terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

LEAST = 12
"""Labels are not folded to fewer columns than this."""
_BETWEEN = 3


def print_grid(
    headings: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None
) -> None:
    """Print the numbers of each row below the headings; the first of each row is its label."""
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table

    console = Console(soft_wrap=False)
    labels = max((cell_len(row[0]) for row in rows), default=0)
    numbers = [
        max((cell_len(row[at]) for row in rows), default=0) for at in range(1, len(headings) + 1)
    ]
    spare = console.width - sum(numbers) - _BETWEEN * len(numbers)
    grid = Table(show_edge=False, pad_edge=False, title=title)
    grid.title_justify = "left"
    width = min(labels, max(LEAST, spare))
    narrow = spare < labels
    grid.add_column("", no_wrap=not narrow, width=width if narrow else None, overflow="fold")
    for heading, least in zip(headings, numbers, strict=True):
        fixed = least if narrow else None
        grid.add_column(heading, justify="right", overflow="fold", min_width=least, width=fixed)
    for row in rows:
        grid.add_row(*row)
    console.width = max(console.width, width + sum(numbers) + _BETWEEN * len(numbers))
    console.print(grid)
