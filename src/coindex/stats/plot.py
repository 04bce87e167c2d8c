"""The picture of a corpus's density: mentions over tokens, as in Quiz Bowl's Figure 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coindex.errors import InputError, MissingExtra

Points = Sequence[tuple[int, int, int]]


def plot_density(curves: Mapping[str, Points], path: str) -> None:
    """Draw running counts of mentions (solid) and nested mentions (dashed) over tokens."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtra("matplotlib", "plot") from error
    mpl.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    markers = "osD^v<>P*X"
    for number, (name, points) in enumerate(curves.items()):
        tokens, mentions, nested = zip(*points, strict=True)
        colour, marker = f"C{number % 10}", markers[number % len(markers)]
        every = max(1, len(points) // 8)
        axes.plot(tokens, mentions, "-", color=colour, marker=marker, markevery=every,
                  label=f"{name}: mentions")  # fmt: skip
        axes.plot(tokens, nested, "--", color=colour, marker=marker, markevery=every,
                  markerfacecolor="none", label=f"{name}: nested")  # fmt: skip
    axes.set_xlabel("tokens")
    axes.set_ylabel("running count")
    axes.set_title("Density of mentions")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot write the picture: {error}") from error
