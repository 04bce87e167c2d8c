"""Fitting the heads of an encoder from a recipe, and writing the model's folder."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from coindex.models.common.artifact import METADATA, versions, write_json
from coindex.models.pronoun.artifact import write_fitted_card
from coindex.models.pronoun.attention import AttentionEncoder, FittedHeads, fit_heads
from coindex.models.pronoun.query import CandidateFinder, CandidateQuery
from coindex.models.pronoun.recipe import Recipe
from coindex.models.pronoun.train.problems import training_problems
from coindex.report.plots import figure
from coindex.scoring.contingency import Floats

logger = logging.getLogger(__name__)

PLOT = "heads.svg"


def fit_attention(
    recipe: Recipe, out: Path, finders: Mapping[str, CandidateFinder], device: str = "cpu"
) -> tuple[dict[str, Any], list[str]]:
    """Fit heads on the recipe's problems for each kind of candidates; write the folder.

    finders  by "given" and "found": how to find the phrases

    Returns the result as plain values, and the table of heads as lines.
    """
    encoder = AttentionEncoder(recipe.encoder, device)
    files = [name for stage in recipe.stage for name in stage.files]
    data = training_problems(files, neither=True, seed=recipe.seeds[0])
    logger.info(
        f"attention in {len(data.problems):,} passages, {encoder.layers} layers of"
        f" {encoder.heads} heads, {' and '.join(finders)} candidates"
    )
    queries = {name: list(finder(data.problems)) for name, finder in finders.items()}
    weights = _weigh_together(encoder, queries)
    fits = {
        name: fit_heads(own, weights[name], recipe.keep, recipe.seeds[0])
        for name, own in queries.items()
    }
    path = Path(recipe.encoder)
    metadata = {
        "kind": "attention",
        "encoder": str(path.resolve()) if path.is_dir() else recipe.encoder,
        "recipe": asdict(recipe),
        "fits": {name: asdict(made) for name, made in fits.items()},
        "data": {", ".join(files): data.checksum},
        "left out": dict(data.dropped),
        "versions": versions("torch", "transformers", "scikit-learn"),
    }
    write_json(out / METADATA, metadata)
    draw_heads(fits, out / PLOT)
    name = path.name if path.is_absolute() else recipe.encoder
    summary = f"Heads of {name}, fitted on {', '.join(files)} ({len(data.problems):,} problems)."
    lines = head_table(fits)
    write_fitted_card(out, "attention", summary, lines)
    result = {"folder": str(out), "fits": metadata["fits"], "left out": metadata["left out"]}
    return result, lines


def _weigh_together(
    encoder: AttentionEncoder, queries: Mapping[str, list[CandidateQuery]]
) -> dict[str, list[Floats]]:
    """The attention for each kind of candidates; each passage is read once for all kinds."""
    weights: dict[str, list[Floats]] = {name: [] for name in queries}
    for each in zip(*queries.values(), strict=True):
        phrases = tuple(phrase for query in each for phrase in query.phrases)
        (joined,) = encoder.weigh([CandidateQuery(each[0].problem, phrases)])
        at = 0
        for name, query in zip(queries, each, strict=True):
            weights[name].append(joined[at : at + len(query.phrases)])
            at += len(query.phrases)
    return weights


def head_table(fits: Mapping[str, FittedHeads]) -> list[str]:
    """The F1 of all heads as lines, as in the paper: one row per head, one column per layer."""
    lines = []
    for name, made in fits.items():
        columns = range(len(made.table))
        lines.append(f"F1 of each head, {name} candidates")
        lines.append("      " + " ".join(f"{f'L{layer}':>5}" for layer in columns))
        for head, row in enumerate(zip(*made.table, strict=True)):
            lines.append(f"{f'H{head}':<5} " + " ".join(f"{value:5.1f}" for value in row))
        layer, head = made.single
        best = made.table[layer][head]
        chosen = ", ".join(f"L{l}H{h}" for l, h in made.chosen)  # noqa: E741
        lines.append(f"single: L{layer}H{head} ({best:.1f}); multi: {chosen}")
    return lines


def draw_heads(fits: Mapping[str, FittedHeads], path: Path) -> None:
    """The same table as a figure."""
    with figure(path, 1 + 4.5 * len(fits), 4.5, extra="train") as drawn:
        for number, (name, made) in enumerate(fits.items(), 1):
            axes, rows = (
                drawn.add_subplot(1, len(fits), number),
                list(zip(*made.table, strict=True)),
            )
            image = axes.imshow(rows, cmap="viridis", aspect="auto")
            axes.set(xlabel="layer", ylabel="head", title=f"F1, {name} candidates")
            axes.set_xticks(range(len(rows[0])))
            axes.set_yticks(range(len(rows)))
            drawn.colorbar(image, ax=axes)
