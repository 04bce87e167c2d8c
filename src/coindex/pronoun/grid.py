"""A search over settings: a recipe trained for every combination, the best one by dev.

The WikiCREM paper searches learning rate, alpha and beta on 100,000 items, by the score on
its own held-out items; `stage.1.most=100000` does the same here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from coindex import io
from coindex.errors import UsageError

GRID = "grid.json"


def combinations(axes: Iterable[str]) -> list[tuple[str, ...]]:
    """Every combination of settings such as `stage.1.alpha=5,10,20`."""
    rows: list[list[str]] = []
    for axis in axes:
        name, equals, values = axis.partition("=")
        found = [value.strip() for value in values.split(",") if value.strip()]
        if not equals or not name.strip() or not found:
            raise UsageError(f"expected values such as stage.1.alpha=5,10,20, found {axis!r}")
        rows.append([f"{name.strip()}={value}" for value in found])
    return list(product(*rows))


def search(
    axes: Sequence[str], out: Path, run: Callable[[tuple[str, ...], Path], dict[str, Any]]
) -> dict[str, Any]:
    """Run every combination into a folder of its own; the best one by its mean on dev.

    run     trains with some changes into a folder, and tells its dev figures
    """
    rows = []
    for number, changes in enumerate(combinations(axes), 1):
        done = run(changes, out / f"grid-{number:03}")
        if "mean" not in done["dev"]:
            raise UsageError("a grid needs a [[dev]] table to choose by, found none")
        rows.append({"changes": list(changes), "folder": done["folder"], "dev": done["dev"]})
    best = max(rows, key=lambda row: row["dev"]["mean"])
    found = {"rows": rows, "best": best}
    io.make_folder(out)
    io.write_text(out / GRID, [json.dumps(found, indent=1), "\n"])
    return found


def lines(found: dict[str, Any]) -> list[str]:
    """The combinations for people, the best first; of equals, the first that was run."""
    ordered = sorted(found["rows"], key=lambda row: -row["dev"]["mean"])
    return [f"{row['dev']['mean']:.2f}  {' '.join(row['changes'])}" for row in ordered]
