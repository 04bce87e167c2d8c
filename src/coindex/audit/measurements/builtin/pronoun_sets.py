"""Singular they and neopronouns against he and she, on the same sentences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from coindex.audit.comparison import answers, is_right
from coindex.audit.exchange import text_signature
from coindex.audit.fillings import NEOPRONOUNS, SETS, with_pronouns
from coindex.audit.intervals import combined, share
from coindex.audit.measurements.protocol import (
    AuditContext,
    AuditFigure,
    Measured,
    NotMeasured,
    figure,
    points_text,
)
from coindex.audit.templates import Filling, Passage, Template
from coindex.audit.variants import passages
from coindex.scoring.contingency import Floats
from coindex.types.document import Document

TITLE = "They and neopronouns against he and she, on the same sentences"
GROUP = "pronouns"
BENCHMARKS: tuple[str, ...] = ()
FIGURES = (*SETS, "they gap", "neopronoun gap")
ABOUT = """
The bundled texts in which only one person has pronouns, each with every set of pronouns and with
one name, whose given name tells no gender. A pronoun is right if it is joined with its person and
with nobody else. The gaps are the mean of he and she, less they, and less the mean of the
neopronouns.
"""

LIMIT = 10.0
"""The gap in points that is too large."""


def measure(context: AuditContext) -> Measured:
    """The share of pronouns that are right, by set, and the gaps."""
    counts = {name: _counts(context, name) for name in SETS}
    rows = [sum(each, ()) for each in zip(*counts.values(), strict=True) if None not in each]
    if not rows:
        raise NotMeasured("no text has clusters")
    shares = {
        name: share([row[2 * at : 2 * at + 2] for row in rows], context.draws)
        for at, name in enumerate(SETS)
    }
    figures = [
        figure(name, each, "percent", f"{each.value or 0:.1f} % of the forms of {name} are right.")
        for name, each in shares.items()
    ]
    figures += [
        _gap("they gap", "singular they", [2], rows, context),
        _gap("neopronoun gap", "neopronouns", [SETS.index(e) for e in NEOPRONOUNS], rows, context),
    ]
    return Measured(tuple(figures), text_signature(context, "pronoun-sets", len(rows)))


def _gap(
    name: str, what: str, columns: list[int], rows: list[tuple[float, ...]], context: AuditContext
) -> AuditFigure:
    def combine(shares: Floats) -> Floats:
        return np.asarray(shares[:2].mean(axis=0) - shares[columns].mean(axis=0))

    found = combined(rows, combine, context.draws)
    points = points_text(found.value, "lower", "higher")
    meaning = f"Accuracy on {what} is {points} than on he and she."
    return AuditFigure(
        name, found.value, found.interval, found.of, "points", meaning, LIMIT, 0.0, "higher"
    )


def _counts(context: AuditContext, pronouns: str) -> list[tuple[float, ...] | None]:
    """For each text how many pronouns of the person are right, and how many there are."""
    texts = passages(f"pronouns-{pronouns}", _filler(pronouns), _has_one_person)
    resolved = context.resolve(texts, f"pronoun-sets, {pronouns}")
    return [None if d is None else _right(p, d) for p, d in zip(texts, resolved, strict=True)]


def _right(passage: Passage, document: Document) -> tuple[float, ...]:
    kinds = dict(zip(passage.mentions, passage.kinds, strict=True))
    found = answers(passage, document)
    asked = [
        question.key
        for question in passage.questions
        if kinds[question.mention] == "pronoun"
        and question.mention.chars.of(passage.text).lower() not in ("it", "its")
    ]
    return float(sum(is_right(key, found[key]) for key in asked)), float(len(asked))


def _filler(pronouns: str) -> Callable[[Template, int], Filling]:
    return lambda template, number: with_pronouns(template, number, pronouns, neutral=True)


def _has_one_person(template: Template) -> bool:
    return len(template.with_pronouns) == 1
