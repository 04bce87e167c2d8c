"""Fitting the heads of an encoder from a recipe, and the folder that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from coindex.arrays import Floats
from coindex.pronoun.asked import Ask, Asked
from coindex.pronoun.attention import Attention
from coindex.pronoun.heads import Fitted, fit
from coindex.pronoun.package import versions, write_card, write_facts
from coindex.pronoun.read import to_learn
from coindex.pronoun.recipe import Recipe

PLOT = "heads.svg"


def fit_attention(
    recipe: Recipe, out: Path, ways: Mapping[str, Ask], device: str = "cpu",
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:  # fmt: skip
    """Fit heads on the recipe's problems for each way to get candidates; write the folder.

    ways  "given", "found": how to find the phrases
    """
    encoder = Attention(recipe.encoder, device)
    files = [name for stage in recipe.stage for name in stage.files]
    read = to_learn(files, neither=True, seed=recipe.seeds[0])
    say(
        f"attention in {len(read.problems):,} passages, {encoder.layers} layers of"
        f" {encoder.heads} heads, {' and '.join(ways)} candidates"
    )
    asked = {way: list(ask(read.problems)) for way, ask in ways.items()}
    weights = _together(encoder, asked)
    fits = {
        way: fit(found, weights[way], recipe.keep, recipe.seeds[0]) for way, found in asked.items()
    }
    path = Path(recipe.encoder)
    facts = {
        "kind": "attention",
        "encoder": str(path.resolve()) if path.is_dir() else recipe.encoder,
        "recipe": recipe.json(),
        "fits": {way: made.json() for way, made in fits.items()},
        "data": {", ".join(files): read.checksum},
        "left out": dict(read.dropped),
        "versions": versions("torch", "transformers", "scikit-learn"),
    }
    write_facts(out, facts)
    draw(fits, out / PLOT)
    of = f"Heads of {path.name if path.is_absolute() else recipe.encoder}, fitted on {', '.join(files)}"
    write_card(out, "attention", f"{of} ({len(read.problems):,} problems).", lines(fits))
    return {"folder": str(out), "fits": facts["fits"], "left out": facts["left out"]}


def _together(encoder: Attention, asked: Mapping[str, list[Asked]]) -> dict[str, list[Floats]]:
    """The weights for each way; a passage is read once for all of them."""
    found: dict[str, list[Floats]] = {way: [] for way in asked}
    for each in zip(*asked.values(), strict=True):
        phrases = tuple(phrase for one in each for phrase in one.phrases)
        (weights,) = encoder.weigh([Asked(each[0].problem, phrases)])
        at = 0
        for way, one in zip(asked, each, strict=True):
            found[way].append(weights[at : at + len(one.phrases)])
            at += len(one.phrases)
    return found


def lines(fits: Mapping[str, Fitted]) -> list[str]:
    """The table of all heads for people, as in the paper: a row a head, a column a layer."""
    found = []
    for way, made in fits.items():
        columns = range(len(made.table))
        found.append(f"F1 of each head, {way} candidates")
        found.append("      " + " ".join(f"{f'L{layer}':>5}" for layer in columns))
        for head, row in enumerate(zip(*made.table, strict=True)):
            found.append(f"{f'H{head}':<5} " + " ".join(f"{value:5.1f}" for value in row))
        layer, head = made.single
        best = made.table[layer][head]
        chosen = ", ".join(f"L{l}H{h}" for l, h in made.chosen)  # noqa: E741
        found.append(f"single: L{layer}H{head} ({best:.1f}); multi: {chosen}")
    return found


def draw(fits: Mapping[str, Fitted], path: Path) -> None:
    """The same table as a picture."""
    from coindex.errors import InputError, MissingExtra

    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtra("matplotlib", "train") from error
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "coindex"  # the same table gives the same file
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1 + 4.5 * len(fits), 4.5), layout="constrained")
    for number, (way, made) in enumerate(fits.items(), 1):
        axes = figure.add_subplot(1, len(fits), number)
        _picture(figure, axes, list(zip(*made.table, strict=True)), f"{way} candidates")
    try:
        figure.savefig(path, metadata={"Date": None})
    except OSError as error:
        raise InputError(f"{path}: cannot write the picture: {error}") from error


def _picture(figure: Any, axes: Any, rows: Sequence[Sequence[float]], title: str) -> None:
    image = axes.imshow(rows, cmap="viridis", aspect="auto")
    axes.set(xlabel="layer", ylabel="head", title=f"F1, {title}")
    axes.set_xticks(range(len(rows[0])))
    axes.set_yticks(range(len(rows)))
    figure.colorbar(image, ax=axes)
