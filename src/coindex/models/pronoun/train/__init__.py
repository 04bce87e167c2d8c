"""Training of pronoun models of every kind, and a grid search over settings.

The WikiCREM paper searches learning rate, alpha and beta on 100,000 items, by the score on its
own held-out items; the setting `stage.1.most=100000` does the same here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coindex.errors import UsageError
from coindex.models.common.artifact import write_json
from coindex.models.pronoun.query import CandidateFinder
from coindex.models.pronoun.recipe import Recipe
from coindex.types.progress import OnProgress, ignore_progress

if TYPE_CHECKING:
    from coindex.models.common.trainer import TrainingResult
    from coindex.models.pronoun.train.fit_ensemble import MemberDecisions

logger = logging.getLogger(__name__)

GRID = "grid.json"


@dataclass(frozen=True, slots=True)
class PronounTraining:
    """What training wrote.

    values   the result as plain values; the keys depend on the kind of the model
    lines    the result as text: one line per model, a table of heads, or dev scores
    """

    folder: Path
    values: Mapping[str, Any]
    lines: tuple[str, ...]


def train(
    recipe: Recipe,
    out: Path,
    device: str = "cpu",
    *,
    finders: Mapping[str, CandidateFinder],
    decide: MemberDecisions | None = None,
    fresh: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> PronounTraining:
    """Train the model of a recipe into a folder; one model per seed.

    A run that was stopped is resumed; a finished model is not changed.

    finders  how to find candidates, by "given" and "found" (`resolvers.candidate_finders`)
    decide   the decisions of the members of an ensemble (`resolvers.member_decisions`)
    fresh    whether to remove the run in the folder first
    """
    if recipe.kind == "ensemble":
        from coindex.models.pronoun.train.fit_ensemble import fit_ensemble

        if decide is None:
            raise UsageError("an ensemble needs the decisions of its members")
        values, lines = fit_ensemble(recipe, out, decide)
        return PronounTraining(out, values, tuple(lines))
    if recipe.kind == "attention":
        from coindex.models.pronoun.train.fit_attention import fit_attention

        values, lines = fit_attention(recipe, out, finders, device)
        return PronounTraining(out, values, tuple(lines))
    from coindex.models.pronoun.train.trainer import train_seed

    results = []
    for seed in recipe.seeds:
        folder = out / f"seed-{seed}" if len(recipe.seeds) > 1 else out
        logger.info(f"training on {device}: {recipe.kind}, seed {seed}")
        results.append(
            train_seed(
                recipe, folder, finders, device, seed=seed, fresh=fresh, on_progress=on_progress
            )
        )
    values = {"models": [result.as_json() for result in results]}
    return PronounTraining(out, values, tuple(map(_result_line, results)))


def _result_line(result: TrainingResult) -> str:
    verb = "is trained already (--fresh trains anew)" if result.finished_before else "trained"
    each = ", ".join(f"{name} {value:.2f}" for name, value in result.dev.items())
    return f"{result.folder}: {verb}{f'; dev {each}' if each else ''}"


def grid_search(
    axes: Sequence[str],
    out: Path,
    load: Callable[[tuple[str, ...]], Recipe],
    device: str = "cpu",
    *,
    finders: Mapping[str, CandidateFinder],
    fresh: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> PronounTraining:
    """Train every combination of some settings with the first seed; choose the best by dev.

    axes    settings with values, such as `stage.1.alpha=5,10,20`
    load    the recipe with some changes
    """
    from coindex.models.pronoun.train.trainer import train_seed

    def run(changes: tuple[str, ...], folder: Path) -> TrainingResult:
        logger.info(f"{folder}: {' '.join(changes)}")
        return train_seed(
            load(changes), folder, finders, device, fresh=fresh, on_progress=on_progress
        )

    return search(axes, out, run)


def search(
    axes: Sequence[str], out: Path, run: Callable[[tuple[str, ...], Path], TrainingResult]
) -> PronounTraining:
    """Run every combination in its own folder; `grid.json` has all of them and the best."""
    rows: list[dict[str, Any]] = []
    for number, changes in enumerate(combinations(axes), 1):
        done = run(changes, out / f"grid-{number:03}")
        if "mean" not in done.dev:
            raise UsageError("a grid needs a [[dev]] table to choose by, found none")
        rows.append({"changes": list(changes), "folder": str(done.folder), "dev": dict(done.dev)})
    ordered = sorted(rows, key=lambda row: -float(row["dev"]["mean"]))
    values = {"rows": rows, "best": ordered[0]}
    write_json(out / GRID, values)
    lines = tuple(f"{row['dev']['mean']:.2f}  {' '.join(row['changes'])}" for row in ordered)
    return PronounTraining(out, values, lines)


def combinations(axes: Iterable[str]) -> list[tuple[str, ...]]:
    """Every combination of settings such as `stage.1.alpha=5,10,20`."""
    rows: list[list[str]] = []
    for axis in axes:
        name, equals, values = axis.partition("=")
        choices = [value.strip() for value in values.split(",") if value.strip()]
        if not equals or not name.strip() or not choices:
            raise UsageError(f"expected values such as stage.1.alpha=5,10,20, found {axis!r}")
        rows.append([f"{name.strip()}={value}" for value in choices])
    return list(product(*rows))
