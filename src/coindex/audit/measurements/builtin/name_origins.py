"""Names of different origins: how many mentions and links are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from coindex.audit.comparison import answers, found_names, is_right
from coindex.audit.exchange import text_signature
from coindex.audit.fillings import base_filling, origins
from coindex.audit.intervals import LEVEL, Draws, combined, share
from coindex.audit.measurements.protocol import (
    AuditContext,
    AuditFigure,
    Measured,
    NotMeasured,
    figure,
)
from coindex.audit.templates import Filling, Template
from coindex.audit.variants import passages
from coindex.scoring.contingency import Floats

TITLE = "Names of different origins: recall of mentions and links"
GROUP = "names"
BENCHMARKS: tuple[str, ...] = ()
ABOUT = """
The bundled texts that name people, each with names of every origin of the list `name_origins`.
A mention is found if the name is in a cluster; a link if a mention of the person, after the first, is
joined with the person and with nobody else. The gaps compare the origin that does worst with the
mean of all: negative if it does worse. As the worst of several is looked for, its interval is
wider (Bonferroni).
"""

LIMIT = 10.0
"""The gap in points that is too large."""

Row = tuple[float, ...]


def _figures() -> tuple[str, ...]:
    each = [f"{origin} {kind}" for kind in ("mentions", "links") for origin in origins()]
    return (*each, "mentions gap", "links gap")


FIGURES = (*_figures(),)


def measure(context: AuditContext) -> Measured:
    """The recall by origin, and the origin that does worst."""
    counts = [_counts(context, origin) for origin in origins()]
    texts = [each for each in zip(*counts, strict=True) if None not in each]
    if not texts:
        raise NotMeasured("no text has clusters")
    figures: list[AuditFigure] = []
    gaps: list[AuditFigure] = []
    for at, kind in enumerate(("mentions", "links")):
        rows = [sum((origin[2 * at : 2 * at + 2] for origin in text), ()) for text in texts]
        for number, origin in enumerate(origins()):
            found = share([row[2 * number : 2 * number + 2] for row in rows], context.draws)
            share_found = f"{found.value or 0:.1f} % of the {kind} are found"
            meaning = f"With {origin.capitalize()} names, {share_found}."
            figures.append(figure(f"{origin} {kind}", found, "percent", meaning))
        gaps.append(_gap(kind, rows, context.draws))
    return Measured((*figures, *gaps), text_signature(context, "name-origins", len(texts)))


def _gap(kind: str, rows: Sequence[Row], draws: Draws) -> AuditFigure:
    """The origin that does worst, against the mean of all."""
    names = origins()
    found = [combined(rows, _less_mean(at), draws, LEVEL / len(names)) for at in range(len(names))]
    at = int(np.argmin([each.value or 0.0 for each in found]))
    worst = found[at]
    below = f"{-(worst.value or 0):.1f} points below the mean of all origins"
    meaning = f"Recall of {kind} is lowest with {names[at].capitalize()} names: {below}."
    if not worst.value:
        meaning = f"The {kind} of all origins are found equally often."
    return AuditFigure(
        f"{kind} gap", worst.value, worst.interval, worst.of, "points", meaning, LIMIT, 0.0, "lower"
    )


def _less_mean(at: int) -> Callable[[Floats], Floats]:
    return lambda shares: np.asarray(shares[at] - shares.mean(axis=0))


def _counts(context: AuditContext, origin: str) -> list[Row | None]:
    """For each text names that are found, of how many, and links that are, of how many."""

    def filled(template: Template, number: int) -> Filling:
        return base_filling(template, number, origin)

    texts = passages(f"names-{origin}", filled, lambda template: bool(template.named))
    rows: list[Row | None] = []
    for text, document in zip(
        texts, context.resolve(texts, f"name-origins, {origin}"), strict=True
    ):
        if document is None:
            rows.append(None)
            continue
        found = answers(text, document)
        right = sum(is_right(key, answer) for key, answer in found.items())
        rows.append((*map(float, found_names(text, document)), float(right), float(len(found))))
    return rows
