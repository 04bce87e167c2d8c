"""The picture of span lengths, maximum against MINA, as in the MINA paper's Figure 8."""

from __future__ import annotations

from collections.abc import Mapping

from coindex.errors import InputError, MissingExtra

_SIDES = (("maximum", "maximum spans", "C0", "//"), ("mina", "MINA spans", "C1", ".."))


def plot_lengths(lengths: Mapping[str, Mapping[str, int]], path: str) -> None:
    """Draw how many mentions have each length, under both kinds of span."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtra("matplotlib", "plot") from error
    mpl.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    for number, (side, label, colour, pattern) in enumerate(_SIDES):
        places = [at + 0.4 * number - 0.2 for at in range(len(lengths[side]))]
        counts = list(lengths[side].values())
        bars = axes.bar(places, counts, 0.4, label=label, color=colour, hatch=pattern,
                        edgecolor="black", linewidth=0.6)  # fmt: skip
        axes.bar_label(bars, fmt="{:,.0f}", fontsize="small")
    labels = [name.replace(">=", "≥ ") for name in lengths["maximum"]]
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlabel("length in words")
    axes.set_ylabel("mentions")
    axes.set_title("Length of maximum and minimum spans")
    axes.margins(y=0.1)
    axes.legend()
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot write the picture: {error}") from error
